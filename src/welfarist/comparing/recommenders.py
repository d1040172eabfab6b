"""The rules by which recommenders for groups choose, by the names they have there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from welfarist.families.power_mean.doctrines import power_of


@dataclass(frozen=True)
class Recommender:
    """A rule that weighs everybody equally.

    Attributes
    ----------
    name : str
        As in the literature on recommendations to groups.
    doctrine : str
        What it is called here.
    """

    name: str
    doctrine: str

    @property
    def p(self) -> float:
        """Its power."""
        return power_of(self.doctrine)

    def options(self, known: dict[str, Any]) -> dict[str, Any]:
        """What a learner with the options `known` must be set to."""
        held: dict[str, Any] = {"p": self.p, "weights": "equal", "groups": None, "prior": None}
        # They compare what people have on average, of however many.
        return {**held, "size_effect": False} if "size_effect" in known else held


RECOMMENDERS = (
    Recommender("average", "utilitarian"),
    Recommender("least misery", "egalitarian"),
    Recommender("most pleasure", "best off"),
    Recommender("multiplicative", "Nash"),
)


def recommender_of(name: str) -> Recommender | None:
    """Return the rule of that name, in any case; None if there is none."""
    wanted = name.strip().lower().replace("-", " ").replace("_", " ")
    return next((rule for rule in RECOMMENDERS if rule.name == wanted), None)

"""Which world is to be simulated, and what does not go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from welfarist.app.usage import UsageError

# What holds if nothing is said, of what not every world has.
DEFAULTS: dict[str, Any] = {
    "people": 5, "actions": 100, "decisions": 300, "tau": 20.0, "rho": 0.0, "nu": 0.05,
    "each": 39, "spread": 1.0,
}  # fmt: skip
# What holds of a country instead.
OF_A_COUNTRY: dict[str, Any] = {"people": 100_000, "actions": 12, "regions": 5}
# With more people than these, a column each would be too many: they get a row each.
MANY = 100_000
# What says nothing beside something else, with the reason.
_WITHOUT_EFFECT = {
    "people": "{charity} has 18 stakeholders",
    "decisions": "{scores} are of all actions",
    "tau": "{scores} have another noise, {nu}",
    "rho": "{scores} have another noise, {nu}",
    "nu": "it is the noise of {scores}",
    "menus": "{scores} are of all actions",
    "places": "it says how much of {menus} is ranked",
    "each": "it says how often each of the {deciders} decides",
    "types": "it says how {deciders} differ",
    "spread": "it says how {deciders} differ",
    "answers": "they are those of the stakeholders of {charity}",
}


@dataclass(frozen=True)
class WorldRequest:
    """Which world is to be simulated, and how its decision maker decides.

    Attributes
    ----------
    people, decisions : int or None
        How many stakeholders, and comparisons or choices; None is that of `DEFAULTS`, as below.
    tau, rho, nu : float or None
        Temperature and slips of comparisons, noise of scores.
    actions : int or None
    p : str
        The true power, or a doctrine.
    weights : str or None
        The true weights: "random", "equal", or numbers with commas between them; "population" in
        a country.
    charity : bool
        Whether it is a food-rescue charity.
    scores : bool
        Whether all actions are scored, in place of comparisons.
    menus : int or None
        From how many actions is chosen each time; None is comparisons of two.
    places : int or None
        How many actions of a menu are ranked; None is the chosen one alone.
    seed : int
    regions : int or None
        Of a country, whose people stand in rows; one of more than `MANY` people is a country.
    deciders : int or None
        How many decide, each by a rule of their own; None is one.
    each : int or None
        How many comparisons or choices each of them makes.
    types : int or None
        How many rules there are, of which each decider follows one.
    spread : float or None
        How much deciders differ by degree, where there are no types: the standard deviation of
        asinh p.
    answers : int or None
        How many comparisons each stakeholder of the charity answers, from which utilities are to
        be learned; None is utilities that are known.
    """

    people: int | None = None
    decisions: int | None = None
    tau: float | None = None
    rho: float | None = None
    nu: float | None = None
    actions: int | None = None
    p: str = "-1"
    weights: str | None = None
    charity: bool = False
    scores: bool = False
    menus: int | None = None
    places: int | None = None
    seed: int = 0
    regions: int | None = None
    deciders: int | None = None
    each: int | None = None
    types: int | None = None
    spread: float | None = None
    answers: int | None = None

    @property
    def is_country(self) -> bool:
        """Whether people stand in rows, in parts."""
        many = self.people is not None and self.people > MANY
        return not self.charity and (many or self.regions is not None)

    def value(self, name: str) -> Any:
        """What was said, or else holds."""
        told = getattr(self, name)
        if told is not None:
            return told
        return (DEFAULTS | OF_A_COUNTRY if self.is_country else DEFAULTS)[name]

    def check(self) -> None:
        """Refuse what would have no effect, and weights of others than there are."""
        idle = ["people"] * self.charity + (["decisions", "tau", "rho"] if self.scores else ["nu"])
        idle += ["menus"] * self.scores + ["places"] * (self.menus is None)
        idle += ["each", "types", "spread"] * (self.deciders is None)
        idle += ["answers"] * (not self.charity)
        for name in idle:
            if getattr(self, name) is not None:
                raise UsageError(
                    f"{{{name}}} has no effect here: {_WITHOUT_EFFECT[name]}. Leave it out."
                )
        self._check_deciders()
        if self.answers is not None and (self.scores or self.deciders is not None):
            raise UsageError(
                "{answers} go with one decision maker who compares or chooses: found {scores} or "
                "{deciders} as well. Leave one out."
            )
        actions = self.value("actions")
        if self.menus is not None and not (self.places or 1) <= self.menus <= actions:
            raise UsageError(
                "{menus} must hold as many actions as {places} are ranked, and no more than there "
                f"are {{actions}}; found {self.menus}, with {self.places or 1} and {actions}."
            )
        if self.charity and self.regions is not None:
            raise UsageError("{regions} are those of a country, not of {charity}. Leave one out.")
        for name in ("scores", "menus"):
            if self.is_country and getattr(self, name):
                raise UsageError(
                    f"{{{name}}} are not for a country, which has comparisons. Leave it out."
                )
        if self.weights == "population" and not self.is_country:
            raise UsageError(
                "{weights:population} is for a country, with {regions}. Use {weights:equal}."
            )
        told = [] if self.weights is None else self.weights.split(",")
        whose = "regions" if self.is_country else "people"
        if len(told) > 1 and not self.charity and len(told) != self.value(whose):
            raise UsageError(
                f"{{weights}} must be as many as {{{whose}}}; found {len(told)} for "
                f"{self.value(whose)}."
            )

    def _check_deciders(self) -> None:
        """Refuse what does not go with several decision makers."""
        if self.deciders is None:
            return
        if self.decisions is not None:
            raise UsageError(
                "{each} says how often each of the {deciders} decides, not {decisions}."
            )
        if self.types is not None and self.spread is not None:
            raise UsageError(
                "{types} and {spread} both say how {deciders} differ: by a few rules, or by "
                "degree. Leave one out."
            )
        if self.scores or self.places is not None or self.is_country:
            raise UsageError(
                "{deciders} compare actions, or choose from {menus}: there are no {scores}, no "
                "{places} and no country for them. Leave one out."
            )

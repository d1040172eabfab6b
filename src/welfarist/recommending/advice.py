"""A recommendation with its reasons, what would make another action the first, and what to ask."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.base.exports import Table
from welfarist.base.front_door import public
from welfarist.recommending.further import Further
from welfarist.recommending.raising import Raise
from welfarist.recommending.reasons import Why
from welfarist.recommending.recommendation import Recommendation


@dataclass(frozen=True, eq=False)
class Advice:
    """What whoever must decide reads.

    Attributes
    ----------
    said : Recommendation
    why : Why or None
        Why the first action is better than another.
    rises : Raise or None
        What the other would have to give somebody.
    further : Further or None
        What more questions would be worth.
    why_not : str
        Why there are no reasons; empty where there are, or none were asked for.
    """

    said: Recommendation
    why: Why | None = None
    rises: Raise | None = None
    further: Further | None = None
    why_not: str = ""

    @classmethod
    def of(
        cls,
        said: Recommendation,
        against: str | int | None = None,
        questions: int | None = None,
        *,
        reasons: bool = True,
        random_state: Any = 0,
    ) -> Advice:
        """Return a recommendation with what is said beside it.

        Parameters
        ----------
        said : Recommendation
        against : str or int, optional
            The action that the first is set against; left out, the second. Of the first itself, the
            second is.
        questions : int, optional
            How many further questions are weighed; left out, none.
        reasons : bool
            Whether there are any.
        random_state : seed
            Of the questions.

        Examples
        --------
        >>> import welfarist as wf
        >>> weights = [[0.6, 0.4], [0.5, 0.5], [0.4, 0.6]] * 10
        >>> rules = wf.RuleDraws(np.array(weights), *np.array([[0.0], [9], [0], [0]]).repeat(30, 1),
        ...                      ("old", "young"), "posterior", 0)
        >>> said = wf.recommend(rules, [[4.0, 4.0], [5.0, 3.0]], names=["tram", "bus"])
        >>> print(wf.Advice.of(said, "bus").why.sentence)
        tram is better than bus by 3.28% of welfare, because of young, against old; ...
        """
        other = None if against is None else said.row(against)
        further = None if questions is None else said.further(questions, random_state)
        if not reasons:
            return cls(said, further=further)
        why_not = _no_reasons(said, other)
        if why_not:
            return cls(said, further=further, why_not=why_not)
        first = None if other != said.order[0] else int(said.order[1])
        return cls(said, said.why(first, other), said.raises(first, other), further)

    def tables(self, top: int | None = None) -> list[Table]:
        """Return what people read; `top` keeps the best actions only."""
        parts = (self.why, self.rises, self.further)
        return [self.said.table(top), *(part.table() for part in parts if part is not None)]

    def report(self, path: str | os.PathLike[str], title: str | None = None, **given: Any) -> None:
        """Write one HTML page for whoever decides; see :func:`welfarist.write_report`."""
        public("write_report")(self, path, title=title, **given)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, which strict JSON can hold."""
        found = self.said.to_dict()
        parts = {"why": self.why, "raises": self.rises, "further": self.further}
        found |= {name: part.to_dict() for name, part in parts.items() if part is not None}
        return {**found, "notes": [*found["notes"], *filter(None, [self.why_not])]}


def _no_reasons(said: Recommendation, other: int | None) -> str:
    """Why two actions cannot be set against each other; empty where they can."""
    if len(said) < 2:
        return "There is one action only, and no other to set it against."
    rest = said.order[1] if other in (None, said.order[0]) else other
    both = said.utilities[[said.order[0], rest]]
    if np.isnan(both).any():
        return (
            f"{said.best} and {said.names[rest]} do not affect the same people, so that nobody's "
            "pull on the difference can be told."
        )
    return ""

"""What solvers see of a budget: whoever matters, each kind of person once, nothing shifted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.allocating.projects import Projects
from welfarist.families.rule import WelfareFunction


@dataclass(frozen=True, eq=False)
class Judged:
    """A budget about people who count and can have something.

    Attributes
    ----------
    rule : WelfareFunction
        With weights above 0 and without a shift.
    projects : Projects
        What they have includes the shift; people who have the same of everything are one, who has
        their weights together.
    factor : float
        Welfare of everybody is so many times theirs: for p > 0 those who can have nothing only
        take their weight out of the mean.
    left_out : int
        How many people who count can have nothing.
    """

    rule: WelfareFunction
    projects: Projects
    factor: float
    left_out: int

    @classmethod
    def of(cls, rule: WelfareFunction, projects: Projects) -> Judged | None:
        """Return what solvers see; None if nobody who counts can have anything."""
        assert rule.weights is not None
        have = projects.baseline + rule.shift
        reached = (have > 0) | (projects.gains > 0).any(axis=0)
        counted = rule.weights > 0
        kept = np.flatnonzero(reached & counted)
        if not len(kept):
            return None
        kinds, kind = np.unique(
            np.vstack([have, projects.gains])[:, kept], axis=1, return_inverse=True
        )
        weights = np.bincount(kind.reshape(-1), rule.weights[kept])
        total = float(weights.sum() / rule.weights[counted].sum())
        factor = 1.0
        if total < 1 and 0 < rule.p < np.inf:
            factor = float(np.exp(np.log(total) / rule.p))
        seen = Projects(projects.names, projects.costs, kinds[1:], kinds[0], projects.budget)
        left_out = int((counted & ~reached).sum())
        return cls(WelfareFunction(rule.p, weights), seen, factor, left_out)

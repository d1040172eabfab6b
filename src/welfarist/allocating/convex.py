"""Powers above 1: welfare is convex, so that no relaxation bounds it; all corners are looked at."""

from __future__ import annotations

import numpy as np

from welfarist.allocating.projects import Projects
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.rule import WelfareFunction

# Projects up to which all sets are looked at: half a million, or each with one more in part.
MOST_WHOLE, MOST_IN_PARTS = 18, 12
_BLOCK = 1 << 14


def best_corner(rule: WelfareFunction, projects: Projects, whole: bool) -> FloatArray:
    """Return the shares (m,) of largest welfare for p > 1.

    A convex function is largest at a corner of what the budget allows: there at most one project is
    funded in part.
    """
    m, most = len(projects), MOST_WHOLE if whole else MOST_IN_PARTS
    if m > most:
        raise InputError(
            f"with p above 1 welfare rewards inequality and is not concave, so that only up to "
            f"{most} projects can be looked at, set by set; found {m} and p = {rule.p:.12g}. "
            "Choose fewer, or p of at most 1."
        )
    best, value = np.zeros(m), -np.inf
    for start in range(0, 1 << m, _BLOCK):
        sets = np.arange(start, min(start + _BLOCK, 1 << m))
        funded = ((sets[:, None] >> np.arange(m)) & 1).astype(np.float64)
        left = projects.budget - funded @ projects.costs
        for shares in _corners(funded[left >= 0], left[left >= 0], projects, whole):
            if len(shares):
                values = np.asarray(rule(projects.utilities(shares)))
                row = int(values.argmax())
                if values[row] > value:
                    best, value = shares[row], float(values[row])
    return best


def _corners(
    funded: FloatArray, left: FloatArray, projects: Projects, whole: bool
) -> list[FloatArray]:
    """Sets of projects (k, m), and each of them with one more in part."""
    found = [funded]
    if whole:
        return found
    for row, cost in enumerate(projects.costs):
        if cost > 0:
            with_part = funded.copy()
            fits = funded[:, row] == 0
            with_part[fits, row] = np.minimum(left[fits] / cost, 1.0)
            found.append(with_part[fits])
    return found

"""Who can count if only the worst off (p = -inf) or only the best off (p = inf) matters.

At a limit weights only say who counts: a set S of people. Let a be the preferred action and b the
other. At p = -inf, S explains the decision if ``min_S a > min_S b``.

Formula: if two sets explain a decision so does their union, as the smaller of two numbers each
larger than another is larger than the smaller of those others. So if any set explains all
decisions there is a largest one, and who is not in it is found one by one: somebody in C with
``a_i <= min_C b`` cannot belong to any part of C that explains the decision. When nobody is left
to be taken out, C explains everything; if nobody is left at all, nothing does. p = inf is the same
with max and the other way round.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.consistent.preferences import Preferences

# Decisions looked at together: two tables of people by decisions are held at a time.
_BLOCK = 10_000

People = npt.NDArray[np.bool_]


def largest_support(preferences: Preferences, p: float) -> FloatArray | None:
    """Return weights (d,) of the largest group that explains all decisions at p = -inf or inf.

    Those who count share the weight equally. None proves that nobody's welfare explains them;
    otherwise the parts of the group are the only other candidates.
    """
    counts = np.ones(preferences.weighting.people, dtype=bool)
    before = -1
    while counts.any() and counts.sum() != before:
        before = int(counts.sum())
        for start in range(0, len(preferences.winner), _BLOCK):
            _take_out(preferences, slice(start, start + _BLOCK), p, counts)
    return np.asarray(counts / counts.sum()) if counts.any() else None


def _take_out(preferences: Preferences, part: slice, p: float, counts: People) -> None:
    """Take out of `counts` (d,) whom some decisions exclude, and their groups."""
    logs, group_of = preferences.loss.utilities.logs, preferences.weighting.group_of
    better, worse = logs[:, preferences.winner[part]], logs[:, preferences.loser[part]]
    if p > 0:  # the larger of two numbers is the smaller of their negatives
        better, worse = -worse, -better
    while counts.any():
        with np.errstate(invalid="ignore"):
            ahead = better - worse[counts].min(axis=0)  # NaN: nothing against nothing
        out = counts & ~(ahead > preferences.rounding[part]).all(axis=1)
        if not out.any():
            return
        counts &= ~(out if group_of is None else np.isin(group_of, group_of[out]))

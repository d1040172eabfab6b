"""Who should count at p = -inf and p = inf, for the share of comparisons that a rule gets wrong.

At a limit a rule looks at the worst (best) off of those who count, and weights say no more than who
that is. Single people or groups are let in or left out as long as that helps. The best and the
second best off of every action are kept, so that a trial costs one pass over actions and pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.chords import Voting
from welfarist.counting.fewest_errors.line_sweep import Contributions
from welfarist.counting.zero_one import ZeroOneLoss

Support = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SupportFit:
    """Who counts at a limit.

    Attributes
    ----------
    support : (k,) array of bool
        Which free weights are positive.
    agreement : float
        How far the rule agrees with the decisions: the larger, the lower the loss.
    trials : int
        How many supports were looked at.
    """

    support: Support
    agreement: float
    trials: int


def best_off(loss: ZeroOneLoss, p: float) -> Contributions:
    """The log utility of each group's best off (p = inf), or minus that of its worst off (-inf)."""
    logs = loss.utilities.logs if p > 0 else -loss.utilities.logs
    group_of = loss.weighting.group_of
    if group_of is not None:
        tops = np.full((loss.weighting.free, logs.shape[1]), -np.inf)
        np.maximum.at(tops, group_of, logs)
        logs = tops
    return Contributions(logs, 1.0 if p > 0 else -1.0)


def choose_support(loss: ZeroOneLoss, p: float, start: Support) -> SupportFit:
    """Let in or leave out one at a time, the most helpful first, from a support (k,)."""
    best, votes = best_off(loss, p), loss.votes
    support, trials = start.copy(), 0
    agreement = _agreement(best, best.logs[support].max(axis=0), votes)
    while True:
        after = _after_one_change(best, votes, support)
        trials += len(after)
        chosen = int(np.argmax(after))
        if after[chosen] <= agreement:
            return SupportFit(support, agreement, trials)
        support[chosen] = ~support[chosen]
        agreement = float(after[chosen])


def _after_one_change(best: Contributions, votes: Voting, support: Support) -> FloatArray:
    """The agreement (k,) once each in turn was let in or left out; -inf if nobody is left."""
    top, holder, second = _best_two(best.logs, support)
    after = np.full(len(support), -np.inf)
    for i, counted in enumerate(support):
        if counted and support.sum() == 1:
            continue
        heights = np.where(holder == i, second, top) if counted else np.maximum(top, best.logs[i])
        after[i] = _agreement(best, heights, votes)
    return after


def _agreement(best: Contributions, heights: FloatArray, votes: Voting) -> float:
    return votes.agreement(best.contrast(heights, votes).sign)


def _best_two(
    logs: FloatArray, support: Support
) -> tuple[FloatArray, npt.NDArray[np.intp], FloatArray]:
    """The largest of the counted rows (N,), which it is (N,), and the next largest (N,)."""
    counted = np.where(support[:, None], logs, -np.inf)
    holder = counted.argmax(axis=0)
    columns = np.arange(logs.shape[1])
    top = counted[holder, columns]
    counted[holder, columns] = -np.inf
    return top, holder, counted.max(axis=0)

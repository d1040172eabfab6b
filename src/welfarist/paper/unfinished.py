"""How much is left to gain where the paper's methods stop.

They stop after a number of samples, steps or powers, not where nothing is left to gain. What is
left is measured by second-order steps from there, which the estimates do not follow.
"""

from __future__ import annotations

from dataclasses import replace

from welfarist.losses import DecisionLoss, Point
from welfarist.solvers.descent import descend

# Log likelihood that may be left to gain at an optimum: standard errors ask for the same, and 1e-3
# is 0.04 of one.
_NOTHING = 1e-3
_MOST_STEPS = 100
REMEDY = 'Use solver="newton", which goes on until nothing is left to gain.'


def left_to_gain(loss: DecisionLoss, point: Point, value: float, *, hold_power: bool) -> float:
    """Return by how much the log likelihood can still rise; 0.0 where that is next to nothing.

    Parameters
    ----------
    loss : DecisionLoss
    point : Point
        Where a method stopped.
    value : float
        The mean loss there.
    hold_power : bool
        Whether the power stays: what could be gained between powers of a grid does not count.
    """
    if loss.is_perfect(value):
        return 0.0
    learn_power = loss.learn_power and not hold_power
    found = descend(replace(loss, learn_power=learn_power), point, max_iter=_MOST_STEPS)
    if found.value >= value:
        return 0.0
    if loss.is_perfect(found.value):
        return float("inf")
    gain = loss.observed.deviance(value, found.value) / 2.0
    return gain if gain > _NOTHING else 0.0


def in_words(gain: float) -> str:
    """Say how much is left to gain.

    Examples
    --------
    >>> in_words(1.2345)
    'the log likelihood can still rise by 1.2'
    >>> in_words(float("inf"))
    'the log likelihood can still rise without end'
    """
    by = "without end" if gain == float("inf") else f"by {gain:.2g}"
    return f"the log likelihood can still rise {by}"

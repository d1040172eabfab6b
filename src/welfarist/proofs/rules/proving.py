"""Proofs of how good a fit with learned weights is, over all weights and powers."""

from __future__ import annotations

from collections import deque

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.losses import DecisionLoss
from welfarist.proofs.certificate import Certificate
from welfarist.proofs.rules.search import TICKS, RuleSearch

# Features of losses for which there are proofs.
COVERS = frozenset({"scale", "weights"})
# A lower loss is spoken of if it is lower by more than this share.
_LOWER = 1e-9


def prove(
    loss: DecisionLoss,
    value: float,
    *,
    p: float | None = None,
    gap: float = 1e-4,
    seconds: float = 60.0,
    progress: Progress | None = None,
) -> Certificate:
    """Prove how good a fit with learned weights is.

    Parameters
    ----------
    loss : DecisionLoss
        Logistic loss of comparisons, or squared loss of scores; with learned weights, one a
        person, and nobody who has nothing.
    value : float
        The loss of the fit, in the data's own unit.
    p : float, optional
        The power, if it is known; otherwise the bound is for all that a search looks at.
    gap : float
        The precision to reach, as a share of the lowest loss known (at least of 1e-6).
    seconds : float
        Processor time; what is proven by then, or when the keyboard interrupts, is given.
    progress : Progress, optional
        Shows how much of that has passed.

    Returns
    -------
    Certificate
        Its bound holds in exact arithmetic: what rounding may have added is taken off.

    Examples
    --------
    >>> from welfarist.decisions import Scores
    >>> from welfarist.families.power_mean.family import POWER_MEAN
    >>> from welfarist.losses import Point, loss_of_scores
    >>> from welfarist.people.weighting import Weighting
    >>> scores = Scores.of([[1.0, 4.0], [9.0, 1.0], [4.0, 4.0]], [2.0, 3.0, 4.5])
    >>> loss = loss_of_scores(scores, POWER_MEAN, Weighting(2), True, False)
    >>> prove(loss, 0.4, seconds=5).lower_bound < 0.4
    True
    """
    require_provable(loss, p)
    if loss.is_perfect(value / loss.observed.unit):
        return Certificate(value, 0.0, "no loss is below 0")
    lowest, highest = loss.search_range if p is None else (p, p)
    unit = loss.observed.unit
    search = RuleSearch(loss, value / unit, gap, lowest, highest)
    stopped = "its memory was full"
    try:
        bar = (progress or Progress(False)).track(search.run(seconds), TICKS, "Proving")
        deque(bar, maxlen=0)
        if not search.is_full:
            stopped = f"{seconds:g} seconds were over"
    except KeyboardInterrupt:
        stopped = "it was interrupted"
    told = "all powers" if p is None else "the power"
    method = (
        f"branch and bound over all weights and {told}"
        f"{f' from {lowest:.6g} to {highest:.6g}' if p is None else f' {p:.6g}'}, "
        f"in {search.boxes} boxes"
    )
    if search.lower_bound < search.goal:
        method += f", until {stopped}"
    if search.point is not None and value / unit - search.best > _LOWER * value / unit:
        found = search.best * unit
        method += f"; a loss of {found:.6g} was found at p = {search.point.p:.6g}"
    return Certificate(value, search.lower_bound * unit, method)


def require_provable(loss: DecisionLoss, p: float | None) -> None:
    """Refuse a loss that :func:`prove` does not take."""
    reason = _obstacle(loss, p)
    if reason:
        raise InputError(
            "a proof over all weights is for power means of people who each have a weight to be "
            "learned and all have something, with squared errors or logistic noise and nothing "
            f"charged beside; found {reason}. Fit with other options, or compare the starts: "
            "result_.spread."
        )


def _obstacle(loss: DecisionLoss, p: float | None) -> str | None:
    """What stands in the way of a proof, in words."""
    for name, words in loss.features.items():
        if name not in COVERS:
            return words
    if loss.weighting.fixed is not None:
        return "weights that are known"
    if loss.weighting.group_of is not None or loss.weighting.heads is not None:
        return "weights that are shared by groups"
    if loss.has_zeros:
        return "somebody who has nothing"
    if p is not None and not np.isfinite(p):
        return f"p = {p:g}"
    return None

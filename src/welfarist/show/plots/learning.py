"""What simulated learning reached with each number of decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from welfarist.base.drawing import BLUE, axes_to_use
from welfarist.base.errors import InputError
from welfarist.bounds.curves import LearningCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Measure = Literal["excess_risk", "accuracy", "p_error", "weights_kl"]

_LABELS: dict[str, str] = {
    "accuracy": "comparisons decided as the truth does",
    "p_error": "error in p",
    "weights_kl": "divergence of the weights from the truth",
}


def learning_curve(
    curve: LearningCurve, ax: Axes | None = None, *, measure: Measure = "excess_risk"
) -> Axes:
    """Draw what learning reached against the number of decisions.

    Parameters
    ----------
    curve : LearningCurve
        From :func:`welfarist.bounds.learning_curve`.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.
    measure : "excess_risk", "accuracy", "p_error" or "weights_kl"
        What is drawn. The excess risk has a bound beside it, the others have none.

    Returns
    -------
    matplotlib axes
    """
    if measure not in get_args(Measure):
        known = ", ".join(f'"{name}"' for name in get_args(Measure))
        raise InputError(f"measure must be one of {known}; found {measure!r}.")
    if not isinstance(curve, LearningCurve):
        raise InputError(
            "a learning curve must come from bounds.learning_curve(…); found "
            f"{type(curve).__name__}. Pass what that returned."
        )
    if measure == "excess_risk":
        return curve.plot(ax)
    table, sizes = curve.columns, list(curve.n)
    mean, low, high = (np.array(table[f"{measure}{end}"]) for end in ("", "_low", "_high"))
    largest = np.max(np.where(np.isfinite(high), high, 0.0))
    if not np.isfinite(mean).any() or (measure != "accuracy" and largest <= 0):
        raise InputError(
            f"a curve of {measure} needs errors that are finite and not all 0; found none. Draw "
            'measure="accuracy" instead.'
        )
    axes = axes_to_use(ax)
    top = np.where(np.isfinite(high), high, largest)
    axes.fill_between(sizes, low, top, color=BLUE, alpha=0.25, linewidth=0, label="nine in ten")
    axes.plot(sizes, mean, "o-", color=BLUE, linewidth=2.0, label="mean")
    axes.set_xscale("log")
    if measure != "accuracy":
        axes.set_yscale("log")
    axes.set_xlabel("number of decisions")
    axes.set_ylabel(_LABELS[measure])
    axes.set_title(f"{curve.d} people, {curve.weights} weights, {curve.repetitions} repetitions")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    return axes

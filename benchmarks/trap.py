"""Two comparisons that trap a gradient descent on the power: the figure of docs/exact.md.

``python -m benchmarks.trap docs/exact.png`` draws it. It is an example of what [PSPS24, Appendix
"Additional Plots"] shows: the sums of the first to fifth powers of (1, 6, 7, 17, 18, 23) and
(2, 3, 11, 13, 21, 22) are the same, so that under equal weights their power means cross at
p = 1, 2, 3, 4 and 5. With 22.02 in place of 22 three crossings are left. If the first action was
preferred to both others, a descent that starts between 3 and 4 stops there, where it is wrong.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

from welfarist import Comparisons, log_power_mean, log_power_mean_derivatives
from welfarist.counting.exact_solver import sweep_powers
from welfarist.counting.loss_steps import LossSteps
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting

PREFERRED = (1.0, 6.0, 7.0, 17.0, 18.0, 23.0)
FIVE = (2.0, 3.0, 11.0, 13.0, 21.0, 22.0)
THREE = (2.0, 3.0, 11.0, 13.0, 21.0, 22.02)
TAU = 1e4


def difference(other: tuple[float, ...], p: float) -> float:
    """Log welfare of the preferred action less that of another, under equal weights."""
    return float(log_power_mean(PREFERRED, p)) - float(log_power_mean(other, p))


def descend(p: float, steps: int = 20_000, rate: float = 1e-2) -> float:
    """Gradient descent on the logistic loss of both comparisons, from p."""
    for _ in range(steps):
        slope = 0.0
        for other in (FIVE, THREE):
            chance = 1.0 / (1.0 + np.exp(TAU * difference(other, p)))  # of the wrong answer
            slope -= chance * TAU * (_rise(PREFERRED, p) - _rise(other, p))
        p -= rate * slope
        if abs(rate * slope) < 1e-12:
            break
    return p


def _rise(action: tuple[float, ...], p: float) -> float:
    return float(np.asarray(log_power_mean_derivatives(action, p).by_power))


def exact_steps() -> LossSteps:
    """The exact loss of both comparisons at every power."""
    data = Comparisons.from_arrays([PREFERRED, PREFERRED], [FIVE, THREE], [True, True])
    weights = np.full(len(FIVE), 1 / len(FIVE))
    weighting = Weighting(len(FIVE), fixed=weights)
    return sweep_powers(ZeroOneLoss.of(data.utilities, data.merged, weighting), weights).steps


def draw(path: str) -> None:
    """Draw both differences, and the loss."""
    p = np.linspace(0.8, 6.6, 1200)
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(7, 6), sharex=True, height_ratios=(2, 1), layout="constrained"
    )
    labels = ("from (2, 3, 11, 13, 21, 22): five crossings", "from (2, 3, …, 21, 22.02): three")
    for other, label, style in zip((FIVE, THREE), labels, ("-", "--"), strict=True):
        above.plot(p, [1e4 * difference(other, q) for q in p], style, color="#0072B2", label=label)
    trapped = descend(3.2)
    below.plot(p, exact_steps()(p), color="#D55E00")
    above.annotate(
        "descent stops here,\nthough one is wrong",
        (trapped, 1e4 * difference(THREE, trapped)),
        (3.6, 2.4),
        arrowprops={"arrowstyle": "->", "color": "0.3"},
    )
    for axes in (above, below):
        axes.axvline(trapped, color="0.7", linestyle=":", zorder=0)
    above.axhline(0.0, color="0.7", linewidth=0.8)
    above.set(ylim=(-6, 6), ylabel="difference in log welfare, in 1/10,000")
    above.legend(loc="upper center")
    below.set(xlabel="power p", ylabel="share of errors")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    draw(sys.argv[1])

"""A comparison that crosses five times, its neighbour three times.

[PSPS24, App. "Additional Plots"].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import matplotlib.pyplot as plt
import numpy as np

import welfarist as wf
from benchmarks import trap
from replication import methods
from replication.claims import Case, Claim
from replication.experiment import Cell, Experiment, Row, select, values
from replication.measures import quiet
from replication.settings import Settings
from welfarist.counting.crossings import find_crossings

POWERS = np.linspace(0.5, 6.6, 245)
OTHERS = {"five": trap.FIVE, "three": trap.THREE}
START = 3.2
# The paper's own grid: with two comparisons it takes seconds.
STEP = 0.1
# Two ways to isolate a crossing agree to this.
_SAME = 1e-6


def cells(settings: Settings) -> list[Cell]:
    powers = POWERS[:: 4 if settings.quick else 1]
    curve = [{"other": name, "p": float(p), "solver": ""} for name in OTHERS for p in powers]
    times = settings.method_times(3, 1)
    return (
        curve
        + [{"solver": methods.ALGORITHM_1, "step": STEP, "repetition": 0}] * (times > 0)
        + [{"solver": methods.TWO_STAGE, "repetition": r} for r in range(times)]
    )


def run(cell: Cell) -> Row:
    if not cell["solver"]:
        return {"difference": trap.difference(OTHERS[cell["other"]], cell["p"])}
    decided = wf.Comparisons.from_arrays(
        [trap.PREFERRED] * 2, [trap.FIVE, trap.THREE], [True, True]
    )
    with quiet():
        fit = wf.ComparisonClassifier(
            weights="equal", tau_max=trap.TAU, **methods.LIKELIHOOD, **methods.options(cell)
        ).fit(decided)
    return {"learned": fit.p_, "wrong": _wrong(fit.p_)}


def _wrong(p: float) -> int:
    """How many of the two comparisons a power decides wrongly."""
    return sum(trap.difference(other, p) <= 0 for other in OTHERS.values())


def draw(rows: Sequence[Row], file: IO[bytes]) -> None:
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(7.5, 6.4), sharex=True, height_ratios=(2, 1), layout="constrained"
    )
    labels = ("from (2, 3, 11, 13, 21, 22): five crossings", "from (2, 3, …, 21, 22.02): three")
    for name, label, dashes in zip(OTHERS, labels, ("-", "--"), strict=True):
        line = select(rows, other=name)
        above.plot(
            values(line, "p"), 1e4 * values(line, "difference"), dashes, color="#0072B2",
            label=label,
        )  # fmt: skip
    trapped = trap.descend(START)
    above.annotate(
        "descent from 3.2 stops here,\nthough one is wrong",
        (trapped, 1e4 * trap.difference(trap.THREE, trapped)),
        (7.2, 2.0),
        arrowprops={"arrowstyle": "->", "color": "0.3"},
    )
    p = np.linspace(POWERS[0], 11.5, 1500)
    below.plot(p, trap.exact_steps()(p), color="#D55E00")
    below.plot([trapped], [0.5 * _wrong(trapped)], "o", color="0.3", label="descent from 3.2")
    for solver, marker in ((methods.ALGORITHM_1, "^"), (methods.TWO_STAGE, "s")):
        found = select(rows, solver=solver)
        if found:
            below.plot(
                values(found, "learned"), 0.5 * values(found, "wrong"), marker, color="#009E73",
                markersize=8, fillstyle="none", linestyle="none", label=methods.NAMES[solver],
            )  # fmt: skip
    for axes in (above, below):
        axes.axvline(trapped, color="0.7", linestyle=":", zorder=0)
    above.axhline(0.0, color="0.7", linewidth=0.8)
    above.set(ylim=(-6, 6), ylabel="difference in log welfare, in 1/10,000")
    above.legend(loc="lower right", frameon=False)
    below.legend(loc="upper right", frameon=False, fontsize=8)
    below.set(xlabel="power p", ylabel="share of errors")
    figure.savefig(file, format="png", dpi=110)
    plt.close(figure)


def crossings(other: tuple[float, ...]) -> list[float]:
    """The powers at which the two welfares cross, all of them."""
    logs = np.log(np.column_stack([trap.PREFERRED, other]))
    weights = np.full(len(other), 1 / len(other))
    found = find_crossings(logs, weights, np.array([0]), np.array([1]))
    return [float(p) for p in found.power]


def check(rows: Sequence[Row]) -> list[Claim]:
    five, three = (crossings(other) for other in OTHERS.values())
    stopped = trap.descend(START)
    errorless = trap.exact_steps().optimal
    return [
        Claim(
            "The difference in log welfare of two vectors of six can have five roots, and that of "
            "a neighbour three.",
            "all roots, isolated with proof, are five and three",
            (
                Case("the first", len(five) == 5, "at " + ", ".join(f"{p:g}" for p in five)),
                Case(
                    "its neighbour", len(three) == 3, "at " + ", ".join(f"{p:.3f}" for p in three)
                ),
            ),
            0,
            note=_EXAMPLE,
        ),
        Claim(
            "If the first vector was preferred to both, p should be greater than 6.",
            "by the exact method, every p above the last crossing has no errors, and no other p "
            "has none",
            (
                Case(
                    "above the last crossing",
                    np.inf in errorless[-1] and errorless[-1].low <= max(five + three) + _SAME,
                    f"no errors for p in {errorless[-1]}",
                ),
                Case(
                    "elsewhere",
                    len(errorless) == 1,
                    "no errors for p in " + " or ".join(map(str, errorless[:-1]))
                    if len(errorless) > 1
                    else "errors at every other p",
                ),
            ),
            0,
            note=_EXAMPLE,
        ),
        Claim(
            "If the first vector was preferred to both, gradient descent can stop between 3 and 4, "
            "where one of the two is wrong.",
            f"a descent on p from {START} stops between 3 and 4, and one of the two is wrong there",
            (
                Case(
                    f"from p = {START}",
                    3 < stopped < 4 and _wrong(stopped) == 1,
                    f"stops at p = {stopped:.3f}, {_wrong(stopped)} wrong",
                ),
            ),
            0,
            "other starts: the claim is that it can",
            _ends(rows),
        ),
    ]


_EXAMPLE = "The paper does not print its vectors; this example is ours."


def _ends(rows: Sequence[Row]) -> str:
    """Where the paper's own methods end, which try many powers."""
    parts = []
    for solver in (methods.ALGORITHM_1, methods.TWO_STAGE):
        found = select(rows, solver=solver)
        if found:
            ends = ", ".join(f"{row['learned']:.3g} ({row['wrong']} wrong)" for row in found)
            parts.append(f"{methods.IN_TEXT[solver]} ends at p = {ends}")
    return f"The paper's own methods start from many powers: {'; '.join(parts)}." if parts else ""


EXPERIMENT = Experiment(
    "nonconvexity",
    "Non-convexity",
    "Equal weights; (1, 6, 7, 17, 18, 23) against (2, 3, 11, 13, 21, 22), whose first five power "
    "sums are the same, and against the same with 22.02. Below: the share of errors if the first "
    "was preferred, and where Algorithm 1 (the paper's grid) and the two-stage method end.",
    cells,
    run,
    draw,
    check,
)

"""The paper's own methods beside the optimum of its objective.

Figures are drawn from fits by ``solver="newton"``, which finds the optimum that the paper's
algorithms look for. Algorithm 1 (``solver="grid"``, behind the paper's figures of the charity) and
the two-stage method (``solver="two_stage"``, behind its synthetic ones) are run as well, in a few
settings of each figure: a fit by Algorithm 1 takes minutes. What was run stands on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from replication import panels, trends
from replication.claims import Case, Claim
from replication.experiment import Cell, Row, curve, levels, select, values
from replication.settings import Settings
from welfarist.paper.grid import Grid
from welfarist.paper.two_stage import TwoStage

OPTIMUM, ALGORITHM_1, TWO_STAGE = "newton", "grid", "two_stage"
NAMES = {
    OPTIMUM: "optimum",
    ALGORITHM_1: "Algorithm 1",
    TWO_STAGE: "two-stage method",
}
IN_TEXT = {ALGORITHM_1: "Algorithm 1", TWO_STAGE: "the two-stage method"}
# The paper's grid has steps of 0.1, which takes five times as long.
STEP, QUICK_STEP = 0.5, 1.75
# "Comparable" empirical risk: this much above that of the true parameters at most.
COMPARABLE = 0.1


def cells(
    settings: Settings,
    solver: str,
    where: Mapping[str, object],
    sizes: Sequence[int],
    times: int,
) -> list[Cell]:
    """The settings in which one of the paper's methods is run."""
    grid = {"step": QUICK_STEP if settings.quick else STEP} if solver == ALGORITHM_1 else {}
    return [
        {**where, "n": n, "repetition": r, "solver": solver, **grid}
        for n in sizes
        for r in range(times)
    ]


# What the paper maximises, however few decisions there are.
LIKELIHOOD: dict[str, Any] = {"small_sample": "none"}


def options(cell: Cell) -> dict[str, Any]:
    """What the learner of a cell is told about its solver."""
    if cell["solver"] == ALGORITHM_1:
        return {"solver": Grid(step=cell["step"])}
    if cell["solver"] == TWO_STAGE:
        return {"solver": TwoStage(), "random_state": cell["repetition"]}
    return {}


def optimal(rows: Sequence[Row]) -> list[Row]:
    """The fits that the figures are about."""
    return select(rows, solver=OPTIMUM)


def described(rows: Sequence[Row], by: Sequence[str]) -> str:
    """What was run by the paper's methods, and with which settings of theirs; "" for nothing."""
    parts = []
    for solver in (ALGORITHM_1, TWO_STAGE):
        found = select(rows, solver=solver)
        if found:
            where = "; ".join(
                f"{trends.AXES[column]} = "
                + ", ".join(f"{level:,g}" for level in levels(found, column))
                for column in (*by, "n")
            )
            grid = ""
            if solver == ALGORITHM_1:
                steps = ", ".join(f"{step:g}" for step in levels(found, "step"))
                grid = f" (powers from -3.5 to 3.5 in steps of {steps}; the paper's are of 0.1)"
            parts.append(
                f"{IN_TEXT[solver]}{grid} at {where} with {trends.repetitions(found)} repetitions"
            )
    if not parts:
        return ""
    return (
        f"The paper's own methods: {'; '.join(parts)}. They were not run in other settings, as "
        "they take minutes."
    )


def comparable(rows: Sequence[Row], solver: str, by: Sequence[str], text: str) -> Claim:
    """Whether a method reaches the empirical risk of the true parameters."""
    found, best = select(rows, solver=solver), optimal(rows)
    cases = []
    for name, part in trends.lines(found, (*by, "n")):
        # Known weights would be another problem, with another optimum.
        where = {c: part[0][c] for c in (*by, "n", "weights") if c in part[0]}
        own = float(np.mean(values(part, "train_loss")))
        true = float(np.mean(values(part, "train_loss_true")))
        beside = [
            row for row in select(best, **where) if row["repetition"] in levels(part, "repetition")
        ]
        optimum = float(np.mean(values(beside, "train_loss")))
        cases.append(
            Case(
                name,
                own <= true * (1 + COMPARABLE),
                f"{own:.4g} (true parameters {true:.4g}, optimum {optimum:.4g})",
            )
        )
    return Claim(
        text,
        f"in each setting run, the mean training loss of {IN_TEXT[solver]} is at most "
        f"{COMPARABLE:.0%} above that of the true parameters",
        tuple(cases),
        trends.repetitions(found) if found else 0,
        left_out(rows, solver),
    )


def left_out(rows: Sequence[Row], solver: str) -> str:
    """What a claim about a method leaves out."""
    if not select(rows, solver=solver):
        return "everything: the method was not run"
    return f"all settings in which {IN_TEXT[solver]} was not run, because that takes minutes"


def _beside(rows: Sequence[Row], sizes: Sequence[int]) -> list[Row]:
    """The rows of worlds in which every method that was run was run: only these compare."""
    by_method = [levels(select(rows, solver=solver), "repetition") for solver in NAMES]
    shared = set.intersection(*(set(runs) for runs in by_method if runs))
    return [row for row in rows if row["n"] in sizes and row["repetition"] in shared]


def panel(
    rows: Sequence[Row],
    column: str,
    label: str,
    *,
    by: str,
    truth: str | None = None,
    log: bool = False,
) -> Callable[[Axes], None]:
    """Return what draws a measurement against n by every method, where all of them were run."""

    def draw(axes: Axes) -> None:
        shared = [row for row in rows if row["solver"] != OPTIMUM]
        if not shared:
            axes.axis("off")
            return
        where = {by: shared[0][by]}
        sizes = levels(shared, "n")
        here = _beside(select(rows, **where), sizes)
        for k, solver in enumerate(NAMES):
            part = select(here, solver=solver)
            if part:
                place, mean, error = curve(part, "n", column)
                axes.errorbar(
                    place, mean, error, marker=panels.MARKERS[k], color=panels.COLOURS[k],
                    linestyle=("-", "--", "-.")[k], capsize=2, markersize=4, linewidth=1.3,
                    label=NAMES[solver],
                )  # fmt: skip
        if truth is not None:
            place, mean, _ = curve(optimal(here), "n", truth)
            axes.plot(place, mean, ":", color="0.4", linewidth=1.3, label="true rule")
        axes.set(xlabel="n", ylabel=label)
        axes.set_title(f"by method, {trends.called(**where)}", fontsize=10)
        panels.spread_places(axes, sizes)
        if log:
            axes.set_yscale("log")
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize=8)

    return draw

"""A comparison that crosses five times, its neighbour three times.

[PSPS24, App. "Additional Plots"].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks import trap
from replication.experiment import Cell, Claim, Experiment, Row, select, values
from welfarist.counting.crossings import find_crossings

POWERS = np.linspace(0.5, 6.6, 245)
OTHERS = {"five": trap.FIVE, "three": trap.THREE}


def cells(quick: bool) -> list[Cell]:
    return [{"other": name, "p": float(p)} for name in OTHERS for p in POWERS[:: 4 if quick else 1]]


def run(cell: Cell) -> Row:
    return {"difference": trap.difference(OTHERS[cell["other"]], cell["p"])}


def draw(rows: Sequence[Row], path: str) -> None:
    del rows  # the figure draws the same two curves, and the loss under them
    trap.draw(path)


def crossings(other: tuple[float, ...]) -> list[float]:
    """The powers at which the two welfares cross, all of them."""
    logs = np.log(np.column_stack([trap.PREFERRED, other]))
    weights = np.full(len(other), 1 / len(other))
    found = find_crossings(logs, weights, np.array([0]), np.array([1]))
    return [float(p) for p in found.power]


def check(rows: Sequence[Row]) -> list[Claim]:
    five, three = (crossings(other) for other in OTHERS.values())
    signs = np.sign(values(select(rows, other="five"), "difference"))
    stopped = trap.descend(3.2)
    best = " or ".join(str(interval) for interval in trap.exact_steps().optimal)
    return [
        Claim(
            "The difference in log welfare of two vectors of six can have five roots, and that of "
            "a "
            "neighbour three.",
            "roots at "
            + ", ".join(f"{p:g}" for p in five)
            + " and "
            + ", ".join(f"{p:.3f}" for p in three),
            len(five) == 5 and len(three) == 3 and len(set(signs.tolist()) - {0.0}) == 2,
            "Isolated with proof.",
        ),
        Claim(
            "If the first vector was preferred to both, gradient descent can stop between 3 and 4, "
            "where "
            "one of the two is wrong.",
            f"descent from 3.2 stops at p = {stopped:.3f}; the exact method finds no errors for p "
            f"in {best}",
            3 < stopped < 4 and trap.difference(trap.THREE, stopped) < 0,
        ),
    ]


EXPERIMENT = Experiment(
    "nonconvexity",
    "Non-convexity",
    "Equal weights; (1, 6, 7, 17, 18, 23) against (2, 3, 11, 13, 21, 22), whose first five power "
    "sums are "
    "the same, and against the same with 22.02. Below: the share of errors if the first was "
    "preferred.",
    cells,
    run,
    draw,
    check,
)

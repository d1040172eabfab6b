"""How the error really grows with the number of people: the figure and slopes of docs/bounds.md.

``python -m benchmarks.scaling docs/bounds.png`` takes some minutes on two cores. Each cell is a
world of its own with decisions of its own; slopes are fitted to mean excess risks on logarithmic
axes, their intervals are those of a bootstrap over worlds.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

from welfarist import bounds, simulate
from welfarist.base.progress import Progress

Array = npt.NDArray[np.float64]

ACTIONS, POWER, TAU, TEST = 5000, -1.0, 20.0, 50_000
PEOPLE = (2, 4, 8, 16, 32, 64)
SIZES = (100, 200, 500, 1000, 2000, 5000)
MIDDLE = 16  # people, where the number of decisions varies
BOOTSTRAP, LEVEL = 2000, 95.0
COLOURS = {"known": "#0072B2", "unknown": "#D55E00"}
MARKERS = {"known": "o", "unknown": "s"}


@dataclass(frozen=True)
class Study:
    """One task and state of knowledge: how many decisions where d varies, how many worlds."""

    task: Any
    weights: Any
    n: int
    worlds: int

    @property
    def options(self) -> dict[str, float]:
        """The noise."""
        return {"tau": TAU} if self.task == "logistic" else {}


STUDIES = (
    Study("comparisons", "known", 200, 150),
    Study("comparisons", "unknown", 2000, 50),
    Study("logistic", "known", 2000, 150),
    Study("logistic", "unknown", 2000, 100),
)
Cell = tuple[Study, int, int, int]


@dataclass(frozen=True)
class Slope:
    """A slope on logarithmic axes, with the ends of its interval, beside that of the bound."""

    value: float
    low: float
    high: float
    bound: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def people_in_bound(weights: str, d: float) -> float:
    """What the number of decisions needed grows with, as the theorems say."""
    return float(np.log2(d) + 1) if weights == "known" else float(d * np.log2(d) + 1)


def run(cell: Cell) -> tuple[float, float]:
    """The excess risk in one world, and the bound there."""
    study, d, n, seed = cell
    world = simulate.individuals(ACTIONS, d, p=POWER, random_state=[d, seed])
    curve = bounds.learning_curve(
        world,
        study.task,
        n=n,
        weights=study.weights,
        repetitions=1,
        test=TEST,
        u_min=1.0 if study.task == "logistic" else None,
        u_max=1000.0 if study.task == "logistic" else None,
        random_state=seed,
        progress=False,
        **study.options,  # type: ignore[arg-type]
    )
    return float(curve.runs["excess_risk"][0, 0]), float(curve.bound[0])


def cells_of(study: Study) -> list[Cell]:
    varied = [(d, study.n) for d in PEOPLE] + [(MIDDLE, n) for n in SIZES if n != study.n]
    return [(study, d, n, seed) for d, n in varied for seed in range(study.worlds)]


def slope(x: Array, risks: list[Array], bound: Array) -> Slope:
    """Fit log mean risk to log x (m,), from the risks in each world at each of the m places."""
    rng = np.random.default_rng(0)

    def fitted(means: Array) -> float:
        return float(np.polyfit(np.log(x), np.log(means), 1)[0])

    drawn = [
        fitted(np.array([rng.choice(r, len(r)).mean() for r in risks])) for _ in range(BOOTSTRAP)
    ]
    tail = (100.0 - LEVEL) / 2.0
    low, high = np.percentile(drawn, [tail, 100.0 - tail])
    return Slope(fitted(np.array([r.mean() for r in risks])), low, high, fitted(bound))


class Results:
    """Excess risks and bounds of all cells."""

    def __init__(self, cells: list[Cell], found: list[tuple[float, float]]) -> None:
        self._found: dict[tuple[Study, int, int], list[tuple[float, float]]] = {}
        for (study, d, n, _), pair in zip(cells, found, strict=True):
            self._found.setdefault((study, d, n), []).append(pair)

    def along(self, study: Study, places: list[tuple[int, int]]) -> tuple[list[Array], Array]:
        """Return the risks in each world and the bound, at each (d, n)."""
        pairs = [np.array(self._found[study, d, n]) for d, n in places]
        return [p[:, 0] for p in pairs], np.array([p[0, 1] for p in pairs])

    def by_people(self, study: Study, letter: str) -> Slope:
        """The slope against what the bound grows with, or against d itself."""
        risks, bound = self.along(study, [(d, study.n) for d in PEOPLE])
        x = [people_in_bound(study.weights, d) if letter == "capacity" else d for d in PEOPLE]
        return slope(np.array(x, dtype=np.float64), risks, bound)

    def by_decisions(self, study: Study) -> Slope:
        """The slope against n."""
        risks, bound = self.along(study, [(MIDDLE, n) for n in SIZES])
        return slope(np.array(SIZES, dtype=np.float64), risks, bound)


def table(results: Results) -> str:
    """All slopes, as markdown."""
    lines = [
        "| task | weights | against | bound | measured, with 95 % interval |",
        "| --- | --- | --- | --- | --- |",
    ]
    for study in STUDIES:
        growth = "log2 d + 1" if study.weights == "known" else "d log2 d + 1"
        by = {
            f"{growth} (n = {study.n:,})": results.by_people(study, "capacity"),
            f"d (n = {study.n:,})": results.by_people(study, "d"),
            f"n (d = {MIDDLE})": results.by_decisions(study),
        }
        lines += [
            f"| {study.task} | {study.weights} | {name} | {found.bound:.2f} | {found} |"
            for name, found in by.items()
        ]
    return "\n".join(lines)


def values(results: Results) -> str:
    """The mean excess risks behind the slopes, as markdown."""
    lines = [
        "| task | weights | n | " + " | ".join(f"d = {d}" for d in PEOPLE) + " |",
        "| --- " * (3 + len(PEOPLE)) + "|",
    ]
    for study in STUDIES:
        risks, _ = results.along(study, [(d, study.n) for d in PEOPLE])
        shown = " | ".join(f"{r.mean():.2g}" for r in risks)
        lines.append(f"| {study.task} | {study.weights} | {study.n:,} | {shown} |")
    return "\n".join(lines)


def draw(results: Results, path: str) -> None:
    """Excess risk and bound against n (above) and against d (below), a column per task."""
    figure, panels = plt.subplots(2, 2, figsize=(9.0, 6.8), layout="constrained")
    for study in STUDIES:
        column = 0 if study.task == "comparisons" else 1
        per_n = [(MIDDLE, n) for n in SIZES]
        per_d = [(d, study.n) for d in PEOPLE]
        for axes, x, places in (
            (panels[0, column], SIZES, per_n),
            (panels[1, column], PEOPLE, per_d),
        ):
            risks, bound = results.along(study, places)
            _lines(axes, x, risks, bound, study)
    for column, loss in enumerate(("share wrong", "log loss")):
        panels[0, column].set(xlabel="decisions n", title=f"{loss}, {MIDDLE} people")
        panels[1, column].set(xlabel="people d", title=f"{loss}, n as in the legend")
        panels[1, column].set_xticks(PEOPLE, [str(d) for d in PEOPLE], minor=False)
        panels[1, column].minorticks_off()
    for axes in panels.flat:
        axes.set_ylabel("excess risk")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _lines(axes: Any, x: tuple[int, ...], risks: list[Array], bound: Array, study: Study) -> None:
    colour, marker = COLOURS[study.weights], MARKERS[study.weights]
    mean = np.array([r.mean() for r in risks])
    error = np.array([2.0 * r.std(ddof=1) / np.sqrt(len(r)) for r in risks])
    label = f"{study.weights} weights" + (f", n = {study.n:,}" if x == PEOPLE else "")
    axes.plot(x, bound, "--", color=colour, linewidth=1.5, label=f"bound, {label}")
    axes.errorbar(
        x, mean, np.minimum(error, 0.99 * mean), color=colour, marker=marker, markersize=5,
        capsize=2, linewidth=1.5, label=f"simulated, {label}",
    )  # fmt: skip
    axes.set(xscale="log", yscale="log")


def main(path: str) -> None:
    """Run all cells, print the tables and draw the figure."""
    cells = [cell for study in STUDIES for cell in cells_of(study)]
    with ProcessPoolExecutor() as pool:
        found = list(Progress().track(pool.map(run, cells, chunksize=4), len(cells), "scaling"))
    results = Results(cells, found)
    print(values(results), table(results), sep="\n\n")
    draw(results, path)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs/bounds.png")

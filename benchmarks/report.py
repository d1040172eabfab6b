"""What the benchmarks write: a table for people, JSON for programs, a figure."""

from __future__ import annotations

import io
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.contenders import OURS, Timing
from benchmarks.steady import FEWEST, SLOW, STEADY
from welfarist.base.whole_files import write_together

PACKAGES = ("welfarist", "numpy", "scipy", "scikit-learn", "daqp")
# Losses that differ by less, relatively, are equal.
EQUAL = 1e-8
# What is no rival: the limit, and ourselves with other options.
NO_RIVALS = ("one evaluation", OURS)


@dataclass(frozen=True)
class Outcome:
    """All timings on one problem."""

    problem: str
    family: str
    size: int
    timings: tuple[Timing, ...]

    def ours(self) -> Timing:
        """Our timing, which the others are compared with."""
        return next(t for t in self.timings if t.contender == OURS)


@dataclass(frozen=True)
class Lost:
    """A cell in which a rival is better: quicker at an equal loss, or at a lower loss."""

    problem: str
    ours: Timing
    rival: Timing

    @property
    def ratio(self) -> float:
        """How many times longer the rival takes."""
        return self.rival.seconds / self.ours.seconds

    @property
    def excess(self) -> float:
        """By how much our loss is above the rival's, relatively."""
        return (self.ours.loss - self.rival.loss) / abs(self.rival.loss)


def lost(outcomes: Sequence[Outcome]) -> list[Lost]:
    """The losing cells, the worst first."""
    cells = [
        Lost(outcome.problem, outcome.ours(), rival)
        for outcome in outcomes
        for rival in outcome.timings
        if not rival.contender.startswith(NO_RIVALS)
    ]
    worse = [c for c in cells if c.excess > EQUAL or (c.excess >= -EQUAL and c.ratio < 1)]
    return sorted(worse, key=lambda cell: (cell.excess <= EQUAL, cell.ratio))


def losing_table(outcomes: Sequence[Outcome]) -> str:
    """The losing cells as a Markdown table, or that there are none."""
    cells = lost(outcomes)
    if not cells:
        return "No rival is quicker at an equal loss (within 1e-8), and none finds a lower one."
    lines = [
        "| problem | rival | its seconds | ours | ratio | our loss above its |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for cell in cells:
        above = f"{cell.excess:.1e}" if cell.excess > EQUAL else "equal"
        lines.append(
            f"| {cell.problem} | {cell.rival.contender} | {cell.rival.seconds:.3g} | "
            f"{cell.ours.seconds:.3g} | {cell.ratio:.2g} | {above} |"
        )
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "processor": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def table(outcomes: Sequence[Outcome]) -> str:
    """The timings as a Markdown table; a ratio above 1 is how many times faster we are."""
    lines = [
        "| problem | contender | loss | seconds | ratio to ours |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for outcome in outcomes:
        ours = outcome.ours()
        for k, t in enumerate(outcome.timings):
            mark = "~" if t.extrapolated else ""
            loss = "" if t.contender.startswith("one evaluation") else f"{t.loss:.8g}"
            ratio = t.seconds / ours.seconds
            shown = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"
            lines.append(
                f"| {outcome.problem if k == 0 else ''} | {t.contender} | {loss} | "
                f"{mark}{t.seconds:.3g} | {mark}{shown} |"
            )
    return "\n".join(lines)


def write(folder: Path, outcomes: Sequence[Outcome], studies: dict[str, str], command: str) -> None:
    """Write benchmarks.md, benchmarks.json and benchmarks.png into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "machine": machine(),
        "outcomes": [asdict(outcome) for outcome in outcomes],
        "studies": studies,
    }
    versions = ", ".join(f"{k} {v}" for k, v in machine()["packages"].items())
    notes = "\n".join(f"- **{title}**: {text}" for title, text in studies.items())
    page = f"""# Speed and quality beside other methods

Made by `{command}` in one process on one machine (Python {platform.python_version()}, {versions}).
Machines differ; read the ratios, not the seconds. A ratio above 1 says how many times longer a
contender takes than the default fit, its multistart included. `~` marks a time extrapolated from a
part of the work.

## Losing cells

A rival is quicker at an equal loss (within {EQUAL:g}, relatively), or finds a lower one:

{losing_table(outcomes)}

## All cells

Rivals have exact gradients and tight tolerances and start from equal weights at p = 1. "SLSQP" has
the simplex as explicit constraints; "L-BFGS" works over softmax weights, from one start with
memories of 10 (SciPy's own) and 20, and from 20 starts with a memory of 20; "grid" and "two-stage"
are the paper's methods; "one evaluation" is the loss once in plain NumPy, the limit no solver can
beat. Losses are those that the default fit minimises: of few comparisons with what it charges for
certainty ([small samples](small_samples.md)), which is in the rivals' objective too; rules of the
paper's methods, which know no charge, are charged for afterwards.

Seconds are CPU time of one process. Contenders take turns, each until its median is steady: the
medians of the first and the second half of at least {FEWEST} runs differ by at most
{100 * STEADY:g}%, or its share of the time is over. What takes longer than {SLOW:g} s runs once.

![Cost against size, one line a contender](benchmarks.png)

{table(outcomes)}

## Studies

{notes}
"""
    write_together(
        {
            folder / "benchmarks.json": json.dumps(record, indent=1) + "\n",
            folder / "benchmarks.png": figure(outcomes),
            folder / "benchmarks.md": page,
        }
    )


def figure(outcomes: Sequence[Outcome]) -> bytes:
    """Log-log cost against size, one line a contender, one panel a way to grow."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    panels = {"comparisons": "comparisons, 18 people", "people": "people, 200 decisions a person"}
    figure_, axes = plt.subplots(1, len(panels), figsize=(11, 4.6), sharey=True)
    styles = ["-", "--", "-.", ":"]
    colours = ["#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7"]
    names = list(dict.fromkeys(t.contender for o in outcomes for t in o.timings))
    for ax, (family, label) in zip(axes, panels.items(), strict=True):
        for k, name in enumerate(names):
            points = sorted(
                (o.size, t.seconds)
                for o in outcomes
                if family in o.family.split("+")
                for t in o.timings
                if t.contender == name
            )
            if points:
                ax.loglog(
                    *zip(*points, strict=True),
                    marker="osD^vP*X<>"[k % 10],
                    linestyle=styles[k % len(styles)],
                    color=colours[k % len(colours)],
                    linewidth=3 if name == OURS else 1.5,
                    label=name,
                )
        ax.set_xlabel(f"number of {label}")
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    handles, labels = axes[0].get_legend_handles_labels()
    figure_.legend(handles, labels, loc="lower center", ncols=5, fontsize=8, frameon=False)
    figure_.tight_layout(rect=(0, 0.1, 1, 1))
    figure_.savefig(drawn := io.BytesIO(), format="png", dpi=120)
    plt.close(figure_)
    return drawn.getvalue()

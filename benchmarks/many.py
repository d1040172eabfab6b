"""Many people and many decisions, beside another tree: `python -m benchmarks.many TREE`.

TREE is a clone of the project at another commit. Each figure is taken in both trees one after the
other, in processes of their own with one thread of linear algebra; CPU seconds count. ``--write``
writes docs/benchmarks_many.md; ``--only CELL`` takes one of the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
CELLS = ROOT / "benchmarks" / "many_cells.py"
PAGE = ROOT / "docs" / "benchmarks_many.md"
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
Found = dict[str, float]


@dataclass(frozen=True)
class Figure:
    """What is measured, under what name, and the most that it may be."""

    cell: str
    key: str
    title: str
    most: float


FIGURES = (
    Figure("bootstrap", "bootstrap", "999 resamples, by person, of 6,240 choices: CPU s", 1.0),
    Figure("million", "evaluations", "a million comparisons: plain evaluations a fit", 10.0),
    Figure("interval", "ratio", '`interval("p")` of 2,000,000 comparisons: times the fit', 2.0),
    Figure("interval", "interval", "the same: CPU s", np.inf),
    Figure("people", "fit", "1,000 people, 20,000 scores, learned weights: CPU s", 5.0),
)


def measured(tree: Path, cell: str) -> Found:
    """Run one cell in a tree."""
    path = os.pathsep.join([str(tree / "src"), str(tree)])
    done = subprocess.run(
        [sys.executable, "-P", str(CELLS), cell],
        cwd=tree,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    found: Found = json.loads(done.stdout.splitlines()[-1])
    return found


def page(rows: list[tuple[str, Found, Found]]) -> str:
    """The table, and how far answers differ."""
    lines = [
        "# Many people, many decisions: before and after",
        "",
        "Both trees in one run of `python -m benchmarks.many TREE`, in processes of their own that",
        "take turns, on a machine whose cores were shared by others: CPU seconds of one thread.",
        "",
        "| figure | before | after | at most | |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    found = {cell: (before, after) for cell, before, after in rows}
    for figure in FIGURES:
        if figure.cell not in found:
            continue
        before, after = (tree[figure.key] for tree in found[figure.cell])
        if np.isinf(figure.most):
            lines.append(f"| {figure.title} | {before:.2f} | {after:.2f} | | |")
            continue
        met = "met" if after <= figure.most else "missed"
        lines.append(f"| {figure.title} | {before:.2f} | {after:.2f} | {figure.most:g} | {met} |")
    lines += ["", "What was found in either tree:", ""]
    for cell, old, new in rows:
        for key in ("loss", "p", "low", "high"):
            if key in old:
                lines.append(f"- {cell}, {key}: {old[key]:.12g} and {new[key]:.12g}")
    return "\n".join(lines) + "\n"


def main(other: Path, only: str | None, write: bool) -> None:
    """Measure every figure in both trees."""
    rows = []
    for cell in dict.fromkeys(figure.cell for figure in FIGURES):
        if only not in (None, cell):
            continue
        before, after = measured(other, cell), measured(ROOT, cell)
        print(f"{cell}: before {before}, after {after}", flush=True)
        rows.append((cell, before, after))
        if write:  # a run that is cut short has shown something
            PAGE.write_text(page(rows), encoding="utf-8")
    print(page(rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many", description=__doc__)
    parser.add_argument("tree", type=Path, help="a clone of the project at another commit")
    parser.add_argument("--only", help="one of the figures")
    parser.add_argument("--write", action="store_true", help="write the page")
    given = parser.parse_args()
    main(given.tree.resolve(), given.only, given.write)

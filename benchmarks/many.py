"""Many people and many decisions, beside another tree: `python -m benchmarks.many TREE`.

TREE is a clone of the project at another commit. Each figure is taken in both trees one after the
other, in processes of their own with one thread of linear algebra; CPU seconds count. What is
measured is kept in build/many.json, and a run that was stopped goes on from there. ``--write``
writes docs/benchmarks_many.md; ``--only CELL`` takes one of the figures. Ten thousand people are
learned about in this tree only: earlier ones needed tens of gigabytes.
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

from benchmarks.against import commit_of

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
    Figure("two_thousand", "fit", "2,000 people, 4,000 scores, learned weights: CPU s", np.inf),
)
# What only this tree can do.
ALONE = "ten_thousand"
KEPT = ROOT / "build" / "many.json"


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


def alone(found: Found) -> list[str]:
    """What is said of ten thousand people."""
    way = "converged" if found["converged"] else "not converged"
    return [
        "",
        "## Ten thousand people",
        "",
        "Learned weights of 10,000 people from 20,000 scores, a table of 1.6 GB: "
        f"{found['fit']:.0f} s of CPU,",
        f"{found['steps']:.0f} steps of all starts, {way}. The process held "
        f"{found['peak_gb']:.1f} GB at most, {found['made_gb']:.1f} while it made the table.",
        f"{found['counted']:,.0f} weights are positive. At the optimum no exchange of weight "
        f"promises more than {found['gap']:.1g} of the loss",
        "(`sum w g - min g`, g the gradient by the weights, worked out anew in double precision).",
    ]


def page(rows: list[tuple[str, Found, Found]], commits: tuple[str, str], last: Found | None) -> str:
    """The table, and how far answers differ."""
    lines = [
        "# Many people, many decisions: before and after",
        "",
        f"Commit {commits[0]} before and {commits[1]} after, in one run of",
        "`python -m benchmarks.many TREE --write`, TREE being a clone at the earlier commit: in",
        "processes of their own that take turns, on a machine whose cores were shared by others.",
        "Times are CPU seconds of one thread.",
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
    if last is not None:
        lines += alone(last)
    return "\n".join(lines) + "\n"


class Kept:
    """What was measured before this run was stopped, for the same two commits."""

    def __init__(self, commits: tuple[str, str]) -> None:
        self._of = list(commits)
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        self._cells: dict[str, list[Found]] = kept["cells"] if kept.get("of") == self._of else {}

    def once(self, cell: str, trees: tuple[Path, ...]) -> list[Found]:
        """Return what a cell gave in each tree, now or before."""
        if cell not in self._cells:
            self._cells[cell] = [measured(tree, cell) for tree in trees]
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps({"of": self._of, "cells": self._cells}))
            print(f"{cell}: {self._cells[cell]}", flush=True)
        return self._cells[cell]


def main(other: Path, only: str | None, write: bool) -> None:
    """Measure every figure in both trees."""
    commits = commit_of(other), commit_of(ROOT)
    kept, rows, last = Kept(commits), [], None
    for cell in dict.fromkeys(figure.cell for figure in FIGURES):
        if only in (None, cell):
            before, after = kept.once(cell, (other, ROOT))
            rows.append((cell, before, after))
    if only in (None, ALONE):
        last = kept.once(ALONE, (ROOT,))[0]
    text = page(rows, commits, last)
    if write:
        PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many", description=__doc__)
    parser.add_argument("tree", type=Path, help="a clone of the project at another commit")
    parser.add_argument("--only", help="one of the figures")
    parser.add_argument("--write", action="store_true", help="write the page")
    given = parser.parse_args()
    main(given.tree.resolve(), given.only, given.write)

"""Two trees side by side, cell by cell in one run: `python -m benchmarks.against TREE`.

TREE is a clone of the project at another commit. Both trees solve the problems of the quick
benchmark, as this tree poses them, in processes of their own, which take turns, so that a busy
machine slows both alike. What counts is CPU time of one thread: the fastest run of each, and the
median over the turns of new over old. Every cell is compared that is ours: the learners, the
paper's algorithms, small fits that were slow, `power_mean`, a million comparisons, and `welfarist
fit --report` on files (a process of its own, all of it). `--only TEXT` takes the cells with that
text in their names, `--page` writes docs/benchmarks_before_after.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
# Runs of a cell in each tree: many where one takes milliseconds.
QUICKEST, MOST_TURNS, FEWEST_TURNS = 0.02, 41, 5

# Losses that differ by less, relatively, are equal.
EQUAL = 1e-9
PAGE = ROOT / "docs" / "benchmarks_before_after.md"
CELLS = ROOT / "benchmarks" / "against_cells.py"


class Tree:
    """A process that runs the cells in one tree."""

    def __init__(self, folder: Path) -> None:
        path = os.pathsep.join([str(folder / "src"), str(ROOT)])
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(CELLS)],
            cwd=folder,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path, "MPLBACKEND": "Agg"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.cells: list[str] = json.loads(self._out.readline())

    @property
    def _out(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def run(self, cell: int) -> tuple[float, float | None]:
        """Return the CPU seconds that one run of a cell takes, and the loss if there is one."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{cell}\n")
        self._process.stdin.flush()
        seconds, loss = json.loads(self._out.readline())
        return float(seconds), loss


def turns_for(seconds: float) -> int:
    """How often a cell is run: the quicker it is, the more often."""
    return max(FEWEST_TURNS, min(MOST_TURNS, round(MOST_TURNS * QUICKEST / max(seconds, 1e-4))))


@dataclass(frozen=True)
class Row:
    """A cell in both trees.

    Attributes
    ----------
    name : str
    before, after : float
        CPU seconds in the other tree and in this one, the fastest run of each.
    median : float
        The median over the turns of after over before.
    losses : pair of floats or None
        The losses reached, before and after.
    """

    name: str
    before: float
    after: float
    median: float
    losses: tuple[float | None, float | None]

    @property
    def excess(self) -> str:
        """By how much the loss is higher than it was, relatively."""
        before, after = self.losses
        if before is None or after is None:
            return ""
        change = (after - before) / max(abs(before), 1e-300)
        return "equal" if abs(change) <= EQUAL else f"{change:+.1e}"


def compare(here: Tree, there: Tree, only: str) -> list[Row]:
    """Run the cells in turns."""
    rows = []
    for number, name in enumerate(here.cells):
        if only not in name:
            continue
        first, loss = there.run(number)  # the first run fills caches
        losses = loss, here.run(number)[1]
        pairs = []
        for turn in range(turns_for(first)):
            one, other = (here, there) if turn % 2 else (there, here)
            times = {one: one.run(number)[0]}
            times[other] = other.run(number)[0]
            pairs.append((times[there], times[here]))
        ratios = sorted(new / old for old, new in pairs)
        fastest = min(p[0] for p in pairs), min(p[1] for p in pairs)
        row = Row(name, *fastest, ratios[len(ratios) // 2], losses)
        print(
            f"{row.before:9.4f} s  {row.after:9.4f} s  {row.after / row.before:6.3f}  "
            f"{row.median:6.3f}  {row.excess:>9}  {name}",
            flush=True,
        )
        rows.append(row)
    return rows


def page(rows: list[Row], commits: tuple[str, str]) -> str:
    """The rows as a page."""
    lines = [
        f"| {row.name} | {row.before:.4g} | {row.after:.4g} | {1 / row.median:.2f} | {row.excess} |"
        for row in rows
    ]
    return f"""# Before and after

Two versions of the package, commit {commits[0]} before and {commits[1]} after: both solve the same
problems in one run, in turns, in a process each. Seconds are CPU time of one thread, the fastest
run of each; the ratio is the median over the turns of before over after, above 1 where it is
quicker now. Losses are equal within {EQUAL:g}, or rose (+) or fell (-) by the share that is shown.

Remade by `python -m benchmarks.against TREE --page`, TREE being a clone at the earlier commit.

| what | before (s) | after (s) | ratio | loss |
| --- | ---: | ---: | ---: | --- |
{chr(10).join(lines)}
"""


def commit_of(folder: Path) -> str:
    """The commit a clone is at."""
    asked = ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def main(other: Path, only: str, write: bool) -> None:
    """Compare this tree with another one."""
    here, there = Tree(ROOT), Tree(other.resolve())
    if here.cells != there.cells:
        raise SystemExit("both trees must know what the cells need: one of them does not.")
    print("    other        this    fastest  median  loss  (CPU seconds, this over other)")
    rows = compare(here, there, only)
    worst = max(rows, key=lambda row: row.after / row.before)
    print(f"worst by the fastest runs: {worst.after / worst.before:.3f} ({worst.name})")
    if write:
        PAGE.write_text(page(rows, (commit_of(other), commit_of(ROOT))), encoding="utf-8")
        print(f"written to {PAGE}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("tree", type=Path, help="a clone of the project at another commit")
    parser.add_argument("--only", default="", metavar="TEXT", help="cells with this in their names")
    parser.add_argument("--page", action="store_true", help="write the page of the documentation")
    asked = parser.parse_args()
    main(asked.tree, asked.only, asked.page)

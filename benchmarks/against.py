"""Two trees side by side, cell by cell in one run: `python -m benchmarks.against TREE`.

TREE is a clone of the project at another commit. Both trees solve the problems of the quick
benchmark in processes of their own, which take turns, so that a busy machine slows both alike. What
counts is CPU time of one thread: the fastest run of each, and the median over the turns of new over
old. Every cell is compared that is ours: the learners, the paper's algorithms, `power_mean`, a
million comparisons, and `welfarist fit --report` on files (a process of its own, all of it).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
# Runs of a cell in each tree: many where one takes milliseconds.
QUICKEST, MOST_TURNS, FEWEST_TURNS = 0.02, 41, 5

CELLS = ROOT / "benchmarks" / "against_cells.py"


class Tree:
    """A process that runs the cells in one tree."""

    def __init__(self, folder: Path) -> None:
        path = os.pathsep.join([str(folder / "src"), str(folder)])
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

    def run(self, cell: int) -> float:
        """Return the CPU seconds that one run of a cell takes."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{cell}\n")
        self._process.stdin.flush()
        return float(self._out.readline())


def turns_for(seconds: float) -> int:
    """How often a cell is run: the quicker it is, the more often."""
    return max(FEWEST_TURNS, min(MOST_TURNS, round(MOST_TURNS * QUICKEST / max(seconds, 1e-4))))


def compare(here: Tree, there: Tree) -> list[tuple[str, float, float, float]]:
    """Name, seconds in the other tree and in this one, and the median ratio of their turns."""
    rows = []
    for number, name in enumerate(here.cells):
        first = there.run(number)  # the first run fills caches
        here.run(number)
        pairs = []
        for turn in range(turns_for(first)):
            one, other = (here, there) if turn % 2 else (there, here)
            times = {one: one.run(number)}
            times[other] = other.run(number)
            pairs.append((times[there], times[here]))
        ratios = sorted(new / old for old, new in pairs)
        row = name, min(p[0] for p in pairs), min(p[1] for p in pairs), ratios[len(ratios) // 2]
        print(f"{row[1]:9.4f} s  {row[2]:9.4f} s  {row[2] / row[1]:6.3f}  {row[3]:6.3f}  {name}")
        sys.stdout.flush()
        rows.append(row)
    return rows


def main(other: Path) -> None:
    """Compare this tree with another one."""
    here, there = Tree(ROOT), Tree(other.resolve())
    if here.cells != there.cells:
        raise SystemExit("both trees must have the same cells: their benchmarks differ.")
    print("    other        this    fastest  median  (CPU seconds, this over other)")
    rows = compare(here, there)
    worst = max(rows, key=lambda row: row[2] / row[1])
    print(f"worst by the fastest runs: {worst[2] / worst[1]:.3f} ({worst[0]})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("tree", type=Path, help="a clone of the project at another commit")
    main(parser.parse_args().tree)

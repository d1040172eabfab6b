"""How costs grow with columns and with names: `python -m benchmarks.growth`, in about two minutes.

CPU time (user and system, of the process that reads included) and peak memory of whole commands on
Linux, at sizes that double. What is to be kept: twice as many columns or names take at most about
twice as long.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import numpy as np

COLUMNS = (10_000, 20_000, 40_000)
NAMES = (250_000, 500_000, 1_000_000)
ACTIONS, DECISIONS = 12, 60
# Runs a command and says how much memory it has held.
RUN = """
import re, sys
from pathlib import Path
from welfarist.cli import main
try:
    main()
finally:
    status = Path("/proc/self/status").read_text()
    print("PEAK", re.search(r"VmHWM:\\s+(\\d+) kB", status)[1], file=sys.stderr)
"""


def wide(folder: Path, people: int) -> dict[str, list[str]]:
    """Write few actions of many people; return commands on them by name."""
    rng = np.random.default_rng(0)
    names = [f"person {i}" for i in range(people)]
    rows = [
        f"a{i}," + ",".join(f"{u:.2f}" for u in rng.uniform(1, 10, people)) for i in range(ACTIONS)
    ]
    (folder / "actions.csv").write_text("\n".join(["action," + ",".join(names), *rows]) + "\n")
    for what in ("weight", "group"):
        lines = [f"{name},{i % 3 + 1}" for i, name in enumerate(names)]
        text = "\n".join([f"stakeholder,{what}", *lines]) + "\n"
        (folder / f"{what}s.csv").write_text(text)
    pairs = [rng.choice(ACTIONS, 2, replace=False) for _ in range(DECISIONS)]
    decided = [f"a{one},a{other}" for one, other in pairs]
    (folder / "decisions.csv").write_text("\n".join(["preferred,other", *decided]) + "\n")
    learn = ["actions.csv", "--comparisons", "decisions.csv"]
    return {
        "rank": ["rank", "actions.csv", "--doctrine", "Nash"],
        "rank --weights": ["rank", "actions.csv", "--p", "0.5", "--weights", "weights.csv"],
        "judge": ["judge", "actions.csv", "a1", "a2", "--doctrine", "Nash"],
        "fit --groups": ["fit", *learn, "--groups", "groups.csv"],
        "fit --weights --save": ["fit", *learn, "--weights", "weights.csv", "--save", "model.json"],
        "rank --model": ["rank", "actions.csv", "--model", "model.json"],
        "compare": ["compare", *learn, "--weights", "equal", "--folds", "0"],
    }


def long(folder: Path, names: int) -> dict[str, list[str]]:
    """Write many actions of three people; return commands on them by name."""
    table = np.random.default_rng(0).uniform(1, 10, (names, 3)).round(3).tolist()
    rows = [f"action {i},{a},{b},{c}" for i, (a, b, c) in enumerate(table)]
    (folder / "actions.csv").write_text("\n".join(["action,a,b,c", *rows]) + "\n")
    return {
        "rank": ["rank", "actions.csv", "--doctrine", "Nash"],
        "rank --json": ["rank", "actions.csv", "--doctrine", "Nash", "--json"],
        "rank --top": ["rank", "actions.csv", "--doctrine", "Nash", "--top", "5"],
        "judge": ["judge", "actions.csv", "action 1", "action 2", "--doctrine", "Nash"],
    }


def measured(arguments: list[str], folder: Path) -> tuple[float, int]:
    """CPU seconds of a command, and the most megabytes it held."""
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    after = getrusage(RUSAGE_CHILDREN)
    found = re.search(r"^PEAK (\d+)$", done.stderr, re.MULTILINE)
    if done.returncode or found is None:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, int(found[1]) // 1024


def main() -> None:
    """Measure every command at every size."""
    for what, sizes, write in (("columns", COLUMNS, wide), ("names", NAMES, long)):
        taken: dict[str, list[tuple[float, int]]] = {}
        for size in sizes:
            with tempfile.TemporaryDirectory() as name:
                for command, arguments in write(Path(name), size).items():
                    taken.setdefault(command, []).append(measured(arguments, Path(name)))
        print(f"{', '.join(f'{size:,}' for size in sizes)} {what}")
        for command, found in taken.items():
            seconds = ", ".join(f"{second:.1f} s" for second, _ in found)
            ratio = found[-1][0] / found[-2][0]
            print(
                f"  {command}: {seconds}; the last ratio is {ratio:.2f}, its peak {found[-1][1]} MB"
            )


if __name__ == "__main__":
    main()

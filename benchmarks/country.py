"""What a whole country costs on the command line: CPU seconds and memory of each command.

Run ``python -m benchmarks.country --people 1e8``; it writes 3.3 GB of people to a temporary folder
and takes two minutes of one core.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = {
    "simulate": "simulate land --people {people} --regions 20 --seed 1 --decisions 5000",
    "sketch": "sketch land/people --groups region --out people.sketch",
    "fit": "fit people.sketch --comparisons land/comparisons.csv --save model.json",
    "rank": "rank people.sketch --model model.json",
}
# Runs one command and says what it took, in a process of its own: the largest memory of several
# children cannot be told apart.
_MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "welfarist", *sys.argv[1:]], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def measured(command: str, folder: Path) -> tuple[float, float]:
    """CPU seconds of a command, start included, and the most memory it held, in GB."""
    alone = {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    said = subprocess.run(
        [sys.executable, "-c", _MEASURED, *command.split()],
        cwd=folder, env={**os.environ, **alone}, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    if int(said[0]):
        raise RuntimeError(f"welfarist {command} ended with {said[0]}")
    return float(said[1]), float(said[2]) / 1e6


def main() -> None:
    """Measure each command once, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", default="1e8")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, command in COMMANDS.items():
            seconds, memory = measured(command.format(people=asked.people), folder)
            print(f"{name:10}{seconds:8.1f} CPU s{memory:8.2f} GB", flush=True)
        size = sum(path.stat().st_size for path in (folder / "land").rglob("*.parquet"))
        sketch = (folder / "people.sketch").stat().st_size
        print(f"people {size / 1e9:.2f} GB, sketch {sketch / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

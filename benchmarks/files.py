"""Reading files beside pandas: `python -m benchmarks.files`, in about a minute.

100,000 actions of 18 stakeholders and 1,000,000 comparisons between them by name, as CSV and as
Parquet. Ours reads, checks everything and turns names into row numbers; pandas only reads. Times
are ratios within one run, the best of several. Memory is how far the peak of a process that reads
both files rises above what it held after reading a small file (so that libraries and their threads
do not count), divided by the data: the bytes of the two tables as pandas holds numbers and polars
holds texts, which is about what the CSV files take.

pandas reads Parquet only with pyarrow; without it that comparison is left out.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

ACTIONS, PEOPLE, COMPARISONS = 100_000, 18, 1_000_000
REPEATS = 5
SMALL = "action,a\nx,1\ny,2\n"


def write_files(folder: Path) -> int:
    """Write both tables in both formats; return how many bytes they are in memory."""
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1, 10, (ACTIONS, PEOPLE))
    names = np.array([f"action {i}" for i in range(ACTIONS)])
    first = rng.integers(0, ACTIONS, COMPARISONS)
    second = (first + rng.integers(1, ACTIONS, COMPARISONS)) % ACTIONS
    actions = pl.DataFrame({"action": names, **{f"s{i}": utilities[:, i] for i in range(PEOPLE)}})
    decided = pl.DataFrame({"preferred": names[first], "other": names[second]})
    for table, name in ((actions, "actions"), (decided, "comparisons")):
        table.write_csv(folder / f"{name}.csv")
        table.write_parquet(folder / f"{name}.parquet")
    (folder / "small.csv").write_text(SMALL)
    (folder / "pairs.csv").write_text("preferred,other\nx,y\n")
    pl.read_csv(folder / "small.csv").write_parquet(folder / "small.parquet")
    pl.read_csv(folder / "pairs.csv").write_parquet(folder / "pairs.parquet")
    return int(actions.estimated_size() + decided.estimated_size())


def ours(folder: Path, ending: str, names: tuple[str, str] = ("actions", "comparisons")) -> object:
    from welfarist import files

    actions = files.read_actions(folder / f"{names[0]}.{ending}")
    return files.read_comparisons(folder / f"{names[1]}.{ending}", actions)


def pandas(
    folder: Path, ending: str, names: tuple[str, str] = ("actions", "comparisons")
) -> object:
    import pandas as pd

    read = pd.read_csv if ending == "csv" else pd.read_parquet
    return [read(folder / f"{name}.{ending}") for name in names]


READERS: dict[str, Callable[..., object]] = {"ours": ours, "pandas": pandas}


def measure(reader: str, ending: str, folder: Path) -> None:
    """Run in a process of its own: print seconds and bytes as JSON."""
    read = READERS[reader]
    read(folder, ending, ("small", "pairs"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kept = read(folder, ending)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    del kept
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        read(folder, ending)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": min(seconds), "bytes": (peak - before) * 1024}))


def main() -> None:
    """Measure every reader on both formats and print a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write_files(folder)
        for ending in ("csv", "parquet"):
            on_disk = sum(
                (folder / f"{t}.{ending}").stat().st_size for t in ("actions", "comparisons")
            )
            print(f"{ending}: {size / 1e6:.0f} MB of data, {on_disk / 1e6:.0f} MB on disk")
            found = {}
            for reader in READERS:
                if (
                    reader == "pandas"
                    and ending == "parquet"
                    and not importlib.util.find_spec("pyarrow")
                ):
                    print("  pandas: left out, it reads Parquet only with pyarrow")
                    continue
                command = [sys.executable, "-m", "benchmarks.files", reader, ending, name]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found[reader] = json.loads(done.stdout)
                memory = found[reader]["bytes"]
                print(
                    f"  {reader}: {found[reader]['seconds']:.3f} s, peak memory {memory / 1e6:.0f} MB,"
                    f" {memory / size:.2f} of the data, {memory / on_disk:.2f} of the files"
                )
            if len(found) == 2:
                times = found["ours"]["seconds"] / found["pandas"]["seconds"]
                memory = found["ours"]["bytes"] / found["pandas"]["bytes"]
                print(f"  ours / pandas: time {times:.2f}, memory {memory:.2f}")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    else:
        main()

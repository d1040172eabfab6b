"""Reading files beside pandas: `python -m benchmarks.files`, in about a minute.

100,000 actions of 18 stakeholders and 1,000,000 comparisons between them by name, as CSV and as
Parquet. Ours reads, checks everything and turns names into row numbers. pandas is measured twice:
reading only, and with names turned into row numbers (`Index.get_indexer`), without checks. Times
are ratios within one run, the best of several. Memory is how far the peak of a process that reads
both files rises above what it held after reading a small file (so that libraries and their threads
do not count), divided by the data, which are the bytes of both tables as polars holds them, and
by the bytes of the files.

pandas reads Parquet only with pyarrow; without it that comparison is left out.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

ACTIONS, PEOPLE, COMPARISONS = 100_000, 18, 1_000_000
REPEATS = 7
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


def pandas_with_rows(
    folder: Path, ending: str, names: tuple[str, str] = ("actions", "comparisons")
) -> object:
    import pandas as pd

    read = pd.read_csv if ending == "csv" else pd.read_parquet
    actions, decided = (read(folder / f"{name}.{ending}") for name in names)
    index = pd.Index(actions.iloc[:, 0])
    pairs = [index.get_indexer(decided[column]) for column in ("preferred", "other")]
    return actions, np.column_stack(pairs)


READERS: dict[str, Callable[..., object]] = {
    "ours": ours,
    "pandas": pandas,
    "pandas with rows": pandas_with_rows,
}


def peak_memory() -> int:
    """The most bytes this process has held so far, without those of the one that started it."""
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    if found is None:
        sys.exit("memory is measured on Linux only")
    return int(found[1]) * 1024


def measure(reader: str, ending: str, folder: Path) -> None:
    """Run in a process of its own: print how far its peak of memory rises, in bytes."""
    READERS[reader](folder, ending, ("small", "pairs"))
    before = peak_memory()
    kept = READERS[reader](folder, ending)
    print(peak_memory() - before)
    del kept


def seconds(ending: str, folder: Path, readers: list[str]) -> tuple[dict[str, float], ...]:
    """The best time of each, on the clock and on all processors together.

    They are taken in turn, so that a busy machine is busy for all of them; there the second is
    the fairer one.
    """
    clocks = (time.perf_counter, time.process_time)
    taken: tuple[dict[str, list[float]], ...] = ({}, {})
    for _ in range(REPEATS):
        for reader in readers:
            starts = [clock() for clock in clocks]
            READERS[reader](folder, ending)
            for clock, start, times in zip(clocks, starts, taken, strict=True):
                times.setdefault(reader, []).append(clock() - start)
    return tuple({reader: min(found) for reader, found in times.items()} for times in taken)


def compare(ending: str, folder: Path, size: int) -> None:
    """Print time and memory of every reader for one format."""
    on_disk = sum((folder / f"{t}.{ending}").stat().st_size for t in ("actions", "comparisons"))
    print(f"{ending}: {size / 1e6:.0f} MB of data, {on_disk / 1e6:.0f} MB on disk")
    readers = list(READERS)
    if ending == "parquet" and importlib.util.find_spec("pyarrow") is None:
        print("  pandas is left out: it reads Parquet only with pyarrow")
        readers = ["ours"]
    times, work = seconds(ending, folder, readers)
    memory = {}
    for reader in readers:
        command = [sys.executable, "-m", "benchmarks.files", reader, ending, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        memory[reader] = int(done.stdout)
        print(
            f"  {reader}: {times[reader]:.3f} s ({work[reader]:.3f} s of work), peak memory "
            f"{memory[reader] / 1e6:.0f} MB, {memory[reader] / size:.2f} of the data, "
            f"{memory[reader] / on_disk:.2f} of the files"
        )
    for other in readers[1:]:
        ratios = (found["ours"] / found[other] for found in (times, work, memory))
        print(f"  ours / {other}: " + "time {:.2f}, work {:.2f}, memory {:.2f}".format(*ratios))


def main() -> None:
    """Measure every reader on both formats."""
    with tempfile.TemporaryDirectory() as name:
        size = write_files(Path(name))
        for ending in ("csv", "parquet"):
            compare(ending, Path(name), size)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    else:
        main()

"""Reading files beside pandas: `python -m benchmarks.files`, in about a minute.

100,000 actions of 18 stakeholders and 1,000,000 comparisons between them by name, as CSV and as
Parquet. Ours reads, checks everything and turns names into row numbers. pandas is measured three
times: reading only, as it comes and with `engine="pyarrow"`, and with names turned into row numbers
(`Index.get_indexer`), without checks. Times are ratios within one run, the best of several, taken
in turn; work is that of all processors, the process in which binary formats are read among them.

Memory is measured in one way: how far the peak of what a process holds (VmHWM) rises above what it
held before, divided by the bytes of the data. For files that is after reading a small file, so that
libraries and their threads do not count; the data are both tables as polars holds them; and a
process that reads apart counts in full, as if both peaks came together. For `Comparisons` it is
after the arrays or data frames were made, which are the data; twice, for what is kept of them and
with every pair counted once, as a fit needs it.

pandas reads Parquet only with pyarrow; without it these comparisons are left out. To compare with
other sources, put them first: `PYTHONPATH=other/src python -m benchmarks.files`.
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
from typing import Any

import numpy as np
import polars as pl

ACTIONS, PEOPLE, COMPARISONS = 100_000, 18, 1_000_000
REPEATS = 7
# What comparisons are made of, where not of files; small arrays are of 32 and 8 bits.
KINDS = ("arrays", "small arrays", "pandas", "polars")
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


def pandas_pyarrow(
    folder: Path, ending: str, names: tuple[str, str] = ("actions", "comparisons")
) -> object:
    import pandas as pd

    if ending == "parquet":
        return [pd.read_parquet(folder / f"{name}.parquet", engine="pyarrow") for name in names]
    return [pd.read_csv(folder / f"{name}.csv", engine="pyarrow") for name in names]


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
    "pandas with pyarrow": pandas_pyarrow,
    "pandas with rows": pandas_with_rows,
}


def peak_memory() -> int:
    """The most bytes held so far: this process's and those of the one that reads apart."""
    return sum(_status(process, "VmHWM") for process in ("self", *_apart()))


def _status(process: str, what: str) -> int:
    found = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    if found is None:
        sys.exit("memory is measured on Linux only")
    return int(found[1]) * 1024


def _apart() -> list[str]:
    """The number of the process that reads binary formats, if there is one."""
    if "welfarist.files.reading_apart" not in sys.modules:
        return []
    from welfarist.files import reading_apart

    return [str(reader._process.pid) for reader in reading_apart._CURRENT]


def work() -> float:
    """CPU seconds so far, those of the process that reads apart included."""
    tasks = [task for process in _apart() for task in Path(f"/proc/{process}/task").iterdir()]
    apart = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)
    return time.process_time() + apart / 1e9


def measure(reader: str, ending: str, folder: Path) -> None:
    """Run in a process of its own: print how far its peak of memory rises, in bytes."""
    READERS[reader](folder, ending, ("small", "pairs"))
    before = peak_memory()
    kept = READERS[reader](folder, ending)
    print(peak_memory() - before)
    del kept


def measure_comparisons(kind: str) -> None:
    """Run in a process of its own: print bytes of the data, and how far the peak rises twice."""
    import welfarist as wf

    rng = np.random.default_rng(0)
    utilities = rng.uniform(1, 10, (ACTIONS, PEOPLE))
    first = rng.integers(0, ACTIONS, COMPARISONS)
    pairs = np.column_stack([first, (first + rng.integers(1, ACTIONS, COMPARISONS)) % ACTIONS])
    outcomes = rng.choice([-1, 1], COMPARISONS)
    if kind == "small arrays":
        pairs, outcomes = pairs.astype(np.int32), outcomes.astype(np.int8)
    given: list[Any] = [utilities, pairs, outcomes]
    size = sum(array.nbytes for array in given)
    if kind == "pandas":
        import pandas as pd

        given = [pd.DataFrame(utilities).add_prefix("s"), pd.DataFrame(pairs), pd.Series(outcomes)]
    elif kind == "polars":
        given = [pl.DataFrame(utilities), pl.DataFrame(pairs), pl.Series(outcomes)]
    del utilities, first, pairs, outcomes
    _ = wf.Comparisons([[1.0, 2.0], [2.0, 1.0]], [[0, 1]], [1]).merged
    Path("/proc/self/clear_refs").write_text("5")  # the peak is what is held now
    before = _status("self", "VmRSS")
    made = wf.Comparisons(*given)
    kept = peak_memory() - before
    _ = made.merged
    print(size, kept, peak_memory() - before)


def seconds(ending: str, folder: Path, readers: list[str]) -> tuple[dict[str, float], ...]:
    """The best time of each, on the clock and on all processors together.

    They are taken in turn, so that a busy machine is busy for all of them; there the second is
    the fairer one.
    """
    clocks = (time.perf_counter, work)
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
    times, worked = seconds(ending, folder, readers)
    memory = {}
    for reader in readers:
        command = [sys.executable, "-m", "benchmarks.files", reader, ending, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        memory[reader] = int(done.stdout)
        print(
            f"  {reader}: {times[reader]:.3f} s ({worked[reader]:.3f} s of work), peak memory "
            f"{memory[reader] / 1e6:.0f} MB, {memory[reader] / size:.2f} of the data, "
            f"{memory[reader] / on_disk:.2f} of the files"
        )
    for other in readers[1:]:
        ratios = (found["ours"] / found[other] for found in (times, worked, memory))
        print(f"  ours / {other}: " + "time {:.2f}, work {:.2f}, memory {:.2f}".format(*ratios))


def compare_comparisons(kind: str) -> None:
    """Print the memory of `Comparisons` made of arrays or data frames."""
    command = [sys.executable, "-m", "benchmarks.files", kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    size, kept, merged = map(int, done.stdout.split())
    print(
        f"Comparisons of {kind}: {size / 1e6:.0f} MB of data, peak memory {kept / size:.2f} of the "
        f"data, with pairs counted {merged / size:.2f}"
    )


def main() -> None:
    """Measure every reader on both formats, and what is not read from files."""
    with tempfile.TemporaryDirectory() as name:
        size = write_files(Path(name))
        for ending in ("csv", "parquet"):
            compare(ending, Path(name), size)
    for kind in KINDS:
        compare_comparisons(kind)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    elif len(sys.argv) == 2:
        measure_comparisons(sys.argv[1])
    else:
        main()

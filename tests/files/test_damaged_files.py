"""Files that engines cannot read, or should not: one line that names the file, and nothing else."""

from __future__ import annotations

import io
import os
import signal
import struct
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import xlsxwriter

import welfarist as wf
from welfarist import files
from welfarist.files import limits, reading_apart
from welfarist.files.engines import Opened

TABLE = pl.DataFrame({"action": ["x", "y", "z"], "a": [1.0, 2.0, 3.0], "b": [3, 2, 1]})
UNIX = pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(path: str, *parts: str, **options) -> str:
    with pytest.raises(wf.InputError) as caught:
        files.read_actions(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(path)
    for part in parts:
        assert part in message, message
    return message


def said_of(path: str) -> str:
    """Why a file is refused; nothing if it is not."""
    try:
        files.read_actions(path)
    except wf.InputError as problem:
        return str(problem)
    return ""


def parquet(compression="zstd") -> bytes:
    file = io.BytesIO()
    TABLE.write_parquet(file, compression=compression)
    return file.getvalue()


def feather() -> bytes:
    file = io.BytesIO()
    TABLE.write_ipc(file, compression="lz4")
    return file.getvalue()


# Damage.


@pytest.mark.parametrize(("ending", "made"), [("parquet", parquet), ("feather", feather)])
def test_no_damage_is_a_traceback(ending, made, capfd):
    """What an engine says of it, or cannot say because it panics, never reaches the terminal."""
    whole = made()
    rng = np.random.default_rng(0)
    for at in range(4, len(whole), len(whole) // 25):
        damaged = bytearray(whole)
        damaged[at : at + 8] = rng.bytes(len(damaged[at : at + 8]))
        Path(f"a.{ending}").write_bytes(damaged)
        said = said_of(f"a.{ending}")
        assert said == "" or (said.startswith(f"a.{ending}") and "\n" not in said)
        Path(f"a.{ending}").write_bytes(whole[:at])
        refused(f"a.{ending}", "may be damaged")
    assert capfd.readouterr() == ("", "")
    Path(f"a.{ending}").write_bytes(whole)
    assert files.read_actions(f"a.{ending}").names == ("x", "y", "z")


@pytest.mark.parametrize("way", ["uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd"])
def test_every_compression_is_read(way):
    Path("a.parquet").write_bytes(parquet(way))
    assert files.read_actions("a.parquet").utilities.tolist() == [[1, 3], [2, 2], [3, 1]]


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_tables_in_cells_are_no_numbers(ending):
    nested = TABLE.with_columns(list=pl.Series([[1], [2], [3]]), struct=pl.struct("a", "b"))
    write = {"parquet": nested.write_parquet, "feather": nested.write_ipc}[ending]
    write(f"a.{ending}")
    refused(f"a.{ending}", "row 1, column 'list'", "must be numbers; found '[1]'")
    refused(f"a.{ending}", "row 1, column 'struct'", ignore=["list"])
    assert files.read_actions(f"a.{ending}", ignore=["list", "struct"]).stakeholders == ("a", "b")


def test_large_tables_name_row_and_column_too():
    """They come as numbers in one piece, or as an Arrow file where names are looked up."""
    rows = 12_000  # more cells than are sent as they are
    table = pl.DataFrame({"n": [f"n{i}" for i in range(rows)], "a": np.arange(rows) + 1.0, "b": 2})
    table.write_parquet("a.parquet")
    actions = files.read_actions("a.parquet")
    assert actions.names[-1] == f"n{rows - 1}"
    assert actions.utilities.sum() == table["a"].sum() + table["b"].sum()
    table[5, "a"] = -1.0
    table.write_parquet("b.parquet")
    refused("b.parquet", "row 6, column 'a'", "found -1")
    table[5, "a"] = None
    table.write_parquet("b.parquet")
    refused("b.parquet", "row 6, column 'a'", "an empty cell")
    kept = files.read_actions("b.parquet", drop_missing=True)
    assert len(kept) == rows - 1
    table.with_columns(b=pl.lit(True)).write_parquet("b.parquet")
    refused("b.parquet", "row 6, column 'a'", drop_missing=False)
    refused("b.parquet", "row 1, column 'b'", "found True", drop_missing=True)


# Workbooks.


def workbook(path: str, far: bool = False) -> None:
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    for number, row in enumerate([TABLE.columns, *TABLE.rows()]):
        sheet.write_row(number, 0, row)
    if far:
        sheet.write(1_048_575, 16_383, 1)
    book.close()


def repacked(change, way=zipfile.ZIP_DEFLATED) -> None:
    """A workbook as a.xlsx whose sheet is another."""
    workbook("whole.xlsx")
    with zipfile.ZipFile("whole.xlsx") as old, zipfile.ZipFile("a.xlsx", "w", way) as new:
        for part in old.namelist():
            sheet = part.startswith("xl/worksheets/")
            new.writestr(part, change(old.read(part)) if sheet else old.read(part))


@UNIX
def test_a_value_in_the_last_cell_asks_for_too_much_memory():
    workbook("a.xlsx", far=True)
    assert Path("a.xlsx").stat().st_size < 8_000  # of which the engine makes 550 GB
    refused("a.xlsx", "at most 8 GB of memory", "something stands far from the other cells")
    workbook("a.xlsx")
    assert files.read_actions("a.xlsx").names == ("x", "y", "z")


def test_columns_that_no_sheet_has():
    repacked(lambda sheet: sheet.replace(b'r="B2"', b'r="ZZZZZZ2"'))
    refused("a.xlsx", "the last column of a sheet is XFD", "'ZZZZZZ'")


def test_archives_that_say_they_are_huge():
    workbook("a.xlsx")
    data = bytearray(Path("a.xlsx").read_bytes())
    entry = data.index(b"PK\x01\x02")  # where the archive lists its parts
    data[entry + 24 : entry + 28] = struct.pack("<I", 2**32 - 2)
    Path("a.xlsx").write_bytes(data)
    refused("a.xlsx", "no larger than 4 GB; found 4.29 GB")


def test_other_ways_to_pack():
    repacked(bytes, zipfile.ZIP_STORED)
    assert files.read_actions("a.xlsx").names == ("x", "y", "z")
    repacked(bytes, zipfile.ZIP_LZMA)
    refused("a.xlsx", "must be a workbook", "not supported")
    Path("a.xlsx").write_bytes(b"PK\x03\x04 and nothing else")
    refused("a.xlsx", "must be a workbook")


# Limits.


def test_limits_of_tables(monkeypatch):
    limits.check_columns("a.csv", limits.MOST_COLUMNS)
    limits.check_cells("a.csv", limits.MOST_CELLS // 2, 2)
    with pytest.raises(wf.InputError, match=r"a.csv: there must be at most 100,000 columns"):
        limits.check_columns("a.csv", 100_001)
    with pytest.raises(wf.InputError, match=r"a.csv: at most 250,000,000 cells"):
        limits.check_cells("a.csv", limits.MOST_CELLS, 2)
    Path("a.csv").write_text(f"action,{','.join(map(str, range(100_000)))}\n")
    refused("a.csv", "at most 100,000 columns; found 100,001")
    monkeypatch.setattr(limits, "MOST_BYTES", 10**9)
    with Path("a.csv").open("wb") as file:
        file.truncate(10**9 + 1)  # takes no room
    refused("a.csv", "no larger than 1 GB")
    with Path("a.parquet").open("wb") as file:
        file.truncate(5 * 10**9)
    refused("a.parquet", "no larger than 4 GB; found 5 GB")


def test_a_file_may_hold_more_rows_than_can_be_read():
    """A few kilobytes of Parquet hold a billion numbers, if they are all the same."""
    rows = limits.MOST_CELLS // 2
    same = pl.LazyFrame({"n": [0]}).select(pl.repeat(1, rows).alias("n"), a=1, b=1)
    with pytest.raises(wf.InputError, match="cells can be read; found 125,000,000 rows of 3"):
        Opened("a.parquet", ("n", "a", "b"), same).chosen(["n", "a", "b"], ["a"])


ENDINGS = {
    "SIGXCPU": "within 5.01 seconds of work; it took more",
    "SIGALRM": "within 80 seconds; it took more",
    "SIGKILL": "at most 8 GB of memory",
    "SIGBUS": "somebody cut it short while it was read",
    "SIGSEGV": "its reader ended with SIGSEGV",
}


@UNIX
@pytest.mark.parametrize("killed", ENDINGS)
def test_a_reader_that_ends_is_a_message(killed, monkeypatch):
    Path("a.parquet").write_bytes(parquet())
    reading_apart._end_current()
    monkeypatch.setattr(
        reading_apart, "_PROGRAM", f"import os, signal; os.kill(os.getpid(), signal.{killed})"
    )
    refused("a.parquet", ENDINGS[killed])


@pytest.mark.parametrize(
    ("program", "part"),
    [
        ("import sys; sys.exit('memory allocation of 9 bytes failed')", "8 GB of memory"),
        ("import sys; sys.exit(7)", "its reader ended with exit code 7"),
    ],
)
def test_a_reader_that_leaves_is_a_message(program, part, monkeypatch):
    Path("a.parquet").write_bytes(parquet())
    reading_apart._end_current()
    monkeypatch.setattr(reading_apart, "_PROGRAM", program)
    refused("a.parquet", part)


SLOW = """
import json, sys; sys.path[:] = json.loads(sys.argv[1])
from welfarist.files import reader
def work(request):
    {work}
reader.answered = work
{limit}
reader.serve()
"""


@UNIX
@pytest.mark.parametrize(
    ("work", "limit", "part"),
    [
        ("while True: pass", "reader.seconds_for = lambda size: 0.0", "of work; it took more"),
        (
            "import time; time.sleep(60)",
            "reader.patience_for = lambda size: 0.2",
            "within 80 seconds; it took more",
        ),
        ("bytearray(10**12)", "", "8 GB of memory"),
    ],
)
def test_time_and_memory_are_limited(work, limit, part, monkeypatch):
    Path("a.parquet").write_bytes(parquet())
    reading_apart._end_current()
    monkeypatch.setattr(reading_apart, "_PROGRAM", SLOW.format(work=work, limit=limit))
    refused("a.parquet", part)


# The process apart.


@UNIX
def test_a_reader_that_somebody_ended_is_started_again():
    Path("a.parquet").write_bytes(parquet())
    table = files.open_table("a.parquet")
    os.kill(reading_apart._CURRENT[0]._process.pid, signal.SIGKILL)
    assert table.texts(["action", "a"]) == ["action"]


def test_whoever_interrupts_a_reader_ends_it():
    Path("a.parquet").write_bytes(parquet())
    files.read_actions("a.parquet")
    process = reading_apart._CURRENT[0]._process

    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_apart._Reader, "_exactly", interrupted)
        with pytest.raises(KeyboardInterrupt):
            files.read_actions("a.parquet")
    assert process.returncode is not None
    assert files.read_actions("a.parquet").names == ("x", "y", "z")


def test_a_forked_process_has_a_reader_of_its_own():
    Path("a.parquet").write_bytes(parquet())
    files.read_actions("a.parquet")
    old = reading_apart._CURRENT[0]._process
    reading_apart._begin_anew()
    assert files.read_actions("a.parquet").names == ("x", "y", "z")
    assert reading_apart._CURRENT[0]._process is not old
    os.waitpid(old.pid, 0)  # nobody asks it any more: it has left


def test_where_there_can_be_no_other_process_this_one_reads(monkeypatch):
    def none() -> str:
        raise OSError

    reading_apart._end_current()
    monkeypatch.setattr(reading_apart, "_executable", none)
    Path("a.parquet").write_bytes(parquet())
    assert files.read_actions("a.parquet").names == ("x", "y", "z")
    Path("a.parquet").write_bytes(parquet()[:-9])
    refused("a.parquet", "may be damaged")


def test_files_that_change_while_they_are_read():
    Path("a.parquet").write_bytes(parquet())
    table = files.open_table("a.parquet")
    TABLE.reverse().write_parquet("a.parquet")
    with pytest.raises(wf.InputError, match=r"a\.parquet: somebody changed it"):
        table.texts(["action"])
    table = files.open_table("a.parquet")
    Path("a.parquet").unlink()
    with pytest.raises(wf.InputError, match=r"a\.parquet: somebody removed it"):
        table.texts(["action"])
    Path("a.csv").write_text("action,a\nx,1\ny,2\n")
    table = files.open_table("a.csv")
    Path("a.csv").unlink()  # a text has been read by then
    assert table.texts(["action"]) == ["action"]

"""What may stand behind the name of a file, and texts that are none."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import polars as pl
import pytest

import welfarist as wf
from welfarist import files
from welfarist.files import limits
from welfarist.files.sources import source_of

UNIX = pytest.mark.skipif(os.name == "nt", reason="there are no such files there")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(call, *parts: str) -> None:
    with pytest.raises(wf.InputError) as caught:
        call()
    for part in parts:
        assert part in str(caught.value), caught.value


@UNIX
@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_only_ordinary_files_are_read(ending):
    name = f"a.{ending}"
    os.mkfifo(name)  # into which nobody writes: whoever opens it waits for ever
    refused(lambda: files.read_actions(name), f"{name}: must be an ordinary file; found a pipe")
    refused(lambda: wf.load_model(name), "found a pipe")
    os.unlink(name)
    os.symlink("/dev/zero", name)  # which never ends
    refused(lambda: files.read_actions(name), "found a device", "standard input: -")
    refused(lambda: wf.load_model(name), "found a device")


@UNIX
def test_links_that_lead_nowhere():
    os.symlink("b.csv", "a.csv")
    refused(lambda: files.read_actions("a.csv"), "a.csv: there is no such file")
    os.symlink("a.csv", "b.csv")
    refused(lambda: files.read_actions("a.csv"), "a.csv: cannot be read: Too many levels")


@UNIX
def test_names_that_are_no_utf8_or_hold_line_ends():
    for name in ("caf\udce9", "two\nlines"):
        table = pl.DataFrame({"action": ["x", "y"], "a": [1.0, 2.0]})
        for ending, write in (("parquet", table.write_parquet), ("feather", table.write_ipc)):
            write("plain")
            os.rename("plain", f"{name}.{ending}")
            assert files.read_actions(f"{name}.{ending}").names == ("x", "y")
        Path(f"{name}.csv").write_text("action,a\nx,1\ny,2\n")
        assert files.read_actions(f"{name}.csv").names == ("x", "y")


@UNIX
def test_in_a_folder_that_is_no_more(folder):
    os.mkdir("gone")
    os.chdir("gone")
    os.rmdir(folder / "gone")
    refused(lambda: files.read_actions("no/a.csv"), "the folder you are in is no more")
    os.chdir(folder)


def test_standard_input_may_be_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    refused(lambda: files.read_actions("-"), "standard input: is closed")
    closed = io.TextIOWrapper(io.BytesIO(b""))
    closed.buffer.close()
    monkeypatch.setattr(sys, "stdin", closed)
    refused(lambda: files.read_actions("-"), "standard input: cannot be read")
    monkeypatch.setattr(limits, "MOST_BYTES", 10)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"action,a\nx,1\n")))
    refused(lambda: files.read_actions("-"), "standard input: must be no larger than")


def test_texts_in_which_nothing_stands():
    for text in ('""', "\n,,\n", '"",""\n'):
        Path("a.csv").write_text(text)
        refused(lambda: files.read_actions("a.csv"), "a.csv: is empty")


def test_bytes_of_nothing_are_found_wherever_they_are():
    rows = "".join(f"action {i},{i}\n" for i in range(20_000))
    Path("a.csv").write_text(f"action,a\n{rows}z\0,1\n")
    refused(lambda: files.read_actions("a.csv"), "a.csv, line 20002", "bytes of 0")


@pytest.mark.parametrize(
    "text",
    [b"action,a\nx," + b"1" * limits.LONGEST_LINE, b"a," * (limits.LONGEST_LINE // 2 + 1)],
    ids=["cell", "header"],
)
def test_a_line_that_has_no_end(text):
    """64 MB, beyond which a line of a gigabyte is no other: it is not looked at."""
    Path("a.csv").write_bytes(text)
    refused(lambda: files.read_actions("a.csv"), "a line must have at most 67,108,864 letters")


@pytest.mark.parametrize("encoding", ["utf-7", "unicode_escape", "idna"])
def test_encodings_that_do_not_fit(encoding):
    Path("a.csv").write_bytes(b"action,a\n+2AA-\\ud800 \xff,1\n\xc3.\n")
    refused(lambda: files.read_actions("a.csv", encoding=encoding), "a.csv", "Name another")


def test_texts_are_read_once():
    Path("a.csv").write_text("action,a\nx,1\n")
    source = source_of("a.csv")
    Path("a.csv").write_text("action,b\ny,2\n")
    assert bytes(source.data) == b"action,a\nx,1\n"


def test_stata_texts_that_are_guessed_are_said():
    import pandas as pd

    pd.DataFrame({"n": ["caf\u00e9", "y"], "a": [1.0, 2.0]}).to_stata(
        "a.dta", write_index=False, version=118
    )
    data = Path("a.dta").read_bytes().replace("caf\u00e9".encode(), b"caf\xe9\x00")
    Path("a.dta").write_bytes(data)
    read = files.read_actions("a.dta")
    assert read.names == ("caf\u00e9", "y")
    assert read.notes == ("a.dta: texts were read as Latin-1, because they are no UTF-8.",)

"""Tables in files: every format, every layout, and what is said of files that are not all right."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import welfarist as wf
from welfarist import files
from welfarist.base import whole_files
from welfarist.files import delimited, dialects, held_texts, name_index, sources
from welfarist.files.name_index import NameIndex

ACTIONS = "action,donors,recipients\npantry,9,2\nshelter,5,6\nfood bank,3.5,14\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def actions_of(text: str | bytes, file: str = "actions.csv", **options) -> files.Actions:
    Path(file).write_bytes(text if isinstance(text, bytes) else text.encode())
    return files.read_actions(file, **options)


def comparisons_of(text: str, **options) -> files.NamedComparisons:
    Path("comparisons.csv").write_text(text)
    return files.read_comparisons("comparisons.csv", actions_of(ACTIONS), **options)


def wide_of(text: str, **options) -> files.NamedComparisons:
    Path("choices.csv").write_text(text)
    return files.read_wide_comparisons("choices.csv", **options)


def refused(call, *parts: str) -> str:
    """The message, which is one line and holds all the parts."""
    with pytest.raises(wf.InputError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message, message
    return message


# Formats.


def test_every_format_gives_the_same_actions(folder):
    expected = actions_of(ACTIONS)
    frame = pl.read_csv("actions.csv")
    frame.write_csv("actions.tsv", separator="\t")
    frame.write_parquet("actions.parquet")
    frame.write_ipc("actions.feather")
    frame.write_ipc("actions.arrow", compression="zstd")
    pd.read_csv("actions.csv").to_stata("actions.dta", write_index=False)
    for ending in ("tsv", "parquet", "feather", "arrow", "dta"):
        read = files.read_actions(f"actions.{ending}")
        assert read.names == expected.names == ("pantry", "shelter", "food bank")
        assert read.stakeholders == expected.stakeholders == ("donors", "recipients")
        assert read.utilities.tolist() == expected.utilities.tolist()
        assert read.notes == ()


def test_workbooks(folder):
    expected = actions_of(ACTIONS)
    frame = pl.read_csv("actions.csv")
    frame.write_excel("a.xlsx", worksheet="Table")
    for sheet in (None, "Table"):
        read = files.read_actions("a.xlsx", sheet=sheet)
        assert read.names == expected.names
        assert read.utilities.tolist() == expected.utilities.tolist()
    refused(lambda: files.read_actions("a.xlsx", sheet="Chart"), "a.xlsx", "'Chart'")
    frame.with_columns(donors=-pl.col("donors")).write_excel("bad.xlsx")
    refused(lambda: files.read_actions("bad.xlsx"), "bad.xlsx, row 2, column 'donors'", "-9")


def test_standard_input(folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ACTIONS.encode())))
    read = files.read_actions("-")
    assert (len(read), read.file) == (3, "standard input")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"action,a\nx,-1\n")))
    refused(lambda: files.read_actions("-"), "standard input, line 2, column 'a'")


def test_without_polars_a_file_says_what_to_install(folder, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused(lambda: actions_of(ACTIONS), 'pip install "welfarist[cli]"')


@pytest.mark.parametrize(("ending", "package"), [("xlsx", "fastexcel"), ("dta", "pandas")])
def test_formats_whose_engine_is_absent_say_what_to_install(folder, monkeypatch, ending, package):
    find = lambda name: object() if name == "polars" else None  # noqa: E731
    monkeypatch.setattr("importlib.util.find_spec", find)
    refused(lambda: actions_of("x", f"a.{ending}"), f"a.{ending}", f"pip install {package}")


@pytest.mark.parametrize("ending", ["parquet", "feather", "dta"])
def test_damaged_files_are_refused(folder, ending):
    refused(lambda: actions_of(b"no such thing", f"a.{ending}"), f"a.{ending}", "may be damaged")
    refused(lambda: actions_of(b"", f"b.{ending}"), f"b.{ending}: is empty")


def test_strange_endings_are_refused(folder):
    refused(lambda: actions_of(ACTIONS, "a.json"), "a.json", ".parquet", "found '.json'")


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_names_of_files_are_no_patterns(folder, ending):
    path = f"actions [1]*.{ending}"
    frame = pl.read_csv(io.StringIO(ACTIONS))
    Path("actions 1.csv").write_text("action,x\nother,1\n")
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "feather": frame.write_ipc}
    with Path(path).open("wb") as file:
        write[ending](file)
    assert files.read_actions(path).names == ("pantry", "shelter", "food bank")


# How text is written.


@pytest.mark.parametrize(
    "text",
    [
        ACTIONS.replace("\n", "\r\n"),
        ACTIONS.replace("\n", "\r"),
        ACTIONS.removesuffix("\n"),
        "\n" + ACTIONS + "\n\n",
        ACTIONS.replace("\nshelter", "\n\n  \nshelter"),
        ACTIONS + ",,\n",
        ACTIONS.replace(",", " , "),
        ACTIONS.replace("food bank", '"food bank"'),
        "\ufeff" + ACTIONS,
    ],
)
def test_harmless_differences(folder, text):
    read = actions_of(text)
    assert read.names == ("pantry", "shelter", "food bank")
    assert read.stakeholders == ("donors", "recipients")
    assert read.utilities.tolist() == [[9, 2], [5, 6], [3.5, 14]]


@pytest.mark.parametrize(("mark", "word"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_other_separators_are_found_out_and_said(folder, mark, word):
    read = actions_of(ACTIONS.replace(",", mark))
    assert read.utilities.tolist() == [[9, 2], [5, 6], [3.5, 14]]
    assert read.notes == (f"actions.csv: {word} separate the columns.",)


def test_decimal_commas_are_found_out_where_they_are_clear(folder):
    read = actions_of("action;a;b\nx;0,5;2\ny;1,25;3\n")
    assert read.utilities.tolist() == [[0.5, 2], [1.25, 3]]
    assert "actions.csv: the comma is the decimal mark." in read.notes
    text = "action;a;b\nx;1,234;2\n"
    refused(lambda: actions_of(text), "actions.csv", "'1,234'", 'Say decimal=","')
    assert actions_of(text, decimal=",").utilities.tolist() == [[1.234, 2]]
    refused(lambda: actions_of("action;a;b\nx;0,5;2.5\n"), "'0,5' and '2.5'")


THOUSANDS = "action;a;b\nB1;1.200;900\nB2;900;700\n"


@pytest.mark.parametrize("size", [0, 2**18])
@pytest.mark.parametrize("mark", [";", "\t", ","])
def test_points_that_may_stand_before_thousands_are_refused(folder, monkeypatch, mark, size):
    monkeypatch.setattr("welfarist.files.delimited.SMALL", size)
    text = THOUSANDS.replace(";", mark)
    refused(
        lambda: actions_of(text),
        "actions.csv, line 2, column 'a'",
        "'1.200', which may be 1200 or 1.2",
        'decimal="."',
        'decimal=","',
    )
    refused(lambda: actions_of(text, drop_missing=True), "'1.200'")
    assert actions_of(text, decimal=".").utilities.tolist() == [[1.2, 900], [900, 700]]
    assert actions_of(text, decimal=",").utilities.tolist() == [[1200, 900], [900, 700]]


def test_thousands_far_below_are_refused_too(folder):
    rows = "".join(f"B{i};{i};900\n" for i in range(100, 400))
    refused(lambda: actions_of(f"action;a;b\n{rows}Z;2.500;3\n"), "line 302", "'2.500'")
    refused(lambda: actions_of("action;a\nx;1.000\ny;12.000\n"), "line 2", "1000 or 1")


@pytest.mark.parametrize(
    "text",
    [
        "action,a,b\nx,0.125,100\ny,0.250,200\n",
        "action,a,b\nx,1.125,2.250\ny,3.375,4\n",  # no number is far larger
        "action,a,b\nx,100,98.125\ny,97.375,120\n",
        "action;a;b\nx;1.125;0.5\ny;3.375;4\n",  # which can only be a decimal point
        "action;a;b\n1.200;3;900\n1.300;4;700\n",  # names
        "action\ta\tb\nx\t1.125\t12.250\ny\t3.375\t4.000\n",
    ],
)
def test_decimal_points_are_read_as_ever(folder, text):
    told = actions_of(text, decimal=".")
    assert actions_of(text).utilities.tolist() == told.utilities.tolist()


def test_with_decimal_commas_points_stand_before_thousands_only(folder):
    text = "action;a\nx;1.234.567,5\ny;0,5\n"
    assert actions_of(text, decimal=",").utilities.tolist() == [[1234567.5], [0.5]]
    refused(lambda: actions_of(text, decimal="."), "'1.234.567,5'", 'say decimal=","')
    refused(lambda: actions_of("action;a\nx;2.5\n", decimal=","), "'2.5'", "one mark")


def test_decimal_commas_between_commas(folder):
    text = 'action,a,b\nx,"0,5",2\n'
    refused(lambda: actions_of(text), "line 2, column 'a'", "'0,5'", 'say decimal=","')
    assert actions_of(text, decimal=",").utilities.tolist() == [[0.5, 2]]
    refused(lambda: actions_of("action,a\nx,0,5\n"), "line 2", "found 3", "decimal mark")


def test_separators_that_are_not_clear_must_be_told(folder):
    text = "action;a,b;c\nx;1,5;2\n"
    refused(lambda: actions_of(text), "line 1", "commas and semicolons", "separator=';'")
    assert actions_of(text, separator=";").stakeholders == ("a,b", "c")
    refused(lambda: actions_of(text, separator="ab"), "separator must", "'ab'")
    refused(lambda: actions_of(ACTIONS, decimal="x"), "decimal must", "'x'")
    assert actions_of(ACTIONS.replace(",", "\t"), separator="tab").notes == ()


# Bad files.


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["actions.csv: is empty"]),
        ("\n \n", ["actions.csv: is empty"]),
        ("\ufeff", ["actions.csv: is empty"]),
        ("action,a,b\n", ["actions.csv", "at least one row below the header"]),
        ("action,a,b\nx,1,2\ny,1\n", ["line 3", "the 3 cells of the header; found 2"]),
        ("action,a,b\nx,1,2\ny,1,2,3\n", ["line 3", "the 3 cells of the header; found 4"]),
        (
            "action,a,b\nx,1,2\n\ny,1,2\nx,3,4\n",
            ["line 5", "'action'", "'x' in line 2", "numbered=True"],
        ),
        ("action,a,a\nx,1,2\n", ["line 1", "'a' in columns 2 and 3"]),
        ("action,a,\nx,1,2\n", ["line 1, column 3", "must have a name"]),
        ("1,2,3\n4,5,6\n", ["line 1", "names of the columns", "Add a line"]),
        ("action,a,b\nx,1,2\ny,-1,2\n", ["line 3, column 'a'", "not be negative; found -1"]),
        ("action,a,b\nx,1,\n", ["line 2, column 'b'", "complete", "an empty cell"]),
        ("action,a,b\nx,1,NA\n", ["line 2, column 'b'", "complete", "'NA'"]),
        ("action,a,b\nx,1,nan\n", ["line 2, column 'b'", "complete", "'nan'"]),
        ("action,a,b\nx,1,inf\n", ["line 2, column 'b'", "finite"]),
        ("action,b\nx,many\ny,2\n", ["line 2, column 'b'", "found 'many'", "ignore=COLUMN"]),
        ("action,a,b\nx,1,1_000\n", ["line 2, column 'b'", "found '1_000'"]),
        ('action,a,b\n"x\ny",1,2\nz,1,no\n', ["line 4, column 'b'", "found 'no'"]),
        ('action,a,b\nx,1,2\n"y,1,2\n', ["line 3", "quotes must be closed"]),
        ("action,a,b\n,1,2\n", ["line 2, column 'action'", "a name", "an empty cell"]),
        ("action\nx\n", ["line 1", "one column per stakeholder", "separator=';'"]),
        ("action,a,b\nx," + "9" * 400 + ",2\n", ["line 2, column 'a'", "finite"]),
    ],
)
def test_bad_text_files(folder, text, parts):
    message = refused(lambda: actions_of(text), *parts)
    assert message.startswith("actions.csv")
    assert len(message) < 350


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (
            "action,a\nx,1\ncafé,2\n".encode("latin-1"),
            ["line 3", "0xe9", "'é' in Windows-1252", 'encoding="windows-1252"'],
        ),
        ("actión,a\nx,1\n".encode("cp1252"), ["line 1", "'ó' in Windows-1252"]),
        (ACTIONS.encode("utf-16"), ["actions.csv", "UTF-16", 'encoding="utf-16"']),
        (ACTIONS.encode("utf-16-le"), ["actions.csv", "UTF-16"]),
        (ACTIONS.encode("utf-16-be"), ["actions.csv", "UTF-16"]),
        (b"action,a\nx,1\n\0\0\0", ["actions.csv", "bytes of 0"]),
        (b"PK\x03\x04rest", ["actions.csv", "workbook"]),
    ],
)
def test_wrong_encodings(folder, data, parts):
    refused(lambda: actions_of(data), *parts)


@pytest.mark.parametrize(
    ("cell", "advice"),
    [
        ("1,234", 'Write thousands without separators, or say decimal=","'),
        ("1,234,567.5", "Write thousands without separators."),
        ("1 234", "Write thousands without separators."),
        ("1,5", 'say decimal=","'),
        ("many", "leave the column out: ignore=COLUMN"),
        ("12.5%", "Take the sign '%' out of the whole column"),
        ("7*", "If '*' is the mark of a footnote, take it out"),
        ("3 [1]", "If '[1]' is the mark of a footnote, take it out"),
        ("4\u2020", "is the mark of a footnote"),
    ],
)
def test_numbers_with_marks_inside(folder, cell, advice):
    text = f'action,a\nx,"{cell}"\ny,2\n'
    refused(lambda: actions_of(text), "line 2, column 'a'", advice)


def test_a_count_that_is_no_number_cannot_be_ignored(folder):
    actions = actions_of(ACTIONS)
    one, other = actions.names[:2]
    (folder / "c.csv").write_text(f"preferred,other,count\n{one},{other},many\n")
    said = refused(lambda: files.read_comparisons("c.csv", actions), "line 2, column 'count'")
    assert "ignore" not in said


def test_a_long_header_is_read_whole_and_shown_in_part(folder):
    people = [f"person number {i}" for i in range(5_000)]  # more than is looked at first
    actions = actions_of(f"action,{','.join(people)}\nx,{','.join('1' * 5_000)}\n")
    assert actions.stakeholders == tuple(people)
    refused(lambda: actions_of(f"action,{'h' * 5_000_000}\nx,1\n"), "line 1", "longer one")
    long = "h" * 100_000
    message = refused(lambda: actions_of(f"{long}\nx\n"), "line 1", "…")
    assert len(message) < 400
    message = refused(lambda: actions_of(f"action,{long}\nx,-1\n"), "line 2", "…")
    assert len(message) < 400


def test_a_strange_letter_far_below_is_found_too(folder):
    rows = "".join(f"action {i},1,2\n" for i in range(10_000))
    text = f"action,a,b\n{rows}Münster,3,4\n"
    assert actions_of(text).names[-1] == "Münster"
    refused(lambda: actions_of(text.encode("latin-1")), "line 10002", "'ü' in Windows-1252")


def test_text_cut_inside_a_letter_at_the_end_of_what_is_looked_at(folder, monkeypatch):
    monkeypatch.setattr(dialects, "_HEAD", len("action,a\né".encode()) - 1)
    assert actions_of("action,a\né,1\n").names == ("é",)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_bad_frames_name_row_and_column(folder, ending):
    write = {"parquet": "write_parquet", "feather": "write_ipc"}[ending]

    def read(columns):
        getattr(pl.DataFrame(columns), write)(f"a.{ending}")
        return files.read_actions(f"a.{ending}")

    refused(lambda: read({"n": ["x", "y"], "a": [1, None]}), "row 2, column 'a'", "an empty cell")
    refused(lambda: read({"n": ["x", "y"], "a": [1.0, -2]}), "row 2, column 'a'", "found -2")
    refused(lambda: read({"n": ["x", "y"], "a": ["1", "b"]}), "row 2, column 'a'", "found 'b'")
    refused(lambda: read({"n": ["x", "y"], "a": [True, False]}), "row 1, column 'a'", "found True")
    refused(lambda: read({"n": ["x", "x"], "a": [1, 2]}), "row 2", "'x' in row 1 as well")
    refused(lambda: read({"n": [], "a": []}), "at least one row")
    assert read({"n": [7, 8], "a": ["1", "2.5"]}).utilities.tolist() == [[1], [2.5]]
    assert read({"n": [7.0, 8.0], "a": [1, 2]}).names == ("7", "8")


def test_files_that_cannot_be_opened(folder, monkeypatch):
    actions_of(ACTIONS)
    Path("sub.csv").mkdir()
    refused(lambda: files.read_actions("sub.csv"), "sub.csv: is a folder")
    refused(lambda: files.read_actions("action.csv"), "no such file", "did you mean 'actions.csv'?")
    refused(lambda: files.read_actions("zzz.csv"), "no such file; check the spelling")
    refused(lambda: files.read_actions("no/a.csv"), "there is no folder 'no'")

    def denied(*_args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    refused(lambda: files.read_actions("actions.csv"), "actions.csv: no permission to read it")


def test_blank_lines_do_not_need_the_slow_reader(folder, monkeypatch):
    monkeypatch.setattr(delimited.Delimited, "_carefully", None)
    assert actions_of(ACTIONS + "\n\n").names == ("pantry", "shelter", "food bank")
    assert actions_of(ACTIONS.replace("\nshelter", "\n\nshelter")).names[1] == "shelter"
    ignored = ACTIONS.replace("\n", ",\n").replace("recipients,", "recipients,note") + ",,,\n"
    with pytest.raises(TypeError):  # an empty note may be a row that ends too early
        actions_of(ignored, ignore=["note"])
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert len(actions_of(ignored, ignore=["note"])) == 3


def test_empty_ties_do_not_need_the_slow_reader(folder, monkeypatch):
    monkeypatch.setattr(delimited.Delimited, "_carefully", None)
    text = "preferred,other,tie\nshelter,pantry,\npantry,food bank, yes\n\nshelter,food bank,0\n"
    assert comparisons_of(text).decisions.outcomes.tolist() == [1, 0, 1]


# Which columns are what.


def test_columns_can_be_chosen(folder):
    text = "country,name,year,a,b,index\nFR,x,1990,1,2,3\nDE,y,1991,4,5,6\n"
    read = actions_of(text, name="Name", score="index", ignore=["country", "year"])
    assert read.names == ("x", "y")
    assert read.stakeholders == ("a", "b")
    assert read.scores.tolist() == [3, 6]
    read = actions_of(text, numbered=True, stakeholders=["b", "a"])
    assert read.names == ("1", "2")
    assert read.utilities.tolist() == [[2, 1], [5, 4]]
    guessed = actions_of(text)
    assert guessed.stakeholders == ("year", "a", "b", "index")
    assert guessed.notes[0] == "actions.csv: left out 'name', because it holds texts."
    assert "'year' is of another magnitude" in guessed.notes[1]
    refused(lambda: actions_of(text, stakeholders=["a", "c"]), "no 'c' among", "'a'")
    refused(lambda: actions_of(text, stakeholders=["a", "a"]), "found 'a' twice")
    refused(lambda: actions_of(text, name="name", numbered=True), "exclude each other")


def test_a_score_is_no_stakeholder(folder):
    text = "action,a,Score\nx,1,2\ny,3,4\n"
    read = actions_of(text)
    assert read.stakeholders == ("a",)
    assert read.scores is None
    assert "the column 'Score' was not taken for a stakeholder" in read.notes[0]
    assert actions_of(text, score="score").notes == ()
    refused(lambda: actions_of(text.replace("4", ""), score="score"), "line 3, column 'Score'")
    assert actions_of(text.replace("4", "-4"), score="score").scores.tolist() == [2, -4]


# Comparisons by name.


def test_preferred_and_other(folder):
    read = comparisons_of("preferred,other\nshelter,pantry\npantry,food bank\n")
    assert read.decisions.pairs.tolist() == [[1, 0], [0, 2]]
    assert read.decisions.outcomes.tolist() == [1, 1]
    assert read.decisions.stakeholders == ("donors", "recipients")
    assert (read.notes, read.deciders, read.decisions.by) == ((), (), None)


def test_optional_columns(folder):
    read = comparisons_of(
        "by,count,preferred,tie,other\nAnn,3,shelter,,pantry\nBob,1,pantry,yes,food bank\n"
        "Ann,2,shelter,0,food bank\n"
    )
    assert read.decisions.counts.tolist() == [3, 1, 2]
    assert read.decisions.outcomes.tolist() == [1, 0, 1]
    assert read.decisions.by.tolist() == ["Ann", "Bob", "Ann"]
    assert read.deciders == ("Ann", "Bob")


@pytest.mark.parametrize(
    ("labels", "guess"),
    [
        (("first", "second", "tie"), None),
        (("First", "SECOND", "Tie"), None),
        (("1", "2", "tie"), "'1'"),
        (("1", "-1", "0"), "'1'"),
        (("+1", "-1", "0"), "'+1'"),
        (("1", "0", "tie"), "'1'"),
        (("yes", "no", "equal"), "'yes'"),
        (("pantry", "food bank", "tie"), None),
    ],
)
def test_choices(folder, labels, guess):
    first, second, tie = labels
    read = comparisons_of(
        f"first,second,choice\npantry,shelter,{first}\nshelter,food bank,{second}\n"
        f"pantry,shelter,{tie}\n"
    )
    assert read.decisions.pairs.tolist() == [[0, 1], [1, 2], [0, 1]]
    assert read.decisions.outcomes.tolist() == [1, -1, 0]
    assert [guess in note for note in read.notes] == ([] if guess is None else [True])


def test_choices_that_are_not_clear(folder):
    text = "first,second,choice\npantry,shelter,up\nshelter,food bank,down\n"
    refused(lambda: comparisons_of(text), "column 'choice'", "'up' and 'down'", "first_label=LABEL")
    assert comparisons_of(text, first_label="down").decisions.outcomes.tolist() == [-1, 1]
    refused(lambda: comparisons_of(text, first_label="C"), "first_label must", "'C'")
    three = text + "pantry,shelter,C\n"
    refused(lambda: comparisons_of(three), "line 4, column 'choice'", "'C' beside 'up' and 'down'")
    sides = "Left,Right,choice\npantry,shelter,R\nshelter,food bank,L\n"
    refused(lambda: comparisons_of(sides), "'R' and 'L'", 'Say which: first_label="L"')
    only = "first,second,choice\npantry,shelter,0\n"
    refused(lambda: comparisons_of(only), "first_label=")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "preferred,other\nshelter,pantry\nshelter,pantri\n",
            ["line 3, column 'other'", "one of the 3 in actions.csv", "Did you mean 'pantry'?"],
        ),
        ("preferred,other\nshelter,PANTRY\n", ["line 2", "Did you mean 'pantry'?"]),
        ("preferred,other\nzzzz,pantry\n", ["line 2, column 'preferred'", "Check the spelling"]),
        ("preferred,other\nshelter,\n", ["line 2, column 'other'", "an empty cell"]),
        ("preferred,other\nshelter,shelter\n", ["line 2", "'shelter' twice"]),
        ("preferred,other,count\nshelter,pantry,-1\n", ["line 2, column 'count'", "found -1"]),
        ("preferred,other,count\nshelter,pantry,0\n", ["column 'count'", "only counts of 0"]),
        ("preferred,other,tie\nshelter,pantry,maybe\n", ["line 2, column 'tie'", "'maybe'"]),
        ("preferred,other,tie\nshelter,pantry,1\n", ["only ties"]),
        ("preferred,other,by\nshelter,pantry,\n", ["line 2, column 'by'", "an empty cell"]),
        (
            "a,b\nshelter,pantry\n",
            ["line 1", "preferred and other", "'a', 'b'", "preferred=COLUMN"],
        ),
        ("shelter,pantry\nfood bank,pantry\n", ["line 1", "add a line 'preferred,other'"]),
        ("preferred,other\n", ["at least one row"]),
        ("preferred,other\nshelter\n", ["line 2", "found 1"]),
    ],
)
def test_bad_comparisons(folder, text, parts):
    assert refused(lambda: comparisons_of(text), *parts).startswith("comparisons.csv")


def test_roles_can_be_told_and_synonyms_are_said(folder):
    text = "best,worst\nshelter,pantry\n"
    read = comparisons_of(text, columns={"preferred": "best", "other": "worst"})
    assert read.decisions.pairs.tolist() == [[1, 0]]
    read = comparisons_of("loser,winner\nshelter,pantry\n")
    assert read.decisions.pairs.tolist() == [[0, 1]]
    assert "'winner' (preferred), 'loser' (other)" in read.notes[0]
    refused(lambda: comparisons_of(text, columns={"preferred": "nope"}), "no 'nope' among")
    shared = {"preferred": "best", "other": "best"}
    refused(lambda: comparisons_of(text, columns=shared), "'best' as preferred and other")


def test_columns_of_which_nothing_is_made_are_said(folder):
    read = comparisons_of("preferred,other,n,by,day\nshelter,pantry,3,Ann,2\n")
    assert read.notes == ("comparisons.csv: nothing is made of 'n', 'day'.",)
    assert comparisons_of("preferred,other,by\nshelter,pantry,Ann\n").notes == ()


def test_comparisons_as_parquet(folder):
    actions = actions_of(ACTIONS)
    pl.DataFrame({"preferred": ["shelter"], "other": ["pantry"]}).write_parquet("c.parquet")
    assert files.read_comparisons("c.parquet", actions).decisions.pairs.tolist() == [[1, 0]]
    pl.DataFrame({"preferred": ["shelter"], "other": ["pantri"]}).write_parquet("c.parquet")
    read = lambda: files.read_comparisons("c.parquet", actions)  # noqa: E731
    refused(read, "c.parquet, row 1, column 'other'", "'pantry'")


def test_actions_called_by_numbers(folder):
    actions = actions_of("action,a\n10,1\n20,2\n")
    Path("c.csv").write_text("preferred,other\n20,10\n")
    assert files.read_comparisons("c.csv", actions).decisions.pairs.tolist() == [[1, 0]]
    pl.DataFrame({"preferred": [20], "other": [10]}).write_parquet("c.parquet")
    assert files.read_comparisons("c.parquet", actions).decisions.pairs.tolist() == [[1, 0]]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 11), min_size=2, max_size=40), st.booleans())
def test_comparisons_survive_the_way_through_a_file(tmp_path_factory, numbers, as_text):
    folder = tmp_path_factory.mktemp("through")
    names = [f'a "{i}", [b]\n' if i % 2 else f"é {i}" for i in range(12)]
    table = np.arange(24.0).reshape(12, 2)
    frame = pl.DataFrame({"name": names, "x": table[:, 0], "y": table[:, 1]})
    first = np.array(numbers)
    second = (first + 1) % 12
    chosen = pl.DataFrame(
        {"preferred": [names[i] for i in first], "other": [names[i] for i in second]}
    )
    if as_text:
        frame.write_csv(folder / "a.csv")
        chosen.write_csv(folder / "c.csv")
    else:
        frame.write_parquet(folder / "a.parquet")
        chosen.write_parquet(folder / "c.parquet")
    ending = "csv" if as_text else "parquet"
    actions = files.read_actions(folder / f"a.{ending}")
    read = files.read_comparisons(folder / f"c.{ending}", actions)
    assert (actions.utilities == table).all()
    assert read.decisions.pairs.tolist() == np.column_stack([first, second]).tolist()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_names_are_found_where_they_stand(data):
    names = data.draw(st.lists(st.text(max_size=4), min_size=1, max_size=60, unique=True))
    index = NameIndex(pl.Series(names))
    asked = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=80))
    assert index.rows(pl.Series(asked)).tolist() == [names.index(name) for name in asked]
    unknown = data.draw(st.text(max_size=4).filter(lambda name: name not in names))
    assert index.rows(pl.Series([*asked, unknown])) is None


def test_names_that_share_a_place_or_a_hash(monkeypatch):
    names = pl.Series([f"action {i}" for i in range(5000)])
    monkeypatch.setattr(name_index, "_SPARE_BITS", -1)  # more names than places
    crowded = NameIndex(names)
    turned = np.random.default_rng(0).permutation(5000)
    assert (crowded.rows(names.gather(turned)) == turned).all()
    assert crowded.rows(pl.Series(["action 5000"])) is None
    monkeypatch.setattr(name_index, "_PART", 512)  # looked up part by part
    assert (crowded.rows(names.gather(turned)) == turned).all()
    assert crowded.rows(pl.concat([names, pl.Series(["action 5000"])])) is None
    # Were one hash value shared by two names, neither would be taken for the other.
    monkeypatch.setattr(pl.Series, "hash", lambda self: pl.Series([7] * len(self), dtype=pl.UInt64))
    assert NameIndex(pl.Series(["a", "b"])).rows(pl.Series(["a"])) is None


# Long texts, which are read part by part.

CHOSEN = "preferred,other,count\nx,y,1\n"
CUT = {
    "plain": CHOSEN + "y,x,2\n" * 12,
    "quotes": 'preferred,other,count\n"x","y","1"\n' + '"y","x",2\n' * 9,
    "ends of lines in quotes": 'preferred,other,count,note\nx,y,1,"a\nb, ""c"""\n'
    + 'y,x,2,"\n\n"\n' * 9,
    "blank lines": CHOSEN + "\n\ny,x,2\n,,\n" * 9,
    "other ends of lines": (CHOSEN + "y,x,2\n" * 12).replace("\n", "\r\n"),
    "old ends of lines": (CHOSEN + "y,x,2\n" * 12).replace("\n", "\r"),
    "guarded": CHOSEN + "'=z,x,2\n" * 12,
    "no end": CHOSEN + "y,x,2\n" * 12 + "x,y,3",
    "unknown": CHOSEN + "y,x,2\n" * 12 + "x,w,3\n" + "x,y,3\n" * 12,
    "no number": CHOSEN + "y,x,2\n" * 12 + "x,y,three\n",
    "ragged": CHOSEN + "y,x,2\n" * 12 + "x,y\n" * 12,
    "too many cells": CHOSEN + "y,x,2\n" * 12 + "x,y,1,2\n" * 12,
    "a quote that is not closed": CHOSEN + "y,x,2\n" * 12 + '"x,y,1\n' + "x,y,1\n" * 9,
    "a quote within": CHOSEN + "y,x,2\n" * 12 + 'x",y,1\n' + "x,y,1\n" * 9,
    "no text": CHOSEN + "y,x,2\n" * 12 + "x,\udcff,1\n",
}


@pytest.mark.parametrize("text", CUT.values(), ids=CUT)
def test_parts_are_read_as_the_whole(folder, monkeypatch, text):
    """Whatever is in a long text, and wherever it is cut: the same answer, or the same words."""
    Path("a.csv").write_text("action,s\nx,1\ny,2\n=z,3\n")
    Path("c.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    actions = files.read_actions("a.csv")

    def answer():
        try:
            read = files.read_comparisons("c.csv", actions).decisions
        except wf.InputError as problem:
            return str(problem)
        return read.pairs.tolist(), read.outcomes.tolist(), read.counts.tolist()

    whole = answer()
    for size in (1, 25, 60):
        monkeypatch.setattr(held_texts, "PART", size)
        assert answer() == whole


def test_a_long_text_is_what_it_was_when_it_was_opened(folder, monkeypatch):
    monkeypatch.setattr(sources, "PART", 10)
    Path("a.csv").write_text("action,a\nx,1\ny,2\n")
    with open("a.csv", "rb") as file:
        assert bytes(held_texts.HeldText.of(file, 13)) == b"action,a\nx,1\n"
    with open("a.csv", "rb") as file:  # somebody has cut it short
        assert bytes(held_texts.HeldText.of(file, 99)) == b"action,a\nx,1\ny,2\n"
    assert files.read_actions("a.csv").names == ("x", "y")


# Comparisons with both actions in one row.

WIDE = "person,self_x,other_x,self_y,other_y,choice_x\n7,4,4,9,1,1\n8,2,8,5,5,0\n"


def test_wide_comparisons(folder):
    read = wide_of(WIDE, columns={"by": "person"})
    decided = read.decisions
    assert decided.stakeholders == ("self", "other")
    assert decided.utilities[decided.pairs[:, 0]].tolist() == [[4, 4], [2, 8]]
    assert decided.utilities[decided.pairs[:, 1]].tolist() == [[9, 1], [5, 5]]
    assert decided.outcomes.tolist() == [1, -1]
    assert read.deciders == ("7", "8")
    said = " ".join(read.notes)
    for part in ("self_x, other_x", "self_y, other_y", "'choice_x'", "'1' was taken to mean"):
        assert part in said


def test_wide_comparisons_in_other_orders(folder):
    rows = "\n4,9,4,1,0\n2,5,8,5,1\n"
    for header in (
        "self_x,self_y,other_x,other_y,choice_y",
        "x_self,y_self,x_other,y_other,choice_y",
    ):
        decided = wide_of(header + rows).decisions
        assert decided.stakeholders == ("self", "other")
        assert decided.utilities[decided.pairs[:, 0]].tolist() == [[4, 4], [2, 8]]
        assert decided.outcomes.tolist() == [1, -1]


def test_wide_comparisons_that_can_be_read_in_two_ways(folder):
    rows = "\n4,5,9,1,1\n2,8,5,6,0\n"
    refused(lambda: wide_of("a_x,b_x,a_y,b_y,choice" + rows), "more than one way", "first=[")
    three = "a_x,b_x,c_x,a_y,b_y,c_y,choice\n1,2,3,4,5,6,1\n7,8,9,4,5,6,0\n"
    assert wide_of(three).decisions.stakeholders == ("a", "b", "c")


def test_wide_comparisons_told(folder):
    text = "mine,yours,my own,your own,pick\n4,4,9,1,one\n2,8,5,5,two\n"
    told = {"first": ["mine", "yours"], "second": ["my own", "your own"]}
    refused(lambda: wide_of(text), "line 1", "self_x", "first=[")
    refused(lambda: wide_of(text, **told), "one column must tell the choice", "choice=COLUMN")
    told["columns"] = {"choice": "pick"}
    refused(lambda: wide_of(text, **told), "first_label=LABEL")
    decided = wide_of(text, first_label="two", **told).decisions
    assert decided.outcomes.tolist() == [-1, 1]
    assert decided.stakeholders == ("mine", "yours")
    refused(lambda: wide_of(text, first=["mine"]), "first and second belong together")
    refused(lambda: wide_of(text, first=["mine"], second=["mine"]), "different columns")
    negative = WIDE.replace("8,2,8", "8,-2,8")
    refused(lambda: wide_of(negative), "choices.csv, line 3, column 'self_x'", "negative")


# Weights and groups.


def test_weights_and_groups(folder):
    Path("w.csv").write_text("Stakeholder,weight\ndonors,2\nrecipients,0.5\n")
    assert files.read_weights("w.csv") == {"donors": 2.0, "recipients": 0.5}
    Path("g.csv").write_text("stakeholder,group\ndonors,givers\nrecipients,takers\n")
    assert files.read_groups("g.csv") == {"donors": "givers", "recipients": "takers"}
    Path("w.csv").write_text("stakeholder,weight\ndonors,2\ndonors,1\n")
    refused(lambda: files.read_weights("w.csv"), "w.csv, line 3", "'donors' again")
    Path("w.csv").write_text("stakeholder,weight\ndonors,-2\n")
    refused(lambda: files.read_weights("w.csv"), "w.csv, line 2, column 'weight'", "negative")
    refused(lambda: files.read_groups("w.csv"), "stakeholder and group", "'weight'")


# Writing.


def test_files_are_written_whole(folder):
    files.write_whole("a.txt", "é\n")
    assert Path("a.txt").read_bytes() == b"\xc3\xa9\n"
    mask = os.umask(0o022)
    os.umask(mask)
    assert Path("a.txt").stat().st_mode & 0o777 == 0o666 & ~mask
    Path("a.txt").chmod(0o640)
    Path("link.txt").symlink_to("a.txt")
    files.write_whole("link.txt", b"new")
    assert Path("link.txt").is_symlink()
    assert Path("a.txt").read_bytes() == b"new"
    assert Path("a.txt").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir()) == ["a.txt", "link.txt"]


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize(
    "problem",
    [OSError(28, "No space left on device"), KeyboardInterrupt(), PermissionError(13, "no")],
)
def test_an_interrupted_write_leaves_the_old_file(folder, monkeypatch, step, problem):
    files.write_whole("a.txt", "old")

    def fail(*_args):
        raise problem

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(
        KeyboardInterrupt if isinstance(problem, KeyboardInterrupt) else wf.InputError
    ):
        files.write_whole("a.txt", "new")
    assert os.listdir() == ["a.txt"]
    assert Path("a.txt").read_text() == "old"


def test_a_name_may_be_as_long_as_names_can_be(folder):
    longest = "a" * 251 + ".txt"
    files.write_whole(longest, "x")
    assert os.listdir() == [longest]
    refused(lambda: files.write_whole(f"a{longest}", "x"), "could not be written", "too long")


def test_a_folder_that_takes_no_new_file(folder, monkeypatch):
    def full(*_args, **_options):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(whole_files, "staged", full)
    refused(lambda: files.write_whole("a.txt", "x"), "a.txt: could not be written: Read-only")
    assert os.listdir() == []


def test_places_that_cannot_be_written_to(folder, monkeypatch):
    refused(lambda: files.write_whole(folder, "x"), "is a folder")
    refused(lambda: files.write_whole("no/a.txt", "x"), "there is no folder")
    files.write_whole("a.txt", "old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused(lambda: files.write_whole("a.txt", "new"), "a.txt: no permission")


def test_a_choice_of_neither_is_named_with_its_line(folder):
    rows = "first,second,choice\npantry,shelter,pantry\npantry,food bank,shelter\n"
    refused(
        lambda: comparisons_of(rows + "shelter,food bank,food bank\n"),
        "line 3, column 'choice'",
        "'pantry' or 'food bank'",
        "found 'shelter'",
    )

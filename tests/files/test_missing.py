"""Rows in which something is missing, and decisions about actions that are not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import welfarist as wf
from welfarist import files
from welfarist.cli.words import message_of

ACTIONS = "action,a,b\nx,1,2\ny,,4\nz,5,NA\nv,7,8\nw,2,9\n"
DECISIONS = "preferred,other\nx,v\ny,w\nw,x\nnobody,v\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("actions.csv").write_text(ACTIONS)
    Path("decisions.csv").write_text(DECISIONS)
    return tmp_path


def refused(call, *parts: str) -> None:
    with pytest.raises(wf.InputError) as caught:
        call()
    message = message_of(caught.value)
    for part in parts:
        assert part in message, message


def test_incomplete_actions_are_refused_or_left_out():
    refused(lambda: files.read_actions("actions.csv"), "line 3, column 'a'", "--drop-missing")
    read = files.read_actions("actions.csv", drop_missing=True)
    assert read.names == ("x", "v", "w")
    assert read.utilities.tolist() == [[1, 2], [7, 8], [2, 9]]
    assert read.left_out == {"y", "z"}
    assert read.notes == (
        "actions.csv: 2 of 5 actions were left out, in which something is missing.",
    )


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_other_formats_leave_them_out_too(ending):
    table = pl.DataFrame({"action": ["x", "y", None], "a": [1.0, None, 3.0], "b": [2, 3, 4]})
    path = f"actions.{ending}"
    table.write_parquet(path) if ending == "parquet" else table.write_excel(path)
    read = files.read_actions(path, drop_missing=True)
    assert (read.names, read.utilities.tolist()) == (("x",), [[1, 2]])


def test_a_nan_in_a_column_of_numbers_is_missing():
    pl.DataFrame({"action": ["x", "y"], "a": [1.0, np.nan]}).write_parquet("a.parquet")
    assert files.read_actions("a.parquet", drop_missing=True).names == ("x",)


def test_problems_keep_their_lines():
    Path("actions.csv").write_text(ACTIONS + "x,3,4\n")
    again = "line 7, column 'action'", "'x' in line 2"
    refused(lambda: files.read_actions("actions.csv", drop_missing=True), *again)
    Path("actions.csv").write_text(ACTIONS.replace("7,8", "7,-8"))
    wrong = "line 5, column 'b'", "negative"
    refused(lambda: files.read_actions("actions.csv", drop_missing=True), *wrong)


def test_nothing_complete_is_refused():
    Path("actions.csv").write_text("action,a,b\nx,1,\ny,,2\n")
    refused(lambda: files.read_actions("actions.csv", drop_missing=True), "missing in all 2")


def test_actions_without_names_keep_the_numbers_of_their_rows():
    read = files.read_actions(
        "actions.csv", numbered=True, stakeholders=["a", "b"], drop_missing=True
    )
    assert read.names == ("1", "4", "5")


def test_decisions_about_actions_that_were_left_out_go_with_them():
    actions = files.read_actions("actions.csv", drop_missing=True)
    refused(
        lambda: files.read_comparisons("decisions.csv", actions),
        "decisions.csv, line 5, column 'preferred'",
        "one of the 3 in actions.csv; found 'nobody'",
        "--drop-unknown",
    )
    read = files.read_comparisons("decisions.csv", actions, drop_unknown=True)
    assert read.decisions.pairs.tolist() == [[0, 1], [2, 0]]
    assert "2 of 4 comparisons were left out" in read.notes[0]
    assert "'nobody'" in read.notes[0]
    assert "'y'" in read.notes[0]


def test_decisions_with_gaps():
    Path("actions.csv").write_text("action,a,b\nx,1,2\nv,7,8\nw,2,9\n")
    Path("decisions.csv").write_text(
        "first,second,choice\nx,v,first\nx,,second\nw,v,\nw,x,second\n"
    )
    actions = files.read_actions("actions.csv")
    refused(lambda: files.read_comparisons("decisions.csv", actions), "line 3", "--drop-missing")
    read = files.read_comparisons("decisions.csv", actions, drop_missing=True)
    assert read.decisions.pairs.tolist() == [[0, 1], [2, 0]]
    assert read.decisions.outcomes.tolist() == [1, -1]
    assert read.notes == (
        "decisions.csv: 2 of 4 comparisons were left out, in which something is missing.",
    )


def test_only_unknown_actions_are_another_file():
    actions = files.read_actions("actions.csv", drop_missing=True)
    Path("decisions.csv").write_text("preferred,other\nq,r\ns,t\n")
    refused(
        lambda: files.read_comparisons("decisions.csv", actions, drop_unknown=True),
        "found other names in all 2",
        "the right file?",
    )


def test_wide_rows_with_gaps():
    Path("wide.csv").write_text(
        "self_x,other_x,self_y,other_y,choice_x\n4,4,9,2,1\n,8,5,5,0\n2,8,5,5,\n2,8,5,5,0\n"
    )
    refused(lambda: files.read_wide_comparisons("wide.csv"), "line 3", "--drop-missing")
    read = files.read_wide_comparisons("wide.csv", drop_missing=True)
    assert read.decisions.outcomes.tolist() == [1, -1]

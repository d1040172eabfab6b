"""Data frames of every library, by the names of their columns."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import welfarist as wf
from welfarist.base.data_frames import split_names

NAMES = ["donor", "volunteer", "recipient"]
# The columns come in another order than the stakeholders.
COLUMNS = {"recipient": [4.0, 9.0], "donor": [1.0, 3.0], "volunteer": [2.0, 3.0]}
ARRAY = np.array([COLUMNS[name] for name in NAMES]).T


def arrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


LIBRARIES = [pd.DataFrame, pl.DataFrame, arrow_table]


@pytest.mark.parametrize("library", LIBRARIES)
def test_names_are_split_off(library):
    values, names = split_names(library(COLUMNS))
    assert names == ("recipient", "donor", "volunteer")
    assert np.asarray(values).tolist() == [[4.0, 1.0, 2.0], [9.0, 3.0, 3.0]]


@pytest.mark.parametrize(
    "table", [[[1.0]], np.ones((2, 2)), pd.Series([1.0]), pl.Series([1.0]), None, 3.0]
)
def test_what_is_no_data_frame_comes_back_as_it_is(table):
    values, names = split_names(table)
    assert values is table
    assert names is None


def test_numbered_columns_have_no_names():
    assert split_names(pd.DataFrame(np.ones((2, 3))))[1] is None
    assert split_names(pd.DataFrame(np.ones((2, 2)), columns=["a", 1]))[1] is None


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_are_matched_to_stakeholders(library):
    frame = library(COLUMNS)
    rule = wf.WelfareFunction(-1, [1, 2, 5], NAMES)
    assert rule(frame) == pytest.approx(rule(ARRAY), rel=1e-15)
    assert rule.log(frame) == pytest.approx(rule.log(ARRAY), rel=1e-15)
    assert rule.shares(frame) == pytest.approx(rule.shares(ARRAY), rel=1e-15)
    assert rule.rank(frame).tolist() == rule.rank(ARRAY).tolist()
    assert rule.compare(frame, ARRAY).tolist() == [0, 0]
    assert wf.power_mean(frame, 2) == pytest.approx(wf.power_mean(ARRAY, 2))


def test_without_names_columns_keep_their_places():
    rule = wf.WelfareFunction(-1, [1, 2, 5])
    assert rule(pd.DataFrame(COLUMNS)) == pytest.approx(rule(ARRAY[:, [2, 0, 1]]))
    named = wf.WelfareFunction(-1, [1, 2, 5], NAMES)
    assert named(pd.DataFrame(ARRAY)) == pytest.approx(named(ARRAY))


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_and_unknown_columns_are_named(library):
    rule = wf.WelfareFunction(0, stakeholders=NAMES)
    few = {name: COLUMNS[name] for name in NAMES[:2]}
    with pytest.raises(wf.InputError, match="no column 'recipient'"):
        rule(library(few))
    with pytest.raises(wf.InputError, match="no column 'recipient' and the unknown 'payer'"):
        rule(library({**few, "payer": [1.0, 2.0]}))
    with pytest.raises(wf.InputError, match="found the unknown 'payer'"):
        rule.rank(library({**COLUMNS, "payer": [1.0, 2.0]}))


def test_bad_entries_are_those_of_the_frame():
    frame = pd.DataFrame({**COLUMNS, "donor": [1.0, -3.0]})
    with pytest.raises(wf.InputError, match="-3 at row 1, column 1"):
        wf.WelfareFunction(0, stakeholders=NAMES)(frame)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), "NaN at row 1, column 0"),
        (pl.DataFrame({"a": [1, None], "b": [1, 2]}), "NaN at row 1, column 0"),
        (pd.DataFrame({"a": [1.0], "b": pd.to_datetime(["2020-01-01"])}), "in column 'b'"),
        (pl.DataFrame({"a": [1.0], "b": [datetime.date(2020, 1, 1)]}), "Date in column 'b'"),
        (pl.DataFrame({"a": [1.0], "b": [True]}), "Boolean in column 'b'"),
        (pd.DataFrame({"a": [1.0], "b": ["x"]}), "in column 'b'"),
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), "distinct column names"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_frames_that_hold_no_numbers(frame, message):
    with pytest.raises(wf.InputError, match=message):
        wf.power_mean(frame, 1)
    with pytest.raises(wf.InputError):
        wf.WelfareFunction(1, stakeholders=["a", "b"])(frame)

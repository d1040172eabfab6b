"""Small files are read without polars, and to the same answer."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from welfarist.base.errors import InputError
from welfarist.files import delimited, read_actions, read_comparisons
from welfarist.files.plain_columns import SMALL, PlainColumn, PlainFrame

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1
).filter(str.strip)
NUMBERS = st.floats(0, 1e300, allow_subnormal=False)


def read(path, small, monkeypatch, **options):
    monkeypatch.setattr(delimited, "SMALL", SMALL if small else 0)
    try:
        return read_actions(path, **options)
    except InputError as problem:
        return str(problem)


@settings(deadline=None)  # a busy machine is no fault
@given(
    st.lists(st.tuples(NAMES, NUMBERS, NUMBERS), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
)
def test_both_ways_read_the_same(rows, end):
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows([("action", "a", "b"), *rows])
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "actions.csv"
        path.write_text(text.getvalue(), "utf-8", newline="")
        small, large = read(path, True, patch), read(path, False, patch)
    if isinstance(large, str):
        assert small == large
        return
    assert small.names == large.names
    np.testing.assert_array_equal(small.utilities, large.utilities, strict=True)
    assert small.utilities.flags.f_contiguous == large.utilities.flags.f_contiguous


@pytest.mark.parametrize(
    "text",
    [
        "action,a,b\nx,1,2\n\ny,3,4\n",
        "action,a,b\nx,1,2\nx,3,4\n",
        "action,a,b\nx,1\n",
        "action,a,b\nx,-1,2\n",
        "action,a,b\nx,1_000,2\n",
        "action,a,b\nx,,2\n",
        "action,a,b\n",
        'action,a,b\n"x,1,2\n',
        'action,a,b\n"x"y,1,2\n',
        "action;a;b\nx;1,5;2\ny;3;4,25\n",
        "action,a,b\n x , 1 ,2\n",
        "action,a,b\nx,1e3,.5\n",
        "action,a,b\nx,inf,2\n",
    ],
)
@pytest.mark.parametrize("numbered", [False, True])
def test_what_is_odd_is_read_or_refused_alike(text, numbered, tmp_path, monkeypatch):
    path = tmp_path / "actions.csv"
    path.write_text(text)
    options = {"numbered": True, "ignore": ["action"]} if numbered else {}
    small, large = (read(path, small, monkeypatch, **options) for small in (True, False))
    if isinstance(large, str):
        assert small == large
    else:
        assert (small.names, small.notes) == (large.names, large.notes)
        np.testing.assert_array_equal(small.utilities, large.utilities)


def test_comparisons_take_actions_that_were_read_so(tmp_path, monkeypatch):
    (tmp_path / "actions.csv").write_text("action,a,b\nx,1,2\ny,3,4\n")
    (tmp_path / "decisions.csv").write_text("first,second,choice\nx,y,x\ny,x,x\n")
    actions = read(tmp_path / "actions.csv", True, monkeypatch)
    assert isinstance(actions.labels, PlainColumn)
    decided = read_comparisons(tmp_path / "decisions.csv", actions).decisions
    assert decided.pairs.tolist() == [[0, 1], [1, 0]]
    assert decided.outcomes.tolist() == [1, -1]


def test_plain_columns_answer_like_polars():
    frame = PlainFrame({"a": [1.0, 2.0, 1.0], "b": ["x", "y", "z"]})
    same = pl.DataFrame({"a": [1.0, 2.0, 1.0], "b": ["x", "y", "z"]})
    assert len(frame) == len(same)
    assert frame.height == same.height
    assert [column.name for column in frame] == same.columns
    assert frame["a"].n_unique() == 2
    assert frame["b"].index_of("z") == same["b"].index_of("z") == 2
    assert frame["b"].index_of("w") is None
    assert (frame["b"] == "y").to_list() == (same["b"] == "y").to_list()
    assert frame["a"].is_first_distinct().to_list() == [True, True, False]
    with pytest.raises(AttributeError):
        _ = frame.nonsense

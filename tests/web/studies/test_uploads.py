"""Tables that somebody sends."""

from __future__ import annotations

import io

import pytest

from tests.web.conftest import TABLE
from welfarist.app.decisions import TableOptions
from welfarist.base.errors import InputError
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.uploads import read_upload


def test_a_table_is_read_as_commands_read_it():
    read = read_upload(TABLE.replace(b",", b";"), "../plans 2.csv")
    assert (read.file, read.stakeholders) == ("plans 2.csv", ("residents", "shops", "staff"))
    assert read.utilities[0].tolist() == [9.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (TABLE.replace(b"9,2", b"9,x"), "plans.csv", "plans.csv, line 2, column 'shops'"),
        (TABLE.replace(b"road", b"park"), "plans.csv", "“actions have no names”"),
        (TABLE, "plans.doc", "the ending of the name must say"),
        (b"", "plans.csv", "plans.csv"),
        (b"a,b,c\nfirst,1,2\nx,2,1\n", "a.csv", "actions must not be called as answers are"),
    ],
)
def test_what_is_wrong_is_said_with_the_name_its_sender_knows(data, name, said):
    with pytest.raises(InputError) as problem:
        read_upload(data, name)
    assert said in str(problem.value)
    assert "/tmp" not in str(problem.value)
    assert "welfarist-" not in str(problem.value)


def test_options_that_say_nothing_are_refused():
    with pytest.raises(InputError, match="“sheet” is for workbooks"):
        read_upload(TABLE, "plans.csv", TableOptions(sheet="one"))


def test_an_aim_must_name_actions(analyst):
    with pytest.raises(InputError, match="“aim” must be best, rule, or names"):
        open_study(analyst, TABLE, "plans.csv", aim="park,tunnel")


def parquet(columns):
    """A small file, whatever it holds."""
    polars = pytest.importorskip("polars")
    held = io.BytesIO()
    polars.DataFrame(columns).write_parquet(held, compression="zstd", compression_level=19)
    assert len(held.getvalue()) < 1_000_000
    return held.getvalue()


BOMBS = {
    "rows": ({"x": [1.0] * 1_500_000, "y": [2.0] * 1_500_000}, "at most 2,000,000 cells"),
    "texts": ({"action": ["a" * 1_000_000] * 100, "x": [1] * 100, "y": [2] * 100}, "64 megabytes"),
    "names": ({"action": ["a" * 600, "b"], "x": [1, 2], "y": [2, 1]}, "500 letters at most"),
    "columns": ({f"{i}": [1.0] for i in range(2_001)}, "at most 2,000 columns"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_what_unpacks_to_far_more_is_refused(kind):
    columns, said = BOMBS[kind]
    with pytest.raises(InputError, match=said):
        read_upload(parquet(columns), "t.parquet")


def test_a_true_table_is_read_from_parquet():
    read = read_upload(parquet({"action": ["a", "b"], "x": [1, 2], "y": [3.5, 4]}), "t.parquet")
    assert (read.actions, read.utilities.tolist()) == (("a", "b"), [[1, 3.5], [2, 4]])


def test_what_is_negative_can_be_lifted():
    data = TABLE.replace(b"9,2", b"-1,2")
    with pytest.raises(InputError, match="“add to every utility” NUMBER"):
        read_upload(data, "plans.csv")
    read = read_upload(data, "plans.csv", shift=1.5)
    assert read.utilities[0].tolist() == [0.5, 3.5, 5.5]
    assert "plans.csv: 1.5 was added to every utility." in read.notes


def test_the_largest_numbers_are_read_without_a_warning():
    read = read_upload(b"action,x,y\na,1e308,2\nb,2,1e308\n", "large.csv")
    assert read.utilities.max() == 1e308

"""Tables of attributes as callers pass them, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest

import welfarist as wf

NAMES = ("anna", "ben", "cem", "dora")
AGES, REGIONS = [20.0, 40.0, 60.0, 80.0], ["north", "south", "south", "west"]
ORDER = [2, 0, 3, 1]  # in which a table may have its rows


def made(table, heads=None, names=NAMES):
    return wf.ByAttributes(table, heads).weighting(len(NAMES), names)


def shuffled(values):
    return [values[i] for i in ORDER]


EXPECTED = np.array([AGES, [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    "table",
    [
        {"age": AGES, "region": REGIONS},
        pandas.DataFrame({"age": AGES, "region": REGIONS}),
        polars.DataFrame({"age": AGES, "region": REGIONS}),
        pandas.DataFrame(
            {"age": shuffled(AGES), "region": shuffled(REGIONS)}, index=shuffled(NAMES)
        ),
        polars.DataFrame(
            {"Stakeholder": shuffled(NAMES), "age": shuffled(AGES), "region": shuffled(REGIONS)}
        ),
        {
            "age": dict(zip(shuffled(NAMES), shuffled(AGES), strict=True)),
            "region": pandas.Series(shuffled(REGIONS), index=shuffled(NAMES)),
        },
    ],
    ids=["columns", "pandas", "polars", "index", "column of names", "by name"],
)
def test_tables_are_read_and_matched_by_name(table) -> None:
    found = made(table)
    assert found.attributes == ("age", "region: south", "region: west")
    np.testing.assert_array_equal(found.table, EXPECTED)
    assert (found.heads == 1).all()


def test_arrays_are_in_the_order_of_the_people() -> None:
    found = made(np.array([AGES, [1, 0, 0, 1]]).T)
    assert found.attributes == ("attribute 0", "attribute 1")
    assert made(AGES).attributes == ("attribute 0",)
    flags = made({"member": [True, False, False, True]})
    np.testing.assert_array_equal(flags.table, [[1.0, 0.0, 0.0, 1.0]])


def test_heads_may_be_a_column_numbers_or_by_name() -> None:
    counts = [10.0, 20.0, 30.0, 40.0]
    column = made({"age": AGES, "population": counts}, "population")
    assert column.attributes == ("age",)
    by_name = made({"age": AGES}, dict(zip(shuffled(NAMES), shuffled(counts), strict=True)))
    for found in (column, by_name, made({"age": AGES}, counts)):
        np.testing.assert_array_equal(found.heads, counts)
        np.testing.assert_allclose(found.to_people(np.empty(0)), np.array(counts) / 100)


@pytest.mark.parametrize(
    ("table", "heads", "words"),
    [
        ({"age": [5.0] * 4}, None, "5 for everybody in 'age'"),
        ({"region": ["north"] * 4}, None, "north for everybody in 'region'"),
        ({"age": AGES, "born": [2000.0 - age for age in AGES]}, None, "'born' does from 'age'"),
        (np.random.default_rng(0).normal(size=(4, 4)), None, "at most 3 of 4"),
        ({"age": AGES[:3]}, None, "4 in all; found 3 in 'age'"),
        ({"age": [20.0, None, 60.0, 80.0]}, None, "none in 'age', row 1"),
        ({"age": [20.0, np.nan, 60.0, 80.0]}, None, "none in 'age', row 1"),
        ({"age": [20.0, np.inf, 60.0, 80.0]}, None, "finite numbers; found others in 'age'"),
        ({}, None, "at least one column"),
        (np.zeros((4, 2, 2)), None, "3 dimensions"),
        ({"age": [[1], [2], [3], [4]]}, None, "one entry per person"),
        ({"age": {"anna": 1, "ben": 2, "cem": 3, "eve": 4}}, None, "none for 'dora'"),
        ({"age": AGES}, [1, 2, 0, 4], "0 at row 2"),
        ({"age": AGES}, [1, 2, 3], "4 in all; found shape (3,)"),
        ({"age": AGES}, "people", "a column of the attributes, 'age'; found 'people'"),
        (
            polars.DataFrame({"name": ["anna", "anna", "ben", "cem"], "age": AGES}),
            None,
            "'anna' twice",
        ),
    ],
)
def test_what_cannot_be_learned_from_is_refused(table, heads, words: str) -> None:
    with pytest.raises(wf.InputError) as refusal:
        made(table, heads)
    assert words in str(refusal.value)


def test_it_says_what_it_holds() -> None:
    assert repr(wf.ByAttributes({"age": AGES, "region": REGIONS})) == "ByAttributes(age, region)"
    frame = polars.DataFrame({"age": AGES})
    assert repr(wf.ByAttributes(frame, [1, 2, 3, 4])) == "ByAttributes(age, heads)"
    assert repr(wf.ByAttributes(AGES)) == "ByAttributes(list)"


def test_attributes_in_huge_units_are_told_apart():
    weighting = wf.ByAttributes({"age": [1e300, 2e300, 4e300]}).weighting(3)
    assert weighting.attributes == ("age",)


def test_attributes_must_have_names_of_their_own():
    table = {"region": ["north", "south", "south"], "region: south": [1.0, 2.0, 4.0]}
    with pytest.raises(wf.InputError, match="found 'region: south' twice"):
        wf.ByAttributes(table).weighting(3)

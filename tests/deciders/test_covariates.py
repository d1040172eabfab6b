"""What is known of the decision makers: how it is read, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from welfarist import InputError
from welfarist.deciders.covariates import Covariates

NAMES = np.array(["ann", "bob", "cem", "dee", "eva"])
TABLE = {
    "who": ["eva", "dee", "cem", "bob", "ann", "somebody else"],
    "age": [50, 20, 30, 60, 40, 99],
    "group": ["b", "a", "b", "c", "a", "d"],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, lambda t: pd.DataFrame(t).set_index("who")])
def test_rows_are_matched_by_name(make):
    found = Covariates.of(make(TABLE), NAMES)
    assert found.names == ("constant", "age", "group: b", "group: c")
    age = np.array([40.0, 60.0, 30.0, 20.0, 50.0])
    assert found.design[:, 1] == pytest.approx((age - age.mean()) / age.std())
    assert found.design[:, 2].tolist() == [0.0, 0.0, 1.0, 0.0, 1.0]
    assert found.design[:, 3].tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    assert found.units == pytest.approx([1.0, age.std(), 1.0, 1.0])


def test_nothing_known_is_a_column_of_ones():
    found = Covariates.of(None, NAMES)
    assert found.design.tolist() == [[1.0]] * 5
    assert found.names == ("constant",)


def test_the_row_of_somebody_is_that_of_the_design():
    found = Covariates.of(TABLE, NAMES)
    assert found.row({"age": 30, "group": "b"}) == pytest.approx(found.design[2])


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"age": 30}, "something must be known of 'group'"),
        ({"age": 30, "group": "z"}, "'group' must be one of"),
        ({"age": "old", "group": "a"}, "'age' must be a finite number; found 'old'"),
        ({"age": float("nan"), "group": "a"}, "'age' must be a finite number; found nan"),
        ({"age": None, "group": "a"}, "'age' must be a finite number; found None"),
    ],
)
def test_a_row_of_which_something_is_not_known(known, message):
    with pytest.raises(InputError, match=message):
        Covariates.of(TABLE, NAMES).row(known)


def changed(**columns):
    return {**TABLE, **columns}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"who": ["ann", "bob"], "age": [1, 2]}, "found none for 'cem' and 2 others"),
        (
            {"who": ["ann", "bob", "cem", "dee"], "age": [1, 2, 3, 4]},
            "found none for 'eva'",
        ),
        (changed(who=["eva", "eva", "cem", "bob", "ann", "dee"]), "found 'eva' twice"),
        (changed(age=[50, None, 30, 60, 40, 99]), "found 1 gaps in 'age'"),
        (changed(age=[50, float("nan"), 30, 60, 40, 99]), "found 1 gaps in 'age'"),
        (changed(age=[50, float("inf"), 30, 60, 40, 99]), "found an infinite 'age'"),
        (changed(age=[7] * 6), "found 7 for everybody in 'age'"),
        (changed(age=[0.1] * 6), "found 0.1 for everybody in 'age'"),
        (changed(group=["a"] * 6), "found a for everybody in 'group'"),
        (
            {"who": list(NAMES), "age": [1, 2, 3, 4, 6], "double": [2, 4, 6, 8, 12]},
            "must not follow from each other; found some that do among age and double",
        ),
        (changed(letter=list("vwxyza")), "more decision makers than columns"),
        (changed(age=[1, 2]), "must be of the same length"),
        ({"who": list(NAMES)}, "a column beside the names; found none"),
        ({}, "found none for 'ann' and 4 others"),
        ([1, 2], "must be a data frame, or a mapping of columns"),
        ({"who": list(NAMES), "age": 5}, "must be columns; found 5 in 'age'"),
    ],
)
def test_bad_tables_are_refused_in_one_sentence(table, message):
    with pytest.raises(InputError, match=message):
        Covariates.of(table, NAMES)


def test_a_constant_whose_mean_is_rounded():
    # The mean of three times 0.1 is not 0.1, and their standard deviation not 0.
    with pytest.raises(InputError, match=r"found 0\.1 for everybody in 'x'"):
        Covariates.of({"who": ["a", "b", "c"], "x": [0.1] * 3}, np.array(["a", "b", "c"]))


def test_gaps_of_pandas_own_kind():
    table = pd.DataFrame(TABLE).astype({"age": "Int64"})
    table.loc[1, "age"] = pd.NA
    with pytest.raises(InputError, match="found 1 gaps in 'age'"):
        Covariates.of(table, NAMES)


def test_truth_values_are_groups():
    found = Covariates.of(changed(age=[True, False, True, False, True, False]), NAMES)
    assert found.names[1] == "age: True"


def test_groups_taken_as_one():
    found = Covariates.of(TABLE, NAMES)
    assert found.without_differences(["a", "b"]).names == ("constant", "age", "group: c")
    assert found.without_differences(["a", "b", "c"]).names == ("constant", "age")
    assert found.without_differences(["age"]).names == ("constant", "group: b", "group: c")
    with pytest.raises(InputError, match="same must name a column"):
        found.without_differences(["a"])


def test_a_merged_group_may_come_first_or_last():
    # Which group the others are held against must not change what can be explained.
    found = Covariates.of(TABLE, NAMES).without_differences(["b", "c"])
    assert found.design[:, 2].tolist() in ([0.0, 1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0, 0.0])

"""What may stand for numbers, weights and names, and what is said about the rest."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import welfarist as wf
from welfarist.base.validation import as_numbers, check_names, normalised


def nested(depth: int) -> object:
    value: object = 1.0
    for _ in range(depth):
        value = [value]
    return value


def objects(*values: object) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def test_real_numbers_of_every_kind():
    given = objects(1, 2.5, np.float32(0.5), np.uint8(3), Decimal("0.25"), Fraction(1, 2), 2**70)
    assert as_numbers(given, "utilities").tolist() == [1, 2.5, 0.5, 3, 0.25, 0.5, 2.0**70]
    assert np.isnan(as_numbers([1.0, None], "utilities")[1])
    assert as_numbers(np.longdouble([1, 2]), "p").dtype == np.float64
    table = np.ones((3, 2), dtype=np.float32)
    assert as_numbers(table, "utilities") is table


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (objects(1, np.complex64(1 + 2j)), r"\(1\+2j\).* at position 1"),
        (objects(1, 2j), "2j at position 1"),
        (objects(1, True), "True at position 1"),
        (objects(1, np.True_), "True.* at position 1"),
        (objects(1, datetime.timedelta(1)), "timedelta.* at position 1"),
        (objects(1, np.timedelta64(1, "s")), "timedelta64.* at position 1"),
        (objects(1, datetime.date(2020, 1, 1)), "date.* at position 1"),
        ([[1, 2], [3, "x"]], "text 'x' at row 1, column 1"),
        ([[1, 2], [3, b"x"]], "text b'x' at row 1, column 1"),
        (np.array([["a", "b"]]), "text 'a' at row 0, column 0"),
        ([[1.0, 2.0], [10**400, 1]], "does not at row 1, column 0"),
        ([10**400, 1], "does not at position 0"),
        ([Decimal("sNaN")], "does not at position 0"),
        pytest.param(
            np.array([1, np.finfo(np.longdouble).max]),
            "at position 1",
            marks=pytest.mark.skipif(
                np.finfo(np.longdouble).max == np.finfo(np.float64).max,
                reason="long doubles are doubles here",
            ),
        ),
        ([np.ma.array([1.0, 2.0], mask=[0, 1]), [1.0, 2.0]], "masked"),
        ([[1, 2], [3]], "different lengths"),
        ([np.ones((2, 2)), np.ones((2, 3))], "different lengths"),
        (nested(40), "nested (40 deep|32 deep or more)"),
        (nested(100), "deep or more"),
        ((x for x in (1, 2)), "found generator. Turn it into a list"),
        ({"a": 1}, "found dict.* Turn it into a list"),
        ({1.0, 2.0}, "found set.* Turn it into a list"),
        (None, "found None"),
        ("Nash", "found text 'Nash'"),
        (np.zeros(2, dtype=[("a", float)]), "found records"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_a_number_is_named(values, message):
    with pytest.raises(wf.InputError, match=message):
        as_numbers(values, "utilities")


def test_shares_of_the_total():
    assert normalised(np.array([1.0, 2.0, 7.0])).tolist() == [0.1, 0.2, 0.7]
    assert normalised(np.array([0.1, 0.2, 0.7])).tolist() == [0.1, 0.2, 0.7]
    for size in (1e308, 1e-308, 5e-324):
        assert normalised(np.array([size, size])).tolist() == [0.5, 0.5]


def test_names():
    assert check_names(name for name in "ab") == ("a", "b")
    assert check_names(np.array(["a", "b"])) == ("a", "b")
    many = [str(i) for i in range(100_000)]  # in time that grows with their number, not its square
    assert check_names(many) == tuple(many)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (5, "found int"),
        ({"a", "b"}, "found set"),
        ({"a": 1}, "found dict"),
        ("ab", "one string, 'ab'"),
        (["a", 1], "found 1 at position 1"),
        (["a", None], "found None at position 1"),
        (["a", "b", "a"], "'a' twice"),
        ([], "at least one person"),
    ],
)
def test_bad_names(names, message):
    with pytest.raises(wf.InputError, match=message):
        check_names(names)

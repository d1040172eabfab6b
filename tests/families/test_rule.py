"""WelfareFunction as a value that judges actions."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import welfarist as wf

NAMES = ["donor", "volunteer", "recipient"]


@pytest.mark.parametrize(
    ("p", "name"),
    [
        (1, "utilitarian"),
        (0, "Nash"),
        (-0.0, "Nash"),
        (-np.inf, "egalitarian"),
        (np.inf, "best off"),
        (-1, "harmonic"),
        (0.1, "between Nash and utilitarian, nearer Nash"),
        (0.5, "midway between Nash and utilitarian"),
        (0.7, "between Nash and utilitarian, nearer utilitarian"),
        (-0.4, "between harmonic and Nash, nearer Nash"),
        (-2, "between egalitarian and harmonic, nearer harmonic"),
        (-50, "between egalitarian and harmonic, nearer egalitarian"),
        (2, "between utilitarian and best off, nearer utilitarian"),
        (1e308, "between utilitarian and best off, nearer best off"),
    ],
)
def test_doctrines(p, name):
    assert wf.WelfareFunction(p).doctrine == name


def test_doctrines_by_name():
    assert wf.power_of("Best-off") == np.inf
    for doctrine in wf.DOCTRINES:
        assert wf.power_of(doctrine.name.upper()) == doctrine.p
    with pytest.raises(wf.InputError, match="one of egalitarian, harmonic, Nash"):
        wf.power_of("rawls")
    with pytest.raises(wf.InputError, match="found None"):
        wf.power_of(None)
    with pytest.raises(wf.InputError, match="found NaN"):
        wf.doctrine_of(np.nan)


def test_judges_like_the_power_mean():
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1, 9, (7, 3))
    f = wf.WelfareFunction(-0.5, weights=[1, 2, 5])
    assert f(utilities) == pytest.approx(wf.power_mean(utilities, -0.5, [1, 2, 5]))
    assert f.log(utilities) == pytest.approx(np.log(f(utilities)))
    assert (f.equally_distributed_equivalent(utilities) == f(utilities)).all()
    assert (np.diff(f(utilities)[f.rank(utilities)]) <= 0).all()
    assert f.inequality_aversion == 1.5
    assert f.weights == pytest.approx([0.125, 0.25, 0.625])


def test_compare():
    f = wf.WelfareFunction(-1)
    assert f.compare([1, 4], [2, 3]) == -1
    assert isinstance(f.compare([1, 4], [2, 3]), int)
    assert f.compare([[1, 4], [2, 3], [3, 2]], [2, 3]).tolist() == [-1, 0, 0]
    assert f.compare([0, 1], [0, 5]) == 0
    assert f.compare([0, 1], [1, 1]) == -1
    assert f.compare([1, 1], [0, 1]) == 1


def test_permuted_equals_tie_for_every_power():
    rng = np.random.default_rng(1)
    for p in (-np.inf, -7.3, -0.1, 0, 0.1, 1, 2.5, np.inf):
        u = rng.uniform(1, 1000, (50, 9))
        v = rng.permuted(u, axis=1)
        assert (wf.WelfareFunction(p).compare(u, v) == 0).all()


@pytest.mark.parametrize(("people", "magnitude"), [(18, 300), (1000, 3), (1000, 300)])
@pytest.mark.parametrize("p", [-2.5, -0.1, 0, 0.1, 1, 3])
def test_permuted_equals_tie_however_many_and_however_unequal(people, magnitude, p):
    rng = np.random.default_rng([people, magnitude])
    u = 10 ** rng.uniform(-magnitude, magnitude, (200, people))
    v = rng.permuted(u, axis=1)
    f = wf.WelfareFunction(p)
    assert (f.compare(u, v) == 0).all()
    first, second = f.rank(np.stack([v[0], u[0]])), f.rank(np.stack([u[0], v[0]]))
    assert first.tolist() == second.tolist() == [0, 1]
    assert (f.compare(u, u * (1 + 1e-9)) == -1).all()


def test_comparisons_of_different_people_or_numbers_of_actions_are_refused():
    f = wf.WelfareFunction(1)
    with pytest.raises(wf.InputError, match="same people; found 2 and 3"):
        f.compare([1, 2], [1, 2, 3])
    with pytest.raises(wf.InputError, match=r"shapes \(2, 2\) and \(3, 2\)"):
        f.compare(np.ones((2, 2)), np.ones((3, 2)))


def test_rows_of_different_lengths_are_named():
    for f in (wf.WelfareFunction(0.5, [1, 2]), wf.WelfareFunction(0.5, stakeholders=["a", "b"])):
        for judge in (f, f.log, f.rank, f.shares, f.equally_distributed_equivalent):
            with pytest.raises(wf.InputError, match="different lengths"):
                judge([[1, 2], [3]])


def test_rank_keeps_the_order_of_ties_and_wants_a_table():
    f = wf.WelfareFunction(1)
    assert f.rank([[1, 3], [2, 2], [5, 5], [3, 1]]).tolist() == [2, 0, 1, 3]
    with pytest.raises(wf.InputError, match="one action per row"):
        f.rank([1.0, 2.0])


def test_shares_with_nothing():
    assert wf.WelfareFunction(-1).shares([0, 1, 0]).tolist() == [0.5, 0, 0.5]
    assert wf.WelfareFunction(-np.inf).shares([0, 1, 0]).tolist() == [0.5, 0, 0.5]
    assert wf.WelfareFunction(1).shares([0, 1, 0]).tolist() == [0, 1, 0]
    assert wf.WelfareFunction(2).shares([0, 0]).tolist() == [0.5, 0.5]
    assert wf.WelfareFunction(0, [1, 3]).shares([0, 7]).tolist() == [0.25, 0.75]


@given(
    st.one_of(st.floats(allow_nan=False), st.sampled_from([np.inf, -np.inf, 0.0])),
    st.lists(st.floats(1e-9, 1e9), min_size=3, max_size=3),
    st.sampled_from([None, NAMES]),
)
def test_round_trips(p, weights, names):
    f = wf.WelfareFunction(p, weights, names)
    strict = json.loads(json.dumps(f.to_dict(), allow_nan=False))
    for again in (
        wf.WelfareFunction.from_dict(strict),
        wf.WelfareFunction.from_json(f.to_json()),
        pickle.loads(pickle.dumps(f)),
        copy.deepcopy(f),
    ):
        assert again == f
        assert hash(again) == hash(f)
        assert again.to_dict() == f.to_dict()


def test_weights_by_name():
    weights = {"staff": 1, "clients": 3}
    by_name = wf.WelfareFunction(0.5, weights)
    assert by_name == wf.WelfareFunction(0.5, [1, 3], ["staff", "clients"])
    turned = wf.WelfareFunction(0.5, weights, stakeholders=["clients", "staff"])
    assert turned == wf.WelfareFunction(0.5, [3, 1], ["clients", "staff"])
    for names in (["clients", "public"], ["clients"]):
        with pytest.raises(wf.InputError, match=r"weights must name each of clients.* once"):
            wf.WelfareFunction(0.5, weights, stakeholders=names)
    for wrong in ({}, {1: 0.5, 2: 0.5}):
        with pytest.raises(wf.InputError):
            wf.WelfareFunction(0.5, wrong)


def test_is_a_value():
    f = wf.WelfareFunction(0.5, [1, 1], ["a", "b"])
    assert f == wf.WelfareFunction(0.5, [2, 2], ["a", "b"])
    assert wf.WelfareFunction(1, [0.1, 0.2, 0.7]) == wf.WelfareFunction(1, [1, 2, 7])
    assert f != wf.WelfareFunction(0.5, [1, 1])
    assert f != wf.WelfareFunction(0.6, [1, 1], ["a", "b"])
    assert f != 0.5
    for change in (lambda: setattr(f, "p", 1), lambda: delattr(f, "p")):
        with pytest.raises(AttributeError, match="cannot be changed"):
            change()
    with pytest.raises(ValueError, match="read-only"):
        f.weights[0] = 3
    assert repr(wf.WelfareFunction(-np.inf)) == "WelfareFunction(p=-inf)"
    assert repr(wf.WelfareFunction(1, [1, 3])) == "WelfareFunction(p=1, weights=[0.25, 0.75])"
    assert repr(f) == "WelfareFunction(p=0.5, weights={'a': 0.5, 'b': 0.5})"


def test_a_power_may_be_given_by_its_name():
    assert wf.WelfareFunction("Nash", [1, 2]) == wf.WelfareFunction(0, [1, 2])
    assert wf.WelfareFunction("egalitarian").p == -np.inf


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(p=np.nan), "p must be a number"),
        (dict(p="socialist"), "socialist"),
        (dict(p=1, weights=[0, 0]), "only zeros"),
        (dict(p=1, weights=[[1, 2]]), "one number per person"),
        (dict(p=1, weights=[1, 2], stakeholders=["a"]), "1 names for 2 people"),
        (dict(p=1, stakeholders=["a", "a"]), "'a' twice"),
        (dict(p=1, stakeholders="ab"), "a list of names"),
        (dict(p=1, stakeholders=[]), "at least one person"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(wf.InputError, match=message):
        wf.WelfareFunction(**arguments)


def test_wrong_number_of_people():
    with pytest.raises(wf.InputError, match="2 weights for 3 people"):
        wf.WelfareFunction(1, [1, 1])([[1, 2, 3]])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([1, 2], "found list"),
        ({"format": "something"}, "found 'something'"),
        ({"version": 99, "p": 1}, "update the package"),
        ({"version": "1", "p": 1}, "found '1'. The record was damaged"),
        ({"version": True, "p": 1}, "found True. The record was damaged"),
        ({"version": 0, "p": 1}, "found 0. The record was damaged"),
        ({"version": None, "p": 1}, "found None. The record was damaged"),
        ({"p": 1, "weigths": [1, 2]}, "found 'weigths'"),
        ({"p": 1, "stakeholders": 5}, "found int"),
        ({"p": 1, "stakeholders": [1, 2]}, "found 1 at position 0"),
        ({"weights": [1]}, "entry 'p'"),
        ({"p": "much"}, "'inf' or '-inf'"),
    ],
)
def test_bad_records_are_named(record, message):
    with pytest.raises(wf.InputError, match=message):
        wf.WelfareFunction.from_dict(record)


def test_truncated_json_is_named():
    text = wf.WelfareFunction(1, [1, 2]).to_json()
    with pytest.raises(wf.InputError, match="truncated"):
        wf.WelfareFunction.from_json(text[:-5])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "found NoneType"),
        (5, "found int"),
        (b"\xff\xfe\xfd", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[1, 2]", "found list"),
    ],
    ids=["None", "number", "bytes", "deep", "list"],
)
def test_what_is_not_json_is_named(text, message):
    with pytest.raises(wf.InputError, match=message):
        wf.WelfareFunction.from_json(text)

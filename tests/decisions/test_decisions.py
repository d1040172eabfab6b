"""Scores and comparisons: what is accepted, merged and refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import welfarist as wf
from welfarist.decisions import Scores

TABLE = [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0]]


def test_repeated_comparisons_are_merged():
    made = wf.Comparisons(
        TABLE, [[0, 1], [1, 0], [2, 1], [0, 1], [0, 2]], [1, 1, 0, -1, 1], [2, 1, 4, 1, 0]
    )
    pairs = made.merged
    assert pairs.first.tolist() == [0, 1]
    assert pairs.second.tolist() == [1, 2]
    assert pairs.count.tolist() == [4, 4]
    # 0 beat 1 twice, lost once as first and once as second; 1 and 2 tied; 0-2 was never observed.
    assert pairs.lead.tolist() == [0, 0]
    assert pairs.total == 8


def test_merging_agrees_with_counting():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 12, 400)
    pairs = np.column_stack([first, (first + rng.integers(1, 12, 400)) % 12])
    outcomes = rng.choice([-1, 0, 1], 400)
    counts = rng.integers(1, 4, 400).astype(float)
    made = wf.Comparisons(rng.uniform(1, 2, (12, 3)), pairs, outcomes, counts).merged
    tally: dict[tuple[int, int], list[float]] = {}
    for (a, b), outcome, count in zip(pairs, outcomes, counts, strict=True):
        key = (min(a, b), max(a, b))
        entry = tally.setdefault(key, [0.0, 0.0])
        entry[0] += count
        entry[1] += count * (outcome if a < b else -outcome)
    found = {
        (int(a), int(b)): [c, x]
        for a, b, c, x in zip(made.first, made.second, made.count, made.lead, strict=True)
    }
    assert found == tally
    assert sorted(found) == list(found)


def test_merging_does_not_depend_on_how_numbers_are_held():
    rng = np.random.default_rng(1)
    actions = 70_000  # the square of which does not fit into 32 bits
    first = rng.integers(0, actions, 500)
    pairs = np.column_stack([first, (first + rng.integers(1, actions, 500)) % actions])
    pairs = np.concatenate([pairs, pairs[:100, ::-1], pairs[:50]])
    outcomes = rng.choice([-1, 0, 1], 650)
    table = rng.uniform(1, 2, (actions, 1))
    plain = wf.Comparisons(table, pairs, outcomes, np.full(650, 2.0)).merged
    small = wf.Comparisons(table, pairs.astype(np.int32), outcomes.astype(np.int8))
    assert small.pairs.dtype == np.int32
    for made in (small, small[np.arange(650)]):
        found = made.merged
        assert found.first.tolist() == plain.first.tolist()
        assert found.second.tolist() == plain.second.tolist()
        assert (2 * found.count).tolist() == plain.count.tolist()
        assert (2 * found.lead).tolist() == plain.lead.tolist()


def test_equal_rows_become_one_action():
    u = np.array([[1.0, 2.0], [3.0, 3.0], [1.0, 2.0], [5.0, 5.0]])
    v = np.array([[3.0, 3.0], [1.0, 2.0], [0.0, 1.0], [5.0, 5.0]])
    made = wf.Comparisons.from_arrays(u, v, [1, -1, 1, -1])
    assert made.actions == 5  # [5, 5] was compared with another action of equal utilities
    assert (made.utilities[made.pairs[:, 0]] == u).all()
    assert (made.utilities[made.pairs[:, 1]] == v).all()
    assert len(made.merged) == 3


def test_signed_zeros_are_equal():
    made = wf.Comparisons.from_arrays([[0.0, 1.0], [2.0, 2.0]], [[3.0, 1.0], [-0.0, 1.0]], [1, -1])
    assert made.actions == 3


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_column_names_become_stakeholders(library):
    frame = library({"donor": [4.0, 2.0], "recipient": [1.0, 2.0]})
    made = wf.Comparisons(frame, [[0, 1]], [1], by=["council"])
    assert made.stakeholders == ("donor", "recipient")
    assert made.by.tolist() == ["council"]
    assert repr(made) == "Comparisons(1 of 2 actions, 2 people)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(outcomes=[1, 2]), r"outcomes must be \+1 .* found 2 at row 1"),
        (dict(outcomes=[1, np.nan]), "outcomes must be"),
        (dict(outcomes=[0, 0]), "only ties"),
        (dict(outcomes=[1]), "one entry per row, 2 in all"),
        (dict(pairs=[[0, 1], [1, 3]]), "from 0 to 2; found 3 at row 1"),
        (dict(pairs=[[0, 1], [1, -1]]), "found -1 at row 1"),
        (dict(pairs=[[0, 1], [1, 1]]), "action 1 compared with itself at row 1"),
        (dict(pairs=[[0, 1], [0.5, 1]]), "whole row numbers"),
        (dict(pairs=[0, 1]), "two columns"),
        (dict(pairs=np.empty((0, 2)), outcomes=[]), "at least one comparison"),
        (dict(utilities=[[1.0, 2.0]]), "from 0 to 0"),
        (dict(utilities=[1.0, 2.0]), "one row per action"),
        (dict(utilities=[[1.0, -2.0]] * 3), "-2 at row 0, column 1"),
        (dict(utilities=[[1.0, np.nan]] * 3), "NaN at row 0, column 1"),
        (dict(counts=[1, -1]), "counts must be finite and not negative; found -1 at row 1"),
        (dict(counts=[0, 0]), "must not all be zero"),
        (dict(counts=[1, 2, 3]), "2 in all"),
        (dict(by=["a"]), "who made each of the 2 comparisons"),
    ],
)
def test_bad_comparisons_are_named(arguments, message):
    given = {"utilities": TABLE, "pairs": [[0, 1], [1, 2]], "outcomes": [1, -1], **arguments}
    with pytest.raises(wf.InputError, match=message):
        wf.Comparisons(**given)


def test_actions_of_different_people_are_refused():
    with pytest.raises(wf.InputError, match="the same people"):
        wf.Comparisons.from_arrays([[1.0, 2.0]], [[1.0, 2.0, 3.0]], [1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(scores=[1.0, np.nan, 2.0]), "NaN at row 1"),
        (dict(scores=[1.0, np.inf, 2.0]), "infinite one at row 1"),
        (dict(scores=[1.0]), "3 in all"),
        (dict(scores=["a", "b", "c"]), "real numbers"),
        (dict(sample_weight=[1, -1, 1]), "sample_weight must be finite"),
        (dict(sample_weight=[0, 0, 0]), "must not all be zero"),
    ],
)
def test_bad_scores_are_named(arguments, message):
    with pytest.raises(wf.InputError, match=message):
        Scores.of(**{"utilities": TABLE, "scores": [1.0, 2.0, 3.0], **arguments})


def test_zeros_and_ones_are_not_taken_for_ties():
    with pytest.raises(wf.InputError, match=r"only 0 and 1.*2 \* y - 1, or booleans"):
        wf.Comparisons(TABLE, [[0, 1], [1, 2]], [0, 1])
    for flags in ([False, True], np.array([False, True]), pd.Series([False, True], dtype=object)):
        assert wf.Comparisons(TABLE, [[0, 1], [1, 2]], flags).outcomes.tolist() == [-1, 1]
    u, v = TABLE[:2], TABLE[1:]
    assert wf.Comparisons.from_arrays(u, v, pl.Series([True, False])).outcomes.tolist() == [1, -1]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_columns_of_two_actions_are_matched_by_name(library):
    u = library({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    v = library({"b": [5.0, 6.0], "a": [7.0, 8.0]})
    made = wf.Comparisons.from_arrays(u, v, [1, -1])
    assert made.utilities[made.pairs[:, 1]].tolist() == [[7, 5], [8, 6]]
    assert made.stakeholders == ("a", "b")
    x, y = library({"a_x": [1.0], "b_x": [3.0]}), library({"a_y": [5.0], "b_y": [7.0]})
    assert wf.Comparisons.from_arrays(x, y, [1]).stakeholders == ("a", "b")
    for other in ({"b_y": [5.0], "a_y": [7.0]}, {"c": [5.0], "d": [7.0]}):
        with pytest.raises(wf.InputError, match="the same people, by name; found columns 'a_x'"):
            wf.Comparisons.from_arrays(x, library(other), [1])


def test_some_of_the_comparisons():
    made = wf.Comparisons(TABLE, [[0, 1], [1, 2], [0, 2]], [1, -1, 0], [1, 2, 3], ["a", "b", "c"])
    for chosen in (slice(1, None), [1, 2], np.array([False, True, True])):
        part = made[chosen]
        assert part.utilities is made.utilities
        assert part.pairs.tolist() == [[1, 2], [0, 2]]
        assert part.outcomes.tolist() == [-1, 0]
        assert part.counts.tolist() == [2, 3]
        assert part.by.tolist() == ["b", "c"]
    assert len(made[0]) == 1
    with pytest.raises(wf.InputError, match="row numbers below 3"):
        made[7]
    with pytest.raises(wf.InputError, match="row numbers below 3"):
        made["a"]


def test_missing_utilities_are_counted_and_named():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, np.nan, np.nan]})
    with pytest.raises(wf.InputError, match="NaN at row 1, column 'b', and in 2 of 3 rows"):
        wf.Comparisons(frame, [[0, 1]], [1])


def test_names_of_actions_are_not_row_numbers():
    for pairs in ([["x", "y"]], pd.DataFrame({"one": ["x"], "two": ["y"]})):
        with pytest.raises(wf.InputError, match="get_indexer"):
            wf.Comparisons(TABLE, pairs, [1])


def test_actions_may_have_names():
    pairs, outcomes = [[0, 1], [1, 2]], [1, -1]
    made = wf.Comparisons(TABLE, pairs, outcomes, names=["bus", "school", "clinic"])
    assert made.names == ("bus", "school", "clinic")
    assert made[:1].names == made.names
    assert wf.Comparisons(TABLE, pairs, outcomes).names is None
    assert made.numbered
    assert not wf.Comparisons.from_arrays(TABLE, TABLE[::-1], [1, 1, -1]).numbered


@pytest.mark.parametrize(
    ("index", "names"),
    [
        (["bus", "school", "clinic"], ("bus", "school", "clinic")),
        ([4, 7, 9], ("4", "7", "9")),
        ([0, 1, 2], None),
        (["bus", "bus", "clinic"], None),
        (
            pd.MultiIndex.from_tuples([("bus", 1), ("bus", 2), ("clinic", 1)]),
            ("bus, 1", "bus, 2", "clinic, 1"),
        ),
    ],
)
def test_an_index_of_other_than_row_numbers_names_actions(index, names):
    frame = pd.DataFrame(TABLE, columns=["a", "b"], index=index)
    made = wf.Comparisons(frame, [[0, 1]], [1])
    assert made.names == names
    assert made.stakeholders == ("a", "b")
    given = wf.Comparisons(frame, [[0, 1]], [1], names=["x", "y", "z"])
    assert given.names == ("x", "y", "z")


def test_a_frame_without_an_index_names_nobody():
    assert wf.Comparisons(pl.DataFrame({"a": [1.0, 2.0]}), [[0, 1]], [1]).names is None


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "one name per action, 3 in all; found 2"),
        (["a", "b", "a"], "'a' at rows 0 and 2"),
        ("abc", "a list with one name per action"),
        (3, "a list with one name per action"),
    ],
)
def test_names_of_actions_are_checked(names, message):
    with pytest.raises(wf.InputError, match=message):
        wf.Comparisons(TABLE, [[0, 1]], [1], names=names)

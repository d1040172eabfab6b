"""Choices: what they take, what they refuse, and in which words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from welfarist import Choices, Comparisons, InputError
from welfarist.decisions.menus import Menus

# Sums of a handful of numbers near 1, added up in another order.
ROUNDING = 1e-14
ACTIONS = [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0], [3.0, 3.0]]


def test_lists_tables_and_arrays_are_the_same_menus():
    lists = Choices(ACTIONS, [[0, 1, 2], [3, 1]], [2, 3])
    table = Choices(ACTIONS, np.array([[0, 1, 2], [3, 1, -1]]), [2, 3])
    floats = Choices(ACTIONS, np.array([[0, 1, 2], [3, 1, np.nan]]), [2, 3])
    arrays = Choices(ACTIONS, (np.array([0, 3, 5]), np.array([0, 1, 2, 3, 1])), [2, 3])
    assert all(lists.same_as(other) for other in (table, floats, arrays))
    assert lists.digest() == table.digest() == arrays.digest()
    everything = Choices(ACTIONS, None, [2, 3])
    assert everything.menus.sizes.tolist() == [4, 4]


@pytest.mark.parametrize(
    ("menus", "chosen", "words"),
    [
        ([[0, 1], [2, 3]], [0, 1], r"an action of its menu; found 1 at row 1, whose menu is 2, 3"),
        ([[0, 1], []], [0, 1], r"at least one action; found none at row 1"),
        ([[0, 1], [2, 2]], [0, 2], r"each action once; found action 2 twice at row 1"),
        ([[0, 1], [2, 4]], [0, 2], r"from 0 to 3; found 4 at row 1"),
        ([[0, 1], [2, -2]], [0, 2], r"from 0 to 3; found -2 at row 1"),
        ([[0, 1], [2, 0.5]], [0, 2], r"whole row numbers; found 0.5 at row 1"),
        ([[0, 1], ["a", "b"]], [0, 2], r"row numbers .*found 'a' at row 1, while actions"),
        ([[0, 1], "ab"], [0, 2], r"a list of row numbers.*found 'ab' at row 1"),
        ([[0, 1], [2, 3]], [0, None], r"found none at row 1.*outside=True"),
        ([[0, 1], [2, 3]], [0], r"one row number for each of the 2 menus"),
        ([[0, 1], [2, 3]], [0, 2.5], r"whole row numbers; found 2.5 at row 1"),
        ([[0], [1]], [0, 1], r"at least one menu that counts must offer a choice"),
        ([], [], r"at least one menu"),
        (csr_array([[1, 0], [0, 1]]), [0, 1], r"found a sparse array"),
        (([0, 3, 4], [0, 1, 2, 3]), [0, 3], r"a tuple of two lists that is either"),
        (7, [0], r"a list of lists of row numbers"),
    ],
)
def test_bad_menus_are_refused_with_the_row(menus, chosen, words):
    with pytest.raises(InputError, match=words):
        Choices(ACTIONS, menus, chosen)


@pytest.mark.parametrize(
    ("rankings", "menus", "words"),
    [
        ([[0, 1], [2, 2]], None, r"each action once; found action 2 twice at row 1"),
        ([[0, 1], [2, 9]], None, r"found 9 at row 1"),
        ([[0, 1], []], None, r"at least one action; found none at row 1"),
        ([[0, 1], 5], None, r"lists of row numbers, best first; found 5 at row 1"),
        ([[0, 1], [2]], [[0, 1], [1, 3]], r"found 2, which is not in it, at row 1"),
        ([[0, 1]], [[0, 1], [1, 3]], r"one menu for each of the 1 rankings; found 2"),
        ([], None, r"at least one decision"),
        ([[0, 1], [2, None, 1]], None, r"nothing missing .* found none at row 1, place 1"),
        ([[0, 1], [2, -1, 1]], None, r"nothing missing .* found none at row 1, place 1"),
        ([[0, 1], [np.nan, -1]], None, r"at least one action; found none at row 1"),
        ([[0, 1], ["a"]], None, r"found 'a' at row 1, while actions have no names"),
        ([[0, 1], [[]]], None, r"an action at each place"),
    ],
)
def test_bad_rankings_are_refused_with_the_row(rankings, menus, words):
    with pytest.raises(InputError, match=words):
        Choices.from_rankings(ACTIONS, rankings, menus)


def test_best_and_worst_are_two():
    with pytest.raises(InputError, match="found 1 as both at row 0"):
        Choices.from_best_worst(ACTIONS, None, [1], [1])


def test_a_menu_of_one_is_kept_and_counted():
    choices = Choices(ACTIONS, [[0], [1, 2]], [0, 2])
    assert choices.without_choice == 1
    assert choices.first_menus().sizes.tolist() == [1, 2]


def test_who_is_absent_must_be_asked_for():
    table = [[4.0, np.nan], [2.0, 2.0]]
    with pytest.raises(InputError, match="NaN at row 0, column 1"):
        Choices(table, [[0, 1]], [0])
    assert Choices(table, [[0, 1]], [0], absent=True).people == 2
    with pytest.raises(InputError, match="affects nobody, at row 1"):
        Choices([[4.0, 1.0], [np.nan, np.nan]], [[0, 1]], [0], absent=True)
    with pytest.raises(InputError, match="nothing but NaN in column 1"):
        Choices([[4.0, np.nan], [3.0, np.nan]], [[0, 1]], [0], absent=True)


def test_ratings_are_orders():
    rated = Choices.from_ratings(ACTIONS, [[3, 1, 5, np.nan], [2, 2, 1, 1]])
    ranked = Choices.from_rankings(ACTIONS, [[2, 0, 1], [[0, 1], [2, 3]]])
    assert rated.same_as(ranked)


def test_some_of_the_decisions():
    choices = Choices.from_rankings(ACTIONS, [[2, 0, 1], [0, 1], [3, 2, 1, 0]], by=["a", "b", "a"])
    part = choices[[2, 0]]
    alone = Choices.from_rankings(ACTIONS, [[3, 2, 1, 0], [2, 0, 1]], by=["a", "a"])
    assert part.same_as(alone)
    assert part.by.tolist() == ["a", "a"]
    assert choices[np.array([False, True, False])].menus.sizes.tolist() == [2]
    assert choices.units().tolist() == [0, 1, 0]


def test_pairs_are_menus_of_two():
    pairs = Comparisons(ACTIONS, [[0, 1], [2, 1]], [1, -1], counts=[2, 1])
    assert Choices.of_comparisons(pairs).same_as(
        Choices(ACTIONS, [[0, 1], [2, 1]], [0, 1], counts=[2, 1])
    )


def test_arrays_are_the_choices_own():
    utilities, menus = np.array(ACTIONS), np.array([[0, 1, 2], [1, 2, 3]])
    counts = np.ones(2)
    choices = Choices(utilities, menus, [0, 1], counts=counts)
    before = choices.digest()
    utilities[:], menus[:], counts[:] = 7.0, 0, 5.0
    assert choices.digest() == before


def test_menus_in_any_order_of_sizes_add_up_alike():
    """Short runs of menus of equal size take another way than long ones."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 6, 300)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    entries = int(starts[-1])
    values, factors = rng.normal(size=entries), rng.normal(size=300)
    mixed = Menus(
        starts, np.zeros(entries, np.int32), np.ones(entries), np.ones(300), np.zeros(300, np.intp)
    )
    each = np.split(values, starts[1:-1])
    assert mixed.sums(values) == pytest.approx([part.sum() for part in each], abs=ROUNDING)
    assert mixed.largest(values).tolist() == [part.max() for part in each]
    assert mixed.times_of(values, factors).tolist() == (values * np.repeat(factors, sizes)).tolist()
    order = np.argsort(sizes, kind="stable")
    in_order, sorted_values = mixed.take(order), np.concatenate([each[i] for i in order])
    assert in_order.sums(sorted_values) == pytest.approx(mixed.sums(values)[order], abs=ROUNDING)
    assert in_order.largest(sorted_values).tolist() == mixed.largest(values)[order].tolist()


NAMES = ["clinic", "school", "road", "park"]


def test_actions_go_by_their_names_too():
    frame = pd.DataFrame(ACTIONS, index=NAMES)
    menus, chosen = [["clinic", "road"], ["park", "school", "road"]], ["road", "park"]
    expected = Choices(ACTIONS, [[0, 2], [3, 1, 2]], [2, 3])
    arrays = (np.array([0, 2, 5]), np.array([*menus[0], *menus[1]]))
    padded = np.array([["clinic", "road", None], ["park", "school", "road"]], dtype=object)
    for given in (menus, arrays, padded):
        assert Choices(ACTIONS, given, chosen, names=NAMES).same_as(expected)
        assert Choices(frame, given, pd.Series(chosen)).same_as(expected)
    assert Choices(frame, [[0, "road"], [3, 1, 2]], [2, "park"]).same_as(expected)
    none = Choices(frame, None, ["road", None], outside=True)
    assert none.same_as(Choices(ACTIONS, None, [2, -1], outside=True))
    ranked = Choices.from_rankings(frame, [["road", ["park", "clinic"]], ["school"]], [NAMES] * 2)
    numbers = Choices.from_rankings(ACTIONS, [[2, [3, 0]], [1]], [[0, 1, 2, 3]] * 2)
    assert ranked.same_as(numbers)
    asked = Choices.from_best_worst(frame, None, ["road"], ["park"])
    assert asked.same_as(Choices.from_best_worst(ACTIONS, None, [2], [3]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda f: Choices(f, [["clinic", "pool"]], ["clinic"]), r"menus .*'pool' at row 0"),
        (lambda f: Choices(f, None, ["road", "pool"]), r"chosen .*'pool' at row 1, .* of the 4"),
        (lambda f: Choices.from_rankings(f, [["pool"]]), r"rankings .*'pool' at row 0"),
        (lambda f: Choices.from_best_worst(f, None, ["road"], ["pool"]), r"worst .*'pool' at row"),
    ],
)
def test_a_name_that_nothing_has_is_refused_with_the_row(make, words):
    with pytest.raises(InputError, match=words):
        make(pd.DataFrame(ACTIONS, index=NAMES))


def test_short_rankings_and_menus_may_be_filled_up():
    short = Choices.from_rankings(ACTIONS, [[2, 0, 1], [0, 1]])
    for table in (
        np.array([[2, 0, 1], [0, 1, -1]]),
        np.array([[2, 0, 1], [0, 1, np.nan]]),
        [[2, 0, 1], [0, 1, None]],
        [[2, 0, 1], [0, 1, -1, None]],
    ):
        assert Choices.from_rankings(ACTIONS, table).same_as(short)
    menus = Choices(ACTIONS, [[0, 1, 2], [3, 1]], [2, 3])
    assert Choices(ACTIONS, [[0, 1, 2], [3, 1, -1]], [2, 3]).same_as(menus)


def one_by_one(rankings, menus):
    """Rankings as choices, menu by menu in plain Python: actions, shares, stage, whose."""
    found = []
    for row, (ranking, menu) in enumerate(zip(rankings, menus, strict=True)):
        left, made = list(menu), []
        for stage, level in enumerate(ranking):
            made.append((left, [(a in level) / len(level) for a in left], stage, row))
            left = [a for a in left if a not in level]
        real = [one for one in made if len(one[0]) > 1]
        found += real or made[:1]
    return found


@pytest.mark.parametrize("offered", [False, True])
def test_rankings_are_the_choices_that_are_made_one_by_one(offered):
    rng = np.random.default_rng(5)
    table = rng.uniform(1, 10, (9, 2))
    rankings, menus = [], []
    for _ in range(60):
        menu = rng.permutation(9)[: rng.integers(1, 9)].tolist()
        ranked = rng.permutation(menu)[: rng.integers(1, len(menu) + 1)].tolist()
        cuts = sorted(set(rng.integers(1, 9, 5).tolist()) & set(range(1, len(ranked))))
        ends = [0, *cuts, len(ranked)]
        rankings.append([ranked[a:b] for a, b in pairwise(ends)])
        menus.append(menu if offered else sorted(ranked))
    made = Choices.from_rankings(table, rankings, menus if offered else None)
    expected = one_by_one(rankings, menus)
    starts = made.menus.starts[1:-1]
    assert [a.tolist() for a in np.split(made.menus.rows, starts)] == [e[0] for e in expected]
    assert [a.tolist() for a in np.split(made.menus.taken, starts)] == [e[1] for e in expected]
    assert made.menus.stage.tolist() == [e[2] for e in expected]
    assert made.decision.tolist() == [e[3] for e in expected]


def test_ratings_are_the_rankings_they_order():
    rng = np.random.default_rng(6)
    ratings = rng.integers(0, 3, (30, 4)).astype(float)
    ratings[rng.random((30, 4)) < 0.3] = np.nan
    ratings[:, 0] = 1.0
    rankings = [
        [np.flatnonzero(line == level).tolist() for level in (2, 1, 0) if (line == level).any()]
        for line in ratings
    ]
    made = Choices.from_ratings(ACTIONS, ratings)
    assert made.same_as(Choices.from_rankings(ACTIONS, rankings))
    with pytest.raises(InputError, match="ratings must rate at least one action; found none"):
        Choices.from_ratings(ACTIONS, [[np.nan] * 4])
    with pytest.raises(InputError, match="finite"):
        Choices.from_ratings(ACTIONS, [[1.0, 2.0, np.inf, 0.0]])


def test_the_same_menu_is_held_out_at_once():
    rows = [[0, 1, 2], [3, 1], [2, 1, 0], [0, 3], [1, 3]]
    choices = Choices(ACTIONS, rows, [0, 3, 1, 0, 1])
    assert choices.units().tolist() == [0, 1, 0, 2, 1]
    assert choices.unit == "menus"
    pairs = Comparisons(ACTIONS, [[0, 1], [2, 3], [1, 0]], [1, 1, -1])
    together = Choices.of_comparisons(pairs).units()
    assert (together[:, None] == together).tolist() == (
        pairs.units()[:, None] == pairs.units()
    ).tolist()
    by = Choices(ACTIONS, rows, [0, 3, 1, 0, 1], by=list("ababb"))
    assert by.units().tolist() == [0, 1, 0, 1, 1]

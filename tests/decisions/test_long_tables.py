"""Long tables: one row per action and menu, in data frames of any library."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from welfarist import ChoiceLearner, Choices, InputError, WelfareFunction

LONG = {
    "menu": [1, 1, 1, 2, 2, 3, 3],
    "action": ["a", "b", "c", "a", "c", "d", "b"],
    "chosen": [0, 0, 1, 1, 0, 1, 0],
    "staff": [4.0, 2.0, 1.0, 4.0, 1.0, 3.0, 2.0],
    "patients": [1.0, 2.0, 9.0, 1.0, 9.0, 3.0, 2.0],
}
ACTIONS = [[4.0, 1.0], [2.0, 2.0], [1.0, 9.0], [3.0, 3.0]]
BY_HAND = Choices(ACTIONS, [[0, 1, 2], [0, 2], [3, 1]], [2, 0, 3])

# Both searches end where steps no longer change the likelihood, which has twice as many digits.
BY_LIKELIHOOD = 1e-6


def changed(**columns):
    """The table as a data frame, some of its columns others; None leaves one out."""
    return pl.DataFrame({k: v for k, v in (LONG | columns).items() if v is not None}, strict=False)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_a_long_table_is_the_choices_written_by_hand(library):
    named = Choices.from_long(library(LONG), action="action")
    assert named.same_as(BY_HAND)
    assert named.names == ("a", "b", "c", "d")
    assert named.stakeholders == ("staff", "patients")
    nameless = Choices.from_long(library(LONG), people=["staff", "patients"])
    assert nameless.same_as(BY_HAND)
    assert nameless.names is None


def test_rows_of_a_menu_need_not_stand_together():
    order = [5, 0, 3, 6, 1, 4, 2]
    mixed = pl.DataFrame(LONG)[order]
    found = Choices.from_long(mixed, action="action")
    by_menu = Choices(
        [ACTIONS[3], ACTIONS[0], ACTIONS[1], ACTIONS[2]], [[0, 2], [1, 2, 3], [1, 3]], [0, 3, 1]
    )
    assert found.same_as(by_menu)


def test_equal_rows_of_one_menu_stay_two():
    twins = changed(
        action=None, staff=[4.0, 4.0, 1.0, 4.0, 1.0, 3.0, 2.0],
        patients=[1.0, 1.0, 9.0, 1.0, 9.0, 3.0, 2.0],
    )  # fmt: skip
    found = Choices.from_long(twins)
    assert found.actions == 5
    assert found.menus.rows.tolist() == [0, 1, 2, 0, 2, 3, 4]


def test_counts_and_deciders_are_those_of_the_menu():
    table = changed(count=[2, 2, 2, 1, 1, 5, 5], who=["x", "x", "x", "y", "y", "x", "x"])
    found = Choices.from_long(table, action="action", counts="count", by="who")
    assert found.counts.tolist() == [2.0, 1.0, 5.0]
    assert found.by.tolist() == ["x", "y", "x"]
    with pytest.raises(InputError, match=r"by must be the same .*'y' at row 1 and 'x' at row 0"):
        Choices.from_long(changed(who=list("xyxyyxx")), action="action", by="who")


def test_none_of_these_and_absent_people():
    none = changed(chosen=[0, 0, 0, 1, 0, 1, 0])
    found = Choices.from_long(none, action="action", outside=True)
    assert found.same_as(Choices(ACTIONS, [[0, 1, 2], [0, 2], [3, 1]], [None, 0, 3], outside=True))
    holes = [4.0, np.nan, 1.0, 4.0, 1.0, 3.0, np.nan]
    away = Choices.from_long(changed(action=None, staff=holes), absent=True)
    assert away.actions == 4  # both rows with the same hole are one action
    assert np.isnan(away.utilities[1, 0])
    with pytest.raises(InputError, match=r"NaN at row 1, column 'staff'.*absent=True"):
        Choices.from_long(changed(action=None, staff=holes))


NONE_CHOSEN = r"found none in menu 1, which begins at row 0.*outside=True"
TWICE = r"each action once; found 'a' at row 0 and row 3"
OTHERS = r"found 'a' with others at row 3 than at row 0"


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        (dict(chosen=[0, 0, 0, 1, 0, 1, 0]), {}, NONE_CHOSEN),
        (dict(chosen=[0, 0, 1, 1, 1, 1, 0]), {}, r"found 2 in menu 2, at row 3 and row 4"),
        (dict(menu=[1, 1, 1, 1, 2, 3, 3], chosen=[0, 0, 1, 0, 1, 1, 0]), {}, TWICE),
        (dict(chosen=[0, 0, 1, 1, 0, 2, 0]), {}, r"1 for what was chosen and 0 .*found 2 at row 5"),
        (dict(chosen=["", "", "x", "x", "", "x", ""]), {}, r"found '' at row 0"),
        (dict(chosen=[0, 0, None, 1, 0, 1, 0]), {}, r"'chosen' must be complete; .* row 2"),
        (dict(menu=[1, 1, None, 2, 2, 3, 3]), {}, r"'menu' must be complete; .* row 2"),
        (dict(staff=[4.0, 2.0, 1.0, 5.0, 1.0, 3.0, 2.0]), {}, OTHERS),
        (dict(staff=[4.0, 2.0, 1.0, 4.0, 1.0, -3.0, 2.0]), {}, r"-3"),
        ({}, dict(action=None), r"found no numbers in 'action'.*people="),
        ({}, dict(menu="set"), r"menu must be a column.*no 'set' among 'menu', 'action'"),
        ({}, dict(people=["staff", "staff"]), r"'staff' twice"),
        ({}, dict(people=["staff", "menu"]), r"'menu' twice"),
    ],
)  # fmt: skip
def test_bad_tables_are_refused_with_the_row(columns, options, words):
    with pytest.raises(InputError, match=words):
        Choices.from_long(changed(**columns), **{"action": "action", **options})


def test_anything_but_a_data_frame_is_refused():
    with pytest.raises(InputError, match=r"a data frame whose columns have names.*found ndarray"):
        Choices.from_long(np.ones((3, 3)))
    with pytest.raises(InputError, match="without rows"):
        Choices.from_long(pl.DataFrame(LONG)[:0], action="action")


def test_at_power_0_the_coefficients_are_those_of_a_conditional_logit():
    """tau times each weight is the coefficient of log utility, found here by plain Newton steps."""
    rng = np.random.default_rng(5)
    utilities = rng.uniform(1, 10, (900, 3))
    menus = np.arange(900).reshape(300, 3)
    value = 6 * WelfareFunction(0, [0.5, 0.3, 0.2]).log(utilities)[menus] + rng.gumbel(
        size=(300, 3)
    )
    rows = menus[np.arange(300), value.argmax(axis=1)]
    table = pl.DataFrame(
        {"menu": np.repeat(np.arange(300), 3), "chosen": np.isin(np.arange(900), rows).astype(int)}
        | {name: utilities[:, i] for i, name in enumerate("abc")}
    )
    learned = ChoiceLearner(p=0, small_sample="none").fit(Choices.from_long(table))
    logs, beta = np.log(utilities).reshape(300, 3, 3), np.zeros(3)
    taken = np.isin(menus, rows)
    for _ in range(30):
        odds = np.exp(logs @ beta)
        chance = odds / odds.sum(axis=1, keepdims=True)
        mean = np.einsum("mk,mki->mi", chance, logs)
        slope = np.einsum("mk,mki->i", taken - chance, logs)
        curve = np.einsum("mk,mki,mkj->ij", chance, logs, logs) - mean.T @ mean
        beta = beta + np.linalg.solve(curve, slope)
    np.testing.assert_allclose(learned.tau_ * learned.weights_, beta, rtol=BY_LIKELIHOOD)


def test_columns_that_are_no_people_are_refused_unless_they_are_named():
    table = pl.DataFrame({"menu": [1, 1], "chosen": [0, 1], "alt": [1, 2], "staff": [2.0, 3.0]})
    with pytest.raises(InputError, match=r"found 'alt', which by the name .* people=\['staff'\]"):
        Choices.from_long(table)
    assert Choices.from_long(table, people=["alt", "staff"]).people == 2

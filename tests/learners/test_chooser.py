"""Somebody who chooses from menus: chances by the plain formula."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist import Choices, InputError, WelfareFunction
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.learners.chooser import Chooser

ROUNDING = 1e-12
UTILITIES = np.array([[4.0, 1.0], [2.0, 2.0], [1.0, 9.0], [3.0, 3.0]])
MENUS = [[0, 1, 2], [1, 3]]
RULE = WelfareFunction(0.5, [0.7, 0.3])


def chances_of(chooser, choices):
    return np.split(
        chooser.compare(choices, choices.first_menus()).chances(0.0), choices.menus.starts[1:-1]
    )


def softmax(z):
    grown = np.exp(z - np.max(z))
    return grown / grown.sum()


def level(rows):
    return 2.0 * np.log(np.sqrt(rows) @ np.array([0.7, 0.3]))


def test_chances_are_a_softmax():
    choices = Choices(UTILITIES, MENUS, [0, 1])
    found = chances_of(Chooser(RULE, POWER_MEAN, np.array([3.0])), choices)
    for menu, one in zip(MENUS, found, strict=True):
        assert one == pytest.approx(softmax(3.0 * level(UTILITIES[menu])), abs=ROUNDING)


def test_who_never_errs_takes_the_best_and_shares_ties():
    choices = Choices(np.vstack([UTILITIES, [3.0, 3.0]]), [[0, 1, 2], [3, 4, 1]], [0, 3])
    found = chances_of(Chooser(RULE, POWER_MEAN, np.array([np.inf])), choices)
    assert found[0].tolist() == [1.0, 0.0, 0.0]
    assert found[1].tolist() == [0.5, 0.5, 0.0]


def test_none_of_these_has_a_welfare_of_its_own():
    choices = Choices(UTILITIES, MENUS, [0, -1], outside=True)
    found = chances_of(Chooser(RULE, POWER_MEAN, np.array([3.0]), outside=2.5), choices)
    for menu, one in zip(MENUS, found, strict=True):
        z = np.append(level(UTILITIES[menu]), np.log(2.5))
        assert one == pytest.approx(softmax(3.0 * z), abs=ROUNDING)


def test_none_of_these_must_have_been_learned():
    choices = Choices(UTILITIES, MENUS, [0, -1], outside=True)
    with pytest.raises(InputError, match="none of these can be chosen only where"):
        chances_of(Chooser(RULE, POWER_MEAN, np.array([3.0])), choices)


def test_absent_people_share_and_sizes_count():
    utilities = np.array([[4.0, np.nan], [2.0, 2.0], [np.nan, 9.0]])
    choices = Choices(utilities, [[0, 1, 2]], [0], absent=True)
    found = chances_of(Chooser(RULE, POWER_MEAN, np.array([3.0]), gamma=0.4), choices)[0]
    z = np.log([4.0, 2.0, 9.0]) + 0.4 * np.log([1, 2, 1])
    assert found == pytest.approx(softmax(3.0 * z), abs=ROUNDING)


def test_later_choices_may_have_their_own_temperature():
    choices = Choices.from_rankings(UTILITIES, [[2, 0, 1]])
    chooser = Chooser(RULE, POWER_MEAN, np.array([3.0, 1.0]))
    found = chooser.compare(choices, choices.menus).chances(0.0)
    starts = choices.menus.starts
    for m, tau in enumerate((3.0, 1.0)):
        rows = choices.menus.rows[starts[m] : starts[m + 1]]
        expected = softmax(tau * level(UTILITIES[rows]))
        assert found[starts[m] : starts[m + 1]] == pytest.approx(expected, abs=ROUNDING)

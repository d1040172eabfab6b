"""The fewest wrong menus: against plain evaluation at many powers, and against comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist import Choices, Comparisons, WelfareFunction, log_power_mean
from welfarist.counting.exact_solver import sweep_powers
from welfarist.counting.menus import MenuErrors
from welfarist.counting.menus.best import best_entries
from welfarist.counting.menus.slips import exposure, rho_of_choices
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions.menus import Menus
from welfarist.people.weighting import Weighting

POWERS = np.concatenate([np.linspace(-6, 6, 49), [-9.0, 9.0, -np.inf, np.inf]])
# Plain log welfares that tie differ by rounding only; of whole utilities others differ by more.
SAME = 1e-11
# Between steps a plain evaluation is compared; nearer to one than this, rounding may decide.
APART = 1e-7
# Shares of thirds are added up in different orders.
SUMS = 1e-12


def plain_values(utilities, weights, p):
    """Log welfare among those present, action by action."""
    there = ~np.isnan(utilities) & (weights > 0)
    return np.array(
        [log_power_mean(u[t], p, weights[t]) for u, t in zip(utilities, there, strict=True)]
    )


def plain_errors(choices, weights, p):
    """How many choices are wrong, by the definition."""
    values = plain_values(choices.utilities, weights, p)
    wrong = 0.0
    for menu, decision in enumerate(choices.decision):
        entries = slice(*choices.menus.starts[[menu, menu + 1]])
        if entries.stop - entries.start == 1:
            continue
        here = choices.menus.sign[menu] * values[choices.menus.rows[entries]]
        best = (
            here >= here.max() - SAME * (1 + abs(here.max()))
            if np.isfinite(here.max())
            else (here == here.max())
        )
        taken = choices.menus.taken[entries]
        wrong += choices.counts[decision] * (1.0 - (taken * best).sum() / best.sum())
    return wrong


def random_choices(seed, people=3, absent=False, zeros=False):
    """Best and worst choices, rankings with ties, repeated menus; whole utilities often tie."""
    rng = np.random.default_rng(seed)
    utilities = rng.integers(0 if zeros else 1, 6, (12, people)).astype(float)
    utilities[utilities.sum(axis=1) == 0, 0] = 1.0
    if absent:
        gone = rng.random(utilities.shape) < 0.3
        gone[np.arange(12), rng.integers(0, people, 12)] = False
        utilities[gone] = np.nan
        utilities[0] = np.arange(1, people + 1)
    utilities[3] = utilities[2]  # equal under every rule
    menus = [rng.permutation(12)[: rng.integers(2, 6)].tolist() for _ in range(12)]
    menus += menus[:3]
    kind = seed % 3
    if kind == 0:
        chosen = [menu[rng.integers(len(menu))] for menu in menus]
        counts = rng.integers(1, 4, len(menus))
        return Choices(utilities, menus, chosen, counts, absent=absent)
    if kind == 1:
        wide = [menu for menu in menus if len(menu) > 2]
        return Choices.from_best_worst(
            utilities, wide, [m[0] for m in wide], [m[1] for m in wide], absent=absent
        )
    rankings = [[menu[0], menu[1:3]] if len(menu) > 2 else [menu] for menu in menus]
    return Choices.from_rankings(utilities, rankings, menus, absent=absent)


def errors_of(choices, weights):
    weighting = Weighting(choices.people, fixed=weights)
    return MenuErrors.of_menus(choices.utilities, choices.merged[0], weighting)


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("seed", range(9))
def test_no_power_has_fewer_errors(seed, equal, zeros, absent):
    choices = random_choices(seed, absent=absent, zeros=zeros)
    weights = np.full(3, 1 / 3) if equal else np.array([0.5, 0.2, 0.3])
    loss = errors_of(choices, weights)
    sweep = sweep_powers(loss, weights)
    steps, told = sweep.steps, choices.menus.sizes > 1
    total = float(choices.counts[choices.decision[told]].sum())
    powers = POWERS[POWERS > 0] if zeros else POWERS
    assert steps.lowest == (0.0 if (choices.utilities == 0).any() else -np.inf)
    for p in powers:
        near = np.abs(steps.powers - p).min(initial=np.inf)
        if 0 < near < APART:
            continue
        wrong = plain_errors(choices, weights, p)
        assert wrong == pytest.approx(total * float(steps(p)), abs=SUMS * total)
        assert wrong >= total * steps.minimum - SUMS * total
        assert loss.value(weights, p) == pytest.approx(float(steps(p)), abs=SUMS)
    for interval in steps.optimal:
        reached = plain_errors(choices, weights, interval.middle)
        assert reached == pytest.approx(total * steps.minimum, abs=SUMS * total)
    assert sweep.lower_bound(loss) == pytest.approx(steps.minimum, abs=SUMS)
    assert loss.unavoidable <= steps.minimum + SUMS


@pytest.mark.parametrize("seed", range(6))
def test_menus_of_two_are_comparisons(seed):
    rng = np.random.default_rng(seed)
    utilities = rng.integers(1, 7, (15, 4)).astype(float)
    pairs = np.array([rng.permutation(15)[:2] for _ in range(60)])
    decided = Comparisons(utilities, pairs, rng.integers(-1, 2, 60), rng.integers(1, 4, 60))
    weights = np.full(4, 0.25) if seed % 2 else np.array([0.4, 0.3, 0.2, 0.1])
    weighting = Weighting(4, fixed=weights)
    pairwise = ZeroOneLoss.of(decided.utilities, decided.merged, weighting)
    menus = errors_of(Choices.of_comparisons(decided), weights)
    one, other = sweep_powers(pairwise, weights), sweep_powers(menus, weights)
    assert other.steps.minimum == one.steps.minimum
    assert other.steps.optimal == one.steps.optimal
    assert np.array_equal(other.steps.powers, one.steps.powers)
    assert np.allclose(other.steps.between, one.steps.between, atol=SUMS)
    assert np.allclose(other.steps.at, one.steps.at, atol=SUMS)
    assert other.lower_bound(menus) == pytest.approx(one.lower_bound(pairwise), abs=SUMS)
    assert menus.unavoidable == pytest.approx(pairwise.unavoidable, abs=SUMS)


def test_a_menu_is_one_error():
    """The chosen is worst of four: three pairs are wrong, and one menu."""
    utilities = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]
    loss = errors_of(Choices(utilities, [[0, 1, 2, 3], [0, 1]], [0, 1]), np.full(2, 0.5))
    assert loss.total == 2
    assert sweep_powers(loss, np.full(2, 0.5)).steps.minimum == 0.5


def test_a_single_power_may_be_better_than_its_neighbours():
    """The chosen is between two others: better than one below p = 1, than the other above."""
    utilities = [[4.0, 4.0], [3.0, 5.0], [2.0, 6.0], [1.0, 6.9]]
    # (3, 5) loses to (4, 4) below p = 1 and to (2, 6) above; at p = 1 the three are equally good.
    loss = errors_of(Choices(utilities[:3], None, [1]), np.full(2, 0.5))
    steps = sweep_powers(loss, np.full(2, 0.5)).steps
    assert [str(interval) for interval in steps.optimal] == ["{1}"]
    assert steps.minimum == pytest.approx(2 / 3)
    assert steps.proven == pytest.approx(2 / 3)
    assert float(steps(0.999)) == float(steps(1.001)) == 1.0


def test_crossings_of_groups_of_different_size():
    """(1, 9) and (4, 4, 4): the same mean at p = 1/2, where ((1 + 3) / 2)^2 = 4."""
    utilities = np.array([[1.0, 9.0, np.nan], [4.0, 4.0, 4.0]])
    weights = np.full(3, 1 / 3)
    loss = errors_of(Choices(utilities, [[0, 1]], [0], absent=True), weights)
    crossings = loss.crossings(weights)
    assert crossings.power == pytest.approx([0.5], abs=1e-14)
    assert crossings.beginning[0] == -1
    # Copying everybody changes nothing: a tie for every power.
    twice = np.array([[2.0, 5.0, np.nan, np.nan], [2.0, 5.0, 2.0, 5.0]])
    loss = errors_of(Choices(twice, [[0, 1]], [0], absent=True), np.full(4, 0.25))
    assert loss.crossings(np.full(4, 0.25)).identical.tolist() == [True]


def test_who_does_not_count_may_have_nothing():
    utilities = np.array([[1.0, 9.0, 0.0], [4.0, np.nan, 0.0]])
    weights = np.array([0.5, 0.5, 0.0])
    loss = errors_of(Choices(utilities, [[0, 1]], [1], absent=True), weights)
    steps = sweep_powers(loss, weights).steps
    assert steps.lowest == -np.inf
    assert float(steps(0.0)) == 0.0


@pytest.mark.parametrize("seed", range(6))
def test_best_entries_are_those_of_a_plain_evaluation(seed):
    choices = random_choices(3 * seed + 1, absent=bool(seed % 2))
    for p in (-2.0, 0.0, 1.0, 2.0, np.inf):
        rule = WelfareFunction(p, np.full(3, 1 / 3))
        values = plain_values(choices.utilities, rule.weights, p)
        best = best_entries(choices.menus, choices.utilities, values, rule)
        wrong = choices.menus.sums(choices.menus.taken * best) / choices.menus.sums(best * 1.0)
        assert (1 - wrong).sum() == pytest.approx(plain_errors(choices, rule.weights, p))


def test_fractions_are_counted_in_whole_units():
    """Tied choices are halves and thirds: in units in which they are whole, sums are exact."""
    utilities = np.arange(1.0, 9.0).reshape(4, 2)
    choices = Choices.from_rankings(utilities, [[[0, 1], 2], [[1, 2, 3], 0]])
    loss = errors_of(choices, np.full(2, 0.5))
    assert loss.claims.weight.tolist() == [3, 3, 2, 2, 2]
    assert loss.total == 12


def test_slips_explain_errors_in_proportion_to_the_size_of_menus():
    utilities = np.arange(1.0, 9.0).reshape(4, 2)
    menus = [[0, 1, 2, 3]] * 4 + [[0, 1]] * 4
    choices = Choices(utilities, menus, [3, 3, 3, 0, 1, 1, 1, 0])
    assert exposure(choices) == pytest.approx((2 * 3 / 4 + 1) / 2)
    rule = WelfareFunction(1.0, [0.5, 0.5])
    assert rho_of_choices(choices, rule) == pytest.approx(2 / (4 * 1.5 + 4))
    # A choice that two share is no evidence.
    tied = Choices.from_rankings(utilities, [[[3, 2], 0], [3, 0]])
    assert rho_of_choices(tied, rule) == 0.0


def test_menus_that_say_nothing_are_left_out():
    menus = Menus(
        np.array([0, 1, 3, 5]),
        np.array([0, 0, 1, 0, 1], dtype=np.int32),
        np.array([1.0, 1.0, 0.0, 0.0, 0.0]),
        np.ones(3),
        np.zeros(3, dtype=np.intp),
    )
    utilities = np.array([[2.0, 1.0], [1.0, 3.0]])
    loss = MenuErrors.of_menus(utilities, menus, Weighting(2, fixed=np.full(2, 0.5)))
    assert loss.total == 1
    assert len(loss.claims) == 1

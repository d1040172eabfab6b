"""The fewest wrong menus with learned weights: against dense grids of weights and powers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.counting.test_menus import SUMS, random_choices
from welfarist import Choices, Comparisons
from welfarist.counting.consistent import find_consistent
from welfarist.counting.exact_solver import Exact
from welfarist.counting.fewest_errors.line_sweep import Contributions
from welfarist.counting.lower_bounds.certify import proven_gap
from welfarist.counting.lower_bounds.dominance import dominance_bound
from welfarist.counting.lower_bounds.far_powers import beyond_bound, limit_bound
from welfarist.counting.lower_bounds.mixed_integer import fewest_errors, proven_minimum
from welfarist.counting.lower_bounds.power_intervals import best_cases
from welfarist.counting.menus import MenuErrors
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting

# Time for a proof: small programmes need a fraction of it.
SECONDS = 5.0
POWERS = (-np.inf, -30.0, -8.0, -3.0, -1.5, -0.5, 0.0, 0.5, 1.0, 1.5, 3.0, 8.0, 30.0, np.inf)


def free_errors(choices, groups=None):
    weighting = Weighting(choices.people, group_of=groups)
    return MenuErrors.of_menus(choices.utilities, choices.merged[0], weighting)


def simplex(people, steps):
    """Weights on a grid, corners and edges included."""
    if people == 2:
        first = np.linspace(0, 1, steps)
        return np.column_stack([first, 1 - first])
    grid = np.stack(np.meshgrid(*[np.arange(steps + 1)] * 2), axis=-1).reshape(-1, 2) / steps
    grid = grid[grid.sum(axis=1) <= 1 + 1e-12]
    return np.column_stack([grid, np.maximum(1 - grid.sum(axis=1), 0.0)])


def grid_losses(loss, steps, powers=POWERS):
    weights = simplex(loss.weighting.people, steps)
    return np.array([[loss.value(w, p) for w in weights] for p in powers])


@pytest.mark.parametrize("people", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_no_rule_of_a_grid_has_fewer_errors(seed, people):
    loss = free_errors(random_choices(seed, people))
    found = Exact(time_limit=SECONDS).minimise(loss, np.random.default_rng(0), p=None)
    least = grid_losses(loss, 60 if people == 2 else 12).min()
    assert loss.value(found.weights, found.p) == pytest.approx(found.value, abs=SUMS)
    assert found.certificate.lower_bound <= least + SUMS
    # The sweeps leave single points, at which several actions tie, to chance.
    assert found.value <= least + SUMS
    assert found.value >= found.certificate.lower_bound - SUMS


@pytest.mark.parametrize("seed", range(4))
def test_with_two_people_and_without_ties_the_fewest_are_proven(seed):
    rng = np.random.default_rng(seed)
    utilities = rng.uniform(1, 10, (30, 2))
    menus = np.array([rng.permutation(30)[:4] for _ in range(20)])
    value = (utilities**-1.0) @ np.array([0.6, 0.4])
    chosen = menus[np.arange(20), value[menus].argmin(axis=1)]
    chosen[:4] = menus[:4, 0]
    loss = free_errors(Choices(utilities, menus, chosen))
    found = Exact(time_limit=4 * SECONDS).minimise(loss, rng, p=None)
    assert found.certificate.gap == pytest.approx(0.0, abs=SUMS)
    assert found.value <= grid_losses(loss, 60).min() + SUMS


@pytest.mark.parametrize("p", [-np.inf, -2.0, 0.0, 1.0, np.inf])
@pytest.mark.parametrize("seed", range(4))
def test_at_one_power_bounds_hold_and_are_reached(seed, p):
    loss = free_errors(random_choices(seed, 2))
    least = grid_losses(loss, 401, (p,)).min()
    certificate = proven_gap(loss, 1.0, p, SECONDS)
    assert dominance_bound(loss) <= least + SUMS
    assert certificate.lower_bound <= least + SUMS
    found = Exact(time_limit=SECONDS).minimise(loss, np.random.default_rng(0), p=p)
    assert found.p == p
    assert found.value <= least + SUMS
    if np.isfinite(p):
        proven = proven_minimum(loss, p, SECONDS)
        assert proven.lower_bound <= least + SUMS


@pytest.mark.parametrize("groups", [None, np.array([0, 0, 1])])
@pytest.mark.parametrize("seed", range(4))
def test_relaxations_hold_on_whole_intervals(seed, groups):
    loss = free_errors(random_choices(seed, 3), groups)
    rng = np.random.default_rng(seed)
    free = rng.dirichlet(np.ones(loss.weighting.free), 40)
    free[:5] = np.eye(loss.weighting.free)[rng.integers(0, loss.weighting.free, 5)]
    weights = [loss.weighting.to_people(w) for w in free]
    for low, high in [(-3.0, -1.0), (-0.5, 0.5), (1.0, 2.0)]:
        bound = fewest_errors(loss, best_cases(loss, low, high), SECONDS).lower_bound
        losses = [loss.value(w, p) for w in weights for p in np.linspace(low, high, 9)]
        assert bound <= min(losses) + SUMS
    for nearest in (-20.0, 20.0):
        beyond = beyond_bound(loss, nearest, SECONDS).lower_bound
        at_limit = limit_bound(loss, nearest * np.inf, SECONDS).lower_bound
        limit = min(loss.value(w, nearest * np.inf) for w in weights)
        assert at_limit <= limit + SUMS
        losses = [loss.value(w, p * nearest) for w in weights for p in (1.0, 2.0, 10.0)]
        assert beyond <= min([*losses, limit]) + SUMS


@pytest.mark.parametrize("seed", range(8))
def test_the_best_step_on_a_chord_is_that_of_a_fine_scan(seed):
    loss = free_errors(random_choices(seed, 3))
    rng = np.random.default_rng(seed)
    votes = loss.votes
    for p in (-1.7, 0.0, 0.6, 2.3):
        table = Contributions.of(loss, p)
        ends = np.log(rng.dirichlet(np.ones(3), 2))
        heights = [table.heights(end) for end in ends]
        contrasts = [table.contrast(height, votes) for height in heights]
        step = votes.best_step(*contrasts, np.log(2.0), 0.0)
        ratios = np.append(np.linspace(-12, 12, 2001), step.log_ratio)
        scanned = [
            votes.agreement(table.contrast(np.logaddexp(heights[0], r + heights[1]), votes).sign)
            for r in ratios
        ]
        assert step.agreement >= max(scanned) - SUMS * loss.total
        assert scanned[-1] == pytest.approx(step.agreement, abs=SUMS * loss.total)


def explained_choices(seed, people=3):
    """Choices that a rule explains, the best and the worst of menus."""
    rng = np.random.default_rng(seed)
    utilities = rng.uniform(1, 10, (30, people))
    weights, p = rng.dirichlet(np.ones(people) * 3), rng.normal()
    value = np.log((utilities**p) @ weights) / p
    menus = np.array([rng.permutation(30)[:4] for _ in range(15)])
    best = menus[np.arange(15), value[menus].argmax(axis=1)]
    worst = menus[np.arange(15), value[menus].argmin(axis=1)]
    return Choices.from_best_worst(utilities, menus, best, worst), weights, p


@pytest.mark.parametrize("seed", range(5))
def test_rules_that_explain_every_menu_are_those_that_explain_all_pairs(seed):
    choices, weights, p = explained_choices(seed)
    loss = free_errors(choices)
    pairs = loss.as_pairs()
    found = find_consistent(pairs, (weights, p))
    assert found.contains(weights, p)
    low, high = found.power_intervals[0][0], found.power_intervals[-1][1]
    assert low <= p <= high
    rng = np.random.default_rng(seed)
    both = set()
    for _ in range(300):
        spread = rng.choice([20.0, 100.0, 2000.0])
        other = rng.dirichlet(spread * weights + 1e-3)
        power = p + rng.normal(0, 3 / np.sqrt(spread))
        explains = loss.value(other, power) == 0.0
        both.add(explains)
        assert found.contains(other, power) == explains
    assert both == {True, False}
    exact = Exact().minimise(loss, rng, p=None)
    assert exact.value == 0.0
    assert exact.explanations is not None


def test_menus_that_demand_the_opposite_are_no_pairs():
    utilities = np.array([[4.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    assert free_errors(Choices(utilities, [[0, 1, 2], [0, 1]], [0, 1])).as_pairs() is None
    # Of two choices from a menu that are as frequent either will do: no conjunction of pairs.
    assert free_errors(Choices(utilities, None, [0, 1])).as_pairs() is None
    found = free_errors(Choices(utilities, None, [0, 0, 1])).as_pairs()
    assert found.pairs.lead.tolist() == [1.0, 1.0, 0.0]


def test_counting_pairs_is_not_counting_menus():
    """The rule with the fewest wrong pairs may have more wrong menus than necessary."""
    more = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        utilities = rng.uniform(1, 10, (25, 2))
        menus = np.array([rng.permutation(25)[:5] for _ in range(12)])
        chosen = menus[np.arange(12), rng.integers(0, 5, 12)]
        loss = free_errors(Choices(utilities, menus, chosen))
        others = [(c, a) for menu, c in zip(menus, chosen, strict=True) for a in menu if a != c]
        decided = Comparisons(utilities, others, np.ones(len(others)))
        pairs = ZeroOneLoss.of(decided.utilities, decided.merged, loss.weighting)
        wrong = [Exact(time_limit=0.0).minimise(one, rng, p=1.0).weights for one in (loss, pairs)]
        best, by_pairs = (loss.value(weights, 1.0) for weights in wrong)
        assert best == pytest.approx(grid_losses(loss, 400, (1.0,)).min(), abs=SUMS)
        assert best <= by_pairs
        more += by_pairs > best
    assert more > 0


@pytest.mark.parametrize("seed", range(4))
def test_menus_of_two_are_searched_and_bounded_as_comparisons(seed):
    rng = np.random.default_rng(seed)
    utilities = rng.uniform(1, 9, (15, 3))
    pairs = np.array([rng.permutation(15)[:2] for _ in range(25)])
    decided = Comparisons(utilities, pairs, rng.choice([-1, 1], 25))
    weighting = Weighting(3)
    one = ZeroOneLoss.of(decided.utilities, decided.merged, weighting)
    other = free_errors(Choices.of_comparisons(decided))
    solver = Exact(time_limit=SECONDS)
    found = [solver.minimise(loss, np.random.default_rng(1), p=None) for loss in (one, other)]
    assert found[1].value == pytest.approx(found[0].value, abs=SUMS)
    assert found[1].p == pytest.approx(found[0].p)
    assert np.allclose(found[1].weights, found[0].weights)
    assert other.unavoidable == pytest.approx(one.unavoidable, abs=SUMS)
    assert dominance_bound(other) == pytest.approx(dominance_bound(one), abs=SUMS)


def test_a_sample_of_menus_keeps_them_whole():
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1, 9, (50, 3))
    menus = np.array([rng.permutation(50)[:4] for _ in range(200)])
    loss = free_errors(Choices(utilities, menus, menus[:, 0]))
    part = loss.sampled(90, rng)
    assert isinstance(part, MenuErrors)
    assert part.total == 30
    assert (np.diff(part.claims.starts) == 3).all()
    assert 0 <= part.value(np.full(3, 1 / 3), 1.0) <= 1
    assert loss.sampled(600, rng) is loss

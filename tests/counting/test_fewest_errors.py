"""Exact sweeps over weights, and the search for the fewest errors that is built on them."""

import itertools

import numpy as np
import pytest
from scipy.special import expit

from welfarist import Comparisons, WelfareFunction
from welfarist.counting.chords import Contrast, best_step
from welfarist.counting.fewest_errors.alternate import improve
from welfarist.counting.fewest_errors.line_sweep import Contributions
from welfarist.counting.fewest_errors.supports import choose_support
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting

POWERS = [-20.0, -1.0, 0.0, 0.5, 1.0, 3.0]
ROUNDING = 1e-12  # of a mean of halves


def random_loss(rng, people, actions=8, comparisons=30, kind="plain", groups=None):
    """Contradictory comparisons; `kind` adds equal utilities ("ties") or zeros ("zeros")."""
    utilities = rng.uniform(1, 10, (actions, people))
    if kind != "plain":
        utilities = rng.integers(1 if kind == "ties" else 0, 5, (actions, people)).astype(float)
    pairs = rng.permuted(np.tile(np.arange(actions), (comparisons, 1)), axis=1)[:, :2]
    outcomes = rng.integers(-1, 2, comparisons)
    outcomes[:2] = [1, -1]
    compared = Comparisons(utilities, pairs, outcomes, rng.integers(1, 4, comparisons))
    weighting = Weighting(people, group_of=None if groups is None else np.asarray(groups))
    return ZeroOneLoss.of(compared.utilities, compared.merged, weighting)


def flipped_loss(rng, people, actions, comparisons, share, p=-1.5):
    """Comparisons by a rule, some of them turned round; the rule's weights as well."""
    utilities = rng.uniform(1, 10, (actions, people))
    weights = rng.dirichlet(np.ones(people))
    pairs = rng.permuted(np.tile(np.arange(actions), (comparisons, 1)), axis=1)[:, :2]
    rule = WelfareFunction(p, weights)
    outcomes = rule.compare(utilities[pairs[:, 0]], utilities[pairs[:, 1]]).astype(int)
    outcomes[rng.random(comparisons) < share] *= -1
    compared = Comparisons(utilities, pairs, outcomes)
    return ZeroOneLoss.of(compared.utilities, compared.merged, Weighting(people)), weights


def grid_sweep(loss, coarse=61):
    """The best power for given weights, by trying many."""
    tried = np.sinh(np.linspace(-5, 5, coarse))
    tried = np.concatenate([tried, [np.inf, -np.inf, 0.0]])
    if loss.utilities.has_zeros:
        tried = tried[tried > 0]

    def sweep(weights):
        value, p = min((loss.value(weights, p), p) for p in tried)
        if np.isfinite(p):
            near = np.sinh(np.arcsinh(p) + np.linspace(-0.2, 0.2, 21))
            near = near[near > 0] if loss.utilities.has_zeros else near
            value, p = min((value, p), *((loss.value(weights, q), q) for q in near))
        return float(p), value

    return sweep


def plain_losses(loss, free, p):
    """The loss under each of many free weights (g, k), by the plain formula -> (g,)."""
    people = np.array([loss.weighting.to_people(w) for w in free])
    logs = loss.utilities.logs
    if np.isinf(p):
        counted = np.where(people[:, :, None] > 0, np.sign(p) * logs, -np.inf)
        welfare = np.sign(p) * counted.max(axis=1)
    elif p == 0:
        welfare = people @ logs
    else:
        with np.errstate(divide="ignore"):
            welfare = np.log(people @ np.exp(p * logs)) / p
    with np.errstate(invalid="ignore"):
        gaps = welfare[:, loss.pairs.first] - welfare[:, loss.pairs.second]
    signs = np.where(np.abs(gaps) > 1e-12, np.sign(gaps), 0.0)  # NaN: nothing against nothing
    return 0.5 - 0.5 * (signs @ loss.pairs.lead) / loss.total


def brute_force(loss, powers):
    """The lowest loss on a fine grid of weights and powers, small weights included."""
    k = loss.weighting.free
    steps = np.linspace(0, 1, 201 if k == 2 else 41)
    near = np.array([s for s in itertools.product(steps, repeat=k) if abs(sum(s) - 1) < 1e-9])
    logs = np.linspace(-2.5, 2.5, 201 if k == 2 else 41)
    far = np.array([(0.0, *rest) for rest in itertools.product(logs, repeat=k - 1)])
    lowest = np.inf
    for p in powers:
        grid = near
        if np.isfinite(p) and abs(p) > 1:  # weights matter by log(w) / p
            relative = np.exp(abs(p) * far)
            grid = np.vstack([near, relative / relative.sum(axis=1, keepdims=True)])
        lowest = min(lowest, plain_losses(loss, grid, p).min())
    return lowest


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("kind", ["plain", "ties", "zeros", "groups"])
def test_no_point_of_a_line_is_better_than_the_step(p, kind):
    if kind == "zeros" and p <= 0:
        p = 0.1  # less is not admissible
    rng = np.random.default_rng([7, POWERS.index(p) if p in POWERS else 9])
    groups = [0, 0, 1, 2, 1] if kind == "groups" else None
    for _ in range(8):
        loss = random_loss(rng, 5, kind=kind if groups is None else "ties", groups=groups)
        weighting, votes = loss.weighting, loss.votes
        ends = rng.dirichlet(np.ones(weighting.free), 2)
        ends[rng.random(ends.shape) < 0.3] = 0.0  # lines that start and end on the boundary
        ends[0, 0] = ends[1, -1] = 0.5
        table = Contributions.of(loss, p)
        with np.errstate(divide="ignore"):
            contrasts = [table.contrast(table.heights(np.log(end)), votes) for end in ends]
        step = best_step(*contrasts, votes.lead, np.log(2.0))

        t = np.append(np.linspace(0, 1, 2001), expit(step.log_ratio))[:, None]
        free = (1 - t) * ends[0] + t * ends[1]
        free /= free.sum(axis=1, keepdims=True)
        reached = loss.value(weighting.to_people(free[-1]), p)
        assert reached == pytest.approx(0.5 - 0.5 * step.agreement / loss.total, abs=ROUNDING)
        assert reached <= plain_losses(loss, free, p).min() + ROUNDING


def test_of_equally_good_places_the_widest_is_taken_in_its_middle():
    # Answers turn at ratios 1, 4, 8 and 64: to right, to wrong, to right, to wrong.
    start = np.array([-1.0, 1.0, -1.0, 1.0])
    turns = Contrast(start, np.log([1.0, 4.0, 8.0, 64.0]))
    step = best_step(turns, Contrast(-start, np.zeros(4)), np.ones(4), margin=0.1)
    assert step.agreement == 2.0  # three right, one wrong: between 1 and 4, and 8 and 64
    assert step.log_ratio == pytest.approx(np.log(8.0 * 64.0) / 2)
    assert step.width == pytest.approx(np.log(8.0))


def test_weights_too_small_for_a_double_difference_are_still_told_apart():
    # At p = 400 person 0 of the second action needs a weight below 1e-250 to be outvoted.
    compared = Comparisons([[1.0, 4.0], [8.0, 2.0]], [[0, 1], [0, 1]], [1, 1])
    loss = ZeroOneLoss.of(compared.utilities, compared.merged, Weighting(2))
    table, votes = Contributions.of(loss, 400.0), loss.votes
    ends = [table.contrast(row, votes) for row in table.logs]
    step = best_step(ends[1], ends[0], votes.lead, np.log(2.0))
    assert step.agreement == 2.0
    ratio_where_it_turns = 400 * (np.log(4.0) - np.log(8.0))
    assert step.log_ratio == pytest.approx(ratio_where_it_turns - np.log(2.0), abs=1e-9)


@pytest.mark.parametrize("p", [-np.inf, np.inf])
@pytest.mark.parametrize("groups", [None, [0, 1, 1, 2, 3, 3]])
def test_nobody_let_in_or_left_out_makes_a_limit_better(p, groups):
    rng = np.random.default_rng(3)
    for _ in range(10):
        loss = random_loss(rng, 6, kind="ties", groups=groups)
        k = loss.weighting.free
        fit = choose_support(loss, p, np.ones(k, dtype=bool))

        def value(support, loss=loss):
            free = np.where(support, 1.0, 0.0) / support.sum()
            return loss.value(loss.weighting.to_people(free), p)

        reached = value(fit.support)
        assert reached == pytest.approx(0.5 - 0.5 * fit.agreement / loss.total, abs=ROUNDING)
        changed = [fit.support ^ (np.arange(k) == i) for i in range(k)]
        assert reached <= min(value(s) for s in changed if s.any()) + ROUNDING


@pytest.mark.parametrize("p_fixed", [None, -2.0, 0.0, np.inf])
@pytest.mark.parametrize("kind", ["plain", "ties", "zeros", "groups"])
def test_the_search_is_never_worse_than_its_start(kind, p_fixed):
    if kind == "zeros" and p_fixed in (-2.0, 0.0):
        p_fixed = 0.3
    rng = np.random.default_rng(11)
    groups = [0, 0, 1, 2] if kind == "groups" else None
    for _ in range(3):
        loss = random_loss(rng, 4, kind="ties" if groups else kind, groups=groups)
        weights = loss.weighting.to_people(rng.dirichlet(np.ones(loss.weighting.free)))
        p = float(rng.normal()) if kind != "zeros" else 0.7
        found = improve(loss, weights, p, grid_sweep(loss), rng, p_fixed=p_fixed, kicks=3)
        start = loss.value(weights, p if p_fixed is None else p_fixed)
        assert found.value <= start
        assert found.value == loss.value(found.weights, found.p)
        assert found.weights.sum() == pytest.approx(1.0)
        assert found.weights.min() >= 0
        assert p_fixed is None or found.p == p_fixed
        assert found.rounds > 0 or np.isinf(found.p)


@pytest.mark.parametrize(("people", "problems"), [(2, 12), (3, 4)])
def test_small_problems_are_solved_as_well_as_by_brute_force(people, problems):
    rng = np.random.default_rng(people)
    powers = [*np.sinh(np.linspace(-4.5, 4.5, 61 if people == 2 else 19)), np.inf, -np.inf, 0.0]
    for _ in range(problems):
        loss = random_loss(rng, people, actions=12, comparisons=25)
        start = np.full(people, 1.0 / people)
        found = improve(loss, start, 1.0, grid_sweep(loss), np.random.default_rng(0))
        assert found.value <= brute_force(loss, powers) + ROUNDING


def test_errors_come_down_to_those_of_the_true_rule_from_a_poor_start():
    rng = np.random.default_rng(5)
    loss, truth = flipped_loss(rng, people=8, actions=60, comparisons=500, share=0.1)
    found = improve(loss, np.full(8, 0.125), 3.0, grid_sweep(loss), rng, kicks=20)
    assert found.value <= loss.value(truth, -1.5)


def test_the_same_seed_finds_the_same_rule():
    loss, _ = flipped_loss(np.random.default_rng(1), 4, 30, 150, 0.2)
    one, other = (
        improve(loss, np.full(4, 0.25), 1.0, grid_sweep(loss), np.random.default_rng(2), kicks=5)
        for _ in range(2)
    )
    assert one.p == other.p
    assert one.weights.tolist() == other.weights.tolist()


def test_known_weights_leave_only_the_power_to_find():
    rng = np.random.default_rng(4)
    loss, truth = flipped_loss(rng, 3, 30, 100, 0.1)
    known = ZeroOneLoss(loss.utilities, loss.pairs, Weighting(3, fixed=truth))
    found = improve(known, truth, 5.0, grid_sweep(known), rng)
    assert found.value == grid_sweep(known)(truth)[1]
    assert found.weights is truth

"""Lower bounds of the 0-1 loss, by dominance and by mixed-integer programmes."""

import itertools

import numpy as np
import pytest

from tests.counting.test_fewest_errors import (
    ROUNDING,
    flipped_loss,
    grid_sweep,
    plain_losses,
    random_loss,
)
from welfarist import Comparisons
from welfarist.counting.fewest_errors.alternate import improve
from welfarist.counting.lower_bounds.certify import proven_gap
from welfarist.counting.lower_bounds.cycles import PreferenceGraph
from welfarist.counting.lower_bounds.dominance import certain_errors, dominance_bound
from welfarist.counting.lower_bounds.far_powers import beyond_bound, limit_bound
from welfarist.counting.lower_bounds.mixed_integer import fewest_errors, proven_minimum
from welfarist.counting.lower_bounds.power_intervals import best_cases
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting

SECONDS = 20.0  # more than any problem here needs


def contrasts(loss, p):
    """Rows (n, k) whose sign under weights is that of each comparison, by the plain formula."""
    logs = loss.utilities.logs
    power = logs if p == 0 else np.exp(p * logs) / p
    return loss.weighting.pull_back(power[:, loss.pairs.first] - power[:, loss.pairs.second]).T


def minimum_on_a_segment(loss, p):
    """The lowest loss of two free weights: between all places where an answer changes."""
    first, second = contrasts(loss, p).T
    with np.errstate(divide="ignore", invalid="ignore"):
        flips = -second / (first - second)
    flips = np.unique(np.r_[0.0, flips[(flips > 0) & (flips < 1)], 1.0])
    share = np.r_[flips, (flips[1:] + flips[:-1]) / 2]
    return plain_losses(loss, np.column_stack([share, 1 - share]), p).min()


def minimum_on_a_triangle(loss, p):
    """The lowest loss of three weights: in all cells around all crossings of two changes."""
    lines = np.vstack([contrasts(loss, p), np.eye(3)])
    lines /= np.abs(lines).max(axis=1, keepdims=True)
    cells = []
    for one, two in itertools.combinations(lines, 2):
        system = np.array([one, two, np.ones(3)])
        if abs(np.linalg.det(system)) < 1e-9:
            continue
        sides = itertools.product([-1e-7, 1e-7], repeat=2)
        cells.extend(np.linalg.solve(system, [*side, 1.0]) for side in sides)
    cells = np.array(cells)
    return plain_losses(loss, cells[(cells >= 0).all(axis=1)], p).min()


@pytest.mark.parametrize("p", [-4.0, -1.0, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("people", [2, 3])
def test_the_fewest_errors_at_a_power_are_those_of_enumeration(people, p):
    rng = np.random.default_rng(people)
    for _ in range(6):
        loss = random_loss(rng, people, actions=10, comparisons=14)
        lowest = (minimum_on_a_segment if people == 2 else minimum_on_a_triangle)(loss, p)
        found = proven_minimum(loss, p, SECONDS)
        assert found.lower_bound == pytest.approx(lowest, abs=ROUNDING)
        assert found.value == pytest.approx(lowest, abs=ROUNDING)
        assert found.value == loss.value(found.weights, p)
        assert found.gap == pytest.approx(0.0, abs=ROUNDING)
        assert not found.time_limit_hit


def test_groups_and_fractional_counts_are_counted_as_they_are():
    rng = np.random.default_rng(8)
    utilities = rng.uniform(1, 10, (12, 4))
    pairs = rng.permuted(np.tile(np.arange(12), (25, 1)), axis=1)[:, :2]
    compared = Comparisons(utilities, pairs, rng.choice([-1, 1], 25), rng.uniform(0.2, 3, 25))
    weighting = Weighting(4, group_of=np.array([0, 1, 1, 0]))
    loss = ZeroOneLoss.of(compared.utilities, compared.merged, weighting)
    found = proven_minimum(loss, -1.5, SECONDS)
    lowest = minimum_on_a_segment(loss, -1.5)
    assert found.value == pytest.approx(lowest, abs=ROUNDING)
    tolerance = 1e-5  # costs that are no multiples of anything are proven to the solver's digits
    assert lowest - tolerance <= found.lower_bound <= lowest + ROUNDING
    assert found.weights[0] == found.weights[3]


def test_an_incumbent_is_proven_best_or_beaten():
    rng = np.random.default_rng(2)
    loss, _ = flipped_loss(rng, 3, 20, 60, 0.2)
    best = proven_minimum(loss, -1.5, SECONDS)
    again = proven_minimum(loss, -1.5, SECONDS, best.value)
    assert again.weights is None
    assert again.value == best.value
    assert again.gap == pytest.approx(0.0, abs=ROUNDING)
    beaten = proven_minimum(loss, -1.5, SECONDS, best.value + 2.0 / loss.total)
    assert beaten.value == best.value
    assert loss.value(beaten.weights, -1.5) == best.value


def test_ties_make_the_bound_lower_but_never_too_high():
    rng = np.random.default_rng(5)
    for _ in range(10):
        loss = random_loss(rng, 2, kind="ties")
        found = proven_minimum(loss, 1.0, SECONDS)
        assert found.lower_bound <= minimum_on_a_segment(loss, 1.0) + ROUNDING


INTERVALS = [(-30.0, -12.0), (-2.0, -1.9), (-0.5, 0.7), (0.0, 0.3), (1.0, 1.0), (3.0, 9.0)]


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("kind", ["plain", "ties", "zeros", "groups"])
def test_no_right_answer_is_ruled_out_by_the_best_cases(interval, kind):
    low, high = interval
    if kind == "zeros":
        low, high = abs(low) / 3, abs(low) / 3 + abs(high)
    rng = np.random.default_rng(1)
    groups = [0, 1, 1, 2] if kind == "groups" else None
    loss = random_loss(
        rng, 4, actions=20, comparisons=60, kind="ties" if groups else kind, groups=groups
    )
    rows = best_cases(loss, low, high)
    assert np.abs(rows).max() <= 1.0
    toward = np.where(loss.pairs.lead >= 0, 1, -1)
    for _ in range(300):
        p = rng.uniform(low, high)
        relative = rng.dirichlet(np.ones(loss.weighting.free))
        relative = relative ** rng.choice([1.0, 1.0 + abs(p)])
        free = relative / relative.sum()
        right = loss.signs(loss.weighting.to_people(free), p) * toward > 0
        assert (rows[right] @ free > 0).all()


def test_an_interval_of_no_length_loses_nothing():
    rng = np.random.default_rng(6)
    loss = random_loss(rng, 4, actions=20, comparisons=60)
    toward = np.where(loss.pairs.lead >= 0, 1.0, -1.0)[:, None]
    for p in (-3.0, 0.0, 1e-9, 2.0):
        plain = contrasts(loss, 0.0 if p == 1e-9 else p) * toward
        plain /= np.abs(plain).max(axis=1, keepdims=True)
        assert best_cases(loss, p, p) == pytest.approx(plain, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(("low", "high"), [(-2.0, -1.0), (-0.3, 0.3), (0.5, 4.0)])
def test_no_power_of_an_interval_has_a_loss_below_its_bound(low, high):
    rng = np.random.default_rng(9)
    for _ in range(4):
        loss = random_loss(rng, 3, actions=10, comparisons=15)
        bound = fewest_errors(loss, best_cases(loss, low, high), SECONDS).lower_bound
        for p in rng.uniform(low, high, 3):
            assert bound <= minimum_on_a_triangle(loss, p) + ROUNDING


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("groups", [None, [0, 1, 1, 2]])
def test_no_power_further_out_has_a_loss_below_the_bound_beyond(sign, groups):
    rng = np.random.default_rng(4)
    proven = 0
    for _ in range(4):
        loss = random_loss(
            rng, 3 if groups is None else 4, actions=9, comparisons=16, groups=groups
        )
        bound = beyond_bound(loss, sign * 8.0, SECONDS).lower_bound
        start = loss.weighting.to_people(loss.weighting.start())
        for p in (8.0, 11.0, 40.0, np.inf):
            found = improve(loss, start, 1.0, grid_sweep(loss), rng, p_fixed=sign * p, kicks=10)
            assert bound <= found.value + ROUNDING
        proven += bound > dominance_bound(loss) + ROUNDING
    assert proven > 0


@pytest.mark.parametrize("p", [-np.inf, np.inf])
@pytest.mark.parametrize("groups", [None, [0, 1, 2, 3, 1]])
def test_the_bound_at_a_limit_is_the_best_of_all_supports(p, groups):
    rng = np.random.default_rng(12)
    for kind in ("plain", "ties"):
        loss = random_loss(rng, 5, kind=kind, groups=groups)
        supports = np.array(list(itertools.product([0.0, 1.0], repeat=loss.weighting.free))[1:])
        supports /= supports.sum(axis=1, keepdims=True)
        lowest = plain_losses(loss, supports, p).min()
        assert limit_bound(loss, p, SECONDS).lower_bound == pytest.approx(lowest, abs=ROUNDING)


def test_what_everybody_likes_less_is_wrong_under_every_rule():
    utilities = [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [2.0, 3.0, 5.0], [3.0, 2.0, 1.0]]
    pairs, outcomes = [[0, 1], [1, 2], [0, 3], [1, 3]], [1, 1, 1, -1]
    compared = Comparisons(utilities, pairs, outcomes)
    alone = ZeroOneLoss.of(compared.utilities, compared.merged, Weighting(3))
    # (1, 2, 3) for (2, 3, 4): always wrong; (2, 3, 4) for (2, 3, 5): a tie at best.
    assert certain_errors(alone).tolist() == [1.0, 0.0, 0.5, 0.0]
    assert dominance_bound(alone) == pytest.approx(1.5 / 4)
    # As one group the last action is the first one, with people exchanged, and (3, 2, 1) is worse
    # than (2, 3, 4).
    together = Weighting(3, group_of=np.zeros(3, dtype=np.intp))
    shared = ZeroOneLoss.of(compared.utilities, compared.merged, together)
    assert certain_errors(shared).tolist() == [1.0, 0.5, 0.5, 1.0]
    # Whoever does not count has no say.
    known = Weighting(3, fixed=np.array([0.0, 0.5, 0.5]))
    decided = ZeroOneLoss.of(compared.utilities, compared.merged, known)
    assert certain_errors(decided).tolist() == [1.0, 0.0, 0.5, 1.0]


@pytest.mark.parametrize("kind", ["plain", "ties", "zeros"])
def test_no_rule_is_below_the_dominance_bound(kind):
    rng = np.random.default_rng(7)
    loss = random_loss(rng, 2, actions=15, comparisons=60, kind=kind)
    assert dominance_bound(loss) > loss.unavoidable
    for p in (0.2, 1.0, 7.0, np.inf, *(() if kind == "zeros" else (-np.inf, -5.0, 0.0))):
        weights = np.vstack([rng.dirichlet([0.3, 0.3], 200), np.eye(2)])
        assert plain_losses(loss, weights, p).min() >= dominance_bound(loss) - ROUNDING


@pytest.mark.parametrize("people", [2, 3])
def test_a_small_fit_is_proven_best_over_all_powers(people):
    rng = np.random.default_rng(people + 1)
    loss, _ = flipped_loss(rng, people, 30, 45, 0.2)
    found = improve(loss, np.full(people, 1 / people), 1.0, grid_sweep(loss), rng)
    certificate = proven_gap(loss, found.value, time_limit=SECONDS)
    assert found.value > dominance_bound(loss) + ROUNDING
    assert certificate.gap == 0.0
    assert certificate.loss == found.value
    assert certificate.method.startswith("branch and bound over p")


def test_a_poor_fit_is_not_proven_best():
    rng = np.random.default_rng(3)
    loss, truth = flipped_loss(rng, 3, 30, 45, 0.2)
    poor = loss.value(np.array([0.98, 0.01, 0.01]), 5.0)
    certificate = proven_gap(loss, poor, time_limit=1.0)
    assert certificate.lower_bound <= loss.value(truth, -1.5)
    assert certificate.gap >= poor - loss.value(truth, -1.5) > 0


def test_preferences_that_go_round_in_a_circle_cost_an_error():
    utilities = [[1.0, 9.0], [2.0, 4.0], [4.0, 2.0], [9.0, 1.0]]
    compared = Comparisons(utilities, [[0, 1], [1, 2], [2, 0], [1, 3], [3, 2]], [1] * 5)
    loss = ZeroOneLoss.of(compared.utilities, compared.merged, Weighting(2))
    # The pairs in order: 0-1, 0-2, 1-2, 1-3, 2-3. The circles are 0, 1, 2 and 0, 1, 3, 2.
    told = PreferenceGraph.of(loss, np.zeros(5), np.arange(5), start=7)
    assert sorted(told.circles()) == [[7, 8, 9], [7, 8, 10, 11]]
    wrong = np.zeros(12)
    wrong[9] = 1.0
    assert told.circles(wrong) == [[7, 8, 10, 11]]
    wrong[8] = 1.0
    assert told.circles(wrong) == []
    # At p = 0 equal weights make ties of all but one, which circles keep from passing as right.
    proven = proven_minimum(loss, 0.0, SECONDS).lower_bound
    assert proven == pytest.approx(minimum_on_a_segment(loss, 0.0))


@pytest.mark.parametrize("p", [-1.5, np.inf, -np.inf])
def test_with_a_fixed_power_only_that_power_is_bounded(p):
    rng = np.random.default_rng(3)
    loss = random_loss(rng, 3, actions=12, comparisons=20)
    found = improve(loss, np.full(3, 1 / 3), p, grid_sweep(loss), rng, p_fixed=p)
    certificate = proven_gap(loss, found.value, p_fixed=p, time_limit=SECONDS)
    assert certificate.gap == pytest.approx(0.0, abs=ROUNDING)
    assert "programme" in certificate.method


def test_without_time_the_bound_is_dominance():
    rng = np.random.default_rng(3)
    loss = random_loss(rng, 4, actions=12, comparisons=40)
    incumbent = loss.value(np.full(4, 0.25), 1.0)
    certificate = proven_gap(loss, incumbent, time_limit=0.0)
    assert certificate.lower_bound == pytest.approx(dominance_bound(loss), abs=ROUNDING)
    assert "time limit" in certificate.method


@pytest.mark.parametrize("case", ["large", "zeros", "known"])
def test_where_programmes_do_not_serve_dominance_is_the_bound(case):
    rng = np.random.default_rng(0)
    loss = random_loss(
        rng, 2, 40, 600 if case == "large" else 30, "zeros" if case == "zeros" else "plain"
    )
    if case == "known":
        loss = ZeroOneLoss(loss.utilities, loss.pairs, Weighting(2, fixed=np.array([0.5, 0.5])))
    incumbent = loss.value(np.full(2, 0.5), 1.0)
    certificate = proven_gap(loss, incumbent, time_limit=SECONDS)
    assert certificate.lower_bound == dominance_bound(loss)
    assert "everybody" in certificate.method


def test_a_fit_that_errs_only_where_every_rule_does_is_proven_best():
    utilities = [[1.0, 2.0], [2.0, 3.0], [3.0, 1.0]]
    compared = Comparisons(utilities, [[0, 1], [2, 0], [1, 2]], [1, 1, -1])
    loss = ZeroOneLoss.of(compared.utilities, compared.merged, Weighting(2))
    certificate = proven_gap(loss, 1.0 / 3.0)
    assert certificate.gap == 0.0

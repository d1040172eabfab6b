"""The set of rules that explain noise-free decisions: found, bounded, and proved empty."""

import warnings
from itertools import combinations, pairwise

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog

from welfarist import ComparisonClassifier, Comparisons, WelfareFunction
from welfarist.base.errors import InputError
from welfarist.counting.consistent.margin import Oracle, largest_margin
from welfarist.counting.consistent.preferences import Preferences, segment
from welfarist.counting.consistent.refutation import Refutation, refutes_between
from welfarist.counting.consistent.rules import find_consistent
from welfarist.counting.consistent.supports import largest_support
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting

# Ends of intervals lie within 1e-9 in asinh(p) of where they should, bounds of weights within
# 1e-7 of what the search over p may miss.
END = 2e-9
BOUND = 1e-6

POWERS = [-np.inf, -30.0, -5.0, -1.0, -1e-3, 0.0, 0.3, 1.0, 2.0, 8.0, 40.0, np.inf]


def loss_of(comparisons, groups=None):
    weighting = Weighting(comparisons.people, group_of=groups)
    return ZeroOneLoss.of(comparisons.utilities, comparisons.merged, weighting)


def decisions_of(rng, n, weights, p, *, highest=1000.0, zeros=0.0):
    """Decisions without noise, ties left out."""
    actions = max(5, n // 5)
    utilities = rng.uniform(1.0, highest, (actions, len(weights)))
    utilities[rng.random(utilities.shape) < zeros] = 0.0
    pairs = rng.permuted(np.tile(np.arange(actions), (n, 1)), axis=1)[:, :2]
    outcomes = WelfareFunction(p, weights).compare(utilities[pairs[:, 0]], utilities[pairs[:, 1]])
    decided = outcomes != 0
    return Comparisons(utilities, pairs[decided], outcomes[decided])


def flat(people):
    return np.full(people, 1.0 / people), 1.0


def logistic_fit(decisions):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = ComparisonClassifier().fit(decisions)
    return fitted.weights_, fitted.p_


def check_set(rules, loss, weights, p):
    """Every decision is explained, and the rule that made them is inside the reported set."""
    assert loss.value(rules.weights, rules.p) == pytest.approx(loss.unavoidable, abs=1e-15)
    assert rules.contains(rules.weights, rules.p)
    assert rules.contains(weights, p)
    assert any(low <= p <= high for low, high in rules.power_intervals)
    assert any(low <= rules.p <= high for low, high in rules.power_intervals)
    for inside in (weights, rules.weights):
        assert (rules.weight_low <= inside).all()
        assert (inside <= rules.weight_high).all()


@pytest.mark.parametrize("p", POWERS)
def test_the_truth_is_inside(p):
    rng = np.random.default_rng(POWERS.index(p))
    for people, n, left_out in ((2, 60, 0), (4, 200, 1), (3, 5, 0)):
        weights = rng.dirichlet(np.ones(people))
        weights[:left_out] = 0.0
        weights /= weights.sum()
        decisions = decisions_of(rng, n, weights, p)
        loss = loss_of(decisions)
        start = flat(people) if n < 200 else logistic_fit(decisions)
        check_set(find_consistent(loss, start), loss, weights, p)


@pytest.mark.parametrize(("people", "n", "p"), [(20, 300, -1.0), (4, 5000, 2.0)])
def test_many_people_and_many_decisions(people, n, p):
    rng = np.random.default_rng(people)
    weights = rng.dirichlet(np.ones(people))
    decisions = decisions_of(rng, n, weights, p)
    loss = loss_of(decisions)
    check_set(find_consistent(loss, logistic_fit(decisions)), loss, weights, p)


@pytest.mark.parametrize("p", [0.3, 2.0, 40.0, np.inf])
def test_people_who_have_nothing(p):
    rng = np.random.default_rng(5)
    weights = np.array([0.5, 0.3, 0.2, 0.0])
    loss = loss_of(decisions_of(rng, 150, weights, p, zeros=0.2))
    assert loss.utilities.has_zeros
    rules = find_consistent(loss, flat(4))
    check_set(rules, loss, weights, p)
    assert rules.power_intervals[0][0] > 0
    assert not rules.contains(weights, -1.0)


@pytest.mark.parametrize("p", [-np.inf, -5.0, 0.0, 8.0])
def test_people_in_groups(p):
    rng = np.random.default_rng(6)
    groups = np.array([0, 1, 1, 2, 0, 2, 2])
    weights = np.array([0.1, 0.25, 0.25, 0.1, 0.1, 0.1, 0.1])
    loss = loss_of(decisions_of(rng, 200, weights, p), groups)
    rules = find_consistent(loss, flat(7))
    check_set(rules, loss, weights, p)
    for group in range(3):
        assert len(np.unique(rules.weights[groups == group])) == 1
        assert len(np.unique(rules.weight_high[groups == group])) == 1


def between_two_means():
    """(1, 4) and (4, 1) are both better than 1.6 for both, and worse than 2.5 for both.

    One of the two has the smaller mean, at best that of equal weights, 1.6 at p = -1; one has the
    larger, at least that of equal weights, 2.5 at p = 1. At p in between the larger weight is at
    most 1 - (1.6^p - 1) / (4^p - 1) and (2.5^p - 1) / (4^p - 1); the first grows with p, the
    second falls, and at p = 0 both are log 2.5 / log 4.
    """
    utilities = [[1.0, 4.0], [4.0, 1.0], [1.6, 1.6], [2.5, 2.5]]
    return Comparisons(utilities, [[0, 2], [1, 2], [3, 0], [3, 1]], [1, 1, 1, 1])


def test_a_set_known_in_closed_form():
    rules = find_consistent(loss_of(between_two_means()), flat(2))
    ((low, high),) = rules.power_intervals
    assert np.arcsinh(low) == pytest.approx(np.arcsinh(-1), abs=END)
    assert np.arcsinh(high) == pytest.approx(np.arcsinh(1), abs=END)
    largest = np.log(2.5) / np.log(4)
    np.testing.assert_allclose(rules.weight_high, largest, atol=BOUND)
    np.testing.assert_allclose(rules.weight_low, 1 - largest, atol=BOUND)
    # At p = 0 both inequalities of the margin are linear: the best is half of log(2.5 / 1.6).
    best = largest_margin(loss_of(between_two_means()), 0.0, np.array([0.6, 0.4]))
    assert best.margin == pytest.approx(np.log(2.5 / 1.6) / 2)
    np.testing.assert_allclose(best.weights, 0.5)
    assert rules.margin == pytest.approx(best.margin, rel=0.05)


@pytest.mark.parametrize("zeros", [False, True])
def test_ends_known_in_closed_form(zeros):
    # As above, with other numbers: whether a search ends too soon is a matter of their last digits.
    rng = np.random.default_rng(15)
    coordinate = np.log if zeros else np.arcsinh
    for _ in range(6):
        ends = np.sort(rng.uniform(0.1 if zeros else -3.0, 3.0, 2))
        high = rng.uniform(2.0, 9.0)
        a, b = ((0.5 + 0.5 * high**p) ** (1.0 / p) for p in ends)
        utilities = [[1.0, high], [high, 1.0], [a, a], [b, b], [0.0 if zeros else 0.5] * 2]
        decisions = Comparisons(utilities, [[0, 2], [1, 2], [3, 0], [3, 1], [2, 4]], [1] * 5)
        (found,) = find_consistent(loss_of(decisions), flat(2)).power_intervals
        np.testing.assert_allclose(coordinate(found), coordinate(ends), rtol=0, atol=END)


def test_a_fixed_power():
    loss = loss_of(between_two_means())
    for p in (-1.5, 1.1, -np.inf, np.inf):
        assert find_consistent(loss, flat(2), p) is None
    rules = find_consistent(loss, flat(2), 0.5)
    assert rules.p == 0.5
    assert rules.power_intervals == ((0.5, 0.5),)
    largest = (np.sqrt(2.5) - 1) / (np.sqrt(4) - 1)
    np.testing.assert_allclose(rules.weight_high, largest, atol=1e-8)
    np.testing.assert_allclose(rules.weight_low, 1 - largest, atol=1e-8)


def test_a_fixed_limit():
    utilities = [[1.0, 5.0, 3.0], [2.0, 2.0, 9.0]]
    rules = find_consistent(loss_of(Comparisons(utilities, [[0, 1]], [-1])), flat(3), -np.inf)
    assert rules.p == -np.inf
    assert rules.power_intervals == ((-np.inf, -np.inf),)
    np.testing.assert_array_equal(rules.weight_high, 1.0)
    rules = find_consistent(loss_of(Comparisons(utilities, [[0, 1]], [1])), flat(3), np.inf)
    # Person 2 alone cannot: 3 against 9, whoever else counts.
    np.testing.assert_array_equal(rules.weights, [0.5, 0.5, 0.0])


def grid_rules(decisions, powers, shares):
    """Which rules of two people, shares (S,) by powers (P,), explain all: by plain arithmetic."""
    winner, loser = decisions.pairs[:, 0], decisions.pairs[:, 1]
    first = decisions.outcomes > 0
    winner, loser = np.where(first, winner, loser), np.where(first, loser, winner)
    explained = np.empty((len(powers), len(shares)), dtype=bool)
    weights = np.column_stack([shares, 1 - shares])
    for row, p in enumerate(powers):
        table = np.log(decisions.utilities) if p == 0 else np.sign(p) * decisions.utilities**p
        welfare = weights @ table.T
        explained[row] = (welfare[:, winner] - welfare[:, loser] > 1e-9).all(axis=1)
    return explained


@pytest.mark.parametrize("seed", range(9))
def test_no_rule_of_a_grid_is_missed(seed):
    rng = np.random.default_rng(seed)
    truth = np.array([rng.uniform(), 0.0])
    truth[1] = 1 - truth[0]
    decisions = decisions_of(rng, 7, truth, rng.uniform(-4, 4), highest=5.0)
    if seed % 3 == 0:  # decisions that nobody's rule need explain
        decisions = Comparisons(
            decisions.utilities, decisions.pairs, rng.choice([-1, 1], len(decisions))
        )
    powers, shares = np.linspace(-6, 6, 121), np.linspace(0, 1, 201)
    explained = grid_rules(decisions, powers, shares)
    rules = find_consistent(loss_of(decisions), flat(2))
    if rules is None:
        assert not explained.any()
        return
    for p, row in zip(powers, explained, strict=True):
        inside = any(low <= p <= high for low, high in rules.power_intervals)
        assert inside or not row.any()
        for share in shares[row]:
            assert rules.weight_low[0] <= share <= rules.weight_high[0]
    # Nor is the set too large: what lies well inside an interval has a rule.
    for low, high in rules.power_intervals:
        for p in np.linspace(max(low, -6), min(high, 6), 7)[1:-1]:
            if low < p < high and p:
                assert find_consistent(loss_of(decisions), flat(2), float(p)) is not None


@pytest.mark.parametrize("p", [-8.0, -1.0, 0.0, 1e-8, 0.7, 3.0])
@pytest.mark.parametrize("noisy", [False, True])
def test_the_largest_margin_is_that_of_a_scan(p, noisy):
    rng = np.random.default_rng(11)
    decisions = decisions_of(rng, 40, [0.35, 0.65], p, highest=10.0)
    if noisy:
        outcomes = np.where(rng.random(len(decisions)) < 0.2, -1, 1) * decisions.outcomes
        decisions = Comparisons(decisions.utilities, decisions.pairs, outcomes)
    loss = loss_of(decisions)
    best = largest_margin(loss, p, np.array([0.5, 0.5]))
    preferences = Preferences.of(loss)
    scanned = [
        preferences.margins(np.array([share, 1 - share]), p).min()
        for share in np.linspace(0, 1, 4001)
    ]
    assert best.margin == pytest.approx(preferences.margins(best.weights, p).min(), abs=1e-14)
    assert best.margin >= max(scanned) - 1e-12
    # Between neighbours of the scan log welfare moves by at most this.
    assert best.margin <= max(scanned) + 1e-3
    assert (best.margin > 0) == (not noisy)


@pytest.mark.parametrize("p", [-6.0, -1.0, 0.0, 2.5])
def test_the_margins_slope_is_its_derivative(p):
    rng = np.random.default_rng(12)
    loss = loss_of(decisions_of(rng, 200, rng.dirichlet(np.ones(4)), p, highest=10.0))
    start, _ = flat(4)
    here, step = largest_margin(loss, p, start), 1e-5
    above, below = (largest_margin(loss, p + s, start).margin for s in (step, -step))
    assert here.slope == pytest.approx((above - below) / (2 * step), rel=1e-3, abs=1e-7)


@pytest.mark.parametrize("p", [-300.0, -2.0, -1e-9, 0.0, 1e-4, 0.5, 700.0])
def test_segments_match_exact_integrals(p):
    low, high = np.array([-1.0, 0.3, 0.5, -2.0]), np.array([-0.2, 0.3000001, 1.7, 0.9])
    log_size, mean = segment(low, high, p)
    with mpmath.workdps(60):
        for i, (a, b) in enumerate(zip(low, high, strict=True)):
            a, b, q = mpmath.mpf(float(a)), mpmath.mpf(float(b)), mpmath.mpf(p)
            if p == 0:
                size, moment = b - a, (b * b - a * a) / 2
            else:
                size = (mpmath.exp(q * b) - mpmath.exp(q * a)) / q
                moment = (b * mpmath.exp(q * b) - a * mpmath.exp(q * a) - size) / q
            assert log_size[i] == pytest.approx(float(mpmath.log(size)), rel=1e-12, abs=1e-12)
            assert mean[i] == pytest.approx(float(moment / size), rel=1e-12)


def test_a_segment_from_nothing():
    log_size, mean = segment(np.array([-np.inf, -np.inf]), np.array([0.5, -np.inf]), 2.0)
    np.testing.assert_allclose(log_size, [1.0 - np.log(2.0), -np.inf])
    np.testing.assert_allclose(mean, [0.0, 0.0])


@pytest.mark.parametrize("p", [-np.inf, np.inf])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_largest_support_is_that_of_all_supports(p, grouped):
    rng = np.random.default_rng(13)
    groups = np.array([0, 1, 2, 2, 1, 3]) if grouped else None
    seen = set()
    for _ in range(60):
        utilities = rng.integers(1, 6, (12, 6)).astype(float)
        pairs = rng.permuted(np.tile(np.arange(12), (3, 1)), axis=1)[:, :2]
        loss = loss_of(Comparisons(utilities, pairs, rng.choice([-1, 1], 3)), groups)
        preferences = Preferences.of(loss)
        units = range(loss.weighting.free)
        working = [
            set(chosen)
            for size in range(1, len(units) + 1)
            for chosen in combinations(units, size)
            if preferences.explained_by(
                loss.weighting.to_people(np.isin(units, chosen) / len(chosen)), p
            )
        ]
        found = largest_support(preferences, p)
        seen.add(bool(working))
        if not working:
            assert found is None
        else:
            counted = np.flatnonzero(loss.weighting.gather(found) > 0)
            assert set(counted.tolist()) == set().union(*working)
            assert preferences.explained_by(found, p)
    assert seen == {True, False}


def test_refutations_carry_over_only_where_nothing_is_explained():
    carried = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        decisions = decisions_of(rng, 9, [0.4, 0.6], 0.5, highest=6.0)
        preferences = Preferences.of(loss_of(decisions))
        oracle = Oracle(preferences)
        powers = np.linspace(-6, 6, 25)
        verdicts = [oracle.decide(float(p), np.array([0.5, 0.5])) for p in powers]
        for left, right in pairwise(verdicts):
            if not (left.refuted and right.refuted):
                continue
            if refutes_between(preferences, left.refutation, right.refutation):
                carried += 1
                inside = np.linspace(left.p, right.p, 9)
                assert not grid_rules(decisions, inside, np.linspace(0, 1, 101)).any()
    assert carried > 30


def plain_margin(decisions, p):
    """The largest smallest row of the plain linear programme, for moderate p."""
    table = np.sign(p) * decisions.utilities**p
    rows = (table[decisions.pairs[:, 0]] - table[decisions.pairs[:, 1]]).T * decisions.outcomes
    rows /= np.abs(rows).max(axis=0)
    people, n = rows.shape
    answer = linprog(
        np.append(np.zeros(people), -1.0),
        np.column_stack([-rows.T, np.ones(n)]),
        np.zeros(n),
        np.append(np.ones(people), 0.0)[None, :],
        [1.0],
        bounds=[(0, None)] * people + [(None, None)],
    )
    return answer.x[-1]


def test_a_gap_between_possible_powers_is_found():
    rng = np.random.default_rng(16)
    decisions = decisions_of(rng, 16, np.full(4, 0.25), -3.0, highest=5.0)
    rules = find_consistent(loss_of(decisions), flat(4))
    (_, left), (right, far) = rules.power_intervals
    assert -3.0 < left < right
    assert all(
        plain_margin(decisions, p) > 1e-6 for p in (-3.0, left - 0.1, right + 0.1, far - 0.1)
    )
    assert all(plain_margin(decisions, p) < -1e-7 for p in np.linspace(left, right, 9)[1:-1])
    assert plain_margin(decisions, far + 0.1) < -1e-6


@pytest.mark.parametrize(
    ("utilities", "pairs"),
    [
        ([[1.0, 4.0], [3.0, 2.0], [2.0, 3.0]], [[0, 1], [1, 2], [2, 0]]),  # a cycle
        ([[1.0, 4.0], [2.0, 5.0]], [[0, 1]]),  # worse for everybody, yet preferred
        ([[1.0, 4.0], [1.0, 4.0]], [[0, 1]]),  # no different, yet preferred
        # Better for both than their counterparts, which were preferred to them in turn.
        ([[1.0, 4.0], [3.0, 2.0], [2.9, 1.9], [1.1, 4.1]], [[0, 1], [2, 3]]),
        # (1, 4) and (4, 1) above 2.5 needs p > 1; (1, 9) and (9, 1) below 3 needs p < 0.
        (
            [[1.0, 4.0], [4.0, 1.0], [2.5, 2.5], [1.0, 9.0], [9.0, 1.0], [3.0, 3.0]],
            [[0, 2], [1, 2], [5, 3], [5, 4]],
        ),
    ],
)
def test_what_no_rule_explains(utilities, pairs):
    loss = loss_of(Comparisons(utilities, pairs, np.ones(len(pairs))))
    assert find_consistent(loss, flat(2)) is None
    for p in (-np.inf, -3.0, 0.0, 1.0, np.inf):
        assert find_consistent(loss, flat(2), p) is None


def test_noisy_decisions_are_explained_by_no_rule():
    rng = np.random.default_rng(14)
    decisions = decisions_of(rng, 2000, rng.dirichlet(np.ones(6)), -1.0)
    outcomes = np.where(rng.random(len(decisions)) < 0.1, -1, 1) * decisions.outcomes
    loss = loss_of(Comparisons(decisions.utilities, decisions.pairs, outcomes))
    assert find_consistent(loss, flat(6)) is None


def test_ties_and_contradictions_need_no_explanation():
    utilities = [[1.0, 4.0], [4.0, 1.0], [1.6, 1.6], [2.5, 2.5], [3.0, 1.0]]
    pairs = [[0, 2], [1, 2], [3, 0], [3, 1], [0, 4], [0, 4], [2, 4], [0, 2]]
    outcomes = [1, 1, 1, 1, 1, -1, 0, -1]
    loss = loss_of(Comparisons(utilities, pairs, outcomes, [5, 1, 1, 1, 2, 2, 1, 3]))
    assert loss.unavoidable > 0
    rules = find_consistent(loss, flat(2))
    assert loss.value(rules.weights, rules.p) == pytest.approx(loss.unavoidable, abs=1e-15)
    ((low, high),) = rules.power_intervals
    assert (low, high) == pytest.approx((-1.0, 1.0), abs=4 * END)


def test_nothing_decided_is_explained_by_everything():
    loss = loss_of(Comparisons([[1.0, 4.0], [4.0, 1.0]], [[0, 1], [0, 1]], [1, -1]))
    rules = find_consistent(loss, flat(2))
    assert rules.power_intervals == ((-np.inf, np.inf),)
    np.testing.assert_array_equal(rules.weight_low, 0.0)
    np.testing.assert_array_equal(rules.weight_high, 1.0)


def test_one_person_explains_by_themselves():
    loss = loss_of(Comparisons([[1.0], [4.0]], [[0, 1]], [-1]))
    rules = find_consistent(loss, (np.ones(1), 1.0))
    assert rules.power_intervals == ((-np.inf, np.inf),)
    np.testing.assert_allclose([rules.weight_low, rules.weight_high], 1.0, atol=2e-9)


def test_the_answer_does_not_depend_on_the_start_or_the_unit():
    rng = np.random.default_rng(15)
    decisions = decisions_of(rng, 400, rng.dirichlet(np.ones(5)), 0.5)
    scaled = Comparisons(1e30 * decisions.utilities, decisions.pairs, decisions.outcomes)
    found = [
        find_consistent(loss_of(data), start).power_intervals[0]
        for data, start in (
            (decisions, flat(5)),
            (decisions, (np.array([1.0, 0, 0, 0, 0]), -20.0)),
            (scaled, logistic_fit(scaled)),
        )
    ]
    np.testing.assert_allclose(np.arcsinh(found), np.arcsinh(found[:1] * 3), atol=END)


def test_what_cannot_be_asked_is_refused():
    zeros = Comparisons([[0.0, 4.0], [4.0, 1.0]], [[0, 1]], [1])
    with pytest.raises(InputError, match="p must be positive"):
        find_consistent(loss_of(zeros), flat(2), -1.0)
    known = ZeroOneLoss.of(zeros.utilities, zeros.merged, Weighting(2, fixed=np.array([0.5, 0.5])))
    with pytest.raises(InputError, match="weights must be free"):
        find_consistent(known, flat(2))


def test_refutations_with_next_to_nothing_in_common_refute_nothing_between():
    """To make alike what they share would take the rest beyond numbers: no warning may escape."""
    table = [[1.0, 4.0], [3.0, 2.0], [2.0, 2.5], [4.0, 1.0]]
    decided = Comparisons(table, [[0, 1], [1, 2], [2, 3]], [1, -1, 1])
    preferences = Preferences.of(loss_of(decided))
    low = Refutation(1.0, np.array([0, 1]), np.ones(2), np.zeros(2))
    for least in (1e-250, 5e-324):
        multipliers = np.array([least, least, 1.0])
        high = Refutation(2.0, np.array([0, 1, 2]), multipliers, np.zeros(3))
        assert not refutes_between(preferences, low, high)

"""Learning with the fewest errors, as users do it."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import welfarist as wf
from benchmarks import trap
from welfarist.base.errors import NotIdentifiedWarning
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.people.weighting import Weighting

# Many tests ask for the fewest errors of decisions that have some, which is warned of.
pytestmark = pytest.mark.filterwarnings("ignore:no rule was found that explains every decision")


def world(seed=0, people=5, n=400, p=-1.3, flips=0.1, actions=80):
    rng = np.random.default_rng(seed)
    utilities = rng.uniform(1, 50, (actions, people))
    weights = rng.dirichlet(np.full(people, 3.0))
    first = rng.integers(0, actions, n)
    second = (first + rng.integers(1, actions, n)) % actions
    truth = wf.WelfareFunction(p, weights)
    outcomes = truth.compare(utilities[first], utilities[second])
    outcomes = np.where(rng.random(n) < flips, -outcomes, outcomes)
    return wf.Comparisons(utilities, np.column_stack([first, second]), outcomes), weights


def test_known_weights_are_solved_with_proof():
    data, weights = world()
    est = wf.ComparisonClassifier(noise="none", weights=weights).fit(data)
    exact = est.result_.exact
    assert est.p_ in exact.intervals[0] or len(exact.intervals) > 1
    assert est.result_.certificate.gap == 0.0
    assert est.loss_ == exact.steps.minimum == pytest.approx(1 - est.score(data))
    truth = wf.WelfareFunction(-1.3, weights).compare(
        data.utilities[data.pairs[:, 0]], data.utilities[data.pairs[:, 1]]
    )
    assert est.loss_ <= np.mean(truth != data.outcomes)
    assert (est.tau_, est.rho_, est.result_.tau) == (np.inf, 0.0, None)


def test_the_summary_says_what_is_proven():
    data, weights = world()
    text = wf.ComparisonClassifier(noise="flip", weights=weights).fit(data).result_.summary()
    assert "share of errors" in text
    assert "corrected for flips" not in text  # 0 by construction
    known = wf.ComparisonClassifier(noise="flip", weights=weights, rho=0.1).fit(data)
    assert "corrected for flips" in known.result_.summary()
    assert "Proven optimal: every power" in text
    assert "As good with these weights: p in (" in text


def test_probabilities_without_a_temperature():
    data, weights = world()
    est = wf.ComparisonClassifier(noise="flip", weights=weights, rho=0.1).fit(data)
    X = np.array([[1.0] * 5 + [2.0] * 5, [2.0] * 5 + [1.0] * 5, [3.0] * 5 + [3.0] * 5])
    np.testing.assert_allclose(est.predict_proba(X)[:, 1], [0.1, 0.9, 0.5])
    assert np.isfinite(est.decision_function(X)).all()
    assert est.predict(X).tolist() == [-1, 1, 1]


def test_descent_is_trapped_where_the_exact_method_is_not():
    stopped = trap.descend(3.2)
    assert 3 < stopped < 4
    assert trap.difference(trap.FIVE, stopped) > 0 > trap.difference(trap.THREE, stopped)
    slope = (trap.descend(stopped + 1e-6, steps=1) - stopped) / 1e-6
    assert slope < 1  # it comes back: a local optimum
    rows = [[*trap.PREFERRED, *trap.FIVE], [*trap.PREFERRED, *trap.THREE]]
    with pytest.warns(NotIdentifiedWarning, match="hardly determined"):
        est = wf.ComparisonClassifier(noise="none", weights="equal").fit(
            np.array([*rows, [2.0] * 6 + [3.0] * 6]), [1, 1, -1]
        )
    assert est.loss_ == 0.0
    first, second = est.result_.exact.intervals
    assert (first.low, first.high) == pytest.approx((1.07654, 1.58344), abs=1e-5)
    assert (second.low, second.high) == (pytest.approx(6.01504, abs=1e-5), np.inf)
    assert second.closed_high
    assert stopped not in first


def test_permutations_ties_and_contradictions_are_counted():
    utilities = [[1.0, 4.0, 9.0], [9.0, 1.0, 4.0], [3.0, 3.0, 3.0], [2.0, 6.0, 5.0]]
    pairs = [[0, 1], [0, 2], [2, 0], [0, 2], [1, 3], [2, 3]]
    data = wf.Comparisons(utilities, pairs, [1, 1, 1, 1, 0, -1])
    with pytest.warns(NotIdentifiedWarning, match="p from -0.229441 to inf explain"):
        est = wf.ComparisonClassifier(noise="none", weights="equal").fit(data)
    counted = est.result_.exact.counted
    assert (counted.identical, counted.ties, counted.contradictions) == (1, 1, 1)
    # A permutation is half an error, as is the tie; the contradiction is a whole one.
    assert est.loss_ == pytest.approx(2 / 6)
    assert "Pairs that tie for every p: 1" in est.result_.summary()


def test_a_given_power_leaves_nothing_to_learn():
    data, weights = world()
    est = wf.ComparisonClassifier(noise="none", weights=weights, p=1).fit(data)
    assert est.p_ == 1.0
    assert est.result_.exact.steps is None
    assert est.loss_ == pytest.approx(1 - est.score(data))


def test_zeros_restrict_the_search_to_positive_powers():
    data, weights = world(p=0.5)
    utilities = data.utilities.copy()
    utilities[3, 2] = 0.0
    with pytest.warns(wf.SearchRangeWarning, match="above 0 only"):
        est = wf.ComparisonClassifier(noise="none", weights=weights).fit(
            wf.Comparisons(utilities, data.pairs, data.outcomes)
        )
    assert est.p_ > 0
    assert est.result_.exact.steps.at_lowest is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(solver="grid"), 'solver must be "exact"'),
        (dict(prior=2.0), "prior must be left out"),
        (dict(rho=0.1), 'rho must be left out unless noise="flip"'),
        (dict(noise="logistic", solver="exact"), 'needs comparisons with noise="none"'),
        (dict(noise="never"), "noise must be one of"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, message):
    data, weights = world()
    with pytest.raises(wf.InputError, match=message):
        wf.ComparisonClassifier(**{"noise": "none", "weights": weights} | options).fit(data)


def test_reversed_and_random_choices_are_called_so():
    data, weights = world(flips=0.0)
    turned = wf.Comparisons(data.utilities, data.pairs, -data.outcomes)
    with pytest.warns(NotIdentifiedWarning, match="look reversed"):
        wf.ComparisonClassifier(noise="none", weights=weights).fit(turned)


def test_a_fit_survives_pickling():
    data, weights = world()
    est = wf.ComparisonClassifier(noise="flip", weights=weights).fit(data)
    again = pickle.loads(pickle.dumps(est))
    assert again.result_.certificate == est.result_.certificate
    assert again.result_.exact.intervals == est.result_.exact.intervals


# --- learned weights ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
@pytest.mark.parametrize("seed", range(12))
def test_noise_free_decisions_are_all_explained_and_the_truth_is_in_the_set(seed):
    rng = np.random.default_rng(seed)
    p = float(rng.choice([-np.inf, -6.0, -1.0, 0.0, 0.4, 1.0, 3.0, np.inf]))
    data, weights = world(
        seed, people=int(rng.integers(2, 8)), n=int(rng.integers(10, 300)), p=p, flips=0.0
    )
    est = wf.ComparisonClassifier(noise="none").fit(data)
    assert est.loss_ == 0.0
    assert est.score(data) == 1.0
    assert est.result_.certificate.gap == 0.0
    explained = est.result_.exact.explanations
    assert explained.contains(weights, p)
    assert explained.contains(est.weights_, est.p_)
    assert any(low <= p <= high for low, high in explained.power_intervals)
    low, high = explained.weight_ranges
    assert (low <= weights).all()
    assert (weights <= high).all()


def test_flipped_decisions_are_fitted_better_than_by_the_logistic_model():
    data, weights = world(3, people=4, n=250, flips=0.08)
    smooth = wf.ComparisonClassifier().fit(data)
    est = wf.ComparisonClassifier(noise="flip", solver=wf.Exact(time_limit=0.5)).fit(data)
    truth = wf.WelfareFunction(-1.3, weights).compare(
        data.utilities[data.pairs[:, 0]], data.utilities[data.pairs[:, 1]]
    )
    assert est.loss_ <= 1 - smooth.score(data)
    assert est.loss_ <= np.mean(truth != data.outcomes)
    assert est.loss_ == pytest.approx(1 - est.score(data))
    proof = est.result_.certificate
    assert 0 <= proof.lower_bound <= est.loss_
    assert repr(est.result_.exact).startswith("ExactRecord(as good: p in (")


@pytest.mark.filterwarnings("ignore:p is hardly determined")
def test_small_data_with_learned_weights_are_proven_optimal():
    data, _ = world(5, people=2, n=40, flips=0.15, actions=20)
    est = wf.ComparisonClassifier(noise="flip").fit(data)
    assert est.result_.certificate.gap == 0.0
    assert "Proven optimal: branch and bound over p" in est.result_.summary()
    # Two people: scan both numbers.
    best = 1.0
    for p in np.linspace(-8, 8, 41):
        for w in np.linspace(0, 1, 101):
            rule = wf.WelfareFunction(p, [w, 1 - w]).log(data.utilities)
            answers = np.sign(rule[data.pairs[:, 0]] - rule[data.pairs[:, 1]])
            best = min(best, float(np.mean(answers != data.outcomes)))
    assert est.loss_ <= best


def test_groups_and_a_given_power_with_learned_weights():
    data, _ = world(6, people=4, n=120, flips=0.0)
    shared = wf.WelfareFunction(0.5, [0.35, 0.35, 0.15, 0.15])
    outcomes = shared.compare(data.utilities[data.pairs[:, 0]], data.utilities[data.pairs[:, 1]])
    data = wf.Comparisons(data.utilities, data.pairs, outcomes)
    est = wf.ComparisonClassifier(noise="none", groups=["a", "a", "b", "b"], p=0.5).fit(data)
    assert est.loss_ == 0.0
    assert est.p_ == 0.5
    assert est.weights_[0] == est.weights_[1]
    text = est.result_.summary()
    assert "group a" in text
    assert " to " in text


# --- certificates of smooth fits ---------------------------------------------------------------


def test_fits_with_known_weights_carry_a_certificate():
    data, weights = world(7, flips=0.1)
    choices = wf.ComparisonClassifier(weights=weights).fit(data).result_
    assert choices.certificate.gap <= 1e-5 * choices.loss
    utilities = 1000 * data.utilities  # the certificate is in the unit of the scores
    scores = wf.WelfareFunction(0.3, weights)(utilities) * np.linspace(0.9, 1.1, len(utilities))
    fit = wf.WelfareRegressor(weights=weights).fit(utilities, scores).result_
    assert fit.certificate.loss == pytest.approx(fit.loss)
    assert fit.certificate.gap <= 1e-5 * fit.loss
    assert wf.WelfareRegressor().fit(utilities, scores).result_.certificate is None
    again = pickle.loads(pickle.dumps(fit))
    assert again.certificate == fit.certificate


# --- odd data ----------------------------------------------------------------------------------


def test_prediction_and_loss_agree_on_ties():
    X = np.array([[6.0, 7.0, 4.0, 5.0, 6.0, 5.0, 4.0, 7.0], [1.0] * 4 + [2.0] * 4])
    est = wf.ComparisonClassifier(noise="none", weights="equal", p=1).fit(X, [1, -1])
    np.testing.assert_allclose(est.predict_proba(X), [[0.5, 0.5], [1.0, 0.0]])
    assert est.loss_ == pytest.approx(1 - est.score(X, [1, -1]))


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_something_against_nothing():
    data = wf.Comparisons([[0.0, 0.0, 1.0], [2.0, 3.0, 0.0]], [[1, 0]], [1])
    assert wf.ComparisonClassifier(noise="none").fit(data).loss_ == 0.0


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_where_no_rule_says_more_the_plain_one_is_reported():
    data = wf.Comparisons([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]], [[0, 1], [1, 2]], [1, -1])
    est = wf.ComparisonClassifier(noise="none").fit(data)
    assert (est.p_, est.loss_) == (1.0, 0.5)
    assert est.weights_.tolist() == [0.5, 0.5]


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
@pytest.mark.parametrize("unit", [1e-12, 0.1, 0.7, 1e12])
def test_the_unit_of_counts_does_not_matter(unit):
    data, _ = world(8, people=3, n=60, flips=0.2, actions=15)
    scaled = wf.Comparisons(data.utilities, data.pairs, data.outcomes, np.full(60, unit))
    one, other = (
        wf.ComparisonClassifier(noise="none", solver=wf.Exact(time_limit=0)).fit(c)
        for c in (data, scaled)
    )
    assert other.loss_ == pytest.approx(one.loss_, abs=1e-12)


def counted(pairs, counts, outcomes):
    """Counts and leads of pairs as the exact method sees them."""
    data = wf.Comparisons([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0]], pairs, outcomes, counts)
    seen = ZeroOneLoss.of(data.utilities, data.merged, Weighting(2)).pairs
    return seen.count.tolist(), seen.lead.tolist()


def test_counts_are_whole_where_some_unit_makes_them_so():
    for counts, seen in [
        ([1.0, 3.0], [1.0, 3.0]),
        ([0.2, 0.3], [2.0, 3.0]),
        ([1e12, 1.5e12], [2.0, 3.0]),
        ([0.7, np.pi], [0.7, np.pi]),  # no unit does
        ([1.0, 1e-18], [1.0, 1e-18]),  # however rare, it counts
    ]:
        assert counted([[0, 1], [1, 2]], counts, [1, 1]) == (seen, seen)
    # 0.1 + 0.2 is more than 0.3 by rounding only: nobody leads.
    assert counted([[0, 1]] * 3, [0.1, 0.2, 0.3], [1, 1, -1])[1] == [0.0]


def test_comparisons_that_were_never_observed_are_not_held_out():
    data, weights = world(n=40)
    counts = np.where(np.arange(40) < 30, 0, 1)
    data = wf.Comparisons(data.utilities, data.pairs, data.outcomes, counts)
    est = wf.ComparisonClassifier(noise="flip", weights=weights, rho="cross-validation")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        assert 0 <= est.fit(data).rho_ < 0.5


@pytest.mark.parametrize(
    "options", [dict(kernel="fast"), dict(time_limit=-1), dict(time_limit="a")]
)
def test_settings_of_the_exact_solver_are_checked(options):
    with pytest.raises(wf.InputError, match="must be"):
        wf.Exact(**options)


def test_errors_where_none_were_expected_are_said():
    data, weights = world(flips=0.15)
    with pytest.warns(wf.MisfitWarning, match="no rule was found that explains every decision"):
        wf.ComparisonClassifier(noise="none", weights=weights).fit(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wf.ComparisonClassifier(noise="flip", weights=weights).fit(data)


@pytest.mark.parametrize(
    ("weights", "p"), [([1, 2], 1), ([0] * 3, 1), ("x", 1), ([1, 1, 1], "x"), ([1, 1, 1], np.nan)]
)
def test_what_cannot_be_a_rule_is_refused(weights, p):
    data, _ = world(2, people=3, n=30, flips=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        rules = wf.ComparisonClassifier(noise="none").fit(data).result_.exact.explanations
    with pytest.raises(wf.InputError):
        rules.contains(weights, p)


def test_the_loss_at_no_power_is_refused():
    data, weights = world()
    steps = wf.ComparisonClassifier(noise="none", weights=weights).fit(data).result_.exact.steps
    with pytest.raises(wf.InputError, match="p must be a number from -inf up; found nan"):
        steps([0.0, np.nan])


def test_what_is_explained_are_majorities_where_decisions_contradict_each_other():
    table, pairs = [[1.0, 2.0], [3.0, 4.0], [5.0, 1.0]], [[0, 1], [0, 1], [0, 1], [1, 2]]
    for outcomes, words in (
        ([-1, -1, -1, 1], "Every decision is explained"),
        ([-1, -1, -1, 0], "Every decision but the ties is explained"),
        ([-1, -1, 1, 1], "The majority of the decisions on every pair of actions is explained"),
    ):
        estimator = wf.ComparisonClassifier(noise="none")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wf.WelfaristWarning)
            result = estimator.fit(wf.Comparisons(table, pairs, outcomes)).result_
        assert words in " ".join(result.summary().split())


class SlowProgrammes:
    """A clock that stands still but for mixed-integer programmes, none of which ever ends."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)
        monkeypatch.setattr("scipy.optimize.milp", self.run)

    def run(self, *_given, options, **_kept):
        self.now += options["time_limit"]
        return OptimizeResult(status=1, x=None, mip_dual_bound=None)


def test_the_time_limit_bounds_all_programmes_and_is_owned_up_to(monkeypatch):
    rng = np.random.default_rng(8)
    table, pairs = rng.uniform(1, 10, (80, 3)), np.arange(80).reshape(2, -1).T
    decided = wf.Comparisons(table, pairs, rng.choice([-1, 1], 40))
    clock = SlowProgrammes(monkeypatch)
    for p in (None, 0.5):
        begun = clock.now
        solver = wf.Exact(time_limit=2.0)
        est = wf.ComparisonClassifier(noise="none", solver=solver, p=p, random_state=0).fit(decided)
        assert 0 < clock.now - begun <= 2.0 + 0.1  # each programme is given at least a millisecond
        assert "time limit" in est.result_.certificate.method

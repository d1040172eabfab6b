"""Where likelihoods have many optima: the default fit finds the best one that is known.

What is known was found without the library's searches: losses of grids over all powers, weights,
temperatures and flip rates, SciPy's L-BFGS from the best of them, and random moves that are kept
where they do not harm. Starts that agreed missed each of these.
"""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from benchmarks import problems
from tests.solvers.small_problems import small_problem
from welfarist.counting.guide import fewest_errors
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.power_mean.many_means import log_means
from welfarist.losses import Point, loss_of_comparisons
from welfarist.losses.restraint import Restraint
from welfarist.noise.base import ChoiceNoise
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting
from welfarist.solvers.limits import fit_rule

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")

# A difference in mean loss that no user would see.
SAME = 1e-6

BEST_KNOWN = [
    ("logistic", 1006, 0.6348264340798029),  # one person's rule, at a power that was given
    ("logistic", 1042, 0.6903205895544088),
    ("logistic", 1073, 0.43108186794339953),  # a discount on somebody's utility, far out
    ("logistic", 2045, 0.6774161501249233),
    ("logistic", 2165, 0.489933843254535),  # far out on the other side
    ("logistic", 2358, 0.5140765481138585),
    ("lapse", 2013, 0.6224869206570488),  # the fewest errors, all of them slips
    ("lapse", 2025, 0.4396698794013429),
    ("lapse", 2033, 0.17884491271684755),
    ("lapse", 2078, 0.6172417697303416),  # with known weights
    ("lapse", 2094, 0.6700089798274271),  # with everything known but tau and rho
    ("lapse", 2099, 0.6791932659915257),
]


def alone(**options):
    """A learner that minimises the loss of the decisions and nothing beside it."""
    return wf.ComparisonClassifier(random_state=0, small_sample="none", **options)


@pytest.mark.parametrize(("noise", "seed", "best"), BEST_KNOWN)
def test_the_best_optimum_known_is_found(noise, seed, best):
    decided, known = small_problem(seed)
    est = alone(noise=noise, **known).fit(decided)
    assert est.loss_ <= best + SAME
    assert est.converged_


def test_the_profile_of_p_finds_nothing_better():
    decided = problems.comparisons(0, 60, 3, 500, p=-0.8, tau=8).comparisons()
    est = alone().fit(decided)
    assert est.loss_ <= 0.0824467 + SAME
    low, high = est.result_.interval("p")
    assert low <= est.p_ <= high


def test_the_same_seed_finds_the_same_digits():
    decided, known = small_problem(2099)
    fits = [
        wf.ComparisonClassifier(noise="lapse", random_state=3, **known).fit(decided)
        for _ in range(2)
    ]
    assert fits[0].loss_ == fits[1].loss_
    assert fits[0].weights_.tolist() == fits[1].weights_.tolist()


@pytest.mark.parametrize("p", [-300.0, -2.0, 0.0, 1e-5, 1.0, 40.0])
def test_glances_see_the_power_mean(p):
    rng = np.random.default_rng(1)
    table, weights = rng.uniform(1, 10, (4, 30)), rng.dirichlet(np.ones(4), 3)
    seen = log_means(np.log(table), np.log(weights), np.full(3, p))
    expected = [wf.log_power_mean(table.T, p, row) for row in weights]
    assert seen == pytest.approx(np.array(expected), abs=1e-4)  # near 0 it is that of p = 0


class Stubborn(ChoiceNoise):
    """Half of the slips of a lapse model, from the formulas that every model has."""

    name = "stubborn"
    own = LAPSE.own

    def response(self, z, own):
        return LAPSE.response(z, 0.5 * own)


@pytest.mark.parametrize("restraint", [None, Restraint(3)])
@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE, Stubborn()])
def test_glances_see_the_loss(noise, restraint):
    decided, _ = small_problem(2025)
    people = decided.utilities.shape[1]
    loss = loss_of_comparisons(decided, POWER_MEAN, Weighting(people), True, noise, 1e6)
    loss = loss.restrained(restraint)
    rng = np.random.default_rng(2)
    weights, powers = rng.dirichlet(np.ones(people), 5), np.array([-20.0, -1.0, 0.5, 2.0, 50.0])
    extras = np.column_stack([rng.uniform(0, 4, 5), rng.uniform(0, 0.4, (5, len(noise.own)))])
    seen = loss.glance(np.log(weights), powers).losses(extras)
    rules = zip(weights, powers.tolist(), extras, strict=True)
    assert seen == pytest.approx([loss.evaluate(Point(*rule)).value for rule in rules], rel=1e-9)


@pytest.mark.parametrize("restraint", [None, Restraint(3)])
@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE])
def test_glances_see_the_loss_where_somebody_has_nothing(noise, restraint):
    table = [[0.0, 0.0, 4.0], [0.0, 6.0, 7.0], [7.0, 4.0, 0.0], [2.0, 1.0, 4.0]]
    pairs, outcomes = [[1, 0], [3, 0], [1, 2], [3, 2], [1, 3]], [1, 1, 1, -1, -1]
    decided = wf.Comparisons(table, pairs, outcomes)
    loss = loss_of_comparisons(decided, POWER_MEAN, Weighting(3), True, noise, 1e6)
    loss = loss.restrained(restraint)
    weights = np.array([[0.0, 1.0, 0.0], [0.4, 0.6, 0.0], [0.2, 0.3, 0.5]])
    powers, extras = np.full(3, 0.5), np.full((3, 1 + len(noise.own)), 0.25)
    with np.errstate(divide="ignore"):
        glance = loss.glance(np.log(weights), powers)
    assert glance.certain is not None
    rules = zip(weights, powers.tolist(), extras, strict=True)
    expected = [loss.evaluate(Point(*rule)).value for rule in rules]
    assert glance.losses(extras) == pytest.approx(expected, rel=1e-9)


def test_the_fewest_errors_guide_models_of_slips_only():
    decided, _ = small_problem(2025)
    people = decided.utilities.shape[1]
    rng = np.random.default_rng(0)
    plain = loss_of_comparisons(decided, POWER_MEAN, Weighting(people), True, LOGISTIC, 1e6)
    slips = loss_of_comparisons(decided, POWER_MEAN, Weighting(people), True, LAPSE, 1e6)
    assert fewest_errors(plain, rng, None) == []
    starts = fewest_errors(slips, rng, None)
    quick = wf.Exact(time_limit=0.0)
    counted = wf.ComparisonClassifier(noise="none", solver=quick, random_state=0).fit(decided)
    # At the highest temperature the rule is as good as its errors are few.
    rho = counted.loss_
    entropy = -rho * np.log(rho) - (1 - rho) * np.log1p(-rho)
    assert min(slips.evaluate(start).value for start in starts) < entropy + 0.05


def test_a_rule_is_fitted_within_limits_of_its_noise():
    decided, _ = small_problem(2025)
    people = decided.utilities.shape[1]
    loss = loss_of_comparisons(decided, POWER_MEAN, Weighting(people), True, LAPSE, 1e6)
    lower, upper = (end.copy() for end in loss.observed.bounds)
    lower[0] = upper[0] = 0.5
    held = loss.of_decisions(loss.observed.within((lower, upper)))
    found = fit_rule(held, np.full(people, 1 / people), -np.inf, 200, 1e-12)
    assert found.descent.point.extras[0] == 0.5

"""A family of one's own: what follows from its values and first derivatives."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import welfarist as wf
from welfarist.families import (
    ASINH,
    DIFFERENCE,
    LOG,
    Columns,
    Family,
    Parameter,
    PowerMean,
    Welfare,
)
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, loss_of_comparisons, loss_of_scores
from welfarist.noise import LOGISTIC
from welfarist.people.weighting import Weighting

# Central differences with a step of 1e-5, and of 1e-4 twice, relative to the largest entry.
SLOPE, BEND = 1e-6, 1e-4


class KolmPollak(Family):
    """``-(1/alpha) log sum w exp(-alpha u)``, from the power mean's kernel on levels."""

    name = "kolm"
    shape = Parameter("alpha", "aversion alpha", -3.0, 3.0, ASINH)
    starts, more_starts = (0.5, -0.5), (2.0,)
    plain = 0.0
    is_mean = True
    doctrines = (wf.Doctrine("utilitarian", 0.0, "the same gain counts the same"),)

    def welfare(self, people, weights, p):
        mean = people.log_mean(weights, -p)
        return Welfare(mean.value, mean.by_weight, -mean.by_power)

    def bend_by_weights(self, rows, pull, p, extra):
        return (rows * ((extra + p) * pull)) @ rows.T


class LowPowers(PowerMean):
    """Power means searched in a range that is not symmetric."""

    name = "low powers"
    shape = Parameter("p", "power p", -3.0, 1.0, ASINH)
    ratios = False
    plain = None

    def search_range(self, people):
        return self.shape.lowest, self.shape.highest

    def limits(self, people):
        return ()

    def allowed(self, p, people):
        return min(max(p, -3.0), 1.0)

    def shape_of(self, p, has_zeros):
        return Family.shape_of(self, p, has_zeros)


RNG = np.random.default_rng(4)
TABLE = RNG.uniform(1, 10, (60, 3))
WEIGHTS = np.array([0.5, 0.3, 0.2])
VALUE = KolmPollak().rule(0.5, WEIGHTS).value(TABLE)
SCORES = VALUE + RNG.normal(0, 0.2, 60)
PAIRS = wf.simulate.random_pairs(60, 900, random_state=4)
MARGIN = 2.0 * (VALUE[PAIRS[:, 0]] - VALUE[PAIRS[:, 1]])
CHOICES = wf.Comparisons(TABLE, PAIRS, RNG.random(900) < 1 / (1 + np.exp(-MARGIN)))


def losses():
    from welfarist.decisions import Scores

    scores, free, family = Scores.of(TABLE, SCORES), Weighting(3), KolmPollak()
    return {
        "scores": loss_of_scores(scores, family, free, True, False),
        "scores with a scale": loss_of_scores(scores, family, free, True, True),
        "comparisons": loss_of_comparisons(CHOICES, family, free, True, LOGISTIC, 1e6),
    }


@pytest.mark.parametrize("name", losses())
def test_derivatives_of_the_loss_agree_with_differences(name):
    loss = losses()[name]
    start = np.array([0.0, 0.0, 0.0, np.arcsinh(0.4), *[0.2] * len(loss.parameters)])

    def point(x):
        return Point(WEIGHTS * (1.0 + x[:3]), float(np.sinh(x[3])), x[4:])

    def value(x):
        return loss.evaluate(point(x)).value

    moves = np.eye(len(start))[3:]
    moves = np.vstack([moves, [0.3, -0.5, *[0.0] * (len(start) - 2)]])  # which keeps the sum
    moves = np.vstack([moves, [0.0, 0.2, -0.3, *[0.0] * (len(start) - 3)]])
    here = loss.evaluate(point(start))
    h = 1e-5
    slopes = [(value(start + h * m) - value(start - h * m)) / (2 * h) for m in moves]
    assert moves @ here.gradient() == pytest.approx(slopes, abs=SLOPE * np.abs(slopes).max())
    hessian = moves @ (here.model().curvature + here.remainder()) @ moves.T
    h = 1e-4
    bends = [
        [
            value(start + h * (a + b))
            - value(start + h * (a - b))
            - value(start - h * (a - b))
            + value(start - h * (a + b))
            for b in moves
        ]
        for a in moves
    ]
    expected = np.array(bends) / (4 * h * h)
    assert hessian == pytest.approx(expected, abs=BEND * np.abs(expected).max())


def test_the_truth_is_found_from_choices_and_from_scores():
    for est in (
        wf.ComparisonClassifier(family=KolmPollak()).fit(CHOICES),
        wf.WelfareRegressor(family=KolmPollak()).fit(TABLE, SCORES),
        wf.WelfareRegressor(family=KolmPollak(), scale=True).fit(TABLE, 3 * SCORES),
    ):
        low, high = est.result_.interval("alpha")
        assert low < 0.5 < high
        ends = est.result_.interval("weights")
        assert ((ends[:, 0] < WEIGHTS) & (ends[:, 1] > WEIGHTS)).all()
        assert est.result_.test("utilitarian").p_value < 0.01
        assert est.result_.param_names[0] == "alpha"


def test_rules_of_a_family_judge_actions():
    rule = KolmPollak().rule(0.5, [5, 3, 2], ["a", "b", "c"])
    plain = -np.log(np.exp(-0.5 * TABLE) @ WEIGHTS) / 0.5
    assert rule(TABLE) == pytest.approx(plain, rel=1e-12)
    assert rule(TABLE + 7.0) == pytest.approx(plain + 7.0, rel=1e-12)
    assert rule.rank(TABLE).tolist() == np.argsort(-plain, kind="stable").tolist()
    assert rule.compare(TABLE[0], TABLE[0]) == 0
    assert rule.compare(TABLE, TABLE + 1).tolist() == [-1] * 60
    assert rule.shares(TABLE).sum(axis=1) == pytest.approx(np.ones(60))
    assert rule.family.level == DIFFERENCE
    with pytest.raises(wf.InputError, match="one entry per person"):
        rule([1.0, 2.0])
    with pytest.raises(wf.InputError, match=r"negative|at least 0"):
        rule([1.0, -2.0, 3.0])


def test_a_family_and_its_fits_are_cloned_pickled_and_compared():
    est = wf.ComparisonClassifier(family=KolmPollak())
    assert clone(est).family == est.family
    fitted = est.fit(CHOICES)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.p_ == fitted.p_
    assert again.with_data(CHOICES).result_.interval("alpha") == fitted.result_.interval("alpha")
    side = wf.compare([fitted, "utilitarian", wf.ComparisonClassifier()], folds=None)
    assert side.rows[1].p == 0.0
    assert side.rows[0].inequality_aversion is None
    assert side.best("bic") == (side.rows[0].name,)
    with pytest.raises(wf.InputError, match="utilitarian"):
        wf.compare([fitted, "Nash"])


def test_ranges_that_are_not_symmetric_are_kept():
    given = wf.ComparisonClassifier(family=LowPowers(), p=-2.0).fit(CHOICES)
    assert given.p_ == -2.0
    learned = wf.ComparisonClassifier(family=LowPowers()).fit(CHOICES)
    assert -3.0 < learned.p_ < 1.0
    assert not learned.result_.caveats
    same = wf.ComparisonClassifier().fit(CHOICES)
    assert learned.p_ == pytest.approx(same.p_, abs=1e-6)


def test_a_parameter_at_the_end_of_its_range_is_said():
    class Narrow(KolmPollak):
        shape = Parameter("alpha", "aversion alpha", 0.0, 0.2, ASINH)
        starts, more_starts, plain = (0.1, 0.05), (0.15,), None

    with pytest.warns(wf.SearchRangeWarning, match="alpha reached the end of its range, 0.2"):
        est = wf.ComparisonClassifier(family=Narrow()).fit(CHOICES)
    assert est.result_.on_edge == ("alpha",)


def test_what_is_known_of_power_means_only_is_refused_before_any_work():
    for options in (dict(solver="grid"), dict(solver="two_stage"), dict(noise="none")):
        with pytest.raises(wf.InputError, match='family="kolm"'):
            wf.ComparisonClassifier(family=KolmPollak(), **options).fit(CHOICES)
    result = wf.ComparisonClassifier(family=KolmPollak(), weights="equal").fit(CHOICES).result_
    assert result.certificate is None
    with pytest.raises(wf.InputError, match="no code"):
        wf.save_model(result, "nowhere.json")
    with pytest.raises(wf.InputError, match="family must be"):
        wf.ComparisonClassifier(family="gini").fit(CHOICES)
    with pytest.raises(wf.InputError, match="from -3 to 3"):
        wf.ComparisonClassifier(family=KolmPollak(), p=5.0).fit(CHOICES)


def test_columns_of_a_family_on_the_kernel():
    class Needs(PowerMean):
        name = "needs"

        def columns(self, utilities):
            return Columns.of_logs(np.log(utilities - 0.5))

    est = wf.ComparisonClassifier(family=Needs()).fit(CHOICES)
    moved = wf.Comparisons(TABLE - 0.5, PAIRS, CHOICES.outcomes)
    plain = wf.ComparisonClassifier().fit(moved)
    assert est.p_ == pytest.approx(plain.p_, rel=1e-9)
    assert est.family != POWER_MEAN


class Spread(Family):
    """The mean less a penalty on the variance; the penalty is positive and has no largest value."""

    name = "spread"
    shape = Parameter("k", "penalty k", 0.0, np.inf, LOG)
    starts, more_starts = (0.1, 0.5), (1.0,)

    def welfare(self, people, weights, p):
        mean = weights @ people.table
        away = people.table - mean
        spread = weights @ away**2
        return Welfare(mean - p * spread, people.table - p * away**2, -spread)


@pytest.mark.parametrize("shape", [Spread.shape, Parameter("k", "penalty k")])
def test_ranges_without_end_or_from_nothing_on(shape):
    family = Spread()
    family.shape = shape
    result = wf.ComparisonClassifier(family=family, weights="equal").fit(CHOICES).result_
    assert not result.caveats
    low, high = result.interval("k")
    assert low < result.p < high < 1.0
    assert "penalty k" in result.summary()
    assert result.misfit().checks
    at_an_edge = shape.lowest == 0.0
    assert bool(result.tvalues.mask[0]) == at_an_edge  # where a ratio to 0 says nothing


def test_somebody_who_does_not_count_need_not_be_in_the_domain():
    class Needs(PowerMean):
        name = "needs"

        def columns(self, utilities):
            return Columns.of_logs(np.log(utilities - 0.9))

    table = np.column_stack([TABLE, np.full(60, 0.5)])
    data = wf.Comparisons(table, PAIRS, CHOICES.outcomes)
    known = [0.5, 0.3, 0.2, 0.0]
    est = wf.ComparisonClassifier(family=Needs(), weights=known).fit(data)
    alone = wf.ComparisonClassifier(family=Needs(), weights=known[:3]).fit(CHOICES)
    assert est.p_ == pytest.approx(alone.p_, rel=1e-6)

"""Numbers of every size have an answer in numbers, or a refusal in words."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf

RNG = np.random.default_rng(2)
TABLE = RNG.uniform(1.0, 10.0, (25, 2))
FIRST = RNG.integers(25, size=60)
PAIRS = np.column_stack([FIRST, (FIRST + RNG.integers(1, 25, size=60)) % 25])
WELFARE = wf.WelfareFunction(-1, [0.6, 0.4])(TABLE)
OUTCOMES = np.where(RNG.random(60) < 0.15, -1, 1) * np.sign(
    WELFARE[PAIRS[:, 0]] - WELFARE[PAIRS[:, 1]]
).astype(int)
SCORES = WELFARE * RNG.uniform(0.8, 1.2, 25)

# Powers of two change no digit of a utility, and units of other sizes the last one.
UNITS = [2.0**-990, 2.0**-100, 2.0**100, 2.0**990, 1e-300, 1e155, 1e300]
_LAST_DIGITS = 1e-6

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("noise", ["logistic", "lapse", "flip"])
def test_the_unit_of_utility_does_not_matter_to_comparisons(noise, unit):
    solver = wf.Exact(time_limit=0) if noise == "flip" else "newton"
    plain, other = (
        wf.ComparisonClassifier(noise=noise, solver=solver, weights="equal").fit(
            wf.Comparisons(table, PAIRS, OUTCOMES)
        )
        for table in (TABLE, TABLE * unit)
    )
    assert other.loss_ == pytest.approx(plain.loss_, rel=_LAST_DIGITS)
    assert other.p_ == pytest.approx(plain.p_, rel=1e-4)


@pytest.mark.parametrize("unit", UNITS)
def test_scores_on_a_scale_of_their_own_have_any_utilities(unit):
    plain = wf.WelfareRegressor(scale=True).fit(TABLE, SCORES)
    other = wf.WelfareRegressor(scale=True).fit(TABLE * unit, SCORES)
    assert other.loss_ == pytest.approx(plain.loss_, rel=_LAST_DIGITS)
    assert other.p_ == pytest.approx(plain.p_, rel=1e-4)
    assert other.scale_ * unit == pytest.approx(plain.scale_, rel=1e-4)
    assert other.predict(TABLE * unit) == pytest.approx(plain.predict(TABLE), rel=1e-4)


@pytest.mark.parametrize("unit", [1e-139, 1e-60, 1e60, 1e138])
def test_scores_and_utilities_of_one_unit(unit):
    plain = wf.WelfareRegressor().fit(TABLE, SCORES)
    other = wf.WelfareRegressor().fit(TABLE * unit, SCORES * unit)
    assert other.loss_ / unit / unit == pytest.approx(plain.loss_, rel=_LAST_DIGITS)
    assert other.p_ == pytest.approx(plain.p_, rel=1e-4)
    result = other.result_
    assert np.isfinite([result.llf, result.aic, result.r_squared, *result.bse]).all()
    assert "R squared" in str(result.summary())


REFUSED = {
    "scores that have no squares": (TABLE, SCORES * 1e200, {}, r"between 1e-140 and 1e\+140"),
    "scores next to nothing": (TABLE, SCORES * 1e-322, {}, r"found .*e-32.* at row"),
    "the same on their own scale": (TABLE, SCORES * 1e-322, {"scale": True}, "another unit"),
    "utilities far above scores": (TABLE * 1e120, SCORES, {}, r"at row 0, column 0.*scale=True"),
    "utilities without squares": (TABLE * 1e155, SCORES * 1e100, {}, "utilities must be at most"),
    "no number is the scale": (TABLE * 1e-300, SCORES * 1e130, {"scale": True}, r"10\^430"),
    "a shift beyond numbers": (TABLE * 1e307, SCORES, {"shift": 1.5e308}, "too large for that"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_no_number_is_refused_in_words(name):
    table, scores, options, said = REFUSED[name]
    with pytest.raises(wf.InputError, match=said):
        wf.WelfareRegressor(**options).fit(table, scores)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_counts_of_an_absurd_size_are_refused(size):
    with pytest.raises(wf.InputError, match=r"counts must be of a usual size.*at row"):
        wf.Comparisons(TABLE, PAIRS, OUTCOMES, counts=size * (1.0 + np.arange(60) % 2))


@pytest.mark.parametrize("noise", ["logistic", "lapse", "none", "flip"])
def test_counts_up_to_a_thousand_million_million(noise):
    counts = np.where(np.arange(60) % 7 == 0, 0.0, 1e15)
    solver = wf.Exact(time_limit=0) if noise in ("none", "flip") else "newton"
    options = dict(weights=[0.6, 0.4], small_sample="none")
    learner = wf.ComparisonClassifier(noise=noise, solver=solver, **options)
    many = learner.fit(wf.Comparisons(TABLE, PAIRS, OUTCOMES, counts)).loss_
    once = learner.fit(wf.Comparisons(TABLE, PAIRS, OUTCOMES, counts / 1e15)).loss_
    assert many == pytest.approx(once, rel=1e-9)


def test_only_ties_that_were_observed_are_refused():
    counts = np.zeros(60)
    counts[:5] = 1.0
    outcomes = OUTCOMES.copy()
    outcomes[:5] = 0
    with pytest.raises(wf.InputError, match="nothing but ties where counts are above 0"):
        wf.Comparisons(TABLE, PAIRS, outcomes, counts)
    part = wf.Comparisons(TABLE, PAIRS, outcomes)[:5]
    for noise in ("logistic", "lapse", "none", "flip"):
        est = wf.ComparisonClassifier(noise=noise).fit(part)
        assert np.isfinite([est.loss_, est.rho_]).all()


@pytest.mark.parametrize("noise", ["none", "flip"])
def test_something_against_nothing_is_counted(noise):
    table = [[0, 0, 9.7], [0, 6.9, 7.2], [7.7, 4.9, 0], [0, 0, 4.2]]
    decided = wf.Comparisons(table, [[1, 3], [0, 2]], [1, -1])
    est = wf.ComparisonClassifier(noise=noise).fit(decided)
    assert est.loss_ == 0
    assert est.score(decided) == 1
    assert est.result_.exact.explanations.contains(est.weights_, est.p_)


@pytest.mark.parametrize("noise", ["logistic", "lapse", "none"])
def test_one_table_may_hold_numbers_of_all_sizes(noise):
    """No warning but our own leaves the fit: warnings are errors here."""
    table = 10.0 ** np.random.default_rng(7).uniform(-300, 300, (12, 3))
    pairs = np.column_stack([np.arange(12), (np.arange(12) + 5) % 12])
    decided = wf.Comparisons(table, pairs, np.where(np.arange(12) % 3, 1, -1))
    est = wf.ComparisonClassifier(noise=noise).fit(decided)
    assert np.isfinite(est.loss_)
    assert est.weights_.sum() == pytest.approx(1.0)

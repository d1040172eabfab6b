"""What a fit can be asked is answered for every family, or carries the reason why not."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import welfarist as wf
from welfarist.families import AdditiveFamily, OwnCurvesFamily

RNG = np.random.default_rng(11)
TABLE = RNG.uniform(1.0, 10.0, (80, 3))
PAIRS = wf.simulate.random_pairs(80, 600, random_state=11)
VALUE = 7.0 * wf.WelfareFunction(-0.5, [0.5, 0.3, 0.2]).log(TABLE)
FIRST = RNG.random(600) < 1.0 / (1.0 + np.exp(VALUE[PAIRS[:, 1]] - VALUE[PAIRS[:, 0]]))
DECIDED = wf.Comparisons(TABLE, PAIRS, FIRST, by=np.repeat(np.arange(20), 30))
FAMILIES = {
    "kolm": {"family": "kolm"},
    "rank": {"family": "rank", "p": 1.0},
    "rank power": {"family": "rank"},
    "nested": {"family": "nested", "groups": [0, 0, 1]},
    "additive": {"family": AdditiveFamily(2), "n_starts": 2},
    "additive own": {"family": OwnCurvesFamily(2)},
}

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")


@pytest.fixture(scope="module", params=list(FAMILIES))
def fit(request):
    return wf.ComparisonClassifier(**FAMILIES[request.param]).fit(DECIDED)


def test_intervals_and_tests(fit):
    """By Wald: profiles of so many numbers take seconds, and have tests of their own."""
    result = fit.result_
    known = {result.family.shape.name: result.p, "tau": result.extras["tau"]}
    known |= result.family.own_values()
    for name in [one for one in known if not (one == "p" and "p" in result.given)]:
        try:
            low, high = result.interval(name, method="wald", covariance="clustered")
        except wf.InputError as reason:
            assert "range ends" in str(reason)  # noqa: PT017 - an answer as good as another
        else:
            assert low <= known[name] <= high
    if not result.family.own and "p" not in result.given:
        assert np.isfinite(result.profile().deviance).any()
    assert 0.0 <= result.test(weights="equal").p_value <= 1.0


def test_checks(fit):
    result = fit.result_
    assert 0.0 <= result.calibration().gap < 0.2
    assert result.misfit().verdict
    assert len(str(result.surprises())) > 10
    assert all(one.p_value is not None or one.reason for one in result.axioms())


def test_resamples_files_and_pickles(fit, tmp_path):
    result = fit.result_
    assert "resamples" in str(result.bootstrap(resamples=4, random_state=0))
    wf.save_model(fit, tmp_path / "model.json")
    assert wf.load_model(tmp_path / "model.json").welfare == fit.welfare_
    assert pickle.loads(pickle.dumps(fit)).welfare_ == fit.welfare_
    assert result.to_dict()["family"] == result.family.name


def test_several_decision_makers_or_why_not(fit):
    if fit.result_.family.own:
        with pytest.raises(wf.InputError, match="weights, one shape and noise"):
            wf.Types(fit, n_types=2, population=False).fit(DECIDED)
    else:
        found = wf.Types(fit, n_types=2, population=False, n_starts=1).fit(DECIDED)
        assert len(found.types_) == 2

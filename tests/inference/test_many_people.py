"""Standard errors of many people: as those of few, without a covariance of all with all."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from welfarist.inference import covariance

# Sums in another order.
ROUNDING = 1e-10


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    utilities = rng.uniform(1, 10, (200, 6))
    rule = wf.WelfareFunction(-0.5, [0.1, 0.1, 0.2, 0.2, 0.2, 0.2])
    pairs = rng.permuted(np.tile(np.arange(200), (500, 1)), axis=1)[:, :2]
    margins = rule.log(utilities[pairs[:, 0]]) - rule.log(utilities[pairs[:, 1]])
    outcomes = np.sign(margins + rng.logistic(scale=0.1, size=500))
    decisions = wf.Comparisons(utilities, pairs, outcomes, by=np.arange(500) % 50)
    return wf.ComparisonClassifier(groups=list("aabbbb")).fit(decisions).result_


@pytest.mark.parametrize("kind", ["fisher", "robust", "clustered"])
def test_variances_are_the_diagonal_of_the_covariance(result, kind, monkeypatch):
    whole = result.cov_params(kind).diagonal()
    monkeypatch.setattr(covariance, "_WHOLE_MATRIX", 1)
    found = covariance.variances_of(result.likelihood, kind)
    np.testing.assert_allclose(found, whole, rtol=ROUNDING, atol=0)


def test_a_summary_forms_no_covariance_of_many(result, monkeypatch):
    before = result.summary(method="wald").to_frame()
    fresh = result.with_covariance("robust").with_covariance("clustered")
    monkeypatch.setattr(covariance, "_WHOLE_MATRIX", 1)
    monkeypatch.setattr(covariance, "_covariance", None)  # a call would fail
    after = fresh.summary(method="wald").to_frame()
    for column in ("standard_error", "low", "high"):
        np.testing.assert_allclose(after[column], before[column], rtol=ROUNDING)

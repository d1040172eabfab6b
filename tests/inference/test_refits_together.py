"""Many fits at once against one at a time."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.inference.refits import refit
from welfarist.inference.refits_together import can_be_together_fitted, refits_together
from welfarist.inference.resampling import resampling_of

# Relative difference in loss between two searches of a smooth optimum.
SAME = 1e-11
# Of a standard error: what a loss that close leaves of the estimates.
OF_AN_ERROR = 2e-3


def fitted(sparse=5.0, **options):
    problem = problems.comparisons(5, 60, 3, 20_000, sparse=sparse)
    return wf.ComparisonClassifier(**options).fit(problem.comparisons()).result_


def samples_of(likelihood, times=40):
    resampling = resampling_of(likelihood, "decisions")
    return [resampling.draw(np.random.default_rng((1, i))) for i in range(times)]


@pytest.mark.parametrize("groups", [None, ["a", "b", "a"]])
def test_fits_are_those_of_one_at_a_time(groups):
    result = fitted(groups=groups)
    likelihood, errors = result.likelihood, result.bse
    assert can_be_together_fitted(likelihood)
    samples = samples_of(likelihood)
    together = refits_together(likelihood, samples)
    assert sum(found is not None for found in together) > len(samples) / 2
    for sample, found in zip(samples, together, strict=True):
        if found is None:
            continue
        alone = refit(likelihood, likelihood.loss.of_decisions(sample))
        assert found.value == pytest.approx(alone.value, rel=SAME)
        one, other = (likelihood.estimates_at(fit.point, fit.weights) for fit in (found, alone))
        assert (np.abs(one - other) <= OF_AN_ERROR * errors).all()


def test_digits_do_not_depend_on_company():
    likelihood = fitted().likelihood
    samples = samples_of(likelihood, 12)
    together = refits_together(likelihood, samples)
    for i in (0, 5, 11):
        (alone,) = refits_together(likelihood, samples[i : i + 1])
        assert (alone is None) == (together[i] is None)
        if alone is not None:
            assert alone.point.p == pytest.approx(together[i].point.p, rel=1e-12)


def test_other_kinds_of_fits_are_left_alone():
    assert not can_be_together_fitted(fitted(noise="lapse").likelihood)
    assert not can_be_together_fitted(fitted(weights="equal").likelihood)
    assert not can_be_together_fitted(fitted(p=-1).likelihood)

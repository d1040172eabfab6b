"""What was worked out about a fit is kept with it: nobody does the same work twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import welfarist as wf
from welfarist.checks import of_comparisons
from welfarist.inference import profile
from welfarist.results import statistics

RNG = np.random.default_rng(8)
TABLE = RNG.uniform(1, 10, (60, 3))
PAIRS = wf.simulate.random_pairs(60, 400, random_state=8)
VALUE = wf.log_power_mean(TABLE, -1, [0.5, 0.3, 0.2])
FIRST = RNG.random(400) < 1 / (1 + np.exp(-5 * (VALUE[PAIRS[:, 0]] - VALUE[PAIRS[:, 1]])))
DECISIONS = wf.Comparisons(TABLE, PAIRS, FIRST)


@pytest.fixture
def work(monkeypatch):
    """How often each piece of work is begun."""
    done = Counter()

    def count(module, name):
        original = getattr(module, name)

        def counted(*args, **options):
            done[name] += 1
            return original(*args, **options)

        monkeypatch.setattr(module, name, counted)

    count(statistics, "estimates")
    count(of_comparisons, "misfit_of")
    count(profile, "descend")
    return done


def test_a_summary_its_checks_and_a_report_share_their_work(work, tmp_path):
    result = wf.ComparisonClassifier().fit(DECISIONS).result_
    result.summary()
    result.misfit()
    before = work["descend"]
    result.report(tmp_path / "report.html")
    assert work["estimates"] == 1
    assert work["misfit_of"] == 1
    # What is left for the report are the curve of p and tests, not the intervals once more.
    again = work["descend"]
    result.report(tmp_path / "report.html")
    result.summary()
    assert before > 0
    assert work["descend"] == again


def test_other_standard_errors_share_what_does_not_depend_on_them(work):
    result = wf.ComparisonClassifier().fit(DECISIONS).result_
    result.summary()
    robust = result.with_covariance("robust")
    robust.misfit()
    result.misfit()
    assert work["misfit_of"] == 1
    assert robust.likelihood is result.likelihood


def test_what_is_handed_out_cannot_change_what_is_kept():
    result = wf.ComparisonClassifier().fit(DECISIONS).result_
    for answer in (
        result.cov_params(),
        result.params,
        result.conf_int(),
        result.interval("weights"),
    ):
        before = answer.copy()
        answer[:] = 0.0
        assert before.any()
    assert result.cov_params().any()
    assert result.params.any()
    assert result.conf_int().any()
    assert result.interval("weights").any()


def test_another_point_is_another_likelihood():
    """A likelihood that is changed has worked nothing out."""
    result = wf.ComparisonClassifier().fit(DECISIONS).result_
    result.summary()
    moved = replace(result.likelihood, point=replace(result.likelihood.point, p=0.5))
    assert not moved._known
    assert result.likelihood._known

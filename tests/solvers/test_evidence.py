"""What starts say about optima that none of them saw."""

import numpy as np
import pytest
from scipy.special import gammaln

import welfarist as wf
from welfarist.solvers.evidence import SearchEvidence

# Sums to 200,000 optima leave out next to nothing where starts are six more than optima.
_SUMMED = 1e-6


@pytest.mark.parametrize(("starts", "optima"), [(12, 1), (12, 3), (30, 8), (20, 12)])
def test_missed_is_what_the_posterior_says(starts, optima):
    """Boender and Rinnooy Kan's posterior of the number of optima, summed up."""
    values = np.concatenate([np.arange(1.0, optima + 1), np.ones(starts - optima)])
    k = np.arange(optima, 200_000, dtype=float)
    log = gammaln(k) + gammaln(k + 1) - gammaln(k - optima + 1) - gammaln(starts + k)
    chance = np.exp(log - log.max())
    chance /= chance.sum()
    found = SearchEvidence.of(values)
    assert (found.starts, found.optima, found.hits) == (starts, optima, starts - optima + 1)
    assert found.missed == pytest.approx(1 - chance @ (optima / k), abs=_SUMMED)


def test_few_starts_say_nothing():
    """Two that agree, or as many optima as starts."""
    for values in ([0.5, 0.5], [0.5, 0.6, 0.7], [np.inf]):
        assert SearchEvidence.of(np.array(values)).missed is None


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")  # of noise that is fitted
def test_results_say_how_hard_was_searched():
    """In the record, the dictionary and the summary."""
    rng = np.random.default_rng(0)
    table, scores = rng.uniform(1, 9, (20, 5)), rng.uniform(3, 7, 20)
    low, high = (
        wf.WelfareRegressor(scale=True, effort=effort).fit(table, scores)
        for effort in ("low", "high")
    )
    assert high.loss_ <= low.loss_ * (1 + 1e-12)
    assert high.result_.search.starts > low.result_.search.starts
    assert high.result_.to_dict()["search"]["effort"] == "high"
    assert "optim" in high.result_.search.in_words()


def test_unknown_efforts_are_refused():
    """With what there is."""
    with pytest.raises(wf.InputError, match='effort must be one of "low", "auto", "high"'):
        wf.WelfareRegressor(effort="most").fit([[1.0, 2.0], [2.0, 1.0]], [1.0, 2.0])

"""Few pairs are worked on as a table, many as a graph: both give the same derivatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import problems, rivals
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, graph, loss_of_comparisons
from welfarist.losses.restraint import Restraint
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting

# Sums of some hundred terms, taken in another order.
ROUNDING = 1e-12


def loss_of(problem, noise):
    people = Weighting(problem.utilities.shape[1])
    return loss_of_comparisons(problem.comparisons(), POWER_MEAN, people, True, noise, 1e6)


@pytest.mark.parametrize("charged", [False, True])
@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE])
def test_few_pairs_have_the_derivatives_of_many(noise, charged, monkeypatch):
    loss = loss_of(problems.comparisons(1, 30, 4), noise)
    if charged:
        loss = loss.restrained(Restraint(4))
    weights = np.array([0.4, 0.3, 0.3, 0.0])
    point = Point(weights, -1.5, np.array([1.2, 0.05][: len(loss.parameters)]))
    found = []
    for largest in (graph._SMALL, 0):
        monkeypatch.setattr(graph, "_SMALL", largest)
        here = loss.evaluate_exactly(point)
        model = here.model()
        found.append((model.gradient, model.curvature, here.remainder()))
    for few, many in zip(*found, strict=True):
        assert few == pytest.approx(many, rel=ROUNDING, abs=ROUNDING)


def test_the_charged_loss_is_that_of_formulas_written_independently():
    problem = problems.comparisons(2, 20, 3)
    loss = loss_of(problem, LOGISTIC).restrained(Restraint(3))
    objective = rivals.charged_objective(problem.utilities, problem.pairs, problem.outcomes, 3)
    rng = np.random.default_rng(0)
    for p, log_tau in ((-1.5, 2.0), (3.0, 1.0), (0.4, 7.5)):
        weights = rng.dirichlet(np.ones(3))
        point = Point(weights, p, np.array([log_tau]))
        value, by_weight, by_power, by_tau = objective(weights, p, log_tau)
        gradient = loss.evaluate(point).gradient()
        assert loss.evaluate(point).value == pytest.approx(value, rel=ROUNDING)
        assert gradient[3] == pytest.approx(by_power * np.hypot(1.0, p), rel=1e-9)
        assert gradient[4] == pytest.approx(by_tau, rel=1e-9, abs=1e-12)
        # Up to what all weights gain alike, which the sum of the weights makes immaterial.
        left = gradient[:3] / weights - by_weight
        assert left == pytest.approx(np.full(3, left.mean()), abs=1e-9)


def test_a_graph_with_other_counts_reads_the_same_pairs():
    loss = loss_of(problems.comparisons(3, 12, 2), LOGISTIC)
    pairs = loss.observed.graph.pairs
    other = loss.observed.graph.with_counts(2.0 * pairs.count, pairs.lead)
    values = np.arange(float(other.actions)) ** 2
    assert other.differences(values).tolist() == loss.observed.graph.differences(values).tolist()
    assert replace(pairs, count=2.0 * pairs.count).total == other.pairs.total

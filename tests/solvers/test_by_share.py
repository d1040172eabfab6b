"""The first start by way of a share against the same start without one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import welfarist as wf
from benchmarks import problems
from welfarist.losses import DecisionEvaluation, Point
from welfarist.solvers.by_share import descend_by_share
from welfarist.solvers.descent import descend, uncertainty_of_power

PEOPLE, ACTIONS = 160, 6600
# What a step on faith may leave of the loss, relative to it.
LEFT = 1e-9


def loss_of(people, actions, scale=False):
    problem = problems.scores(1, actions, people, p=0.5, noise=0.05)
    learner = wf.WelfareRegressor(scale=scale, n_starts=1, max_iter=1)
    with pytest.warns(wf.WelfaristWarning):
        return learner.fit(problem.utilities, problem.scores).result_.likelihood.loss


@pytest.fixture(scope="module", params=[False, True])
def loss(request):
    return loss_of(PEOPLE, ACTIONS, request.param)


def start_of(loss):
    weights = loss.weighting.start()
    return Point(weights, 1.0, loss.starting_extras(weights, 1.0))


def test_it_leads_where_the_start_leads(loss):
    options = {"max_iter": 200, "tolerance": 1e-12}
    found = descend_by_share(loss, start_of(loss), **options)
    plain = descend(loss, start_of(loss), **options)
    assert found is not None
    assert found.converged
    assert found.value == pytest.approx(plain.value, rel=LEFT)
    assert found.value == pytest.approx(loss.evaluate(found.point).value, rel=LEFT)
    doubts = [uncertainty_of_power(loss, path, ACTIONS) for path in (found, plain)]
    assert doubts[0] == pytest.approx(doubts[1], rel=0.01)


def test_few_people_and_few_decisions_take_no_detour(loss):
    options = {"max_iter": 200, "tolerance": 1e-12}
    few = loss.share(0.3, np.random.default_rng(0))
    assert descend_by_share(few, start_of(few), **options) is None


def test_gradients_without_rows_and_rough_hessians(loss):
    point = replace(start_of(loss), p=0.3)
    here = loss.evaluate(point)
    assert isinstance(here, DecisionEvaluation)
    model, hessian = here.rough_model(bent=True)
    assert here.gradient() == pytest.approx(model.gradient, rel=1e-9, abs=1e-12)
    exact = model.curvature + loss.evaluate(point).remainder()
    k = loss.weighting.free
    assert hessian[k:] == pytest.approx(exact[k:], rel=1e-9, abs=1e-12)
    assert hessian[:k, :k] == pytest.approx(model.curvature[:k, :k])

"""Who belongs to which type: against another program's multinomial logit, and on edges."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from welfarist.deciders.membership import Membership

# What the small ridge that keeps coefficients finite, and the other program's tolerance, leave.
SAME_FIT = 1e-4
STEP, SLOPES = 1e-5, 1e-7


def example(people=300, types=3, seed=0):
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(people), rng.normal(size=(people, 2))])
    gamma = rng.normal(size=(types, 3))
    odds = np.exp(design @ gamma.T)
    chances = odds / odds.sum(axis=1, keepdims=True)
    kind = np.array([rng.choice(types, p=row) for row in chances])
    return design, kind


def test_coefficients_are_those_of_a_multinomial_logit():
    design, kind = example()
    found = Membership.even(design, 3).fitted(np.eye(3)[kind])
    other = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(design[:, 1:], kind)
    slopes, constants = other.coef_ - other.coef_[-1], other.intercept_ - other.intercept_[-1]
    assert found.gamma[:, 1:] == pytest.approx(slopes, abs=SAME_FIT)
    assert found.gamma[:, 0] == pytest.approx(constants, abs=SAME_FIT)
    assert found.chances() == pytest.approx(other.predict_proba(design[:, 1:]), abs=SAME_FIT)


def test_memberships_that_are_shared_count_in_parts():
    # Half of a person in each of two types is two people of half the weight.
    design, _ = example(types=2)
    rng = np.random.default_rng(5)
    belongs = rng.dirichlet([1.0, 1.0], len(design))
    found = Membership.even(design, 2).fitted(belongs)
    twice = np.vstack([design, design])[:, 1:]
    other = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    other.fit(twice, np.repeat([0, 1], len(design)), belongs.T.reshape(-1))
    assert found.gamma[0, 1:] == pytest.approx(-other.coef_[0], abs=SAME_FIT)


def test_shares_without_covariates_are_means():
    belongs = np.random.default_rng(0).dirichlet([1.0, 2.0, 3.0], 50)
    found = Membership.even(np.ones((50, 1)), 3).fitted(belongs)
    assert found.shares == pytest.approx(belongs.mean(axis=0), abs=1e-12)  # rounding


@pytest.mark.parametrize("nobody", [0, 1, 2])
@pytest.mark.parametrize("covariates", [False, True])
def test_a_type_that_nobody_belongs_to_has_next_to_no_share(nobody, covariates):
    design, kind = example()
    design = design if covariates else design[:, :1]
    kind = np.where(kind == nobody, (nobody + 1) % 3, kind)
    found = Membership.even(design, 3).fitted(np.eye(3)[kind])
    assert np.isfinite(found.gamma).all()
    assert found.shares[nobody] < 1e-6
    assert found.shares.sum() == pytest.approx(1.0)


def test_a_column_that_tells_types_apart_leaves_numbers():
    column = np.linspace(-1.0, 1.0, 40)
    design = np.column_stack([np.ones(40), column])
    found = Membership.even(design, 2).fitted(np.eye(2)[(column > 0).astype(int)])
    assert np.isfinite(found.gamma).all()
    right = found.chances()[np.arange(40), (column > 0).astype(int)]
    assert right.min() > 0.9


def test_scores_and_information_are_derivatives():
    design, _ = example()
    belongs = np.random.default_rng(1).dirichlet([1.0, 1.0, 1.0], len(design))
    gamma = np.array([[0.3, -0.5, 0.2], [0.1, 0.4, -0.3], [0.0, 0.0, 0.0]])
    here = Membership(design, gamma)

    def value(step):
        return (belongs * here.moved(step).log_chances()).sum(axis=1)

    scores, information = here.scores(belongs), here.information()
    for i, step in enumerate(STEP * np.eye(len(here.free))):
        slope = (value(step) - value(-step)) / (2 * STEP)
        assert scores[:, i] == pytest.approx(slope, abs=SLOPES)
        ends = [here.moved(way * step).scores(belongs).sum(axis=0) for way in (-1, 1)]
        bent = (ends[0] - ends[1]) / (2 * STEP)
        assert information[i] == pytest.approx(bent, abs=SLOPES * len(design))
        ends = [here.moved(way * step).shares for way in (-1, 1)]
        moved = (ends[1] - ends[0]) / (2 * STEP)
        assert here.shares_by_free()[:, i] == pytest.approx(moved, abs=SLOPES)


def test_another_order_is_the_same_membership():
    design, kind = example()
    found = Membership.even(design, 3).fitted(np.eye(3)[kind])
    turned = found.in_order(np.array([2, 0, 1]))
    assert turned.chances() == pytest.approx(found.chances()[:, [2, 0, 1]], abs=1e-12)  # rounding
    assert turned.gamma[-1].tolist() == [0.0, 0.0, 0.0]

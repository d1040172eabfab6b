"""Decisions that are let in little by little are the same decisions in the end."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import welfarist as wf
from tests.asking.worlds import comparisons
from welfarist.asking.arrivals import Arrivals, next_stop
from welfarist.asking.cloud import Cloud, Target
from welfarist.asking.evidence import Evidence, evidence_of

PRIOR = wf.Prior()
LINE = PRIOR.coordinates(3, ties=False)


def both(seed=0) -> Evidence:
    """Comparisons, some of them repeated, and menus of three."""
    decided = comparisons(3, 30, seed=seed)
    repeated = wf.Comparisons(
        decided.utilities, decided.pairs, decided.outcomes, counts=np.arange(1, 31) % 4 + 1
    )
    menus = [[0, 1, 2], [3, 4, 5], [2, 5, 7], [0, 1, 2]]
    chosen = wf.Choices(decided.utilities, menus, [1, 3, 7, 0])
    return evidence_of(repeated).plus(evidence_of(chosen))


@pytest.fixture(scope="module")
def cloud() -> Cloud:
    target = Target(PRIOR, LINE, Evidence.none(3))
    return Cloud.from_prior(target, 300, np.random.default_rng(1))


def said(evidence: Evidence, cloud: Cloud):
    rules = LINE.rules(cloud.theta)
    welfares = evidence.outcomes.log_welfare(rules.weights, rules.powers)
    return evidence.log_likelihood(welfares, rules, False)


def test_parts_add_up_to_all(cloud):
    whole = both()
    arrivals = Arrivals(whole, np.random.default_rng(2))
    assert arrivals.total == whole.total
    stops = [0.0, 0.3, 7.25, 40.0, arrivals.total]
    parts = [said(arrivals.between(a, b), cloud) for a, b in pairwise(stops)]
    assert np.allclose(sum(parts), said(whole, cloud))
    for a, b in pairwise(stops):
        assert arrivals.between(a, b).total == pytest.approx(b - a)


def test_so_far_knows_only_actions_it_is_about(cloud):
    arrivals = Arrivals(both(), np.random.default_rng(2))
    part = arrivals.so_far(5.5)
    assert len(part.outcomes) < len(both().outcomes)
    assert np.allclose(said(part, cloud), said(arrivals.between(0.0, 5.5), cloud))


def test_order_does_not_depend_on_numbers_of_actions(cloud):
    decided = comparisons(3, 30)
    turn = np.random.default_rng(5).permutation(len(decided.utilities))
    other = wf.Comparisons(
        decided.utilities[turn], np.argsort(turn)[decided.pairs][::-1], decided.outcomes[::-1]
    )
    one, two = (
        Arrivals(evidence_of(x), np.random.default_rng(2)).so_far(9.5) for x in (decided, other)
    )
    assert np.allclose(said(one, cloud), said(two, cloud))


@pytest.mark.parametrize("width", [0.01, 1.0, 50.0])
def test_as_many_are_let_in_as_leave_enough(cloud, width):
    arrivals = Arrivals(both(), np.random.default_rng(2))

    def gains(to):
        return said(arrivals.between(0.0, to), cloud)

    stop, weighted = next_stop(cloud, gains, 0.0, arrivals.total, width, 0.5)
    assert 0.0 < stop < arrivals.total
    assert weighted.effective >= 0.5 * len(cloud)
    beyond = cloud.reweighted(gains(1.02 * stop))  # found within a thousandth of the width
    assert beyond.effective < 0.5 * len(cloud)


def test_the_first_is_let_in_in_part_where_it_takes_nearly_all(cloud):
    def gains(to):
        return np.where(np.arange(len(cloud)) < 3, 0.0, -1e6 * to)

    stop, weighted = next_stop(cloud, gains, 0.0, 2.0, 1.0, 0.5)
    assert 0.0 < stop < 2.0 / 500
    assert np.isfinite(weighted.log_weights[:3]).all()

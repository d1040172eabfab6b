"""Axioms as tests: each is rejected where it fails, and kept where it holds."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf

RNG = np.random.default_rng(21)
TABLE = RNG.uniform(1.0, 10.0, (200, 4))
PAIRS = wf.simulate.random_pairs(200, 1000, random_state=21)
WEIGHTS = [0.4, 0.3, 0.2, 0.1]


def asked(value, tau, **options):
    apart = tau * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])
    first = np.random.default_rng(3).random(1000) < 1.0 / (1.0 + np.exp(-apart))
    made = wf.Comparisons(TABLE, PAIRS, first)
    result = wf.ComparisonClassifier(**options).fit(made).result_
    return result.axioms(), made


RATIOS = asked(wf.WelfareFunction(-0.5, WEIGHTS).log(TABLE), 8.0)[0]
GAPS = asked(wf.families.KolmPollak(0.8, WEIGHTS)(TABLE), 3.0, family="kolm")[0]


def test_ratios_and_differences_reject_one_another():
    assert not RATIOS["scale invariance"].rejected
    assert RATIOS["translation invariance"].p_value < 1e-4
    assert GAPS["scale invariance"].p_value < 1e-4
    assert not GAPS["translation invariance"].rejected
    assert not RATIOS["separability"].rejected
    assert RATIOS["anonymity"].p_value < 1e-6
    assert not RATIOS["transfer"].rejected
    assert "translation invariance" in RATIOS.verdict
    assert len(RATIOS.to_frame()) == len(RATIOS.to_dict()) == len(RATIOS) == 6


def test_places_are_not_separable_and_spite_is_no_pareto():
    places, _ = asked(wf.families.RankDependent([0.7, 0.1, 0.1, 0.1])(TABLE), 4.0, p=1)
    assert places["separability"].p_value < 1e-4
    assert "given" in places["transfer"].reason
    spite, made = asked(TABLE @ [0.6, 0.4, 0.2, -0.3], 2.0)
    assert spite["Pareto"].p_value < 1e-6
    worst = spite["Pareto"].loudest[0]
    # Who speaks loudest has refused a gain of the person that nobody minds to harm.
    chosen, other = PAIRS[worst] if made.outcomes[worst] > 0 else PAIRS[worst][::-1]
    assert TABLE[chosen, 3] < TABLE[other, 3]


def test_gains_of_the_rich_are_no_transfer():
    found, _ = asked(wf.WelfareFunction(3.0, WEIGHTS).log(TABLE), 10.0)
    assert found["transfer"].p_value < 1e-4


def test_what_cannot_be_tested_says_why():
    rank, _ = asked(wf.families.RankDependent(WEIGHTS)(TABLE), 4.0, family="rank")
    assert "by construction" in rank["anonymity"].reason
    sums = TABLE.sum(axis=1)
    made = wf.Comparisons(TABLE, PAIRS, np.sign(sums[PAIRS[:, 0]] - sums[PAIRS[:, 1]]))
    counted = wf.ComparisonClassifier(noise="flip", p=1, weights="equal").fit(made).result_
    assert counted.axioms().verdict == "No axiom could be tested."
    with pytest.raises(wf.InputError, match="an axiom must be"):
        RATIOS["envy"]

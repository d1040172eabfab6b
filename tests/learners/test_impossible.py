"""Nothing chosen in the place of something: refused, or explained by a slip, never hidden."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.special import xlogy

import welfarist as wf

RNG = np.random.default_rng(3)
ACTIONS = RNG.uniform(1.0, 10.0, (40, 2))
ACTIONS[0] = 0.0
FIRST = RNG.integers(40, size=300)
SECOND = (FIRST + RNG.integers(1, 40, size=300)) % 40
PAIRS = np.column_stack([FIRST, SECOND])
NAMES = ["do nothing", *(f"plan {i}" for i in range(1, 40))]


def decided_about(table, pairs):
    """Which of two actions was chosen, something always before nothing."""
    rng = np.random.default_rng(len(pairs))
    welfare = wf.WelfareFunction(0.5, [0.6, 0.4])(table)[pairs] ** 14.0
    chance = welfare[:, 0] / np.maximum(welfare.sum(axis=1), 1e-300)
    return np.where(rng.random(len(pairs)) < chance, 1, -1)


OUTCOMES = decided_about(ACTIONS, PAIRS)
ABOUT_NOTHING = np.flatnonzero((PAIRS == 0).any(axis=1))
SLIP = int(ABOUT_NOTHING[2])
ONE_SLIP = OUTCOMES * np.where(np.arange(300) == SLIP, -1, 1)

# A slip in 300 decisions moves what the others say by much less than a standard error.
_UNMOVED = 0.03
_ROUNDING = 1e-9

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")


def test_a_choice_of_nothing_is_refused_and_named():
    decided = wf.Comparisons(ACTIONS, PAIRS, ONE_SLIP, names=NAMES)
    with pytest.raises(wf.ImpossibleDecisionsError) as refused:
        wf.ComparisonClassifier().fit(decided)
    message = str(refused.value)
    other = NAMES[int(PAIRS[SLIP][PAIRS[SLIP] != 0][0])]
    assert f"'do nothing' over '{other}' at row {SLIP}" in message
    assert "found 1 of 300" in message
    assert all(advice in message for advice in ("Leave", "shift=1", 'noise="lapse"'))
    assert list(refused.value.rows) == [SLIP]
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == message
    assert list(again.rows) == [SLIP]


def test_what_is_advised_leads_somewhere():
    honest = wf.ComparisonClassifier().fit(wf.Comparisons(ACTIONS, PAIRS, OUTCOMES))
    assert 8 < honest.tau_ < 25
    decided = wf.Comparisons(ACTIONS, PAIRS, ONE_SLIP)
    kept = wf.ComparisonClassifier().fit(decided[np.arange(300) != SLIP])
    lapse = wf.ComparisonClassifier(noise="lapse").fit(decided)
    shifted = wf.ComparisonClassifier(shift=1.0).fit(decided)
    for est in (kept, lapse, shifted):
        assert est.converged_
        np.testing.assert_allclose(est.weights_, honest.weights_, atol=_UNMOVED)
        assert (est.predict_proba(decided) > 0).all() or est is kept
    assert 0 < lapse.rho_ < 0.02


@pytest.mark.parametrize("outcome", [-1, 0])
def test_a_tie_with_nothing_is_as_impossible(outcome):
    decided = wf.Comparisons(
        [[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]], [[1, 0], [1, 2], [2, 1]], [outcome, 1, -1]
    )
    with pytest.raises(wf.ImpossibleDecisionsError, match="over" if outcome else "as good as"):
        wf.ComparisonClassifier().fit(decided)
    not_observed = wf.Comparisons(
        decided.utilities, decided.pairs, decided.outcomes, counts=[0, 2, 1]
    )
    assert np.isfinite(wf.ComparisonClassifier().fit(not_observed).loss_)


def test_who_counts_decides_what_is_nothing():
    table, pairs = [[0.0, 5.0], [3.0, 1.0], [2.0, 2.0]], [[0, 1], [1, 2], [2, 0]]
    decided = wf.Comparisons(table, pairs, [1, 1, 1])
    assert np.isfinite(wf.ComparisonClassifier().fit(decided).loss_)
    assert np.isfinite(wf.ComparisonClassifier(weights="equal").fit(decided).loss_)
    with pytest.raises(wf.ImpossibleDecisionsError, match="action 0 over action 1 at row 0"):
        wf.ComparisonClassifier(weights=[1, 0]).fit(decided)


@pytest.mark.parametrize(
    ("p", "solver"), [(None, "newton"), (2.0, "newton"), (np.inf, "newton"), (None, "two_stage")]
)
def test_rules_under_which_a_decision_is_impossible_are_avoided(p, solver):
    # Person 0 alone explains nearly all; but what only person 1 gets was chosen once.
    rng = np.random.default_rng(0)
    table = np.vstack([rng.uniform(1, 10, (30, 2)), [[0.0, 9.0], [1.0, 0.0]]])
    pairs = rng.permuted(np.tile(np.arange(30), (200, 1)), axis=1)[:, :2]
    outcomes = np.sign(table[pairs[:, 0], 0] - table[pairs[:, 1], 0])
    decided = wf.Comparisons(table, [*pairs, [30, 31]], [*outcomes, 1])
    est = wf.ComparisonClassifier(p=p, solver=solver, random_state=0).fit(decided)
    assert np.isfinite(est.loss_)
    assert est.weights_[1] > 0
    assert _of_those_made(est, decided).min() > 0


def _of_those_made(est, decided):
    """How likely each decision that was made is, by the learner's own account."""
    likely = est.predict_proba(decided)
    return np.where(decided.outcomes > 0, likely[:, 1], likely[:, 0])


def test_impossible_decisions_beside_powers_that_zeros_exclude():
    decided = wf.Comparisons(ACTIONS, PAIRS, ONE_SLIP)
    with pytest.raises(wf.ZerosError):
        wf.ComparisonClassifier(p="Nash").fit(decided)
    table = wf.shift_table(wf.ComparisonClassifier(weights="equal"), decided, shifts=[0.0, 1.0])
    assert [row.p is None for row in table.rows] == [True, False]
    with pytest.raises(wf.ImpossibleDecisionsError):
        wf.compare(["utilitarian", wf.ComparisonClassifier()], decided, folds=None)


def test_a_null_that_makes_a_decision_impossible_is_rejected():
    rng = np.random.default_rng(0)
    table = np.vstack([rng.uniform(1, 10, (30, 2)), [[0.0, 9.0], [1.0, 0.0]]])
    pairs = rng.permuted(np.tile(np.arange(30), (120, 1)), axis=1)[:, :2]
    margin = np.log(table[pairs] @ [0.7, 0.3]) @ [8.0, -8.0]
    outcomes = np.where(rng.random(120) < 1 / (1 + np.exp(-margin)), 1, -1)
    decided = wf.Comparisons(table, [*pairs, [30, 31]], [*outcomes, 1])
    est = wf.ComparisonClassifier().fit(decided)
    test = est.result_.test(weights=[1, 0], resamples=9)
    assert (test.statistic, test.p_value) == (np.inf, 0.0)
    assert "impossible under the null" in str(test)
    assert np.isfinite(est.result_.test(weights="equal").statistic)
    lone = wf.WelfareFunction(1, [1.0, 0.0])
    compared = wf.compare({"learned": est, "alone": lone, "sum": "utilitarian"}, folds=None)
    assert "Left out alone, under which a decision was made that is impossible" in str(compared)
    assert [row["name"] for row in compared.to_dict()["rows"]] == ["learned", "sum"]


# The loss is that of the learner's own predictions.

TABLES = {
    "ordinary": RNG.uniform(1.0, 10.0, (40, 2)),
    "zeros": np.where(RNG.random((40, 2)) < 0.2, 0.0, RNG.uniform(1.0, 10.0, (40, 2))),
    "nothing": ACTIONS,
    "nothing, at random": ACTIONS.copy(),
}
FEW = 80


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "options",
    [
        dict(),
        dict(noise="lapse"),
        dict(noise="none", solver=wf.Exact(time_limit=0)),
        dict(noise="flip", solver=wf.Exact(time_limit=0)),
        dict(noise="flip", rho=0.1, weights="equal"),
        dict(weights=[0.5, 0.5]),
        dict(p=np.inf),
        dict(prior=2.0),
        dict(shift=0.5),
        dict(solver="two_stage", random_state=0),
    ],
    ids=str,
)
def test_the_loss_of_comparisons_is_that_of_predict_proba(options, table):
    utilities, pairs = TABLES[table], PAIRS[:FEW]
    outcomes, worth = decided_about(utilities, pairs), utilities.any(axis=1)[pairs]
    outcomes[(np.arange(FEW) % 20 == 7) & worth.all(axis=1)] = 0
    about_nothing = np.flatnonzero(worth[:, 0] != worth[:, 1])
    if "random" in table:  # so that tau is small, and only nothing is certain
        outcomes[worth.all(axis=1)] = np.where(np.arange(worth.all(axis=1).sum()) % 2, 1, -1)
    if "noise" in options:  # so that slips are possible
        outcomes[about_nothing[:1]] *= -1
    counts = 1.0 + np.arange(FEW) % 3
    decided = wf.Comparisons(utilities, pairs, outcomes, counts)
    est = wf.ComparisonClassifier(**options).fit(decided)
    unlikely, likely = est.predict_proba(decided).T
    first = 0.5 + 0.5 * outcomes
    if est.tau_ < np.inf:
        lost = -xlogy(first, likely) - xlogy(1.0 - first, unlikely)
    else:  # errors are counted, and flips are the same whatever the case
        better = np.where(likely == 0.5, 0.5, likely > 0.5)
        lost = first * (1.0 - better) + (1.0 - first) * better
    assert est.loss_ == pytest.approx(counts @ lost / counts.sum(), abs=_ROUNDING)


@pytest.mark.parametrize(
    "options", [dict(), dict(scale=True), dict(p=np.inf), dict(shift=0.5), dict(prior=2.0)], ids=str
)
@pytest.mark.parametrize("table", TABLES)
def test_the_loss_of_scores_is_that_of_predict(options, table):
    utilities, counts = TABLES[table], 1.0 + np.arange(40) % 3
    scores = utilities @ [0.7, 0.3] + np.sin(np.arange(40))
    est = wf.WelfareRegressor(**options).fit(utilities, scores, counts)
    errors = np.square(est.predict(utilities) - scores)
    assert est.loss_ == pytest.approx(counts @ errors / counts.sum(), rel=_ROUNDING)

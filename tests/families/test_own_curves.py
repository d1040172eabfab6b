"""Rules with a curve for each person: derivatives, one optimum, pieces and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import welfarist as wf
from welfarist.families import AdditiveFamily, OwnCurvesFamily
from welfarist.families.additive.curve import risen
from welfarist.losses import Point, loss_of_comparisons
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting

# Rounding; central differences; two solvers' optima; what a box of e^16 to one keeps away.
SAME, SLOPE, BEND, OPTIMUM, BOX = 1e-13, 1e-9, 1e-6, 1e-6, 0.02
RNG = np.random.default_rng(5)
TABLE = RNG.uniform([1.0, -4.0, 0.0], [10.0, 4.0, 100.0], (200, 3))
PAIRS = wf.simulate.random_pairs(200, 2000, random_state=5)


def decisions(table=TABLE, tau=12.0):
    curves = [np.log(table[:, 0]) / 2.3, 1 / (1 + np.exp(-2 * table[:, 1])), table[:, 2] / 100]
    value = np.array([0.5, 0.3, 0.2]) @ np.array(curves)
    chance = 1.0 / (1.0 + np.exp(-tau * (value[PAIRS[:, 0]] - value[PAIRS[:, 1]])))
    first = np.random.default_rng(2).random(2000) < chance
    return wf.Comparisons(table, PAIRS, first, least=-np.inf)


DECIDED = decisions()


def test_derivatives_agree_with_differences():
    family = OwnCurvesFamily(3).suited_to(TABLE)
    loss = loss_of_comparisons(DECIDED, family, Weighting(3), True, LOGISTIC, 1e6)
    own = np.random.default_rng(1).normal(0.0, 0.7, len(family.own))
    here = Point(np.array([0.5, 0.3, 0.2]), 1.2, np.append(own, 2.0))
    moves = np.eye(3 + 1 + len(here.extras))
    moves[:3, :3] -= here.weights[:, None]

    def at(move):
        weights = here.weights * (1.0 + move[:3])
        return loss.evaluate(Point(weights, here.p + move[3], here.extras + move[4:]))

    evaluation, h = loss.evaluate(here), 1e-5
    slopes = [(at(h * m).value - at(-h * m).value) / (2 * h) for m in moves]
    assert moves @ evaluation.gradient() == pytest.approx(slopes, abs=SLOPE)
    hessian = moves @ (evaluation.model().curvature + evaluation.remainder()) @ moves.T
    bends = [moves @ (at(h * m).gradient() - at(-h * m).gradient()) / (2 * h) for m in moves[3:]]
    assert hessian[3:] == pytest.approx(np.array(bends), abs=BEND)


@pytest.mark.parametrize("pieces", [2, 4])
def test_the_optimum_is_that_of_another_solver_on_columns(pieces):
    """Sums of integrals of hats with positive weights, by bounded quasi-Newton steps."""
    found = wf.ComparisonClassifier(family=OwnCurvesFamily(pieces), small_sample="none")
    result = found.fit(DECIDED).result_
    basis = np.concatenate(
        [risen(u, np.quantile(u, np.linspace(0, 1, pieces + 1))) for u in TABLE.T]
    )
    basis /= basis.std(axis=1, keepdims=True)
    apart = (basis[:, PAIRS[:, 0]] - basis[:, PAIRS[:, 1]]).T * DECIDED.outcomes[:, None]

    def loss(shares):
        z = apart @ shares
        return np.logaddexp(0.0, -z).sum(), -apart.T @ (1.0 / (1.0 + np.exp(z)))

    count = len(basis)
    other = minimize(
        loss, np.full(count, 0.1), jac=True, bounds=[(0, None)] * count, method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 9000, "ftol": 1e-15, "gtol": 1e-8},
    )  # fmt: skip
    assert -other.fun - OPTIMUM * count < result.llf + BOX
    assert result.llf <= -other.fun + OPTIMUM * count
    assert len(result.start_values) == 1


def test_curves_are_found_chosen_drawn_and_saved(tmp_path):
    fit = wf.ComparisonClassifier(family="additive own").fit(DECIDED)
    result, family = fit.result_, fit.result_.family
    assert family.pieces == 4  # the logistic curve bends
    assert "the number with the lowest BIC" in " ".join(c.message for c in result.caveats)
    ends = [[u.min(), u.max()] for u in TABLE.T]
    worth = [family.marginal(one, result.p, person) for person, one in enumerate(ends)]
    assert worth[0][0] > 2.0 * worth[0][1]
    assert family.marginal([0.0], result.p, 1)[0] > 1.5 > 0.7 > max(worth[1])
    axes = wf.plots.unit_worth(fit)
    assert len(axes.get_lines()) == 4
    wf.save_model(fit, tmp_path / "own.json")
    assert wf.load_model(tmp_path / "own.json").welfare == fit.welfare_
    shares, h = fit.welfare_.shares(TABLE[3]), 1e-5
    gains = [
        fit.welfare_.value(TABLE[3] + h * e) - fit.welfare_.value(TABLE[3] - h * e)
        for e in np.eye(3)
    ]
    assert shares == pytest.approx(np.array(gains) / np.sum(gains), abs=1e-6)


def test_without_bends_it_is_a_weighted_mean_of_spans():
    family = OwnCurvesFamily(2).suited_to(TABLE)
    spans = (TABLE - TABLE.min(axis=0)) / np.ptp(TABLE, axis=0)
    assert family.rule(0.0, [0.5, 0.3, 0.2]).value(TABLE) == pytest.approx(
        spans @ [0.5, 0.3, 0.2], rel=SAME
    )


def test_few_levels_make_stiff_curves_and_one_level_is_refused():
    yes_no = TABLE.copy()
    yes_no[:, 1] = yes_no[:, 1] > 0
    fit = wf.ComparisonClassifier(family="additive own").fit(decisions(yes_no))
    assert fit.result_.family.straight == (1,)
    assert "fall 2" not in fit.result_.extras
    same = TABLE.copy()
    same[:, 2] = 7.0
    with pytest.raises(wf.InputError, match="found the same in every action for person 3"):
        wf.ComparisonClassifier(family="additive own").fit(decisions(same))
    with pytest.raises(wf.InputError, match="between which every curve is a straight line"):
        wf.ComparisonClassifier(family="additive own").fit(decisions(1.0 + (TABLE > 3)))
    with pytest.raises(wf.InputError, match="three different utilities"):
        wf.ComparisonClassifier(family="additive").fit(decisions(1.0 + (TABLE > 3)))
    with pytest.raises(wf.InputError, match="comparisons or choices"):
        wf.WelfareRegressor(family="additive own").fit(TABLE, TABLE[:, 0])


def test_pieces_that_were_given_are_not_chosen():
    result = wf.ComparisonClassifier(family=AdditiveFamily(2), n_starts=2).fit(DECIDED).result_
    assert result.family.pieces == 2
    assert result.family.chosen == ""

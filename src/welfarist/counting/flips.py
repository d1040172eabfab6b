"""Flipped decisions: the corrected risk, and how often decisions are flipped.

Each comparison is reported wrongly with probability rho < 1/2, however clear it is
[PSPS24, Sec. 4]. The 0-1 loss of what was reported is then too high; the unbiased estimate of the
loss without flips is (after Natarajan et al., 2013)

    l~(t, y) = ((1 - rho) l(t, y) - rho l(t, -y)) / (1 - 2 rho).

The 0-1 loss has l(t, -y) = 1 - l(t, y), ties included, so that l~ = (l - rho) / (1 - 2 rho): an
affine function that rises with l. **The rule that minimises it is the same for every rho**; only
the risk that is reported changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions import Comparisons
from welfarist.decisions.merged_pairs import pair_keys
from welfarist.families.rule import WelfareFunction
from welfarist.noise.choices import LARGEST_RHO
from welfarist.people.weighting import Weighting


@dataclass(frozen=True)
class HeldOutErrors:
    """Errors on decisions that were not fitted.

    Attributes
    ----------
    rho : float
        The share of errors among held-out decisions, at most 0.49.
    standard_error : float
        Of that share, taking decisions as independent.
    fold_errors : (folds,) array
        The share in each fold.
    """

    rho: float
    standard_error: float
    fold_errors: FloatArray


def corrected_risk(raw: float, rho: float) -> float:
    """Return the unbiased estimate of the 0-1 risk without flips, from the raw one.

    It can be negative where chance left fewer errors than flips were expected.

    Examples
    --------
    >>> round(corrected_risk(0.28, rho=0.2), 3)  # 8 percentage points above the flips
    0.133
    """
    return (raw - rho) / (1.0 - 2.0 * rho)


def rho_from_error_rate(comparisons: Comparisons, value: float) -> float:
    """Return the share of errors of a fitted rule whose mean 0-1 loss is `value`, at most 0.49.

    Ties, which are half errors under every rule, are no evidence of flips and are left out; where
    there is nothing else, as in a part of some decisions, it is 0. The fitted rule explains some
    flips away, so that this is too small in small samples: by about the number of learned
    parameters over the number of decisions.
    """
    errors, decided = _errors(comparisons, value)
    return float(min(errors / decided, LARGEST_RHO)) if decided else 0.0


def rho_by_cross_validation(
    comparisons: Comparisons,
    fit: Callable[[Comparisons], WelfareFunction],
    *,
    folds: int = 5,
    rng: np.random.Generator,
) -> HeldOutErrors:
    """Return the share of errors on decisions that were held out, as the paper suggests.

    All decisions on the same two actions are held out together. The fitted rule is not the true
    one, so that this is too large in small samples, where the error rate is too small: the truth
    lies between the two as a rule.

    Parameters
    ----------
    comparisons : Comparisons
    fit : callable
        Learns a rule from some of the comparisons.
    folds : int
        In how many parts the decisions are held out.
    rng : Generator
        Draws the parts.
    """
    comparisons = comparisons[comparisons.counts > 0]
    one, other = comparisons.pairs[:, 0], comparisons.pairs[:, 1]
    keys = pair_keys(one, other, comparisons.actions)
    _, pair = np.unique(keys, return_inverse=True)
    different = int(pair.max()) + 1
    if not 2 <= folds <= different:
        raise InputError(
            "cross-validation must have at least 2 folds and no more than there are different "
            f"pairs of actions; found {folds} folds and {different} pairs. Give rho, or estimate "
            'it by the "error rate".'
        )
    fold = rng.permutation(np.arange(different) % folds)[pair.reshape(-1)]
    errors, decided = np.zeros(folds), np.zeros(folds)
    for held_out in range(folds):
        if not comparisons.outcomes[fold == held_out].any():
            continue  # nothing but ties
        rule = fit(comparisons[fold != held_out])
        part = comparisons[fold == held_out]
        people = part.people
        weights = np.full(people, 1.0 / people) if rule.weights is None else rule.weights
        loss = ZeroOneLoss.of(part.utilities, part.merged, Weighting(people, fixed=weights))
        errors[held_out], decided[held_out] = _errors(part, loss.value(weights, rule.p))
    share = float(errors.sum() / decided.sum())
    spread = float(np.sqrt(share * (1.0 - share) / decided.sum()))
    return HeldOutErrors(min(share, LARGEST_RHO), spread, errors / np.maximum(decided, 1.0))


def _errors(comparisons: Comparisons, value: float) -> tuple[float, float]:
    """How many decisions a rule of mean loss `value` gets wrong, of how many that are no ties."""
    total = float(comparisons.counts.sum())
    ties = float(comparisons.counts[comparisons.outcomes == 0].sum())
    return max(value * total - ties / 2.0, 0.0), total - ties

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
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions import Comparisons
from welfarist.decisions.merged_pairs import pair_keys
from welfarist.families.rule import WelfareFunction
from welfarist.noise.choices import LARGEST_RHO
from welfarist.people.weighting import Weighting

Flags = npt.NDArray[np.bool_]


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


def corrected_risk(raw: float, rho: float, exposure: float = 1.0) -> float:
    """Return the unbiased estimate of the 0-1 risk without flips, from the raw one.

    `exposure` is how many errors a flip rate of one would make on average: 1 for comparisons, more
    for menus of more than two. The risk can be negative where chance left fewer errors than flips
    were expected.

    Examples
    --------
    >>> round(corrected_risk(0.28, rho=0.2), 3)  # 8 percentage points above the flips
    0.133
    """
    return (raw - rho * exposure) / (1.0 - 2.0 * rho)


@dataclass(frozen=True)
class Judged:
    """How a rule does on decisions.

    Attributes
    ----------
    errors, decided : float
        How many are wrong, of how many; those left out that are no evidence of flips.
    exposed : float
        How many errors flips of probability one would make: for comparisons as many as decided.
    """

    errors: float
    decided: float
    exposed: float


def share_of_errors(judged: Judged) -> float:
    """Return the flip rate that explains errors, at most 0.49; 0 where nothing was decided."""
    return float(min(judged.errors / judged.exposed, LARGEST_RHO)) if judged.exposed else 0.0


def rho_from_error_rate(comparisons: Comparisons, value: float) -> float:
    """Return the share of errors of a fitted rule whose mean 0-1 loss is `value`, at most 0.49.

    Ties, which are half errors under every rule, are no evidence of flips and are left out; where
    there is nothing else, as in a part of some decisions, it is 0. The fitted rule explains some
    flips away, so that this is too small in small samples: by about the number of learned
    parameters over the number of decisions.
    """
    return share_of_errors(_judged(comparisons, value))


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

    def judge(learned: Flags, held_out: Flags) -> Judged:
        if not comparisons.outcomes[held_out].any():
            return Judged(0.0, 0.0, 0.0)  # nothing but ties
        rule = fit(comparisons[learned])
        part = comparisons[held_out]
        people = part.people
        weights = np.full(people, 1.0 / people) if rule.weights is None else rule.weights
        loss = ZeroOneLoss.of(part.utilities, part.merged, Weighting(people, fixed=weights))
        return _judged(part, loss.value(weights, rule.p))

    return held_out_errors(keys, "pairs of actions", judge, folds, rng)


def held_out_errors(
    unit: npt.NDArray[np.integer],
    called: str,
    judge: Callable[[Flags, Flags], Judged],
    folds: int,
    rng: np.random.Generator,
) -> HeldOutErrors:
    """Hold out decisions in parts, and see what a rule learned from the others makes of them.

    Parameters
    ----------
    unit : (n,) array of int
        Decisions of the same number are held out together.
    called : str
        What these units are, in words.
    judge : callable
        Given which decisions (n,) to learn from and which are held out, judges the latter.
    folds : int
    rng : Generator
        Draws the parts.
    """
    number = np.unique(unit, return_inverse=True)[1].reshape(-1)
    different = int(number.max()) + 1
    if not 2 <= folds <= different:
        raise InputError(
            "cross-validation must have at least 2 folds and no more than there are different "
            f"{called}; found {folds} folds and {different} {called.split()[0]}. Give rho, or "
            'estimate it by the "error rate".'
        )
    fold = rng.permutation(np.arange(different) % folds)[number]
    found = [judge(fold != part, fold == part) for part in range(folds)]
    errors, decided, exposed = np.array([(f.errors, f.decided, f.exposed) for f in found]).T
    wrong, scale = float(errors.sum() / decided.sum()), float(decided.sum() / exposed.sum())
    spread = scale * float(np.sqrt(wrong * (1.0 - wrong) / decided.sum()))
    shares = np.where(decided > 0, errors / np.where(decided > 0, exposed, 1.0), 0.0)
    return HeldOutErrors(min(wrong * scale, LARGEST_RHO), spread, shares)


def _judged(comparisons: Comparisons, value: float) -> Judged:
    """How many decisions a rule of mean loss `value` gets wrong, of how many that are no ties."""
    total = float(comparisons.counts.sum())
    ties = float(comparisons.counts[comparisons.outcomes == 0].sum())
    return Judged(max(value * total - ties / 2.0, 0.0), total - ties, total - ties)

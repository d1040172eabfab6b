"""How much worse than the best rule the learned one can be: the paper's excess-risk bounds.

Each holds with probability 1 - delta over the n decisions, for the rule that minimises the loss on
them (empirical risk minimisation) and for every distribution they may come from.

The printed constants are kept where they are on the safe side. They were compared with what the
proofs give by the textbook theorems they quote; each docstring says how the two differ.
"""

from __future__ import annotations

import math

from welfarist.bounds.capacity import (
    log_range,
    normalised_rademacher,
    rademacher_comparisons,
    rademacher_scores,
    vc_dimension_upper,
)
from welfarist.bounds.parameters import (
    COVERING_CONSTANT,
    Weights,
    check_delta,
    check_positive,
    check_range,
    check_rho,
    check_samples,
)


def excess_risk_of_scores(
    n: float,
    d: int,
    weights: Weights,
    u_min: float,
    u_max: float,
    delta: float = 0.05,
    c: float = COVERING_CONSTANT,
) -> float:
    """Bound the excess squared error after learning from scores [PSPS24, Thm 3.2].

    Formula: ``16 xi (sqrt((2 log 2 + k log n) / n) + c / sqrt(n)) + 6 sqrt(log(4 / delta) / 2n)``
    with ``xi = u_max (u_max - u_min)``, and ``k = 2`` for known weights, ``k = 16 (d log2 d + 1)``
    for unknown ones.

    Computed as printed. The last term is that of losses within [0, 1]; squared errors reach
    ``(u_max - u_min)^2``, which ought to multiply it. The first term makes up for that: the
    proof's 16 is twice what uniform convergence needs, and its half is the larger of the two as
    soon as ``(2 n)^7 >= 4 / delta``. (The sketch of the proof calls 2 xi a Lipschitz constant; it
    is ``2 (u_max - u_min)``, and u_max comes from the complexity.)

    Parameters
    ----------
    n : int
        Number of scored actions.
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.
    u_min, u_max : float
        The smallest and the largest utility that can occur.
    delta : float
        How often the bound may fail, in (0, 1).
    c : float
        The constant of the covering numbers, :data:`welfarist.bounds.COVERING_CONSTANT`.

    Examples
    --------
    >>> round(excess_risk_of_scores(10**6, 18, "known", u_min=1.0, u_max=2.0), 4)
    0.3552
    """
    low, high = check_range(u_min, u_max)
    complexity = rademacher_scores(n, d, weights, high, c)
    return 16.0 * (high - low) * complexity + 6.0 * _deviation(n, 4.0, delta)


def excess_risk_of_comparisons(n: float, d: int, weights: Weights, delta: float = 0.05) -> float:
    """Bound the excess share of wrong choices after comparisons without noise [PSPS24, Thm 4.2].

    Formula: ``16 sqrt((V log(n + 1) + log(8 / delta)) / n)`` with the bound V of
    :func:`welfarist.bounds.vc_dimension_upper`: ``2 (log2 d + 1)`` for known weights,
    ``8 (d log2 d + 1)`` for unknown ones.

    Computed as printed; ``8 sqrt(2)`` in place of 16 would follow from the VC theorem with its
    ``8 S(n) exp(-n epsilon^2 / 32)``. The 0-1 loss is ``(1 - y C) / 2``; printed is
    ``(1 + y C) / 2``, the share of right choices.

    Parameters
    ----------
    n : int
        Number of comparisons.
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.
    delta : float
        How often the bound may fail, in (0, 1).

    Examples
    --------
    >>> round(excess_risk_of_comparisons(10**6, 18, "known"), 4)
    0.1946
    """
    samples, failure = check_samples(n), check_delta(delta)
    spread = vc_dimension_upper(d, weights) * math.log1p(samples)
    return 16.0 * math.sqrt((spread + math.log(8.0) - math.log(failure)) / samples)


def excess_risk_of_flipped_comparisons(
    n: float, d: int, weights: Weights, rho: float, delta: float = 0.05
) -> float:
    """Bound the excess share of wrong choices if comparisons are flipped [PSPS24, Thm 4.3].

    Formula: ``a / (1 - 2 rho) sqrt(b log(n + 1) / n) + 2 sqrt(log(1 / delta) / 2n)`` with
    ``a = 8, b = log2 d + 1`` for known weights and ``a = 16, b = d log2 d + 1`` for unknown ones.
    The choices that count are those without noise.

    Computed as printed, on the safe side: the proof's ``4 L_rho R`` with ``L_rho = 1 / (2 (1 - 2
    rho))`` and R of :func:`welfarist.bounds.rademacher_comparisons` gives half of both a, 4 and 8.
    The last term is that of losses within [0, 1], and the corrected loss spans ``1 / (1 - 2
    rho)``; the doubled first term covers this as soon as ``b log(n + 1) >= rho^2 log(1 / delta) /
    2``. At rho = 0 the bound is of the order of Thm 4.2 but not the same number: it is smaller.

    Parameters
    ----------
    n : int
        Number of comparisons.
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.
    rho : float
        The probability, known and in [0, 1/2), with which a choice is flipped.
    delta : float
        How often the bound may fail, in (0, 1).

    Examples
    --------
    >>> round(excess_risk_of_flipped_comparisons(10**6, 18, "known", rho=0.1), 4)
    0.087
    """
    # rademacher_comparisons holds 2 sqrt(b …) for known weights and 4 sqrt(b …) for unknown ones.
    complexity = 4.0 / (1.0 - 2.0 * check_rho(rho)) * rademacher_comparisons(n, d, weights)
    return complexity + 2.0 * _deviation(n, 1.0, delta)


def excess_risk_of_logistic_comparisons(
    n: float,
    d: int,
    weights: Weights,
    u_min: float,
    u_max: float,
    tau_max: float,
    delta: float = 0.05,
    c: float = COVERING_CONSTANT,
) -> float:
    """Bound the excess log loss after comparisons with logistic noise [PSPS24, Thm 5.1].

    Formula, with ``s = 16 tau_max kappa`` and ``kappa = log(u_max / u_min)``: for known weights
    ``s (sqrt((2 log 2 + 2 log n) / n) + c / sqrt(n)) + 6 sqrt(log(4 / delta) / 2n)``, for unknown
    ones ``s sqrt((2 log 2 + 16 (d log2 d + 1) log n) / n) + 2 s c / sqrt(n) + 3 sqrt(log(4 /
    delta) / 2n)``.

    Both computed as printed. The proof gives the form of the known weights for both: c, not 2 c
    (the 2 is in s already), and 6, not 3. Printed is the larger of the two unless ``s c < 3
    sqrt(log(4 / delta) / 2)``, which is ``tau_max kappa < 0.05`` for the default c and delta. The
    last term is that of losses within [0, 1], and log losses span tau_max kappa: where that is so
    small, 3 is more than enough; where it is above 1, the first term covers it as in
    :func:`excess_risk_of_scores`. (The proof's last line multiplies by kappa a second time.)

    Parameters
    ----------
    n : int
        Number of comparisons.
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p and tau.
    u_min, u_max : float
        The smallest and the largest utility that can occur.
    tau_max : float
        The largest temperature considered; a larger tau is less noise.
    delta : float
        How often the bound may fail, in (0, 1).
    c : float
        The constant of the covering numbers, :data:`welfarist.bounds.COVERING_CONSTANT`.

    Examples
    --------
    >>> round(excess_risk_of_logistic_comparisons(10**6, 18, "known", 1.0, 2.0, tau_max=5.0), 4)
    0.6091
    """
    scale = 16.0 * check_positive(tau_max, "tau_max") * log_range(u_min, u_max)
    complexity = scale * normalised_rademacher(n, d, weights, c)
    if weights == "known":
        return complexity + 6.0 * _deviation(n, 4.0, delta)
    once_more = scale * check_positive(c, "c") / math.sqrt(check_samples(n))
    return complexity + once_more + 3.0 * _deviation(n, 4.0, delta)


def _deviation(n: float, numerator: float, delta: float) -> float:
    """The part that pays for certainty, ``sqrt(log(numerator / delta) / 2n)``."""
    certainty = math.log(numerator) - math.log(check_delta(delta))
    return math.sqrt(certainty / (2.0 * check_samples(n)))

"""How rich the classes of rules are: pseudo-dimension, VC dimension and Rademacher complexity.

With known weights a rule is one number, p; with unknown weights it is (w, p), d numbers.
"""

from __future__ import annotations

import math

from welfarist.bounds.parameters import (
    COVERING_CONSTANT,
    Weights,
    check_people,
    check_positive,
    check_range,
    check_samples,
    check_weights,
)


def pseudo_dimension(d: int, weights: Weights) -> float:
    """Bound the pseudo-dimension of the power means of d people [PSPS24, Lemma 3.1].

    Formula: at most ``1`` for known weights, because M only ever grows with p (exactly 1 if
    d >= 2); less than ``8 (d log2 d + 1)`` for unknown ones.

    Printed for unknown weights: ``8 d (log2 d + 1)``. The proof leads to Lemma 4.1 (b) and with it
    to ``8 (d log2 d + 1)``, which Thm 3.2 uses too and which is computed here. (The definitions of
    the two classes above the lemma are exchanged.)

    Parameters
    ----------
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.

    Examples
    --------
    >>> pseudo_dimension(4, "known"), pseudo_dimension(4, "unknown")
    (1.0, 72.0)
    """
    people = check_people(d)
    return 1.0 if check_weights(weights) == "known" else 8.0 * _d_log_d_plus_1(people)


def vc_dimension_upper(d: int, weights: Weights) -> float:
    """Bound the VC dimension of comparisons from above [PSPS24, Lemma 4.1 (a), (b)].

    Formula: less than ``2 (log2 d + 1)`` for known weights, less than ``8 (d log2 d + 1)`` for
    unknown ones. Both as printed. The proofs round log2 d and d log2 d up to whole numbers; their
    counts of labelings, ``(2 d - 1) m + 1`` and ``(n + 1)^d 2^d d! binomial(n, d)``, fall below
    2^m and 2^n at the unrounded numbers already. (The proof of (b) estimates its count from below
    where it needs an upper estimate; the count itself is small enough.)

    Parameters
    ----------
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.

    Examples
    --------
    >>> vc_dimension_upper(4, "known"), vc_dimension_upper(4, "unknown")
    (6.0, 72.0)
    """
    people = check_people(d)
    if check_weights(weights) == "known":
        return 2.0 * (math.log2(people) + 1.0)
    return 8.0 * _d_log_d_plus_1(people)


def vc_dimension_lower(d: int, weights: Weights) -> float:
    """Bound the VC dimension of comparisons from below [PSPS24, Lemma 4.1 (c)].

    Formula: at least ``log2 d + 1`` for known, equal weights from d = 4 on; at least ``d - 1`` for
    unknown weights.

    Printed with the classes exchanged: ``log2 d + 1`` for unknown and ``d - 1`` for known weights.
    The proof shows what is computed here, and more has to be said about it.

    *Known weights.* The signs of m = log2 d + 1 comparisons are to run through a Gray code of all
    2^m labelings as p grows: 2^m - 1 changes, no more of them in any one comparison than it has
    crossings. The proof allows d changes to each, but equal weights give at most d - 1 crossings.
    That is enough for a balanced code from d = 4 on (for log2 d rounded up), and not below: d = 3
    gives m comparisons at most 2 m changes, 7 labelings for m = 3, and d = 2 gives 3 labelings for
    m = 2. What is true is computed for them: 2 at d = 3, 1 at d = 2 and 0 at d = 1. Unequal known
    weights can be worse for the learner or better: with all weight on one person p changes nothing.

    *Unknown weights.* At p = 1 a comparison is linear in w without a bias. That would make d; that
    no weight is negative leaves d - 1.

    :func:`welfarist.bounds.shattered_comparisons` constructs comparisons that show both bounds.

    Parameters
    ----------
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.

    Examples
    --------
    >>> vc_dimension_lower(4, "known"), vc_dimension_lower(4, "unknown")
    (3.0, 3.0)
    """
    people = check_people(d)
    if check_weights(weights) == "unknown":
        return people - 1.0
    return math.log2(people) + 1.0 if people >= 4 else people - 1.0


def rademacher_scores(
    n: float, d: int, weights: Weights, u_max: float, c: float = COVERING_CONSTANT
) -> float:
    """Bound the Rademacher complexity of the power means [PSPS24, Lemma A.6].

    Formula: ``u_max (sqrt((2 log 2 + 2 k log n) / n) + c / sqrt(n))`` with the pseudo-dimension k
    of :func:`pseudo_dimension`: ``2 log n`` for known weights, ``16 (d log2 d + 1) log n`` for
    unknown ones.

    Printed for unknown weights: ``16 (2 log2 d + 1) log n``, of the class with known ones. The
    proof puts in ``k = 8 (d log2 d + 1)``, which Thm 3.2 uses too and which is computed here.

    Parameters
    ----------
    n : int
        Number of scored actions.
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.
    u_max : float
        The largest utility that can occur.
    c : float
        The constant of the covering numbers, :data:`welfarist.bounds.COVERING_CONSTANT`.

    Examples
    --------
    >>> round(rademacher_scores(10_000, 18, "known", u_max=1.0), 4)
    0.0989
    """
    _, high = check_range(u_max, u_max)
    return high * normalised_rademacher(n, d, weights, c)


def normalised_rademacher(n: float, d: int, weights: Weights, c: float) -> float:
    """Bound the Rademacher complexity of power means of relative utilities in [0, 1].

    Formula: ``sqrt((2 log 2 + 2 k log n) / n) + c / sqrt(n)``, k the pseudo-dimension.
    """
    samples, constant = check_samples(n), check_positive(c, "c")
    spread = 2.0 * math.log(2.0) + 2.0 * pseudo_dimension(d, weights) * math.log(samples)
    return math.sqrt(spread / samples) + constant / math.sqrt(samples)


def rademacher_comparisons(n: float, d: int, weights: Weights) -> float:
    """Bound the Rademacher complexity of comparisons [PSPS24, proof of Thm 4.3].

    Formula: ``sqrt(2 V log(n + 1) / n)`` with the bound V of :func:`vc_dimension_upper`:
    ``sqrt(16 (d log2 d + 1) log(n + 1) / n)`` for unknown weights, as printed in the proof, and
    ``sqrt(4 (log2 d + 1) log(n + 1) / n)`` for known ones by the same steps.

    Parameters
    ----------
    n : int
        Number of comparisons.
    d : int
        Number of people.
    weights : "known" or "unknown"
        Whether the weights are learned along with p.

    Examples
    --------
    >>> round(rademacher_comparisons(10_000, 18, "known"), 4)
    0.138
    """
    samples = check_samples(n)
    return math.sqrt(2.0 * vc_dimension_upper(d, weights) * math.log1p(samples) / samples)


def rademacher_logistic(
    n: float,
    d: int,
    weights: Weights,
    u_min: float,
    u_max: float,
    tau_max: float,
    c: float = COVERING_CONSTANT,
) -> float:
    """Bound the Rademacher complexity of ``tau (log M(u) - log M(v))`` [PSPS24, proof of Thm 5.1].

    Formula: ``2 tau_max kappa (sqrt((2 log 2 + 2 k log n) / n) + c / sqrt(n))`` with ``kappa =
    log(u_max / u_min)`` and the pseudo-dimension k of :func:`pseudo_dimension`. As in the proof,
    which writes it out for unknown weights.

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
    c : float
        The constant of the covering numbers, :data:`welfarist.bounds.COVERING_CONSTANT`.

    Examples
    --------
    >>> round(rademacher_logistic(10_000, 18, "known", u_min=1.0, u_max=2.0, tau_max=5.0), 4)
    0.6853
    """
    scale = check_positive(tau_max, "tau_max") * log_range(u_min, u_max)
    return 2.0 * scale * normalised_rademacher(n, d, weights, c)


def log_range(u_min: float, u_max: float) -> float:
    """Return the paper's kappa, ``log(u_max / u_min)``, exact also where the two hardly differ."""
    low, high = check_range(u_min, u_max)
    return math.log1p((high - low) / low)


def _d_log_d_plus_1(people: int) -> float:
    return people * math.log2(people) + 1.0

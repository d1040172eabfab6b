"""Score (Lagrange multiplier) tests of terms that a fit does not have.

Only derivatives at the estimates are needed, and no further fit. With S the slope of the log
likelihood by the new terms and J the expected information, the statistic is ``S' V^+ S`` with
``V = J_gg - J_gt J_tt^-1 J_tg``: what the estimated parameters t can do themselves is taken out.
Terms that they can replace altogether leave nothing in V and are not counted.

Decisions of the same people may depend on each other. Where it is known who decided, each person's
whole slope is one observation: the spread of these slopes takes the place of V, as in Hotelling's
test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from welfarist.base.validation import FloatArray
from welfarist.inference.covariance import face_of
from welfarist.inference.likelihood import Likelihood
from welfarist.losses.observed import Slopes, TermColumns

# A term of which less than this share is new is one that the fit has already; rounding in the
# products leaves about 1e-12.
_NOTHING_NEW = 1e-8
# Directions of the estimates that carry less than this share of information are not taken out.
_SINGULAR = 1e-11
# Decision makers per term from which on their slopes show how much slopes vary.
_PER_TERM = 5


@dataclass(frozen=True)
class ScoreTest:
    """A score test of some terms.

    Attributes
    ----------
    statistic : float
    distribution : str
        What the statistic follows if the terms are not needed, in words.
    degrees : int
        How many of the terms the fit does not have already.
    p_value : float
    gain : float
        Log likelihood that the terms would add, by the quadratic approximation.
    share : float
        The same as a share: of the negative log likelihood, or of the sum of squares.
    root : float
        With one term, the signed root of the chi-squared statistic; 0 otherwise.
    """

    statistic: float
    distribution: str
    degrees: int
    p_value: float
    gain: float
    share: float
    root: float


def slopes_of(
    likelihood: Likelihood, terms: FloatArray, columns: TermColumns | None = None
) -> Slopes:
    """Slopes for terms (e, A) of the value of the A actions that were judged.

    `columns` adds terms of what was decided: for a slice of the decisions (those that count, in
    the user's order) it gives an array (b, c), which follows the e terms.
    """
    face = face_of(likelihood)
    return likelihood.single.slopes(
        face.loss.judge(face.point),
        face.loss.noise_at(face.point),
        face.basis,
        terms,
        columns,
        deciders(likelihood),
        likelihood.value_of_decisions,
    )


def deciders(likelihood: Likelihood) -> npt.NDArray[np.intp] | None:
    """The number (n,) of who made each decision that counts; None if nobody is told apart."""
    labels = likelihood.single.deciders
    return None if labels is None or labels.max() == 0 else labels


def score_test(slopes: Slopes, chosen: slice) -> ScoreTest | None:
    """Test some of the new terms, given as a slice of them; None if none of them is new."""
    m = slopes.estimated
    slope, J = slopes.slope, slopes.information
    new = np.arange(m, len(slope))[chosen]
    size = np.sqrt(np.maximum(J[new, new], 0.0))  # rounding makes nothing a little less
    new, size = new[size > 0], size[size > 0]
    taken = J[np.ix_(new, np.arange(m))] @ _pseudo_inverse(J[:m, :m])
    left = (slope[new] - taken @ slope[:m]) / size
    information = (J[np.ix_(new, new)] - taken @ J[:m, new]) / np.outer(size, size)
    values, vectors = np.linalg.eigh(0.5 * (information + information.T))
    kept = values > _NOTHING_NEW
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    roots = left @ whiten
    degrees = int(kept.sum())
    if degrees == 0:
        return None
    gained = float(roots @ roots)
    root = float(np.sign(left[0]) * np.sqrt(gained)) if len(new) == 1 else 0.0
    if slopes.squared:
        return _of_squares(slopes, gained, degrees, root)
    people = slopes.by_person
    if people is not None and len(people) >= _PER_TERM * degrees:
        each = (people[:, new] - people[:, :m] @ taken.T) / size @ whiten
        return _of_people(slopes, each, gained, root)
    return _of_likelihood(slopes, gained, degrees, root)


def _of_people(slopes: Slopes, each: FloatArray, gained: float, root: float) -> ScoreTest:
    """Hotelling's test that slopes (G, e) of G people have mean 0."""
    people, degrees = each.shape
    away = each - each.mean(axis=0)
    spread = away.T @ away / (people - 1)
    mean = each.mean(axis=0)
    squared = people * float(mean @ np.linalg.pinv(spread, hermitian=True) @ mean)
    rest = people - degrees
    statistic = squared * rest / (degrees * (people - 1))
    words = f"F with {degrees} and {rest} degrees of freedom, by decision maker"
    p_value = float(f_distribution.sf(statistic, degrees, rest))
    share = min(0.5 * gained / slopes.loss, 1.0)
    signed = float(np.sign(root) * np.sqrt(statistic)) if root else 0.0
    return ScoreTest(statistic, words, degrees, p_value, 0.5 * gained, share, signed)


def _of_likelihood(slopes: Slopes, gained: float, degrees: int, root: float) -> ScoreTest:
    words = f"chi-squared with {degrees} degree{'s' * (degrees > 1)} of freedom"
    share = min(0.5 * gained / slopes.loss, 1.0)
    p_value = float(chi2.sf(gained, degrees))
    return ScoreTest(gained, words, degrees, p_value, 0.5 * gained, share, root)


def _of_squares(slopes: Slopes, gained: float, degrees: int, root: float) -> ScoreTest | None:
    """The sum of squares that the terms take away, against what is left of it."""
    rest = slopes.observations - slopes.estimated - degrees
    if rest <= 0:
        return None
    share = min(gained / slopes.loss, 1.0)
    left = max(1.0 - share, np.finfo(np.float64).eps)
    statistic = share / degrees / (left / rest)
    p_value = float(f_distribution.sf(statistic, degrees, rest))
    words = f"F with {degrees} and {rest:g} degrees of freedom"
    gain = -0.5 * slopes.observations * float(np.log(left))
    signed = float(np.sign(root) * np.sqrt(statistic)) if root else 0.0
    return ScoreTest(statistic, words, degrees, p_value, gain, share, signed)


def _pseudo_inverse(information: FloatArray) -> FloatArray:
    """The inverse (m, m), without directions of which there is no information."""
    diagonal = information.diagonal()
    scale = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
    if len(diagonal) == 0:
        return information
    values, vectors = np.linalg.eigh(information * np.outer(scale, scale))
    kept = values > _SINGULAR
    half = (vectors[:, kept] / np.sqrt(values[kept])).T * scale
    return np.asarray(half.T @ half)

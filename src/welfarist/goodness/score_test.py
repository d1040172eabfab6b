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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from welfarist.decisions import Comparisons
from welfarist.inference.covariance import face_of
from welfarist.inference.fitted import Fitted
from welfarist.labels import numbered
from welfarist.losses import ComparisonLoss, ScoreLoss
from welfarist.losses.base import action_rows
from welfarist.losses.comparisons import above_nothing
from welfarist.noise import preference_probability
from welfarist.validation import FloatArray

# Decisions whose derivatives are held at a time.
_BLOCK = 2**13
# A term of which less than this share is new is one that the fit has already; rounding in the
# products leaves about 1e-12.
_NOTHING_NEW = 1e-8
# Directions of the estimates that carry less than this share of information are not taken out.
_SINGULAR = 1e-11
# Decision makers per term from which on their slopes show how much slopes vary.
_PER_TERM = 5

Columns = Callable[[slice], FloatArray]


@dataclass(frozen=True, eq=False)
class Slopes:
    """Slope and information of the log likelihood about estimates and new terms.

    Attributes
    ----------
    slope : (m + e,) array
        Of m moves of the estimates along their face (0 at the maximum) and e new terms.
    information : (m + e, m + e) array
    estimated : int
        m.
    observations : float
    loss : float
        Minus the log likelihood of the fit for comparisons; the sum of squares for scores.
    squared : bool
        Whether these are scores, whose slope and information lack the unknown variance.
    by_person : (G, m + e) array or None
        The slope of each decision maker's own decisions; None if nothing is known of them.
    """

    slope: FloatArray
    information: FloatArray
    estimated: int
    observations: float
    loss: float
    squared: bool
    by_person: FloatArray | None = None


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


@dataclass(frozen=True, eq=False)
class _ChoiceTangent:
    """What the derivatives of single comparisons are made of.

    Attributes
    ----------
    decided : Comparisons
    kept : (n,) array of int
        Rows of decisions that were observed.
    number : (N,) array of int
        The number of each action among those that were compared.
    welfare : (A,) array
        Log welfare of the actions that were compared.
    table : (A, m + e) array
        Its derivatives by the estimates, along their face, and the new terms.
    tail : (m, 1 or 2) array
        Moves of log tau and rho along the face.
    tau, rho : float
    """

    decided: Comparisons
    kept: npt.NDArray[np.intp]
    number: npt.NDArray[np.intp]
    welfare: FloatArray
    table: FloatArray
    tail: FloatArray
    tau: float
    rho: float

    @classmethod
    def of(cls, fitted: Fitted, terms: FloatArray) -> _ChoiceTangent:
        face, decided = face_of(fitted), fitted.decided
        loss, point = face.loss, face.point
        assert isinstance(loss, ComparisonLoss)
        assert decided is not None
        _, used = decided.merged.renumbered(decided.actions)
        number = np.zeros(decided.actions, dtype=np.intp)
        number[used] = np.arange(len(used))
        mean = loss.evaluate(point).mean
        own = action_rows(mean, point, loss.weighting, loss.learn_power)
        m, q = len(face.basis), len(own)
        table = np.empty((len(used), m + len(terms)))
        table[:, :m] = own.T @ face.basis[:, :q].T
        table[:, m:] = terms.T
        return cls(
            decided,
            np.flatnonzero(decided.counts > 0),
            number,
            above_nothing(mean.value, loss.has_zeros),
            table,
            face.basis[:, q:],
            float(np.exp(point.extras[0])),
            float(point.extras[1]) if loss.lapse else 0.0,
        )

    def block(
        self, part: slice, columns: Columns | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Design (b, m + e) and surprise (b,), both with unit variance, and counts (b,)."""
        rows, steep, m = self.kept[part], 1.0 - 2.0 * self.rho, len(self.tail)
        first, second = self.number[self.decided.pairs[rows]].T
        z = self.tau * (self.welfare[first] - self.welfare[second])
        design = self.tau * (self.table[first] - self.table[second])
        design[:, :m] += np.outer(z, self.tail[:, 0])
        if columns is not None:
            design = np.hstack([design, columns(part)])
        up, down = preference_probability(z, 0.0), preference_probability(-z, 0.0)
        likely, unlikely = self.rho + steep * up, self.rho + steep * down
        spread = np.sqrt(np.maximum(likely * unlikely, np.finfo(np.float64).tiny))
        design *= (steep * up * down / spread)[:, None]
        if self.tail.shape[1] > 1:
            design[:, :m] += np.outer((down - up) / spread, self.tail[:, 1])
        answer = 0.5 + 0.5 * self.decided.outcomes[rows]
        surprise = (answer * unlikely - (1.0 - answer) * likely) / spread
        return design, surprise, self.decided.counts[rows]


def slopes_of_comparisons(
    fitted: Fitted, terms: FloatArray, columns: Columns | None = None
) -> Slopes:
    """Slopes for terms (e, A) of the log welfare of the A actions that were compared.

    `columns` adds terms of the margin: for a slice of the decisions (those that count, in the
    user's order) it gives an array (b, c), which follows the e terms.
    """
    tangent, people = _ChoiceTangent.of(fitted, terms), deciders(fitted)
    added = 0 if columns is None else columns(slice(0, 1)).shape[1]
    size = tangent.table.shape[1] + added
    slope, information = np.zeros(size), np.zeros((size, size))
    by_person = None if people is None else np.zeros((int(people.max()) + 1, size))
    for start in range(0, len(tangent.kept), _BLOCK):
        part = slice(start, start + _BLOCK)
        design, surprise, times = tangent.block(part, columns)
        slope += design.T @ (times * surprise)
        if people is not None and by_person is not None:
            by_person += _sums(design * (times * surprise)[:, None], people[part], len(by_person))
        design *= np.sqrt(times)[:, None]
        information += design.T @ design
    total = fitted.value * fitted.observations
    m = len(tangent.tail)
    return Slopes(slope, information, m, fitted.observations, total, False, by_person)


def deciders(fitted: Fitted) -> npt.NDArray[np.intp] | None:
    """The number (n,) of who made each decision that counts; None if nobody is told apart."""
    decided = fitted.decided
    if decided is None or decided.by is None:
        return None
    labels = numbered(decided.by[decided.counts > 0])
    return labels if labels.max() > 0 else None


def _sums(values: FloatArray, people: npt.NDArray[np.intp], size: int) -> FloatArray:
    """Sums (G, q) of rows (b, q) over those of the same person."""
    entries = (np.ones(len(people)), (people, np.arange(len(people))))
    return np.asarray(csr_array(entries, shape=(size, len(people))) @ values)


def slopes_of_scores(fitted: Fitted, terms: FloatArray, constant: bool) -> Slopes:
    """Slopes for terms (e, N) of log welfare, and one for a constant added to every score."""
    face = face_of(fitted)
    loss, point = face.loss, face.point
    assert isinstance(loss, ScoreLoss)
    here = loss.evaluate(point)
    own = action_rows(here.mean, point, loss.weighting, loss.learn_power)
    if loss.scale:
        own = np.vstack([own, np.ones(own.shape[1])])
    design = np.vstack([face.basis @ own, terms]) * here.welfare
    if constant:
        design = np.vstack([design, np.ones(design.shape[1])])
    counts = loss.sample_weight * fitted.observations
    slope = -design @ (counts * here.residual)
    design *= np.sqrt(counts)
    total = here.value * fitted.observations
    return Slopes(slope, design @ design.T, len(face.basis), fitted.observations, total, True)


def score_test(slopes: Slopes, chosen: slice) -> ScoreTest | None:
    """Test some of the new terms, given as a slice of them; None if none of them is new."""
    m = slopes.estimated
    slope, J = slopes.slope, slopes.information
    new = np.arange(m, len(slope))[chosen]
    size = np.sqrt(J[new, new])
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

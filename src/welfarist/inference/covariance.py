"""Covariances of the estimates: from the likelihood's curvature, robust, or by who decided.

All are worked out on the tangent of the face on which the estimates lie: weights that are 0 stay
there, the others keep their sum, a parameter at the end of its range is held.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from welfarist.errors import InputError
from welfarist.inference.fitted import DataLoss, Fitted
from welfarist.inference.naming import kind_of
from welfarist.labels import numbered
from welfarist.losses import ComparisonLoss, Point, ScoreLoss, weight_units
from welfarist.losses.base import action_rows
from welfarist.losses.comparisons import above_nothing
from welfarist.noise import lapse_choice, logistic_choice, observed_lapse
from welfarist.solvers.coordinates import keeping_the_sum
from welfarist.validation import FloatArray

FormulaName = Literal["fisher", "robust", "clustered"]
CovarianceName = Literal["fisher", "robust", "clustered", "bootstrap"]

# Smallest eigenvalue of an information matrix with unit diagonal that is not rounding.
_SINGULAR = 1e-11
# Log likelihood that one more step may gain at an optimum: 1e-3 is 0.04 standard errors.
_GAIN = 1e-3
# A parameter takes part in an undetermined direction from this share of it on.
_TAKES_PART = 0.2
# A weight below this is 0 up to rounding.
_NO_WEIGHT = 1e-12
# Decisions, or groups of them, whose scores are held at a time.
_BLOCK = 2**14


@dataclass(frozen=True)
class Face:
    """The directions in which the estimates may move, and what moves with them.

    Attributes
    ----------
    loss, point
        The loss without what is held, and the estimates as its point.
    basis : (m, q) array
        Moves in the coordinates of the loss, one a row; those of weights keep their sum.
    labels : tuple of str
        The estimate that each row of `basis` moves.
    to_estimates : (k, q) array
        Derivatives of all estimates by the coordinates of the loss.
    on_edge : tuple of str
        The estimates that lie where their range ends, and are held there or as good as held.
    """

    loss: DataLoss
    point: Point
    basis: FloatArray
    labels: tuple[str, ...]
    to_estimates: FloatArray
    on_edge: tuple[str, ...]


def check_covariance(kind: object) -> CovarianceName:
    """Require the name of a covariance."""
    if kind not in get_args(CovarianceName):
        known = ", ".join(f'"{name}"' for name in get_args(CovarianceName))
        raise InputError(f"covariance must be one of {known}; found {kind!r}.")
    return kind  # type: ignore[return-value]


def covariance_of(fitted: Fitted, kind: FormulaName) -> FloatArray:
    """Return the covariance (k, k) of the estimates, with zeros for those that are held.

    Parameters
    ----------
    fitted : Fitted
    kind : "fisher", "robust" or "clustered"
        The inverse of the observed information (minus the second derivatives of the log
        likelihood); the sandwich that stays right if the noise model is wrong; the sandwich of
        whole decision makers, whose decisions may depend on each other, with the factor
        G / (G - 1) for G of them.
    """
    fitted.require()
    face = face_of(fitted)
    inverse = _inverse_information(fitted, face)
    if kind != "fisher":
        labels = _clusters(fitted, kind, len(face.basis))
        meat = _meat(fitted, face, labels)
        inverse = inverse @ meat @ inverse
    moves = face.to_estimates @ face.basis.T
    moves[np.isin(fitted.names, face.on_edge)] = 0.0
    return np.asarray(moves @ inverse @ moves.T)


def face_of(fitted: Fitted) -> Face:
    """Return the directions in which the estimates may move."""
    loss, point = fitted.loss, fitted.point
    if fitted.only_who_counts:  # which is no direction to move in
        loss, point = fitted.at_rule()
    elif fitted.power_on_edge:
        loss = replace(loss, learn_power=False)
    k, learned = loss.weighting.free, int(loss.learn_power)
    moving = np.ones(k + learned + len(point.extras), dtype=bool)
    moving[:k] = point.weights > 0
    moving[k + learned :] = np.logical_not(fitted.extras_on_edge)
    rows = np.flatnonzero(moving)
    positive = point.weights[point.weights > 0]
    basis = keeping_the_sum(positive, len(rows)) if k else np.eye(len(rows))
    whole = np.zeros((len(basis), len(moving)))
    whole[:, rows] = basis
    free = [f"the weight of {_members(fitted, share)}" for share in np.eye(k)]
    labels = np.array([*free, *(["p"] * learned), *fitted.extra_names])[rows]
    if k:
        labels = np.delete(labels, int(np.argmax(positive)))
    to_estimates = _derivatives(fitted, loss, point)
    held = np.abs(to_estimates @ whole.T).max(axis=1, initial=0.0) == 0.0
    held |= _rounded_to_an_end(fitted)
    on_edge = tuple(name for name, on in zip(fitted.names, held, strict=True) if on)
    return Face(loss, point, whole, tuple(labels.tolist()), to_estimates, on_edge)


def _rounded_to_an_end(fitted: Fitted) -> npt.NDArray[np.bool_]:
    """Whether each estimate (k,) is a weight of 0 or 1 up to rounding.

    Far out, where a weight is what the p-th power of a ratio of utilities makes of it, it can be
    1e-100 with a standard error as small: that says nothing of what the weight could be.
    """
    weight = np.array([kind_of(name) == "weights" for name in fitted.names], dtype=bool)
    value = fitted.estimates
    return weight & ((value < _NO_WEIGHT) | (value > 1.0 - _NO_WEIGHT))


def _members(fitted: Fitted, share: FloatArray) -> str:
    """The people behind a free weight, given as all of the weights (k,)."""
    chosen = fitted.loss.weighting.to_people(share) > 0
    return " and ".join(np.array(fitted.stakeholders)[chosen].tolist())


def _derivatives(fitted: Fitted, loss: DataLoss, point: Point) -> FloatArray:
    """Derivatives (k, q) of all estimates by the coordinates of a loss that holds some of them."""
    k, learned, m = loss.weighting.free, int(loss.learn_power), len(point.extras)
    found = []
    if fitted.loss.learn_power:
        row = np.zeros((1, k + learned + m))
        row[:, k : k + learned] = np.hypot(1.0, point.p)
        found.append(row)
    if fitted.learned_weights:
        shares = np.zeros((len(fitted.weights), k + learned + m))
        if k:
            units = weight_units(point.weights)
            shares[:, :k] = np.array([loss.weighting.to_people(e) for e in np.eye(k)]).T * units
        found.append(shares)
    extras = np.zeros((m, k + learned + m))
    logarithmic = [name.startswith("log_") for name in loss.extra_names]
    by_itself = np.where(logarithmic, np.exp(point.extras), 1.0)
    extras[np.arange(m), k + learned + np.arange(m)] = by_itself
    return np.vstack([*found, extras])


def _inverse_information(fitted: Fitted, face: Face) -> FloatArray:
    """The inverse (m, m) of the observed information about moves along the face."""
    gradient, hessian = _second_order(face.loss, face.point)
    # A squared error becomes a log likelihood per observation when divided by twice its mean.
    unit = fitted.observations / (2.0 * fitted.value if face.loss.squared else 1.0)
    information = unit * (face.basis @ hessian @ face.basis.T)
    inverse = _inverse(information, face.labels)
    slope = unit * (face.basis @ gradient)
    gain = 0.5 * float(slope @ inverse @ slope)
    if not gain <= _GAIN:
        raise InputError(
            "standard errors need estimates at the maximum of the likelihood; found some whose "
            f'log likelihood can still rise by {gain:.2g}. Fit with solver="newton", or with a '
            "smaller tol."
        )
    return inverse


def _second_order(loss: DataLoss, point: Point) -> tuple[FloatArray, FloatArray]:
    """Gradient (q,) and exact Hessian (q, q) of the mean loss along moves that keep the sum."""
    here: Any = loss.evaluate(point)
    if isinstance(loss, ComparisonLoss) and loss.lapse:
        pairs = loss.graph.pairs
        observed = observed_lapse(here.margins, float(point.extras[1]), pairs.count, pairs.lead)
        here = replace(here, choice=observed)
    model = here.model()
    return model.gradient, model.curvature + here.remainder()


def _inverse(information: FloatArray, labels: tuple[str, ...]) -> FloatArray:
    """Invert a positive definite matrix (m, m), or say what the data do not determine."""
    if len(information) == 0:
        return information
    diagonal = information.diagonal()
    flat = [name for name, entry in zip(labels, diagonal, strict=True) if not entry > 0.0]
    if not flat:
        scale = 1.0 / np.sqrt(diagonal)
        values, vectors = np.linalg.eigh(information * scale * scale[:, None])
        if values[0] > _SINGULAR:
            half = (vectors / np.sqrt(values)).T * scale
            return np.asarray(half.T @ half)
        flat = [labels[i] for i in np.flatnonzero(np.abs(vectors[:, 0]) >= _TAKES_PART)]
    raise InputError(
        "standard errors need data that determine every estimate; found that they do not "
        f"determine {' together with '.join(flat)}. Fix what you know: p, the weights or groups."
    )


def _clusters(fitted: Fitted, kind: FormulaName, parameters: int) -> npt.NDArray[np.intp] | None:
    """The number of who decided, for every single decision (n,); None if each is on its own.

    The scores of G clusters add up to 0, so that they span no more than G - 1 directions: with
    fewer than there are parameters some errors would seem to be 0.
    """
    if kind == "robust":
        return None
    by = None if fitted.decided is None else fitted.decided.by
    if by is None:
        raise InputError(
            'covariance="clustered" needs to know who decided; found decisions without names. '
            "Give Comparisons(…, by=…), or by=… to Comparisons.from_arrays, and fit to that."
        )
    assert fitted.decided is not None
    labels = numbered(by[fitted.decided.counts > 0])
    found = int(labels.max()) + 1
    if found <= max(parameters, 1):
        people = "one person" if found == 1 else f"{found} people"
        raise InputError(
            'covariance="clustered" needs decisions of more people than there are numbers to '
            f'learn, {parameters} here; found those of {people}. Use covariance="robust", which '
            "takes decisions as independent, or fix what you know: p, the weights or groups."
        )
    return labels


def _meat(fitted: Fitted, face: Face, labels: npt.NDArray[np.intp] | None) -> FloatArray:
    """Sum of outer squares of the scores (m, m), one score per decision or per cluster."""
    if isinstance(face.loss, ScoreLoss):
        return _meat_of_scores(fitted, face)
    assert fitted.decided is not None
    rows, incidence, extras = _score_parts(fitted, face, labels)
    columns = np.ascontiguousarray((face.basis[:, : len(rows)] @ rows).T)
    tail = face.basis[:, len(rows) :]
    meat = np.zeros((len(face.basis),) * 2)
    for start in range(0, incidence.shape[0], _BLOCK):
        part = slice(start, start + _BLOCK)
        scores = incidence[part] @ columns + extras[part] @ tail.T
        meat += scores.T @ scores
    clusters = incidence.shape[0]
    return meat if labels is None else meat * (clusters / (clusters - 1.0))


def _meat_of_scores(fitted: Fitted, face: Face) -> FloatArray:
    """The same for stated scores, where the score is ``(y - c M) d(c M) / sigma^2``."""
    loss, here = face.loss, face.loss.evaluate(face.point)
    assert isinstance(loss, ScoreLoss)
    rows = action_rows(here.mean, face.point, loss.weighting, loss.learn_power)
    rows = np.vstack([rows, np.ones((len(face.point.extras), rows.shape[1]))])
    counts = loss.sample_weight * fitted.observations
    pull = here.residual * here.welfare / here.value  # type: ignore[union-attr]
    scores = (face.basis @ rows) * (np.sqrt(counts) * pull)
    return np.asarray(scores @ scores.T)


def _score_parts(
    fitted: Fitted, face: Face, labels: npt.NDArray[np.intp] | None
) -> tuple[FloatArray, Any, FloatArray]:
    """What the scores of comparisons are made of, so that none is held for every person.

    Returns derivatives of log M (q, N), a sparse matrix (c, N) that turns them into the scores of
    c decisions or clusters, and the scores (c, m) of the model's own parameters.
    """
    loss, point, decided = face.loss, face.point, fitted.decided
    assert isinstance(loss, ComparisonLoss)
    assert decided is not None
    kept = decided.counts > 0
    counts, outcomes = decided.counts[kept], decided.outcomes[kept].astype(np.float64)
    _, used = decided.merged.renumbered(decided.actions)
    number = np.zeros(decided.actions, dtype=np.intp)
    number[used] = np.arange(len(used))
    first, second = number[decided.pairs[kept]].T
    here = loss.evaluate(point)
    welfare = above_nothing(here.mean.value, loss.has_zeros)
    tau = float(np.exp(point.extras[0]))
    z, ones = tau * (welfare[first] - welfare[second]), np.ones(len(first))
    if loss.lapse:
        choice = lapse_choice(z, float(point.extras[1]), ones, outcomes)
    else:
        choice = logistic_choice(z, ones, outcomes)
    # A decision observed c times has c scores of its own, but adds c of them to its cluster.
    times = np.sqrt(counts) if labels is None else counts
    owner = np.arange(len(first)) if labels is None else labels
    pull = -choice.by_margin * times
    own = [pull * z]
    if choice.rho is not None:
        own.append(-choice.rho.by_rho * times)
    clusters = int(owner.max()) + 1
    entries = (np.concatenate([pull, -pull]) * tau, (np.tile(owner, 2), np.append(first, second)))
    incidence = csr_array(entries, shape=(clusters, len(used)))
    sums = [np.bincount(owner, values, minlength=clusters) for values in own]
    extras = np.column_stack(sums).astype(np.float64)
    rows = action_rows(here.mean, point, loss.weighting, loss.learn_power)
    return rows, incidence, extras

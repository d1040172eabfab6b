"""Covariances of the estimates: from the likelihood's curvature, robust, or by who decided.

All are worked out on the tangent of the face on which the estimates lie: weights that are 0 stay
there, the others keep their sum, a parameter at the end of its range is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.inference.likelihood import Likelihood, is_estimated
from welfarist.losses import DecisionLoss, Point, weight_units
from welfarist.solvers.coordinates import keeping_the_sum

FormulaName = Literal["fisher", "robust", "clustered"]
CovarianceName = Literal["fisher", "robust", "clustered", "bootstrap"]

# Smallest eigenvalue of an information matrix with unit diagonal that is not rounding.
_SINGULAR = 1e-11
# Log likelihood that one more step may gain at an optimum: 1e-3 is 0.04 standard errors.
_GAIN = 1e-3
# A parameter takes part in an undetermined direction from this share of it on.
_TAKES_PART = 0.2
# With more estimates than this only their variances are worked out, unless all is asked for.
_WHOLE_MATRIX = 1_000
# A standard error that no share of the whole can have.
_BEYOND_ANY = 10.0
# A weight below this is 0 up to rounding.
_NO_WEIGHT = 1e-12
# A variance is the square of an error, which may be as large as its estimate.
_LARGEST_ROOT = 1e150


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

    loss: DecisionLoss
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


def covariance_of(likelihood: Likelihood, kind: FormulaName) -> FloatArray:
    """Return the covariance (k, k) of the estimates, with zeros for those that are held.

    Parameters
    ----------
    likelihood : Likelihood
    kind : "fisher", "robust" or "clustered"
        The inverse of the observed information (minus the second derivatives of the log
        likelihood); the sandwich that stays right if the noise model is wrong; the sandwich of
        whole decision makers, whose decisions may depend on each other, with the factor
        G / (G - 1) for G of them. Under a prior "fisher" is the inverse curvature of the posterior
        at its mode, and there are no others.
    """
    _require(likelihood, kind)
    return likelihood.once(("covariance", kind), lambda: _covariance(likelihood, kind))


def variances_of(likelihood: Likelihood, kind: FormulaName) -> FloatArray:
    """Return the diagonal (k,) of :func:`covariance_of`, without the rest where that is large."""
    if len(likelihood.names) <= _WHOLE_MATRIX:
        return covariance_of(likelihood, kind).diagonal()
    _require(likelihood, kind)
    return likelihood.once(("variances", kind), lambda: _variances(likelihood, kind))


def _require(likelihood: Likelihood, kind: FormulaName) -> None:
    """Refuse standard errors that there are none of."""
    likelihood.require_curvature()
    if likelihood.prior is not None and kind != "fisher":
        raise InputError(
            "under a prior standard errors come from the curvature of the posterior; found "
            f'covariance="{kind}", which is one of the likelihood alone. Fit with prior=None.'
        )
    if is_estimated(likelihood) and kind != "fisher":
        raise InputError(
            "of utilities with errors standard errors come from the likelihood, because decisions "
            f'about the same action share its error; found covariance="{kind}". Use '
            'covariance="fisher", or covariance="bootstrap", which draws utilities and decisions '
            "anew."
        )
    require_squares(likelihood.names, likelihood.estimates)


def require_squares(names: Sequence[str], estimates: FloatArray) -> None:
    """Refuse estimates (k,) so large that their variances are no numbers."""
    for name, value in zip(names, estimates.tolist(), strict=True):
        if _LARGEST_ROOT < abs(value) < np.inf:
            raise InputError(
                f"standard errors need estimates whose squares are numbers; found {name} = "
                f"{value:.3g}. Give scores and utilities in units of similar size."
            )


def _covariance(likelihood: Likelihood, kind: FormulaName) -> FloatArray:
    moves, inverse = _moves(likelihood, kind)
    return np.asarray(moves @ inverse @ moves.T)


def _variances(likelihood: Likelihood, kind: FormulaName) -> FloatArray:
    moves, inverse = _moves(likelihood, kind)
    return np.asarray(((moves @ inverse) * moves).sum(axis=1))


def _moves(likelihood: Likelihood, kind: FormulaName) -> tuple[FloatArray, FloatArray]:
    """How estimates (k, m) move along the face, and the covariance (m, m) of moves along it."""
    face = face_of(likelihood)
    inverse = _inverse_information(likelihood, face)
    if kind != "fisher":
        labels = _clusters(likelihood, kind, len(face.basis))
        meat = _meat(likelihood, face, labels)
        inverse = inverse @ meat @ inverse
    moves = face.to_estimates @ face.basis.T
    moves[np.isin(likelihood.names, face.on_edge)] = 0.0
    return moves, inverse


def face_of(likelihood: Likelihood) -> Face:
    """Return the directions in which the estimates may move."""
    return likelihood.once("face", lambda: _face(likelihood))


def _face(likelihood: Likelihood) -> Face:
    loss, point = likelihood.loss, likelihood.point
    slopes = len(loss.weighting.parameters)
    if likelihood.only_who_counts and not slopes:  # which is no direction to move in
        loss, point = likelihood.at_rule()
    elif likelihood.power_on_edge:
        loss = replace(loss, learn_power=False)
    k, learned = loss.weighting.free, int(loss.learn_power)
    moving = np.ones(k + learned + len(point.extras), dtype=bool)
    moving[:k] = point.weights > 0
    moving[k + learned :] = np.logical_not(likelihood.extras_on_edge)
    if likelihood.only_who_counts:
        moving[k + learned : k + learned + slopes] = False
    rows = np.flatnonzero(moving)
    positive = point.weights[point.weights > 0]
    basis = keeping_the_sum(positive, len(rows)) if k else np.eye(len(rows))
    whole = np.zeros((len(basis), len(moving)))
    whole[:, rows] = basis
    free = [f"the weight of {_members(likelihood, share)}" for share in np.eye(k)]
    shape = [loss.family.shape.name] * learned
    extras = [parameter.name for parameter in loss.parameters]
    labels = np.array([*free, *shape, *extras])[rows]
    if k:
        labels = np.delete(labels, int(np.argmax(positive)))
    to_estimates = _derivatives(likelihood, loss, point)
    held = np.abs(to_estimates @ whole.T).max(axis=1, initial=0.0) == 0.0
    held |= _rounded_to_an_end(likelihood)
    on_edge = tuple(name for name, on in zip(likelihood.names, held, strict=True) if on)
    return Face(loss, point, whole, tuple(labels.tolist()), to_estimates, on_edge)


def _rounded_to_an_end(likelihood: Likelihood) -> npt.NDArray[np.bool_]:
    """Whether each estimate (k,) is a weight of 0 or 1 up to rounding.

    Far out, where a weight is what the p-th power of a ratio of utilities makes of it, it can be
    1e-100 with a standard error as small: that says nothing of what the weight could be.
    """
    weight = np.array([quantity.is_weight for quantity in likelihood.quantities], dtype=bool)
    value = likelihood.estimates
    return weight & ((value < _NO_WEIGHT) | (value > 1.0 - _NO_WEIGHT))


def _members(likelihood: Likelihood, share: FloatArray) -> str:
    """The people behind a free weight, given as all of the weights (k,)."""
    chosen = likelihood.loss.weighting.to_people(share) > 0
    return " and ".join(np.array(likelihood.stakeholders)[chosen].tolist())


def _derivatives(likelihood: Likelihood, loss: DecisionLoss, point: Point) -> FloatArray:
    """Derivatives (k, q) of all estimates by the coordinates of a loss that holds some of them."""
    k, learned, m = loss.weighting.free, int(loss.learn_power), len(point.extras)
    found = []
    if likelihood.loss.learn_power:
        row = np.zeros((1, k + learned + m))
        row[:, k : k + learned] = loss.family.shape.coordinate.steepness(point.p)
        found.append(row)
    if likelihood.learned_weights:
        shares = np.zeros((len(likelihood.weights), k + learned + m))
        if k:
            units = weight_units(point.weights)
            shares[:, :k] = np.array([loss.weighting.to_people(e) for e in np.eye(k)]).T * units
        found.append(shares)
    extras = np.zeros((m, k + learned + m))
    coordinates = [parameter.coordinate for parameter in loss.parameters]
    pairs = zip(coordinates, point.extras.tolist(), strict=True)
    by_itself = [coordinate.steepness(coordinate.back(value)) for coordinate, value in pairs]
    extras[np.arange(m), k + learned + np.arange(m)] = by_itself
    return np.vstack([*found, extras])


def information_of(likelihood: Likelihood) -> tuple[FloatArray, FloatArray]:
    """Return slope (m,) and observed information (m, m) of the log likelihood along its face.

    Under a prior they are those of the log posterior; both have their sign turned.
    """
    return likelihood.once("information", lambda: _information(likelihood, face_of(likelihood)))


def _information(likelihood: Likelihood, face: Face) -> tuple[FloatArray, FloatArray]:
    whole = face.loss is likelihood.loss and face.point is likelihood.point
    gradient, hessian = (
        second_order_of(likelihood) if whole else _second_order(face.loss, face.point)
    )
    # A squared error becomes a log likelihood per observation when divided by twice its mean.
    unit = likelihood.observations / (2.0 * likelihood.value if face.loss.squared else 1.0)
    gradient, hessian = unit * gradient, unit * hessian
    if likelihood.prior is not None and face.loss.weighting.free:
        if face.loss.squared:  # away from the maximum the variance moves along
            hessian = hessian - 2.0 / likelihood.observations * np.outer(gradient, gradient)
        # Of the weights in units of themselves, -(alpha - 1) log w has this slope and curvature.
        pull = np.zeros(len(gradient))
        pull[: len(likelihood.prior)] = likelihood.prior - 1.0
        gradient, hessian = gradient - pull, hessian + np.diag(pull)
    return face.basis @ gradient, face.basis @ hessian @ face.basis.T


def flat_weights(likelihood: Likelihood) -> frozenset[int]:
    """Return whose weights the decisions do not determine, by number: the likelihood is flat there.

    Everybody's where choices are free of noise, so that many rules explain them all. Where there
    is no maximum of the likelihood nothing is known, and nobody is named.
    """
    if likelihood.refusal is not None or likelihood.prior is not None:
        return frozenset()
    if not likelihood.learned_weights:
        return frozenset()
    try:
        return likelihood.once("flat weights", lambda: _flat_weights(likelihood))
    except InputError:  # the decisions were left out before anybody asked
        return frozenset()


def has_flat_shape(likelihood: Likelihood) -> bool:
    """Whether a learned p is one of many: choices are free of noise, and many rules explain them.

    As with weights, nothing is said where there is no maximum of the likelihood.
    """
    learned = likelihood.loss.learn_power and not likelihood.loss.squared
    if not learned or likelihood.refusal is not None or likelihood.prior is not None:
        return False
    try:
        return likelihood.noise_free
    except InputError:  # the decisions were left out before anybody asked
        return False


def _flat_weights(likelihood: Likelihood) -> frozenset[int]:
    if not likelihood.loss.squared and likelihood.noise_free:
        return frozenset(range(len(likelihood.weights)))
    if likelihood.loss.squared and likelihood.loss.is_perfect(likelihood.value):
        return frozenset()
    face, (_, information) = face_of(likelihood), information_of(likelihood)
    moves = _flat_directions(information) @ face.basis @ face.to_estimates.T
    if len(moves) == 0:
        return frozenset(_far_too_uncertain(likelihood))
    along = np.abs(moves).max(axis=0, initial=0.0)
    largest = along.max(initial=0.0)
    people = [q.person if q.person is not None else -1 for q in likelihood.quantities]
    moved = zip(people, along.tolist(), strict=True)
    return frozenset(i for i, by in moved if i >= 0 and by >= _TAKES_PART * largest > 0.0)


def _far_too_uncertain(likelihood: Likelihood) -> list[int]:
    """Whose weights have standard errors beyond any weight: rounding hides that they are flat."""
    errors = np.sqrt(variances_of(likelihood, "fisher"))
    pairs = zip(likelihood.quantities, errors.tolist(), strict=True)
    return [q.person for q, error in pairs if q.person is not None and error > _BEYOND_ANY]


def _flat_directions(information: FloatArray) -> FloatArray:
    """Directions (r, m) along which an information matrix (m, m) is 0 up to rounding."""
    diagonal = information.diagonal()
    if not (diagonal > 0.0).all():
        return np.eye(len(information))[~(diagonal > 0.0)]
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(information * scale * scale[:, None])
    return np.asarray((vectors[:, values <= _SINGULAR] * scale[:, None]).T)


def _inverse_information(likelihood: Likelihood, face: Face) -> FloatArray:
    """The inverse (m, m) of the observed information about moves along the face."""
    slope, information = information_of(likelihood)
    inverse = _inverse(information, face.labels)
    gain = 0.5 * float(slope @ inverse @ slope)
    if not gain <= _GAIN:
        raise InputError(
            "standard errors need estimates at the maximum of the likelihood; found some whose "
            f'log likelihood can still rise by {gain:.2g}. Fit with solver="newton", or with a '
            "smaller tol."
        )
    return inverse


def second_order_of(likelihood: Likelihood) -> tuple[FloatArray, FloatArray]:
    """Return gradient (q,) and exact Hessian (q, q) of the mean loss at the estimates."""
    return likelihood.once("second order", lambda: _second_order(likelihood.loss, likelihood.point))


def _second_order(loss: DecisionLoss, point: Point) -> tuple[FloatArray, FloatArray]:
    """Gradient (q,) and exact Hessian (q, q) of the mean loss along moves that keep the sum."""
    here = loss.evaluate_exactly(point)
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


def _clusters(
    likelihood: Likelihood, kind: FormulaName, parameters: int
) -> npt.NDArray[np.intp] | None:
    """The number of who decided, for every single decision (n,); None if each is on its own."""
    return None if kind == "robust" else require_deciders(likelihood, parameters)


def require_deciders(likelihood: Likelihood, parameters: int) -> npt.NDArray[np.intp]:
    """Return the number of who decided (n,), or refuse where nobody said or too few did.

    The scores of G clusters add up to 0, so that they span no more than G - 1 directions: with
    fewer than there are parameters some errors would seem to be 0.
    """
    labels = likelihood.single.deciders
    if labels is None:
        raise InputError(
            'covariance="clustered" needs to know who decided; found decisions without names. '
            + likelihood.decided.by_hint
        )
    found = int(labels.max()) + 1
    if found <= max(parameters, 1):
        people = "one person" if found == 1 else f"{found} people"
        raise InputError(
            'covariance="clustered" needs decisions of more people than there are numbers to '
            f'learn, {parameters} here; found those of {people}. Use covariance="robust", which '
            "takes decisions as independent, or fix what you know: p, the weights or groups."
        )
    return labels


def _meat(likelihood: Likelihood, face: Face, labels: npt.NDArray[np.intp] | None) -> FloatArray:
    """Sum of outer squares of the scores (m, m), one score per decision or per cluster."""
    judged = face.loss.judge(face.point)
    noise = face.loss.noise_at(face.point)
    return likelihood.single.outer_scores(judged, noise, face.basis, labels)

"""The coordinates a solver steps in: weights in their own units, on a face, or as ratios."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from welfarist.base.validation import FloatArray
from welfarist.losses import Loss, Point, weight_units

# The square of one over a weight smaller than this is more than a double holds with a margin.
_TINY = 1e-100


@dataclass(frozen=True)
class Curvature:
    """Fisher matrix and Hessian (q, q) by the weights themselves, power and extras."""

    fisher: FloatArray
    hessian: FloatArray

    @classmethod
    def at(cls, point: Point, fisher: FloatArray, hessian: FloatArray) -> Curvature:
        """Take over matrices that measure moves in units of the weights at a point."""
        scale = _scale(1.0 / weight_units(point.weights), len(hessian))
        with np.errstate(over="ignore"):  # then it cannot be carried
            return cls(fisher * scale, hessian * scale)

    @property
    def is_finite(self) -> bool:
        """Whether all entries are numbers."""
        return bool(np.isfinite(self.fisher).all() and np.isfinite(self.hessian).all())

    @staticmethod
    def can_be_carried(point: Point) -> bool:
        """Whether curvature by the weights themselves can be had at a point without overflow."""
        return not bool(((point.weights > 0) & (point.weights < _TINY)).any())

    @classmethod
    def of(cls, loss: Loss, point: Point) -> Curvature:
        """Work out both for a loss at a point."""
        evaluation = loss.evaluate(point)
        fisher = evaluation.model().curvature
        return cls.at(point, fisher, fisher + evaluation.remainder())

    def in_units_of(self, point: Point) -> tuple[FloatArray, FloatArray]:
        """Return both, measuring moves in units of the weights at another point."""
        scale = _scale(weight_units(point.weights), len(self.hessian))
        return self.fisher * scale, self.hessian * scale


def _scale(units: FloatArray, size: int) -> FloatArray:
    full = np.ones(size)
    full[: len(units)] = units
    return np.outer(full, full)


class Ratios:
    """The change of coordinates from weights (in their own units) and t to a = log(w) / p and t.

    With eta = p a, weights are the softmax of eta; everything follows from its derivatives.

    Attributes
    ----------
    a : (s,) array
    matrix : (size, size) array
        Derivatives of the old coordinates (columns) by the new ones (rows).
    """

    def __init__(self, w: FloatArray, p: float, learn_power: bool, size: int) -> None:
        s = len(w)
        self.a = np.log(w) / p
        self._w, self._p, self._learn_power = w, p, learn_power
        self._steep = float(np.hypot(1.0, p))  # dp / dt
        self.matrix = np.eye(size)
        self.matrix[:s, :s] = p * (np.eye(s) - w[:, None])
        if learn_power:
            self.matrix[s, :s] = self._steep * (self.a - w @ self.a)

    def bending(self, gradient: FloatArray) -> FloatArray:
        """What the curvature of the change adds to a Hessian, for a gradient by the old ones."""
        w, p, c, a, s = self._w, self._p, self._steep, self.a, len(self._w)
        by_eta = gradient[:s] - w * gradient[:s].sum()
        bent_eta = np.diag(by_eta) - np.outer(by_eta, w) - np.outer(w, by_eta)
        by_new = np.zeros((len(gradient), s))  # d eta by the new coordinates
        by_new[:s] = p * np.eye(s)
        if self._learn_power:
            by_new[s] = c * a
        bent = by_new @ bent_eta @ by_new.T
        if self._learn_power:
            bent[:s, s] += c * by_eta
            bent[s, :s] += c * by_eta
            bent[s, s] += p * float(by_eta @ a)
        return np.asarray(bent)


def keeping_the_sum(positive: FloatArray, size: int) -> FloatArray:
    """Basis (size - 1, size) of moves, in units of the weights, that keep their sum.

    The largest weight absorbs what the others gain, so that it is in no danger of its bound.
    """
    absorber = int(np.argmax(positive))
    basis = np.eye(size)
    basis[: len(positive), absorber] = -positive / positive[absorber]
    others = np.arange(size - 1)
    others[absorber:] += 1
    return basis[others]


def minimiser(matrix: FloatArray, gradient: FloatArray) -> FloatArray | None:
    """Return the minimiser of a quadratic form, or None if the matrix is not positive definite."""
    diagonal = matrix.diagonal()
    if not (diagonal > 0).all():
        return None
    if len(diagonal) == 0:
        return np.empty(0)
    scale = 1.0 / np.sqrt(diagonal)
    with np.errstate(over="ignore", invalid="ignore"):  # next to nothing: see below
        scaled, aim = matrix * scale * scale[:, None], scale * gradient
    if not (np.isfinite(scaled).all() and np.isfinite(aim).all()):
        return None
    _, solution, failed = dposv(scaled, aim)
    with np.errstate(over="ignore"):
        found = np.asarray(-scale * solution)
    return None if failed or not np.isfinite(found).all() else found

"""The observed information of a mixture (Louis), and the scores of single decision makers.

With G_ik the slope of decision maker i's log likelihood under type k (0 outside of that type's
block and the memberships), r_ik how likely i belongs to k and s_i = sum_k r_ik G_ik::

    I = blockdiag(A_k) + memberships - sum_ik r_ik G_ik G_ik' + sum_i s_i s_i'

A_k is minus the second derivative of the log likelihood of the decisions weighted by r_ik.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.deciders.mixture import Mixture
from welfarist.inference.covariance import Face, face_of, information_of
from welfarist.inference.likelihood import Likelihood
from welfarist.losses import Point, weight_units


@dataclass(frozen=True, eq=False)
class MixtureInformation:
    """Slope and information of a mixture's log likelihood along the faces of its types.

    Attributes
    ----------
    likelihoods : tuple of Likelihood
        Of each type, with the decisions weighted by who belongs to it.
    faces : tuple of Face
    scores : (G, m) array
        The slope of each one's log likelihood, by moves of the types and then of the memberships.
    matrix : (m, m) array
        The observed information.
    """

    likelihoods: tuple[Likelihood, ...]
    faces: tuple[Face, ...]
    scores: FloatArray
    matrix: FloatArray

    @classmethod
    def of(cls, mixture: Mixture) -> MixtureInformation:
        """Work out both at a mixture, of which every type has somebody."""
        if mixture.deserted.any():  # held far out along a profile, say
            raise InputError("every type must have somebody who follows it; found one without.")
        likelihoods = tuple(likelihood_of_type(mixture, k) for k in range(mixture.types))
        faces = tuple(face_of(likelihood) for likelihood in likelihoods)
        ends = np.cumsum([0, *(len(face.basis) for face in faces), mixture.membership.parameters])
        blocks = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        size, belongs = int(ends[-1]), mixture.belongs
        matrix, scores = np.zeros((size, size)), np.zeros((mixture.panel.people, size))
        odds = blocks[-1]
        matrix[odds, odds] = mixture.membership.information()
        for k, (likelihood, face) in enumerate(zip(likelihoods, faces, strict=True)):
            block, share = blocks[k], belongs[:, k]
            if len(face.basis):
                matrix[block, block] = information_of(likelihood)[1]
            each = np.zeros_like(scores)
            each[:, block] = _slopes(mixture, face)
            each[:, odds] = mixture.membership.scores(np.eye(mixture.types)[[k] * len(each)])
            matrix -= (each * share[:, None]).T @ each
            scores += each * share[:, None]
        matrix += scores.T @ scores
        return cls(likelihoods, faces, scores, 0.5 * (matrix + matrix.T))

    @property
    def slope(self) -> FloatArray:
        """The slope (m,) of everybody's log likelihood."""
        return np.asarray(self.scores.sum(axis=0))

    def moved(self, mixture: Mixture, step: FloatArray) -> Mixture | None:
        """Return the mixture after a step (m,); None where a weight would be negative."""
        points, start = [], 0
        for face, point in zip(self.faces, mixture.points, strict=True):
            end = start + len(face.basis)
            there = _moved(face, point, step[start:end] @ face.basis)
            if there is None:
                return None
            points.append(there)
            start = end
        membership = mixture.membership.moved(step[start:])
        return Mixture(mixture.panel, mixture.models, tuple(points), membership)


def likelihood_of_type(mixture: Mixture, k: int) -> Likelihood:
    """Return the likelihood of a type: decisions count as far as who made them belongs to it."""
    panel, loss = mixture.panel, mixture.weighted(k)
    weights = mixture.rule_weights(k)
    newton = panel.setup.newton
    return Likelihood(loss, mixture.points[k], weights, panel.setup.people, panel.decided, newton)


def _slopes(mixture: Mixture, face: Face) -> FloatArray:
    """The slope (G, m) of each one's log likelihood by moves along the face of a type."""
    panel = mixture.panel
    if not len(face.basis):
        return np.empty((panel.people, 0))
    judged = face.loss.judge(face.point)
    nothing = np.empty((0, len(judged.values)))
    noise = face.loss.noise_at(face.point)
    found = panel.single.slopes(judged, noise, face.basis, nothing, people=panel.number)
    assert found.by_person is not None
    return found.by_person


def _moved(face: Face, point: Point, step: FloatArray) -> Point | None:
    """A point moved in the coordinates of a face; None where a weight would be negative."""
    loss = face.loss
    k, learned = loss.weighting.free, int(loss.learn_power)
    weights, p = point.weights, point.p
    if k:
        weights = weights + weight_units(weights) * step[:k]
        if (weights < 0).any():
            return None
        weights = weights / weights.sum()
    if learned:
        coordinate = loss.family.shape.coordinate
        p = coordinate.back(coordinate.into(p) + float(step[k]))
        low, high = loss.search_range
        p = loss.allowed(min(max(p, low), high))
    lower, upper = loss.extra_bounds
    extras = np.clip(face.point.extras + step[k + learned :], lower, upper)
    return Point(weights, p, np.asarray(extras, dtype=np.float64))

"""Standard errors of a fit to the best guess of utilities that know how uncertain the guess is.

Formula: with H the information of the decisions about the estimates, and S the derivative of their
score along independent errors of the guess (Murphy and Topel 1985)::

    covariance = H^-1 + H^-1 S S' H^-1

The estimates are those of the best guess taken as exact: less biased than those of what was
measured, because it is shrunken; tau is too small all the same, since what remains uncertain seems
to be noise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.inference.covariance import covariance_of, face_of, information_of
from welfarist.inference.likelihood import Likelihood

# How far along an error scores are compared, in its standard deviations.
_STEP = 1e-3


def two_step_covariance(likelihood: Likelihood, errors: Iterable[FloatArray]) -> FloatArray:
    """Return the covariance (k, k) of estimates from a best guess of utilities.

    Parameters
    ----------
    likelihood : Likelihood
        Where the guess is taken as exact.
    errors : iterable of (d, N) arrays
        Independent errors of its log utilities, each one standard deviation long.
    """
    face, (_, information) = face_of(likelihood), information_of(likelihood)
    loss, people = face.loss, face.loss.people
    assert isinstance(people, Columns)
    unit = likelihood.observations / (2.0 * likelihood.value if loss.squared else 1.0)

    def slope(logs: FloatArray) -> FloatArray:
        moved = replace(loss, people=Columns(logs, people.shift, people.has_zeros))
        return face.basis @ moved.evaluate(face.point).gradient()

    ends = (
        (slope(people.logs + _STEP * error), slope(people.logs - _STEP * error)) for error in errors
    )
    scores = np.array([unit * (ahead - behind) / (2.0 * _STEP) for ahead, behind in ends])
    moves = np.linalg.solve(information, scores.T)
    by_errors = face.to_estimates @ face.basis.T @ moves
    by_errors[np.isin(likelihood.names, face.on_edge)] = 0.0
    return np.asarray(covariance_of(likelihood, "fisher") + by_errors @ by_errors.T)

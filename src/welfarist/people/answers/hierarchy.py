"""Coefficients of stakeholders who are alike: each one's answers, and what all have in common.

Coefficients are normal over stakeholders. Their mean and covariance are those with the largest
marginal likelihood, by expectation and maximisation; each one's are then a mode with a covariance
(Laplace). Who answered little is drawn towards all, who answered much is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.people.answers.likelihoods import Said

_STEPS, _HALVINGS = 50, 30
# A mode is found when a step promises less than this.
_FOUND = 1e-9
# Rounds of expectation and maximisation, and the change of all variances at which they end.
ROUNDS, STEADY = 400, 1e-4
# As many stakeholders whose coefficients vary alike in all directions are added to those there are,
# and one whose coefficients are off by 0.5; means are 0 up to about 2. Without these, answers that
# never contradict each other would have no largest likelihood.
_ADDED, _ONE, _MEANS = 2.0, 0.25, 4.0
# The smallest variance of a coefficient over stakeholders, and that of one on their own.
_LEAST, _ALONE = 1e-6, 1e4


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """What was learned of all.

    Attributes
    ----------
    coefficients : (d, k) array
    covariances : (d, k, k) array
        How uncertain each one's are.
    common : (d, k, k) array
        How the error of the mean, in its standard deviations, moves each one's: what these have in
        common.
    mean : (k,) array
        Of the population.
    covariance : (k, k) array
    rounds : int
    steady : bool
        Whether the population had settled.
    """

    coefficients: FloatArray
    covariances: FloatArray
    common: FloatArray
    mean: FloatArray
    covariance: FloatArray
    rounds: int
    steady: bool


def mode_of(
    said: Said, start: FloatArray, mean: FloatArray, precision: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return likeliest coefficients (k,) under a normal population, and their covariance."""
    here = start
    value, slope, bent = said.at(here)
    off = here - mean
    size = value + 0.5 * float(off @ precision @ off)
    for _ in range(_STEPS):
        gradient = slope + precision @ (here - mean)
        step = np.linalg.solve(bent + precision, gradient)
        promised = 0.5 * float(step @ gradient)
        if promised <= _FOUND:
            break
        stride = 1.0
        for _ in range(_HALVINGS):
            tried = here - stride * step
            value, slope_there, bent_there = said.at(tried)
            off = tried - mean
            reached = value + 0.5 * float(off @ precision @ off)
            if reached <= size:
                break
            stride *= 0.5
        else:  # rounding hides any further decrease
            break
        here, slope, bent, size = tried, slope_there, bent_there, reached
    return here, np.asarray(np.linalg.inv(bent + precision), dtype=np.float64)


def alone(said: Sequence[Said], size: int) -> Hierarchy:
    """Return each one's coefficients by themselves, next to their largest likelihood."""
    precision = np.eye(size) / _ALONE
    modes = [mode_of(one, np.zeros(size), np.zeros(size), precision) for one in said]
    found = np.array([mode for mode, _ in modes])
    spread = np.array([covariance for _, covariance in modes])
    apart = np.zeros_like(spread)
    return Hierarchy(found, spread, apart, np.zeros(size), _ALONE * np.eye(size), 1, True)


class Population:
    """The population of coefficients, round after round.

    If `alike`, all coefficients vary alike and independently, and their means do so too: what is
    right of the actions themselves, of which nothing else is known.
    """

    def __init__(self, people: int, size: int, alike: bool) -> None:
        self.alike = alike
        self.mean, self.covariance = np.zeros(size), np.eye(size)
        self.coefficients = np.zeros((people, size))
        self.covariances = np.zeros((people, size, size))
        self._common = 1.0

    def expect(self, said: Sequence[Said]) -> None:
        """Find each one's coefficients."""
        precision = np.asarray(np.linalg.inv(self.covariance), dtype=np.float64)
        for i, one in enumerate(said):
            self.coefficients[i], self.covariances[i] = mode_of(
                one, self.coefficients[i], self.mean, precision
            )

    def maximise(self) -> float:
        """Find the population; return the largest relative change of a variance."""
        before = self.covariance.diagonal().copy()
        people = len(self.coefficients)
        middle = self.coefficients.mean(axis=0)
        if self.alike:
            own = before[0]
            kept = self._common / (self._common + own / people)
            self.mean = kept * middle
            uncertain = kept * own / people
            self._common = max(float((np.square(self.mean) + uncertain).mean()), _LEAST)
            off = np.square(self.coefficients - self.mean) + uncertain
            spread = off + np.einsum("ijj->ij", self.covariances)
            found = (people * float(spread.mean()) + _ONE) / (people + 1.0)
            self.covariance = max(found, _LEAST) * np.eye(len(middle))
        else:
            drawn = np.eye(len(middle)) + self.covariance / (people * _MEANS)
            self.mean = np.linalg.solve(drawn, middle)
            off = self.coefficients - self.mean
            total = off.T @ off + self.covariances.sum(axis=0)
            typical = float(np.trace(total)) / (people * len(middle))
            total += (_ADDED * typical + _ONE) * np.eye(len(middle))
            self.covariance = total / (people + _ADDED + 1.0)
        return float(np.abs(self.covariance.diagonal() / before - 1.0).max())

    def found(self, rounds: int, steady: bool) -> Hierarchy:
        """Return what was learned."""
        common = self._of_the_mean()
        spread = self.covariances + common @ common.transpose(0, 2, 1)
        known = self.mean, self.covariance
        return Hierarchy(self.coefficients, spread, common, *known, rounds, steady)

    def _of_the_mean(self) -> FloatArray:
        """How an uncertain mean moves the coefficients (d, k, k) of those drawn towards it."""
        precision = np.linalg.inv(self.covariance)
        drawn = self.covariances @ precision
        known = (precision - precision @ drawn).sum(axis=0)
        known = known + np.eye(len(known)) / (self._common if self.alike else _MEANS)
        return np.asarray(drawn @ np.linalg.cholesky(np.linalg.inv(known)))

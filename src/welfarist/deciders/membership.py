"""Who belongs to which type: shares, or chances that depend on what is known of each person.

With columns z of a decision maker, ``P(type k) = exp(gamma_k z) / sum_j exp(gamma_j z)``, and
gamma of the last type is 0. A column of ones alone makes them shares of everybody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from welfarist.base.validation import FloatArray

# Newton's steps, and the slope below which they end.
_STEPS, _FLAT = 50, 1e-10
# A share below this is none: its logarithm stays a number.
_NONE = 1e-12
# What keeps coefficients finite where a column tells types apart without error: a slope of 30 turns
# any chance into 0 or 1.
_RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class Membership:
    """How likely each decision maker is to belong to each type, before they decide anything.

    Attributes
    ----------
    design : (G, c) array
        What is known of the decision makers; the first column is ones.
    gamma : (K, c) array
        Log odds of each type against the last by unit of each column; the last row is 0.
    """

    design: FloatArray
    gamma: FloatArray

    @classmethod
    def even(cls, design: FloatArray, types: int) -> Membership:
        """Every type is as likely as any other."""
        return cls(design, np.zeros((types, design.shape[1])))

    @property
    def types(self) -> int:
        """How many types there are."""
        return len(self.gamma)

    @property
    def parameters(self) -> int:
        """How many numbers are learned."""
        return (self.types - 1) * int(self.design.shape[1])

    def log_chances(self) -> FloatArray:
        """Log chances (G, K)."""
        return np.asarray(log_softmax(self.design @ self.gamma.T, axis=1))

    def chances(self) -> FloatArray:
        """Chances (G, K)."""
        return np.exp(self.log_chances())

    @property
    def shares(self) -> FloatArray:
        """The share (K,) of everybody that each type has."""
        return np.asarray(self.chances().mean(axis=0))

    def fitted(self, belongs: FloatArray) -> Membership:
        """Return the most likely one, given how much each one (G, K) belongs to each type."""
        if self.design.shape[1] == 1:
            logs = np.log(np.maximum(belongs.mean(axis=0), _NONE))
            return replace(self, gamma=(logs - logs[-1])[:, None])
        best, value = self, self._gain(belongs)
        for _ in range(_STEPS):
            slope, information = best.scores(belongs).sum(axis=0), best.information()
            slope -= _RIDGE * best.free
            if np.abs(slope).max(initial=0.0) < _FLAT * len(belongs):
                break
            step = np.linalg.solve(information + _RIDGE * np.eye(len(slope)), slope)
            best, value, better = best._towards(step, belongs, value)
            if not better:
                break
        return best

    def _towards(
        self, step: FloatArray, belongs: FloatArray, value: float
    ) -> tuple[Membership, float, bool]:
        """Go along a step as far as that is likelier; whether it is anywhere."""
        for _ in range(20):
            there = self.moved(step)
            gain = there._gain(belongs)
            if gain > value:
                return there, gain, True
            step = step / 2.0
        return self, value, False

    def _gain(self, belongs: FloatArray) -> float:
        ridge = 0.5 * _RIDGE * float(self.free @ self.free)
        return float((belongs * self.log_chances()).sum()) - ridge

    @property
    def free(self) -> FloatArray:
        """The coefficients that are learned ((K - 1) c,)."""
        return self.gamma[:-1].reshape(-1)

    def moved(self, step: FloatArray) -> Membership:
        """Return another one, by so much ((K - 1) c,) of what is learned."""
        gamma = self.gamma.copy()
        gamma[:-1] += step.reshape(gamma[:-1].shape)
        return replace(self, gamma=gamma)

    def scores(self, belongs: FloatArray) -> FloatArray:
        """The slope (G, (K - 1) c) of each one's log chance, by how much they belong (G, K)."""
        apart = (belongs - self.chances())[:, :-1]
        return np.asarray((apart[:, :, None] * self.design[:, None, :]).reshape(len(apart), -1))

    def information(self) -> FloatArray:
        """Minus the second derivatives of the log chances, summed over everybody."""
        chances = self.chances()[:, :-1]
        spread = np.eye(chances.shape[1]) * chances[:, None, :]
        spread = spread - chances[:, :, None] * chances[:, None, :]
        both = np.einsum("gij,ga,gb->iajb", spread, self.design, self.design, optimize=True)
        return np.asarray(both.reshape(self.parameters, self.parameters))

    def shares_by_free(self) -> FloatArray:
        """How the shares (K, (K - 1) c) change with what is learned."""
        chances = self.chances()
        spread = np.eye(self.types) * chances[:, None, :]
        spread = spread - chances[:, :, None] * chances[:, None, :]
        found = np.einsum("gij,ga->ija", spread[:, :, :-1], self.design) / len(chances)
        return np.asarray(found.reshape(self.types, self.parameters))

    def in_order(self, order: npt.NDArray[np.intp]) -> Membership:
        """Return the same with types in another order (K,)."""
        gamma = self.gamma[order]
        return replace(self, gamma=gamma - gamma[-1])

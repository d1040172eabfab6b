"""Proofs of how good a fit is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Certificate:
    """A proven bound on what any rule of the family could reach.

    Attributes
    ----------
    loss : float
        The mean loss of the fit.
    lower_bound : float
        No rule of the family has a lower mean loss than this.
    method : str
        How it was proven, in words.
    """

    loss: float
    lower_bound: float
    method: str

    @property
    def gap(self) -> float:
        """How far the fit may be above the best loss; 0 is proven optimal."""
        return max(self.loss - self.lower_bound, 0.0)

"""Decisions in the order in which they came, and what was believed after each of them."""

from __future__ import annotations

import numpy as np

from welfarist.asking.evidence import Evidence
from welfarist.asking.filtering import State, started
from welfarist.asking.prior import Prior

# What was believed after earlier pieces is worked out again if it is asked for: memory stays as it
# is, however many there are.
_KEPT = 10


class History:
    """Pieces of evidence that can be added, undone and revised; the same pieces, the same digits.

    Parameters
    ----------
    prior : Prior
    people : int
    ties : bool
        Whether two actions can be called equal.
    size : int
        How many particles.
    seed : int
    """

    def __init__(self, prior: Prior, people: int, ties: bool, size: int, seed: int) -> None:
        self.prior, self.people, self.ties = prior, people, ties
        self.size, self.seed = size, seed
        self.pieces: list[Evidence] = []
        self._states: dict[int, State] = {}

    @property
    def state(self) -> State:
        """What is believed now."""
        return self._after(len(self.pieces))

    def add(self, piece: Evidence) -> None:
        """Take a piece of evidence in."""
        self.pieces.append(piece)
        _ = self.state

    def undo(self) -> None:
        """Forget the last piece."""
        self._states.pop(len(self.pieces), None)
        self.pieces.pop()

    def revise(self, k: int, piece: Evidence) -> None:
        """Put another piece in the place of the k-th, from 0."""
        self.pieces[k] = piece
        self._states = {after: state for after, state in self._states.items() if after <= k}
        _ = self.state

    def copy(self) -> History:
        """Return the same pieces, which go on by themselves."""
        made = History(self.prior, self.people, self.ties, self.size, self.seed)
        made.pieces, made._states = list(self.pieces), dict(self._states)
        return made

    def with_ties(self) -> None:
        """Begin again with a band within which actions are called equal."""
        self.ties = True
        self._states.clear()

    def _after(self, count: int) -> State:
        known = max((k for k in self._states if k <= count), default=None)
        if known is None:
            rng = np.random.default_rng([self.seed, 0])
            none = Evidence.none(self.people)
            self._states[0] = started(self.prior, none, self.ties, self.size, rng)
            known = 0
        state = self._states[known]
        for k in range(known, count):
            state = state.plus(self.pieces[k], np.random.default_rng([self.seed, k + 1]))
            self._states[k + 1] = state
            self._states.pop(k + 1 - _KEPT if k + 1 > _KEPT else -1, None)
        return state

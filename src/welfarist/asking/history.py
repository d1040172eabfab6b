"""Decisions in the order in which they came, and what was believed after each of them."""

from __future__ import annotations

import numpy as np

from welfarist.asking.cloud import Cloud, Target
from welfarist.asking.evidence import Evidence, joined
from welfarist.asking.filtering import State, started
from welfarist.asking.prior import Prior

# What was believed after each of the last pieces is kept, after every fifth of those before them,
# and nothing from further back: it is worked out again if it is asked for, and memory stays as it
# is, however many there are.
_LAST, _EVERY, _OLDEST = 10, 5, 40


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
        self._now: tuple[int, State] | None = None
        self._marks: dict[int, Cloud] = {}

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
        self.pieces.pop()
        self._forget_after(len(self.pieces))

    def revise(self, k: int, piece: Evidence) -> None:
        """Put another piece in the place of the k-th, from 0."""
        self.pieces[k] = piece
        self._forget_after(k)
        _ = self.state

    def copy(self) -> History:
        """Return the same pieces, which go on by themselves."""
        made = History(self.prior, self.people, self.ties, self.size, self.seed)
        made.pieces, made._now, made._marks = list(self.pieces), self._now, dict(self._marks)
        return made

    def with_ties(self) -> None:
        """Begin again with a band within which actions are called equal."""
        self.ties, self._now = True, None
        self._marks.clear()

    def _forget_after(self, count: int) -> None:
        self._marks = {k: cloud for k, cloud in self._marks.items() if k <= count}
        if self._now is not None and self._now[0] > count:
            self._now = None

    def _after(self, count: int) -> State:
        if self._now is None or self._now[0] > count:
            self._now = self._last_known(count)
        known, state = self._now
        for k in range(known, count):
            state = state.plus(self.pieces[k], np.random.default_rng([self.seed, k + 1]))
            self._now = k + 1, state
            self._keep(k + 1, state)
        return state

    def _last_known(self, count: int) -> tuple[int, State]:
        """The last thing that was believed before so many pieces, and after how many it was."""
        if not self._marks:
            none = Evidence.none(self.people)
            rng = np.random.default_rng([self.seed, 0])
            state = started(self.prior, none, self.ties, self.size, rng)
            self._keep(0, state)
            return 0, state
        known = max(k for k in self._marks if k <= count)
        whole = joined(self.people, self.pieces[:known])
        target = Target(self.prior, self.prior.coordinates(self.people, self.ties), whole)
        return known, State(target, self._marks[known])

    def _keep(self, after: int, state: State) -> None:
        self._marks[after] = state.cloud
        past, old = after - _LAST, after - _OLDEST
        if past > 0 and past % _EVERY:
            self._marks.pop(past, None)
        if old > 0:
            self._marks.pop(old, None)

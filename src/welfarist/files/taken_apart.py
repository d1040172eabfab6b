"""Comparisons that look as if somebody had taken menus apart into pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.decisions import Comparisons
from welfarist.decisions.labels import numbered

# Pairs of which fewer stand in such runs were hardly made from menus.
_MOST = 0.9
# Two menus in a row from which the same was chosen are one run, in which others come twice.
_ONCE = 0.5


def menus_taken_apart(file: str, made: Comparisons) -> list[str]:
    """Say that comparisons look like menus taken apart: one action against many others in turn.

    What was chosen from a menu is then counted against each other action as if decided apart, so
    that intervals are too short.
    """
    if not _look_taken_apart(made):
        return []
    return [
        f"{file}: comparisons set one action against several others in turn, as if menus had been "
        "taken apart; if so, give the menus (choices=…), because intervals from such pairs cover "
        "the truth 81 to 83% of the time in place of 95%."
    ]


def _look_taken_apart(made: Comparisons) -> bool:
    """Whether nearly all comparisons stand in runs of one winner, hardly another action twice.

    A run of two happens by chance: there must be one of three.
    """
    winner = np.where(made.outcomes > 0, made.pairs[:, 0], made.pairs[:, 1])
    by = np.broadcast_to(np.intp(0), len(winner)) if made.by is None else numbered(made.by)
    same = winner[1:] == winner[:-1]
    if made.by is not None:
        same &= by[1:] == by[:-1]
    if not (same[1:] & same[:-1]).any() or (made.outcomes == 0).any():  # no run of three
        return False
    loser = made.pairs.sum(axis=1) - winner
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    sizes = np.diff(np.append(starts, len(winner)))
    inside = np.where(sizes > 1, sizes, _last_of_rankings(starts, sizes, winner, loser, by))
    if inside.sum() < _MOST * len(winner):
        return False
    keys = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64) * made.actions + loser
    return len(np.unique(keys)) >= _ONCE * len(keys)


def _last_of_rankings(
    starts: npt.NDArray[np.intp],
    sizes: npt.NDArray[np.intp],
    winner: npt.NDArray[np.integer],
    loser: npt.NDArray[np.integer],
    by: npt.NDArray[np.generic],
) -> npt.NDArray[np.intp]:
    """Which single comparisons (r,) end a ranking: between the two that lost just before."""
    found = np.zeros(len(sizes), dtype=np.intp)
    ends = np.flatnonzero((sizes[1:] == 1) & (sizes[:-1] == 2)) + 1
    at = starts[ends]
    before = loser[at - 2], loser[at - 1]
    pair = winner[at], loser[at]
    same = ((before[0] == pair[0]) & (before[1] == pair[1])) | (
        (before[0] == pair[1]) & (before[1] == pair[0])
    )
    found[ends] = same & (by[at] == by[at - 1])
    return found

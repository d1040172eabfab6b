"""Decisions that are impossible under every rule: nothing in the place of something.

Where an action gives nothing to anybody who counts, its welfare is 0 under every power mean, and
another's that gives something is infinitely larger in proportion. Unless decision makers may slip
however clear the case, they never prefer it, nor find both equally good.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import ImpossibleDecisionsError
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.decisions.choices import Choices
from welfarist.decisions.comparisons import Comparisons
from welfarist.people.source import extremes_of, is_source
from welfarist.people.weighting import Weighting

# Decisions that a message describes.
_SHOWN = 3


def impossible_rows(decided: Comparisons, weighting: Weighting) -> npt.NDArray[np.intp]:
    """Return the rows of decisions that no rule explains, given what is known about the weights.

    Examples
    --------
    >>> decided = Comparisons([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], [[0, 1], [1, 2]], [1, -1])
    >>> impossible_rows(decided, Weighting(2))
    array([0])
    """
    utilities = _largest(decided.utilities)
    if utilities is None:
        return np.empty(0, dtype=np.intp)
    counted = utilities if weighting.fixed is None else utilities[:, weighting.fixed > 0]
    worth = np.asarray(counted.any(axis=1))
    first, second = worth[decided.pairs].T
    worse_first, worse_second = ~first & second, first & ~second
    wrong = (worse_first & (decided.outcomes >= 0)) | (worse_second & (decided.outcomes <= 0))
    return np.flatnonzero(wrong & (decided.counts > 0))


def _largest(utilities: Any) -> FloatArray | None:
    """The most that anybody behind each entry has (N, d); None if nobody knows."""
    if not is_source(utilities):
        return np.asarray(utilities)
    found = extremes_of(utilities)
    return None if found is None else found[1]


def refuse_impossible(decided: Comparisons, weighting: Weighting, noise: str) -> None:
    """Refuse decisions that no rule explains; `noise` is what a user calls the noise model."""
    rows = impossible_rows(decided, weighting)
    if not len(rows):
        return
    shown = [_described(decided, int(row)) for row in rows[:_SHOWN]]
    more = [f"{len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else []
    raise ImpossibleDecisionsError(
        f"every decision must be possible under some rule; found {len(rows)} of {len(decided)} "
        f"that no rule explains: {listed([*shown, *more])}. An action that gives nothing to "
        f"anybody who counts has welfare 0, and is never preferred to another with {noise}, nor as "
        "good. Leave such decisions out, add a constant to every utility (such as shift=1), or fit "
        'with noise="lapse", which allows for slips.',
        rows.tolist(),
    )


def _described(decided: Comparisons, row: int) -> str:
    """Say which decision it is, and what was decided."""
    outcome = int(decided.outcomes[row])
    one, other = (int(action) for action in decided.pairs[row][:: outcome or 1])
    if decided.names is not None:
        called = f"{decided.names[one]!r}", f"{decided.names[other]!r}"
    elif decided.numbered:
        called = f"action {one}", f"action {other}"
    else:
        sides = ("the first action", "the second")
        called = sides if outcome >= 0 else (sides[1], "the first")
    return f"{called[0]} {'over' if outcome else 'as good as'} {called[1]} at row {row}"


def impossible_choices(decided: Choices, weighting: Weighting) -> npt.NDArray[np.intp]:
    """Rows of choices from menus that no rule explains: of what is worth nothing to anybody."""
    counted = _largest(decided.utilities)
    if counted is None:
        return np.empty(0, dtype=np.intp)
    counted = np.nan_to_num(counted)
    if weighting.fixed is not None:
        counted = counted[:, weighting.fixed > 0]
    worth = np.append(counted.any(axis=1), True)[decided.menus.rows].astype(np.float64)
    menus = decided.menus
    best = np.where(menus.sign > 0, menus.largest(worth), menus.largest(1.0 - worth))
    right = np.where(menus.spread(menus.sign) > 0, worth, 1.0 - worth)
    wrong = menus.sums(menus.taken * (1.0 - right)) * best > 0
    return np.unique(decided.decision[wrong & (decided.counts[decided.decision] > 0)])


def refuse_impossible_choices(decided: Choices, weighting: Weighting, noise: str) -> None:
    """Refuse choices from menus that no rule explains."""
    rows = impossible_choices(decided, weighting)
    if not len(rows):
        return
    shown = [f"row {row}" for row in rows[:_SHOWN].tolist()]
    more = [f"{len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else []
    raise ImpossibleDecisionsError(
        f"every decision must be possible under some rule; found {len(rows)} of {len(decided)} "
        f"that no rule explains: {listed([*shown, *more])}. An action that gives nothing to "
        f"anybody who counts has welfare 0, and is never chosen from a menu with others by "
        f"{noise}. Leave such decisions out, add a constant to every utility (such as shift=1), or "
        'fit with noise="lapse", which allows for slips.',
        rows.tolist(),
    )

"""A few rules in the place of thousands: what is believed of somebody, as equally likely draws."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

# A rule that is less likely than this is drawn by nobody.
_NEVER = 1e-9


def thinned(chances: FloatArray, numbers: FloatArray, draws: int) -> npt.NDArray[np.intp]:
    """Return rules (draws,), each as often as it is likely, spread over all numbers of a rule.

    Parameters
    ----------
    chances : (S,) array
        How likely each rule is.
    numbers : (S, D) array
        What rules differ in; those that matter most first.
    draws : int

    Notes
    -----
    Systematic resampling at the middle of equal steps, so that nothing is left to chance, along a
    line that winds through all numbers: slices of equal chance by the first, in each of them slices
    by the second, one up and the next down. Along the order of one number alone the chances of
    choices are off by twice as much.

    Examples
    --------
    >>> thinned(np.array([0.5, 0.0, 0.25, 0.25]), np.arange(4.0)[:, None], 4).tolist()
    [0, 0, 2, 3]
    """
    likely = np.flatnonzero(chances > _NEVER * chances.max())
    varies = [column for column in numbers[likely].T if np.ptp(column) > 0]
    slices = int(np.ceil(draws ** (1.0 / max(len(varies), 1))))
    line = _winding(np.arange(len(likely)), chances[likely], varies, slices)
    below = np.cumsum(chances[likely][line])
    steps = (np.arange(draws) + 0.5) / draws * below[-1]
    places = np.searchsorted(below, steps)
    return np.asarray(likely[line[np.minimum(places, len(line) - 1)]])


def _winding(
    which: npt.NDArray[np.intp], chances: FloatArray, columns: list[FloatArray], slices: int
) -> npt.NDArray[np.intp]:
    """Some of the rules in the order of a line that winds through columns (S,) of numbers."""
    if not columns or len(which) < 2:
        return which
    ordered = which[np.argsort(columns[0][which], kind="stable")]
    if len(columns) == 1:
        return ordered
    below = np.cumsum(chances[ordered])
    part = np.minimum((below / below[-1] * slices).astype(np.intp), slices - 1)
    ends = np.searchsorted(part, np.arange(1, slices))
    found = []
    for turn, members in enumerate(np.split(ordered, ends)):
        line = _winding(members, chances, columns[1:], slices)
        found.append(line[::-1] if turn % 2 else line)
    return np.concatenate(found)

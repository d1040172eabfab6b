"""How large numbers may be, so that whatever is made of them is a number too.

Kernels see no units: logarithms of utilities less their mean, scores in units of their own size,
shares in place of sample weights. What is reported in the user's unit, such as a mean squared
error, must be a number as well. Where it could not be one, this is the place that says so.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, place
from welfarist.decisions.scores import Scores
from welfarist.people.source import is_source

# Squares of these, and sums of billions of them, are numbers with all their digits.
SMALLEST, LARGEST = 1e-140, 1e140
# Utilities this many times as large as all scores are on no common scale with them: no square of a
# ratio is a number beyond.
MOST_APART = 1e100


def check_magnitudes(seen: Scores, scale: bool) -> None:
    """Refuse scores, and utilities on their scale, of which no squared error is a number.

    Parameters
    ----------
    seen : Scores
        With what is added to utilities, and to scores on their scale.
    scale : bool
        Whether scores are on a scale of their own.
    """
    size = np.abs(seen.values[seen.counts > 0])
    largest = float(size.max())
    if largest > LARGEST or 0 < largest < SMALLEST:
        row = int(np.argmax(np.where(seen.counts > 0, np.abs(seen.values), -1.0)))
        unit = "Choose another unit" + ("." if scale else " for scores and utilities.")
        raise InputError(
            f"scores must be between {SMALLEST:g} and {LARGEST:g} in size, so that squares are "
            f"numbers; found {seen.values[row]:g} at row {row}, the largest. {unit}"
        )
    if not scale and not is_source(seen.utilities):
        _check_utilities(seen.utilities, largest or 1.0)


def _check_utilities(utilities: FloatArray, scores: float) -> None:
    """Refuse utilities (N, d) that cannot be on the scale of scores of this size."""
    most = min(LARGEST, MOST_APART * scores)
    if utilities.max() <= most:
        return
    found = utilities > most
    raise InputError(
        f"utilities must be at most {most:g} where scores are on their scale and {scores:g} is the "
        f"largest of them; found {utilities[found][0]:g}{place(found)}. Correct that entry, choose "
        "another unit for scores and utilities, or set scale=True if scores are on a scale of "
        "their own."
    )

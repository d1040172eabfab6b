"""Powers, and other families' parameters, as they are written: with a minus sign, and infinity.

Pages need this and no figure, which is why it stands apart: figures take seconds to import.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from welfarist.families.named import Doctrine
from welfarist.families.power_mean.doctrines import DOCTRINES

MINUS = "\N{MINUS SIGN}"
# Decimals that are worth it to tell an end of an interval from a doctrine.
_MOST_DECIMALS = 7


def in_symbols(value: float) -> str:
    """Return a number as it is written on an axis: with a real minus and an infinity sign."""
    if value == 0.5:
        return "½"
    digits = "∞" if np.isinf(value) else f"{abs(value):g}"
    return f"{MINUS}{digits}" if value < 0 else digits


def rounded(
    value: float,
    interval: Sequence[float] = (-np.inf, np.inf),
    doctrines: Sequence[Doctrine] = DOCTRINES,
) -> str:
    """Return a power with two decimals, fewer if it is large, or the sign of infinity.

    Where its interval is narrow it has more: as many as show two digits of the interval's width,
    and on which side of a doctrine each end lies.

    Examples
    --------
    >>> [rounded(p, (-0.0013, 0.27)) for p in (-0.0013, 0.13, 0.27)]
    ['−0.001', '0.130', '0.270']
    """
    if np.isinf(value):
        return in_symbols(value)
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    width = interval[1] - interval[0]
    if 0 < width < np.inf:
        digits = max(digits, 1 - int(np.floor(np.log10(width))))
    digits = max(digits, *(_apart(end, doctrines) for end in interval))
    text = f"{value:.{digits}f}"
    return text.replace("-", MINUS) if float(text) else text.removeprefix("-")


def _apart(end: float, doctrines: Sequence[Doctrine]) -> int:
    """How many decimals it takes to see on which side of a doctrine an end of an interval lies."""
    near = [d.p for d in doctrines if end != d.p and abs(end - d.p) < 0.5]
    if not near:
        return 0
    for digits in range(_MOST_DECIMALS):
        if round(end, digits) != near[0]:
            return digits
    return 0

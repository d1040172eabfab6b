"""How good chances were that somebody gave to decisions.

Whoever gave them, one rule, types or individuals, is judged by the same numbers: of a comparison
both actions count, of a ranking the first choice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from welfarist.base.validation import FloatArray
from welfarist.decisions import Choices, Comparisons

# Chances this close to the largest one are as large.
_AS_LARGE = 1e-12


def losses_of(chances: Any, decided: Any) -> FloatArray:
    """Return minus the log of the chance (n,) of what was decided; infinite where it had none.

    Parameters
    ----------
    chances : (n, 2) array of comparisons, or list of n arrays of choices
        As ``predict_proba`` gives them: of comparisons the second action before the first.
    decided : Comparisons or Choices
    """
    if isinstance(chances, list):
        pairs = zip(chances, _taken(decided), strict=True)
        return np.array([-float(xlogy(taken, each).sum()) for each, taken in pairs])
    first = (1.0 + decided.outcomes) / 2.0
    return np.asarray(-(xlogy(1.0 - first, chances[:, 0]) + xlogy(first, chances[:, 1])))


def right_of(chances: Any, decided: Any) -> FloatArray:
    """Return how much of each decision (n,) was got right; ties, and several best, in shares.

    The parameters are those of :func:`losses_of`.
    """
    if isinstance(chances, list):
        pairs = zip(chances, _taken(decided), strict=True)
        return np.array([_share(each, taken) for each, taken in pairs])
    ahead = np.sign(chances[:, 1] - chances[:, 0])
    return np.asarray((1.0 + ahead * decided.outcomes) / 2.0)


def how_often(decided: Any) -> FloatArray:
    """Return how often each decision (n,) was made; a menu of one leaves none to make."""
    return np.asarray(decided.told if isinstance(decided, Choices) else decided.counts)


def _taken(decided: Any) -> list[FloatArray]:
    """What was taken of the first menu of each decision, in shares."""
    asked = Choices.of_comparisons(decided) if isinstance(decided, Comparisons) else decided
    menus = asked.first_menus()
    return np.split(menus.taken, menus.starts[1:-1])


def _share(chances: FloatArray, taken: FloatArray) -> float:
    best = chances >= chances.max() * (1.0 - _AS_LARGE)
    return float(taken[best].sum() / best.sum())

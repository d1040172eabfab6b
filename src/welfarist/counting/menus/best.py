"""Which actions of menus a rule finds best, with ties as the exact methods see them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.decisions.menus import Menus

# Rounding may hide that another is better than the seemingly best, and again; it does so seldom.
_MOST_CHANGES = 20


def best_entries(
    menus: Menus, utilities: FloatArray, values: FloatArray, rule: Any
) -> npt.NDArray[np.bool_]:
    """Return the best entries (E,) of each menu, or the worst where those were asked for.

    Parameters
    ----------
    menus : Menus
    utilities : (N, d) array
        NaN where somebody is absent.
    values : (N,) array
        Log welfare of the actions.
    rule : WelfareFunction
        With weights, and without names.
    """
    here = values[menus.rows] * menus.spread(menus.sign)
    whose = np.repeat(np.arange(len(menus)), menus.sizes)
    best = np.asarray(here == menus.spread(menus.largest(here)))
    seen = utilities + rule.shift
    if rule.p <= 0 and (seen == 0).any():
        return best
    for _ in range(_MOST_CHANGES):
        found, first = np.unique(whose[best], return_index=True)
        leader = np.flatnonzero(best)[first][np.searchsorted(found, whose)]
        loss = ZeroOneLoss.between(seen, menus.rows[leader], menus.rows, rule.weights)
        ahead = loss.signs(rule.weights, rule.p) * menus.spread(menus.sign)
        better = ahead < 0
        beaten = np.isin(whose, whose[better])
        best = np.where(beaten, better, ahead == 0)
        if not beaten.any():
            break
    return best

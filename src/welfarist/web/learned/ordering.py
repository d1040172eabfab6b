"""In which order what is believed puts the actions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.asking.choosing import best_chances
from welfarist.asking.cloud import systematic
from welfarist.asking.coordinates import Rules
from welfarist.asking.posterior import Posterior
from welfarist.asking.welfares import Outcomes
from welfarist.base.validation import FloatArray

IntArray = npt.NDArray[np.intp]
# Utilities that are looked at while somebody waits: of a large table, by fewer rules.
_AT_MOST, _FEWEST = 20_000_000, 50
# A welfare of nothing is far below every other one, and can still be averaged.
_NOTHING = -1e3
# A chance to be the best that is worth a place at the front.
_LIKELY = 0.1


@dataclass(frozen=True, eq=False)
class Order:
    """Actions, best first.

    Attributes
    ----------
    rows : (N,) array of int
    best : (N,) array
        How likely each action of the table is the best.
    above : (N,) array
        The share of all others that each is expected to be better than.
    """

    rows: IntArray
    best: FloatArray
    above: FloatArray


def order_of(belief: Posterior, table: FloatArray) -> Order:
    """Return the order of the actions of a table (N, d)."""
    rules = _some(belief, table.size)
    shares = np.full(len(rules), 1.0 / len(rules))
    best = best_chances(rules, shares, table)
    above = np.zeros(len(table))
    for k in range(len(rules)):
        welfare = Outcomes(table).log_welfare(rules.weights[k : k + 1], rules.powers[k : k + 1])[0]
        above += _places(welfare)
    above /= len(rules)
    # What may well be the best comes first; the others by how many they are better than.
    rows = np.lexsort((-above, -np.where(best >= _LIKELY, np.round(best, 2), 0.0)))
    return Order(rows.astype(np.intp), best, above)


def _places(welfare: FloatArray) -> FloatArray:
    """The share of others that each is better than; equals share their places."""
    values, place = np.unique(np.maximum(welfare, _NOTHING), return_inverse=True)
    counts = np.bincount(place, minlength=len(values))
    below = np.cumsum(counts) - counts
    return np.asarray((below + (counts - 1) / 2.0)[place] / max(len(welfare) - 1, 1))


def _some(belief: Posterior, size: int) -> Rules:
    """Equally likely rules, as many as there is time for."""
    shares, rules = belief.state.cloud.shares, belief.rules
    count = min(len(rules), max(_FEWEST, _AT_MOST // size), 400)
    rows = systematic(shares, count, np.random.default_rng(0))
    return Rules(
        rules.weights[rows], rules.powers[rows], rules.taus[rows], rules.rhos[rows],
        rules.bands[rows],
    )  # fmt: skip

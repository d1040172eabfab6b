"""What is charged for certainty in choices from menus, as if any two actions were compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.decisions.menus import Menus
from welfarist.decisions.merged_pairs import MergedPairs, merged
from welfarist.losses.graph import ComparisonGraph
from welfarist.losses.menu_response import MenuResponse
from welfarist.losses.restraint import Restraint

# Menus of more actions than this are large, and each of their actions is paired with so many.
_LARGE, _PARTNERS = 33, 4


def charge(
    response: MenuResponse,
    graph: ComparisonGraph,
    values: FloatArray,
    has_zeros: bool,
    restraint: Restraint,
) -> None:
    """Charge a response to values (N,) for certainty, as if each pair of a menu was compared."""
    observed, extras = response.observed, response.extras
    margins = graph.differences(observed.extras.values(values, extras), has_zeros)
    margins *= np.exp(extras[0])
    count = graph.pairs.count
    if has_zeros:
        count = np.where(np.isfinite(margins), count, 0.0)
        margins[~np.isfinite(margins)] = 0.0
    response.margins = margins
    response.caution = restraint.of_margins(margins, count)
    response.surest = tuple(map(float, restraint.of_temperature(extras[0])))
    response.value += (response.caution.value + response.surest[0]) / observed.total


def pairs_of(menus: Menus, actions: int) -> MergedPairs:
    """Every two actions of each menu as a pair that was compared 2 / K times as often.

    Of a large menu some pairs stand for all, each action in as many of them, so that the work grows
    like K and not like its square.
    """
    pairs, counts = [], []
    for block in menus.blocks:
        rows = np.sort(menus.rows[block.entries].reshape(-1, block.size), axis=1)
        first, second = _places(block.size)
        pairs.append(np.stack([rows[:, first], rows[:, second]], axis=-1).reshape(-1, 2))
        often = menus.count[block.menus] * ((block.size - 1.0) / len(first))
        counts.append(np.repeat(often, len(first)))
    both, often = np.concatenate(pairs), np.concatenate(counts)
    return merged(both, np.zeros(len(both), dtype=np.int8), often, actions)


def _places(size: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Places of the pairs of a menu of so many actions: all, or each with some at all distances."""
    if size <= _LARGE:
        first, second = np.triu_indices(size, 1)
        return first, second
    steps = np.unique(np.geomspace(1, (size - 1) // 2, _PARTNERS).astype(np.intp))
    first = np.repeat(np.arange(size), len(steps))
    return first, (first + np.tile(steps, size)) % size

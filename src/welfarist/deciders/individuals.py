"""Everybody's own rule in numbers, with how sure each is."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.validation import FloatArray
from welfarist.deciders.beliefs import Beliefs

# Ends of intervals beyond this are infinite: no decisions tell such powers from the limit.
_AS_INFINITE = 1000.0


def individual_columns(
    beliefs: Beliefs,
    counts: FloatArray,
    stakeholders: tuple[str, ...],
    *,
    shape: str = "p",
    aversion: bool = True,
    level: float = 0.95,
) -> dict[str, Any]:
    """Return one row a decision maker, as columns by name.

    Parameters
    ----------
    beliefs : Beliefs
    counts : (G,) array
        How many decisions each one made.
    stakeholders : tuple of str
    shape : str
        What the family's own parameter is called.
    aversion : bool
        Whether one less the shape is inequality aversion.
    level : float
        Of the intervals, which leave as much out at either end.

    Notes
    -----
    Estimates of shape and temperature are medians of what is believed after somebody's decisions,
    those of weights are means, which sum to 1.
    """
    tail = (1.0 - level) / 2.0
    levels = (0.5, tail, 1.0 - tail)
    rules = beliefs.rules
    found: dict[str, Any] = {
        "who": [str(name) for name in beliefs.names.tolist()],
        "decisions": counts,
    }
    powers = beliefs.quantiles(rules.powers, levels)
    ends = powers[:, 1:]
    ends[np.abs(ends) > _AS_INFINITE] *= np.inf
    found |= _named(shape, powers)
    if aversion:
        found["inequality_aversion"] = 1.0 - powers[:, 0]
    found |= _named("tau", beliefs.quantiles(rules.taus, levels))
    means = beliefs.means(rules.weights)
    for j, name in enumerate(stakeholders):
        ends = beliefs.quantiles(rules.weights[:, j], levels[1:])
        found |= _named(f"weight of {name}", np.column_stack([means[:, j], ends]))
    return found


def _named(name: str, columns: FloatArray) -> dict[str, FloatArray]:
    estimate, low, high = columns.T
    return {name: estimate, f"{name}_low": low, f"{name}_high": high}


def individuals_frame(columns: dict[str, Any]) -> Any:
    """Return the columns as a data frame, of pandas if installed, else of polars."""
    return to_frame(columns)

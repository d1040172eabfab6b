"""One person's weight moved through all its values: the other valleys of its profile.

The welfare of everybody else is known, so that a person at another weight costs one operation an
action. A valley that no small step leads to is where somebody counts who did not, or no longer.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.solvers.terrain import Terrain

_VALUES = 16
_LEFT_OUT = -600.0
_BEYOND = 3.0  # log weights beyond those of others that are tried; far out, one spread of ratios
_RATIO_POWER = 2.0
_NEAR_ZERO = 1e-3


def exchanged(
    terrain: Terrain,
    logits: FloatArray,
    p: float,
    extras: FloatArray,
    spread: float,
    most: int,
) -> list[FloatArray]:
    """Return up to `most` log weights (k,), each with one changed, the most promising first."""
    if abs(p) < _NEAR_ZERO:
        return []
    far = abs(p) >= _RATIO_POWER
    unit, beyond = (p, spread) if far else (1.0, _BEYOND)
    logits = logits - logits.max()
    counted = logits > -500.0
    ratios = logits / unit
    lowest, highest = ratios[counted].min() - beyond, ratios[counted].max() + beyond
    values = unit * np.linspace(lowest, highest, _VALUES)
    # From not counting at all to counting most.
    values = np.concatenate([[_LEFT_OUT], np.sort(values)])
    losses = terrain.with_one_changed(logits, p, extras, values)  # (k, V)
    here = np.argmin(np.abs(values - logits[:, None]), axis=1)
    ends = np.full((len(logits), 1), np.inf)
    around = np.hstack([ends, losses, ends])
    valley = (losses <= around[:, :-2]) & (losses < around[:, 2:]) & np.isfinite(losses)
    valley &= np.abs(np.arange(len(values)) - here[:, None]) > 1
    who, where = np.nonzero(valley)
    order = np.argsort(losses[who, where], kind="stable")[:most]
    found = []
    for i, v in zip(who[order].tolist(), where[order].tolist(), strict=True):
        changed = logits.copy()
        changed[i] = values[v]
        found.append(changed)
    return found

"""How far off a perfect rule would be, because numbers were published with few digits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd


def typical_error(
    rule: Callable[[np.ndarray], np.ndarray], columns: pd.DataFrame, step: float
) -> float:
    """Return the root mean squared error that rounding alone gives rise to.

    Rounding to a multiple of `step` errs by step / sqrt(12) (a uniform distribution). The score is
    rounded once; the rounding of each column passes through the rule, times its slope there.
    """
    table = columns.to_numpy(dtype=float)
    moves = step * np.eye(table.shape[1])
    slopes = np.array([(rule(table + move) - rule(table)) / step for move in moves])
    return float(step / np.sqrt(12) * np.sqrt(1 + np.mean(np.sum(slopes**2, axis=0))))

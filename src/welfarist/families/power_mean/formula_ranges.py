"""Where on the line of powers each formula for the power mean serves."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.validation import FloatArray

# From this |p| on, log(sum w exp(p x)) / p amplifies rounding by at most 1/p = 4, and the faster
# exp serves. Below it |p| * range(log u) <= 0.25 * 1455 < 709, so that expm1 cannot overflow for
# any pair of doubles, and the centred formula keeps every digit as p -> 0.
SMALL_POWER = 0.25

# |p| * Var(log u) / 2 is the first term by which M differs from the geometric mean; the largest
# variance doubles allow is 1455^2 / 4, so below this power the difference is under 1e-24.
ZERO_POWER = 1e-30

# Beyond this |p| the product with a difference of logarithms (at most 1455) could overflow, and
# every exponent but 0 has long been minus infinity for all that exp can tell.
LARGE_POWER = 1e300


def log_kept(kept: Any, dropped: Any, p: Any) -> FloatArray:
    """log(kept / (kept + dropped)) / p (m,), exactly 0 where nothing was dropped.

    What those with utility 0 take out of log M when p > 0, `kept` and `dropped` (m,) being the
    weight of the others and theirs. The division by a small p would blow up even one unit in the
    last place, so the weight that is gone is what counts, never the difference of two sums.
    """
    everything = kept + dropped
    most = np.log1p(-dropped / everything)
    share = np.where(dropped < kept, most, np.log(kept / everything))
    return np.where(dropped > 0, share / p, 0.0)

"""The power mean in high-precision arithmetic, straight from its definition."""

from __future__ import annotations

from collections.abc import Sequence

import mpmath as mp

DIGITS = 60
# Extra digits for the division by p: at |p| = 1e-17 the definition itself loses 17.
GUARD = 60


def log_mean(u: Sequence[float], w: Sequence[float], p: object) -> mp.mpf:
    """log M(u; w, p) for positive utilities, to DIGITS digits."""
    with mp.workdps(DIGITS + GUARD):
        total = mp.fsum(mp.mpf(x) for x in w)
        counted = [
            (mp.log(mp.mpf(a)), mp.mpf(b) / total) for a, b in zip(u, w, strict=True) if b > 0
        ]
        power = mp.mpf(p)
        logs = [a for a, _ in counted]
        if mp.isinf(power):
            return max(logs) if power > 0 else min(logs)
        if abs(power) < mp.mpf(10) ** -(DIGITS - 10):
            # log M = mean + p Var / 2 + O(p^2): the next term is beyond the digits kept.
            mean = mp.fsum(b * a for a, b in counted)
            variance = mp.fsum(b * (a - mean) ** 2 for a, b in counted)
            return mean + power * variance / 2
        top = max(power * a for a in logs)
        return (top + mp.log(mp.fsum(b * mp.exp(power * a - top) for a, b in counted))) / power


def relative_error(found: float, log_exact: mp.mpf) -> float:
    """Relative error of a welfare against the exact logarithm of it."""
    with mp.workdps(DIGITS + GUARD):
        return float(abs(mp.mpf(found) / mp.exp(log_exact) - 1))

"""How much everybody counts, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString

from welfarist.web.learned.estimates import Estimate
from welfarist.web.pictures.svg import WIDTH, clipped, dot, group, line, picture, words

_LEFT, _RIGHT, _ROW, _TOP = 150.0, 22.0, 26.0, 8.0
# More rows than these are in the table alone.
MOST_ROWS = 30
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def weights_picture(names: Sequence[str], weights: Sequence[Estimate]) -> SafeString:
    """Return one row a stakeholder, the median as a dot on its interval."""
    shown = list(zip(names, weights, strict=True))[:MOST_ROWS]
    bottom = _TOP + _ROW * len(shown)
    rows = [_row(name, weight, _TOP + _ROW * (k + 0.5)) for k, (name, weight) in enumerate(shown)]
    ticks = [
        group(
            line(_place(share), _TOP, _place(share), bottom, "grid"),
            words(f"{share:.0%}", _place(share), bottom + 16, "middle", "tick"),
        )
        for share in _TICKS
    ]
    told = "; ".join(f"{name} {weight.middle:.0%}" for name, weight in shown)
    return picture(bottom + 24, f"Weights: {told}. The table has intervals.", *ticks, *rows)


def _row(name: str, weight: Estimate, y: float) -> SafeString:
    return group(
        words(clipped(name, _LEFT - 10), _LEFT - 10, y + 4, "end"),
        line(_place(weight.low), y, _place(weight.high), y, "interval"),
        dot(_place(weight.middle), y, 5.0),
    )


def _place(share: float) -> float:
    return _LEFT + (WIDTH - _RIGHT - _LEFT) * share

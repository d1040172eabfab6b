"""The line of powers, with doctrines marked: it reaches both infinities."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.safestring import SafeString

from welfarist.counting.loss_steps import compact
from welfarist.families.power_mean.doctrines import DOCTRINES
from welfarist.show.symbols import in_symbols
from welfarist.web.pictures.svg import group, line, words

Placing = Callable[[float], float]
# Names at both ends stay inside the picture.
_ANCHORS = ("start", "middle", "middle", "middle", "end")


def along(left: float, right: float) -> Placing:
    """Return where powers are between two places.

    Examples
    --------
    >>> place = along(0.0, 100.0)
    >>> place(float("-inf")), place(0.0), place(1.0)
    (0.0, 50.0, 75.0)
    """
    return lambda p: left + (right - left) * (float(compact(p)) + 1.0) / 2.0


def axis(place: Placing, top: float, bottom: float, *, named: bool = True) -> SafeString:
    """Return marks of the doctrines from top to bottom, with names below."""
    parts: list[str] = []
    for doctrine, anchor in zip(DOCTRINES, _ANCHORS, strict=True):
        x = place(doctrine.p)
        parts.append(line(x, top, x, bottom, "doctrine"))
        parts.append(words(in_symbols(doctrine.p), x, bottom + 14, anchor, "tick"))
        if named:
            parts.append(words(doctrine.name, x, bottom + 28, anchor, "tick"))
    return group(*parts, class_="axis")

"""What somebody has in one action, as a bar beside the one of the other action."""

from __future__ import annotations

from django.utils.safestring import SafeString

from welfarist.web.pictures.svg import element

_HEIGHT = 18.0


def bar(value: float, other: float, most: float) -> SafeString:
    """Return a bar on a scale from 0 to `most`.

    What there is more than in the other action is darker; what there is less is left open. Texts
    beside it say the same.
    """
    unit = 100.0 / most if most > 0 else 0.0
    own, common = unit * max(value, 0.0), unit * max(min(value, other), 0.0)
    there = max(unit * other, 0.0)
    parts = [_part(0.0, common, "common")]
    if own > common:
        parts.append(_part(common, own - common, "more"))
    if there > own:
        parts.append(_part(own, there - own, "missing"))
    return element("svg", *parts, class_="bar", width="100%", height=_HEIGHT, aria_hidden="true")


def _part(start: float, length: float, kind: str) -> SafeString:
    return element(
        "rect", x=f"{start:.2f}%", y=1.0, width=f"{length:.2f}%", height=_HEIGHT - 2, class_=kind
    )

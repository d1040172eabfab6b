"""Elements of SVG, in which every text is escaped before it goes in.

Pages allow no style inside them: how things look is said by the classes of the style sheet, where
they are by attributes.
"""

from __future__ import annotations

from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe

# On a phone a picture has almost as many pixels as it has units, so that its letters stay as large
# as those of the page.
WIDTH = 420.0
_LONGEST = 22


def element(name: str, *inside: str, **attributes: object) -> SafeString:
    """Return an element; attributes are written without the `_` at their end.

    Examples
    --------
    >>> element("text", "<b>", x=1.0, class_="name", text_anchor="end")
    '<text x="1" class="name" text-anchor="end">&lt;b&gt;</text>'
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
    )
    return mark_safe(f"<{name}{told}>{''.join(map(conditional_escape, inside))}</{name}>")


def group(*parts: str, class_: str = "") -> SafeString:
    """Return some elements as one."""
    return element("g", *parts, class_=class_)


def picture(height: float, alt: str, *parts: str) -> SafeString:
    """Return a picture, with what it shows in words for whoever does not see it."""
    return element(
        "svg",
        *parts,
        class_="picture",
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        aria_label=alt,
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> SafeString:
    """Return a line from one point to another."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def words(text: str, x: float, y: float, anchor: str = "start", kind: str = "words") -> SafeString:
    """Return a text at a place."""
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=kind)


def dot(x: float, y: float, r: float, kind: str = "dot") -> SafeString:
    """Return a circle."""
    return element("circle", cx=x, cy=y, r=r, class_=kind)


def path(points: list[tuple[float, float]], kind: str, *, closed: bool = False) -> SafeString:
    """Return a line through points."""
    through = " L".join(f"{_short(x)} {_short(y)}" for x, y in points)
    return element("path", d=f"M{through}{'Z' if closed else ''}", class_=kind)


def clipped(text: str, longest: int = _LONGEST) -> str:
    """Return a name that has room in a picture.

    Examples
    --------
    >>> clipped("everybody who lives there", 10)
    'everybody…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _short(value: object) -> object:
    """A number with as many digits as can be seen."""
    return f"{value:.5g}" if isinstance(value, float) else value

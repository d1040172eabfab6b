"""Elements of SVG, in which every text is escaped before it goes in.

Pages allow no style inside them: how things look is said by the classes of the style sheet, where
they are by attributes.
"""

from __future__ import annotations

from unicodedata import east_asian_width

from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe

# On a phone a picture has almost as many pixels as it has units, so that its letters stay as large
# as those of the page.
WIDTH = 420.0
# Of the letters of a picture: their size as the style sheet has it, and how wide they are at most,
# in these sizes, in the widest of the usual fonts.
_SIZE = 12.5
_NARROW, _BROAD, _BROADEST = (
    frozenset("ijlItrf .,:;'|!()[]/-"),
    frozenset("w&+<>=~"),
    frozenset("mMW@%…"),
)


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


def clipped(text: str, room: float) -> str:
    """Return a name that has room in a picture, which nobody can measure before it is shown.

    Examples
    --------
    >>> clipped("everybody who lives there", 96.0), clipped("EVERYBODY", 96.0)
    ('everybody…', 'EVERYBODY')
    """
    if _width(text) <= room:
        return text
    kept = text
    while kept and _width(f"{kept}…") > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def _width(text: str) -> float:
    return _SIZE * sum(map(_width_of_letter, text))


def _width_of_letter(letter: str) -> float:
    if letter in _NARROW:
        return 0.43
    if letter in _BROADEST:
        return 1.0
    if east_asian_width(letter) in "WF":
        return 1.25
    return 0.85 if letter in _BROAD or letter.isupper() else 0.65


def _short(value: object) -> object:
    """A number with as many digits as can be seen."""
    return f"{value:.5g}" if isinstance(value, float) else value

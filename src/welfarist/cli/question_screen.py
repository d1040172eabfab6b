"""A question as a terminal shows it: both actions side by side, everybody's bar on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from welfarist.base.inert import on_one_line

# The narrowest and the widest a question is drawn; wider lines are hard to follow.
_NARROWEST, _WIDEST = 24, 100
_SHORTEST_BAR, _SHORTEST_NAME = 6, 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_CUT, _ASCII_CUT = "…", "~"
_STYLES = ("cyan", "magenta")
# Digits of a number unless two that differ would look alike.
_DIGITS, _MOST_DIGITS = 4, 17
_FEW_DECIMALS = 2
# Lines that a question takes beside those of the people.
_OTHER_LINES = 6
_GAP = "  "


@dataclass(frozen=True)
class Page:
    """What there is to draw on.

    Attributes
    ----------
    width, height : int
        In columns and lines.
    plain : bool
        Whether letters beyond ASCII cannot be shown.
    """

    width: int = 80
    height: int = 24
    plain: bool = False

    def cut(self, name: str, room: int, *, middle: bool = False) -> str:
        """Return a name on one line that takes exactly so many columns."""
        line = on_one_line(name)
        if self.plain:
            line = line.encode("ascii", "replace").decode("ascii")
        if cell_len(line) <= room:
            return set_cell_size(line, room)
        mark = _ASCII_CUT if self.plain else _CUT
        if not middle:
            return set_cell_size(set_cell_size(line, max(room - 1, 0)).rstrip() + mark, room)
        end = (room - 1) // 2
        begun = set_cell_size(line, max(room - 1 - end, 0)).rstrip()
        left = len(line)
        while left and cell_len(line[left - 1 :]) <= end:
            left -= 1
        return set_cell_size(f"{begun}{mark}{line[left:].lstrip()}", room)

    def cut_apart(self, names: Sequence[str], room: int) -> list[str]:
        """Return names that are cut in the middle where their ends tell them apart."""
        cut = [self.cut(name, room) for name in names]
        if len(set(cut)) == len(set(names)):
            return cut
        return [self.cut(name, room, middle=True) for name in names]

    def bar(self, share: float, room: int) -> str:
        """Return a bar that fills a share of its room, which it takes in full."""
        share = min(max(share, 0.0), 1.0)
        if self.plain:
            return ("#" * max(round(share * room), int(share > 0))).ljust(room)
        eighths = max(round(share * room * 8), int(share > 0))
        whole, rest = divmod(eighths, 8)
        return ("█" * whole + _EIGHTHS[rest] * (rest > 0)).ljust(room)


def question_lines(
    page: Page, names: Sequence[str], people: Sequence[str], outcomes: Sequence[Sequence[float]]
) -> list[Text]:
    """Return two actions and what everybody has in them, as lines.

    Parameters
    ----------
    page : Page
    names : pair of str
        What the actions are called.
    people : (d,) sequence of str
    outcomes : (2, d) sequence of float

    Notes
    -----
    Where bars would be too short, numbers stand alone. Those who have the same in both come last
    where they are most, and share one line where the page is too low for everybody.
    """
    width = min(max(page.width - 1, _NARROWEST), _WIDEST)
    shown = list(range(len(people)))
    same = [i for i in shown if outcomes[0][i] == outcomes[1][i]]
    folded = len(people) + _OTHER_LINES > page.height and len(same) > 1
    if folded:
        shown = [i for i in shown if i not in set(same)]
    elif 2 * len(same) > len(people):
        shown = [*(i for i in shown if i not in set(same)), *same]
    texts = _numbers([(outcomes[0][i], outcomes[1][i]) for i in shown])
    digits = max((len(text) for row in texts for text in row), default=1)
    longest = max((cell_len(on_one_line(people[i])) for i in shown), default=1)
    name = min(longest, max(width // 4, _SHORTEST_NAME))
    bar = (width - name - 2 * (len(_GAP) + digits + 1)) // 2
    if bar < _SHORTEST_BAR:
        bar = 0
        name = max(min(longest, width - 2 * (len(_GAP) + digits)), _SHORTEST_NAME)
    values = [outcomes[side][i] for side in (0, 1) for i in shown]
    least, most = min(values, default=0.0), max(values, default=0.0)
    least = min(least, 0.0)  # where bars begin
    lines = [_heading(page, names, name, digits, bar, width)]
    cut = page.cut_apart([people[i] for i in shown], name)
    for i, row, who in zip(shown, texts, cut, strict=True):
        line = Text(who, "dim" if outcomes[0][i] == outcomes[1][i] else "")
        for side in (0, 1):
            value = outcomes[side][i]
            style = "bold" if value > outcomes[1 - side][i] else ""
            line.append(_GAP).append(row[side].rjust(digits), style)
            if bar:
                share = (value - least) / (most - least) if most > least else 0.0
                line.append(" ").append(page.bar(share, bar), _STYLES[side])
        line.rstrip()
        lines.append(line)
    if folded:
        lines.append(Text(f"{len(same)} others have the same in both", "dim"))
    return lines


def _heading(
    page: Page, names: Sequence[str], name: int, digits: int, bar: int, width: int
) -> Text:
    """The actions above their columns, or one below the other where columns are narrow."""
    room = digits + (bar + 1 if bar else 0)
    line = Text()
    if bar:
        line.append(" " * name)
        for side in (0, 1):
            line.append(_GAP).append(page.cut(f"{side + 1} {names[side]}", room), _bold(side))
    else:
        for side in (0, 1):
            said = page.cut(f"{side + 1} {names[side]}", width).rstrip()
            line.append(said + "\n", _bold(side))
        line.append(" " * name)
        for side in (0, 1):
            line.append(_GAP).append(str(side + 1).rjust(digits), _bold(side))
    line.rstrip()
    return line


def _bold(side: int) -> str:
    return f"bold {_STYLES[side]}"


def _numbers(pairs: Sequence[tuple[float, float]]) -> list[tuple[str, str]]:
    """Numbers with as many digits as it takes to see which of two is larger."""
    texts = list[tuple[str, str]]()
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        texts = [(figure(one, digits), figure(other, digits)) for one, other in pairs]
        if all(
            (one == other) == (a == b) for (one, other), (a, b) in zip(pairs, texts, strict=True)
        ):
            break
    return _lined_up(texts)


def _lined_up(texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Numbers with their points below each other, where few zeros do that."""
    parts = [text.partition(".") for row in texts for text in row]
    most = max((len(part[2]) for part in parts), default=0)
    plain = all((part[0] + part[2]).isdigit() and len(part[0]) <= _DIGITS for part in parts)
    if not plain or not 0 < most <= _FEW_DECIMALS:
        return texts
    return [(f"{float(one):.{most}f}", f"{float(other):.{most}f}") for one, other in texts]


def figure(value: float, digits: int = _DIGITS) -> str:
    """Return a number with some digits, those before the point in full.

    Examples
    --------
    >>> figure(12.3456), figure(123456.7), figure(9.0), figure(0.03172), figure(2.5e12)
    ('12.35', '123457', '9', '0.03172', '2.5e+12')
    """
    if not value:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if not -5 <= size < 9:
        return f"{value:.{digits}g}"
    text = f"{value:.{max(digits - 1 - size, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

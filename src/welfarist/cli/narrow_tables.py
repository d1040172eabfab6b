"""Tables that fit a terminal: lines that it breaks anywhere can no longer be read."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, takewhile

from welfarist.base.exports import Table, terminal_width

# Names are cut to no less than this.
_SHORTEST_NAME = 10
_CUT = "…"
# Lines of headings may be as wide as this, whatever stands below.
_HEADING = 8
# A terminal that claims to be narrower has not been asked.
_NARROWEST = 30
# What stands before every column.
_GAP = 2


def text_within(table: Table, width: int) -> str:
    """Return a table as text of at most `width` columns.

    Headings are broken into lines first; then names are cut; then the last columns are left out,
    and a line says which. Numbers stay whole.

    Examples
    --------
    >>> rows = (("1", "a shelter by the river", "0.25", "50%"),)
    >>> shown = Table("T", ("", "action", "welfare", "share of staff"), rows, ("left",) * 4)
    >>> print(text_within(shown, 36))
    T
         action        welfare  share of
                                staff
      1  a shelter b…  0.25     50%
    """
    width, table = max(width, _NARROWEST), table.in_sight()
    lines = list(table.lines)
    if _total(_widths([table.header, *table.rows])) > width:
        table, left_out = _narrowed(table, width)
        if left_out:
            lines.append(f"left out, because the terminal is narrow: {', '.join(left_out)}")
    body = replace(table, title="", lines=()).as_text().splitlines()[1:]
    return "\n".join([_folded(table.title, width), *body, *(_folded(s, width) for s in lines)])


def _narrowed(table: Table, width: int) -> tuple[Table, list[str]]:
    """The table with broken headings and cut names, and the columns that found no room."""
    cells = _widths(table.rows) if table.rows else [0] * len(table.header)
    headings = [_broken(*pair) for pair in zip(table.header, cells, strict=True)]
    needed = [max(_widths([(line,) for line in lines])[0], cell) for lines, cell in
              zip(headings, cells, strict=True)]  # fmt: skip
    name = _column_of_names(table, cells)
    kept = len(needed)
    while kept > name + 2 and _room(needed[:kept], name, width) < min(_SHORTEST_NAME, cells[name]):
        kept -= 1
    room = max(_room(needed[:kept], name, width), _SHORTEST_NAME)
    height = max(len(lines) for lines in headings[:kept])
    above = [tuple(_line(lines, i) for lines in headings[:kept]) for i in range(height)]
    rows = [
        tuple(_shortened(c, room) if i == name else c for i, c in enumerate(row[:kept]))
        for row in table.rows
    ]
    made = replace(
        table, header=above[0], rows=(*above[1:], *rows), alignment=table.alignment[:kept]
    )
    return made, list(table.header[kept:])


def _widths(rows: Sequence[tuple[str, ...]]) -> list[int]:
    return [max(map(terminal_width, column)) for column in zip(*rows, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(_GAP + width for width in widths)


def _room(needed: Sequence[int], name: int, width: int) -> int:
    """How wide the column of names may be."""
    return width - _total([w for i, w in enumerate(needed) if i != name]) - _GAP


def _column_of_names(table: Table, cells: Sequence[int]) -> int:
    """The wider of the first two columns, if it holds texts."""
    texts = [i for i, side in enumerate(table.alignment[:2]) if side == "left"]
    return max(texts, key=lambda i: cells[i], default=0)


def _broken(heading: str, width: int) -> list[str]:
    """A heading in lines hardly wider than the cells below, or than its longest word."""
    longest = max(map(terminal_width, heading.split()), default=1)
    room = max(width, longest, _HEADING)
    return textwrap.wrap(heading, room, break_long_words=False) or [""]


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number] if number < len(lines) else ""


def _shortened(name: str, room: int) -> str:
    if terminal_width(name) <= room:
        return name
    taken = accumulate(map(terminal_width, name))  # one by one: a name may be a book
    kept = sum(1 for _ in takewhile(lambda width: width < room, taken))
    return name[:kept].rstrip() + _CUT


def _folded(line: str, width: int) -> str:
    return textwrap.fill(
        line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )

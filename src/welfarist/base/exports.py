"""How a table leaves the package: as text, HTML, LaTeX and strict JSON."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.inert import in_html, in_json, in_latex, on_one_line

Alignment = Literal["left", "right"]

# Lines below a table are folded to this many columns; a table is as wide as its names need.
_FOLD = 100
_GAP = "  "
# Decimals of a number unless asked for.
DECIMALS = 4
# Numbers are written out up to this many decimals, and below this size.
_MOST_DECIMALS, _LARGE = 8, 1e9

# An infinite number, or an infinite end of an interval.
_INFINITE = re.compile(r"(?<![\w.$-])(-?)inf(?!\w)")
# Numbers with a sign or a power of ten, which LaTeX would set as hyphens and letters.
_SIGNED = re.compile(r"(?<![\w.$-])(-?)(\d+(?:\.\d+)?)(?:e([-+]\d+))?(?![\w.])")
# Three rules, thick or thin: those of the package booktabs, or of LaTeX itself.
_RULES = {True: (r"\toprule", r"\midrule", r"\bottomrule"), False: (r"\hline",) * 3}
_NEEDED = r"% Needs \usepackage{booktabs} in the preamble."
# What a label of LaTeX must not hold.
_IN_NO_LABEL = set("\\{}%#$&~^ \t\n\r,")


@dataclass(frozen=True)
class Table:
    r"""Cells of text with a title above and lines below.

    Attributes
    ----------
    title : str
    header : tuple of str
        One per column.
    rows : tuple of tuples of str
        The first cell of each names the row; nothing is ever cut off.
    alignment : tuple of "left" and "right"
        One per column.
    lines : tuple of str
        What is said below the table.
    breaks : tuple of int
        Rows above which LaTeX draws a rule.
    numbers : tuple of str
        A row above the header, such as "(1)", "(2)"; empty if there is none.
    spelled : mapping
        Names of rows as LaTeX writes them.

    Examples
    --------
    >>> made = Table("Rules", ("", "p"), (("Nash", "0"), ("harmonic", "-1")), ("left", "right"))
    >>> print(made.as_text())
    Rules
                 p
      Nash       0
      harmonic  -1
    >>> print(made.as_latex())
    % Needs \usepackage{booktabs} in the preamble.
    \begin{table}
    \centering
    \caption{Rules}
    \begin{tabular}{lr}
    \toprule
     & p \\
    \midrule
    Nash & 0 \\
    harmonic & $-$1 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    alignment: tuple[Alignment, ...]
    lines: tuple[str, ...] = ()
    breaks: tuple[int, ...] = ()
    numbers: tuple[str, ...] = ()
    spelled: Mapping[str, str] = field(default_factory=dict)

    def in_sight(self) -> Table:
        """Return the table as a terminal can show it: each text on one line, and all of it seen."""
        return replace(
            self,
            title=on_one_line(self.title),
            header=tuple(map(on_one_line, self.header)),
            rows=tuple(map(_on_one_line_each, self.rows)),
            lines=tuple(map(on_one_line, self.lines)),
            numbers=tuple(map(on_one_line, self.numbers)),
        )

    def as_text(self) -> str:
        """Return the table with its columns lined up, for a terminal."""
        shown = self.in_sight()
        heads = (shown.numbers, shown.header) if shown.numbers else (shown.header,)
        every = (*heads, *shown.rows)
        widths = [max(map(_width, column)) for column in zip(*every, strict=True)]
        body = self._lined_up(every, widths)
        folded = [textwrap.fill(line, _FOLD, **_FOLDING) for line in shown.lines]
        return "\n".join([shown.title, *(line.rstrip() for line in body), *folded])

    def as_html(self) -> str:
        """Return the table as a piece of HTML without scripts, styles or links."""
        head = "".join(self._html_cell("th", "col", i, c) for i, c in enumerate(self.header))
        if self.numbers:
            above = [self._html_cell("td", None, i, c) for i, c in enumerate(self.numbers)]
            head = f"{''.join(above)}</tr><tr>{head}"
        parts = [
            '<div class="welfarist">',
            "<table>",
            f"<caption>{in_html(self.title)}</caption>",
            f"<thead><tr>{head}</tr></thead>",
            "<tbody>",
        ]
        for name, *cells in self.rows:
            rest = "".join(self._html_cell("td", None, i, c) for i, c in enumerate(cells, 1))
            parts.append(f"<tr>{self._html_cell('th', 'row', 0, name)}{rest}</tr>")
        parts += ["</tbody>", "</table>"]
        parts += [f"<p>{in_html(line)}</p>" for line in self.lines]
        return "\n".join([*parts, "</div>"])

    def as_latex(
        self, *, booktabs: bool = True, caption: str | None = None, label: str | None = None
    ) -> str:
        r"""Return the table as LaTeX.

        Parameters
        ----------
        booktabs : bool
            Whether its rules are those of the package booktabs, which a comment above names; else
            it needs no package.
        caption : str, optional
            In place of the title; an empty one leaves it out.
        label : str, optional
            What ``\ref`` calls it, such as "tab:rules".

        Notes
        -----
        Letters beyond ASCII stay as they are: LaTeX reads UTF-8, its fonts must have them.
        """
        top, middle, bottom = _RULES[bool(booktabs)]
        said = in_latex(self.title if caption is None else caption)
        parts = [_NEEDED] if booktabs else []
        parts += [r"\begin{table}", r"\centering"]
        parts += [rf"\caption{{{said}}}"] if said else []
        parts += [] if label is None else [rf"\label{{{_checked_label(label)}}}"]
        columns = "".join(side[0] for side in self.alignment)
        parts += [rf"\begin{{tabular}}{{{columns}}}", top]
        words = ("left",) * len(self.header)
        parts += [_latex_row(head, words) for head in (self.numbers, self.header) if head]
        parts.append(middle)
        for i, (name, *cells) in enumerate(self.rows):
            parts += [middle] if i in self.breaks else []
            parts.append(_latex_row([name, *cells], self.alignment, self.spelled.get(name)))
        parts += [bottom, r"\end{tabular}"]
        parts += [r"\par\smallskip"] if self.lines else []
        parts += [rf"{{\footnotesize\raggedright {in_latex(line)}\par}}" for line in self.lines]
        return "\n".join([*parts, r"\end{table}"])

    def _lined_up(self, rows: Sequence[tuple[str, ...]], widths: Sequence[int]) -> list[str]:
        """Rows as lines, with blanks beside the cells."""
        sides = zip(widths, self.alignment, strict=True)
        plain = "".join(f"{_GAP}%{'-' if side == 'left' else ''}{width}s" for width, side in sides)
        return [
            plain % row if "".join(row).isascii() else _GAP + _GAP.join(self._padded(row, widths))
            for row in rows
        ]

    def _padded(self, row: Sequence[str], widths: Sequence[int]) -> list[str]:
        """Cells whose letters take other than one column of a terminal each."""
        padded = []
        for cell, width, side in zip(row, widths, self.alignment, strict=True):
            blanks = " " * (width - _width(cell))
            padded.append(cell + blanks if side == "left" else blanks + cell)
        return padded

    def _html_cell(self, tag: str, scope: str | None, column: int, cell: str) -> str:
        of = f' scope="{scope}"' if scope else ""
        return f'<{tag}{of} style="text-align: {self.alignment[column]}">{in_html(cell)}</{tag}>'


_FOLDING: dict[str, Any] = dict(
    subsequent_indent=_GAP, break_long_words=False, break_on_hyphens=False
)


def strict(value: Any) -> Any:
    """Return a record as strict JSON can hold it: infinities become "inf" and "-inf".

    Examples
    --------
    >>> strict({"p": float("-inf"), "weights": (0.5, 0.5)})
    {'p': '-inf', 'weights': [0.5, 0.5]}
    """
    if isinstance(value, Mapping):
        return {key: strict(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [strict(entry) for entry in value]
    if isinstance(value, float) and math.isinf(value):
        return str(float(value))
    return value


def as_json(record: Mapping[str, Any], *, ascii_only: bool = False) -> str:
    """Return a record as strict JSON text, which holds no Infinity and no NaN."""
    return in_json(record, ascii_only=ascii_only)


def number(value: float | None, decimals: int = DECIMALS) -> str:
    """Return an estimate as it is printed: four decimals, or four digits if very small or large.

    Examples
    --------
    >>> number(0.25), number(-1e-7), number(float("inf")), number(None), number(0.25, 2)
    ('0.2500', '-1e-07', 'inf', '', '0.25')
    """
    if value is None:
        return ""
    if 0 < abs(value) < 10.0 ** -min(decimals, 3):  # which would lose digits that matter
        return f"{value:.{decimals}g}"
    if abs(value) >= 1e4 or math.isinf(value):
        return f"{value:.{max(decimals, DECIMALS)}g}"
    return f"{value:.{decimals}f}"


def check_decimals(digits: object) -> int:
    """Return how many decimals numbers are printed with, from 1 to 8."""
    whole = isinstance(digits, int | np.integer) and not isinstance(digits, bool)
    if not whole or not 1 <= digits <= _MOST_DECIMALS:  # type: ignore[operator]
        raise InputError(
            f"digits must be a whole number from 1 to {_MOST_DECIMALS}; found {digits!r}."
        )
    return int(digits)  # type: ignore[call-overload, no-any-return]


def pair(low: float | None, high: float | None, decimals: int = DECIMALS) -> tuple[str, str]:
    """Return both ends of an interval as they are printed, in one format.

    As :func:`number` prints them where both come out with four decimals; else with decimals that
    show two digits of the width, up to eight; or both in powers of ten.

    Examples
    --------
    >>> pair(0.25, 0.5), pair(-0.0006354, 0.003912), pair(0.0, 2.5e-12)
    (('0.2500', '0.5000'), ('-0.0006', '0.0039'), ('0.000e+00', '2.500e-12'))
    """
    if low is None or high is None:
        return "", ""
    as_numbers = number(low, decimals), number(high, decimals)
    width = high - low
    plain = all(_is_plain(text, decimals) for text in as_numbers)
    if plain or not 0 < width < np.inf:
        return as_numbers
    decimals = max(1 - int(np.floor(np.log10(width))), 0)
    if decimals <= _MOST_DECIMALS and max(abs(low), abs(high)) < _LARGE:
        return f"{low:.{decimals}f}", f"{high:.{decimals}f}"
    return f"{low:.3e}", f"{high:.3e}"


def _is_plain(text: str, decimals: int) -> bool:
    """Whether a number is written with so many decimals."""
    return len(text.partition(".")[2]) == decimals and "e" not in text


def _checked_label(label: object) -> str:
    if not isinstance(label, str) or not label or _IN_NO_LABEL & set(label):
        raise InputError(
            'a label of LaTeX must be a text such as "tab:rules", without blanks, commas, braces '
            f"and signs that LaTeX reads; found {label!r}."
        )
    return label


def _latex_cell(text: str, side: str) -> str:
    """A text letter for letter; on the right side numbers, with minus signs and raised stars."""
    escaped = in_latex(" ".join(text.split()))
    if side == "left":
        return escaped
    numbers = _SIGNED.sub(_signed, _INFINITE.sub(r"$\1\\infty$", escaped))
    return re.sub(r"(?<=\d)(\*+)$", r"$^{\1}$", numbers)


def _signed(found: re.Match[str]) -> str:
    sign, digits, power = found.groups()
    if power is not None:
        return rf"${sign}{digits}\times 10^{{{int(power)}}}$"
    return f"$-${digits}" if sign else digits


def _latex_row(cells: Sequence[str], sides: Sequence[str], spelled: str | None = None) -> str:
    first, *rest = map(_latex_cell, cells, sides)
    first = first if spelled is None else spelled
    # After the end of a row, [ and * would be read as part of it.
    guarded = "{}" + first if first.startswith(("[", "*")) else first
    return " & ".join([guarded, *rest]) + r" \\"


def _on_one_line_each(row: tuple[str, ...]) -> tuple[str, ...]:
    together = "".join(row)
    plain = together.isascii() and together.isprintable()  # as nearly all are
    return row if plain else tuple(map(on_one_line, row))


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


terminal_width = _width

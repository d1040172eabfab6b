"""What a column of a file must hold, checked at once and, if that fails, cell by cell."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from welfarist.base.asking import RequestError

# What a plain number looks like; float() would also take "1_000" and "infinity".
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+")
# 1,234 may also be a decimal number; 1,234,567 and 1 234.5 can only be grouped.
_THOUSAND = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}([,.' \u00a0\u202f\u2019]\d{3})+([.,]\d+)?")
# Points between thousands, where the comma is the decimal mark.
_POINTED_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?", re.ASCII)
_PERCENT = re.compile(r"(.*\d)\s*([%\u2030])")
# What stands behind a number that a note explains: 12.5*, 3 [1], 7\u2020, 4 (b), 2\u00b2
_FOOTNOTE = re.compile(
    r"(.*\d)\s*([*\u2020\u2021\u00a7\u00b6#^\u00b9\u00b2\u00b3\u2070-\u2079]+|[\[(]\w{1,3}[\])]|[a-z]\)?)"
)
# What nobody would write who means a text: a number, perhaps with a mark or a unit at its ends.
_LIKE_A_NUMBER = re.compile(
    r"[^\w\s]{0,2}\s*[+-]?(inf(inity)?|\d[\d.,'_ \u00a0\u202f\u2019]*(e[+-]?\d+)?\s*"
    r"([^\d\s]{0,3}|[\[(]\w{1,3}[\])]))",
    re.IGNORECASE,
)
# What programs write where there is no number.
_MISSING = {"", "na", "n/a", "nan", "null", "none", ".", "-", "#n/a"}
_MOST_SHOWN = 60
_MOST_NEAR = 3


class CellError(RequestError):
    """What is wrong with one cell: what must hold, what was found, what to do."""


class Cell(Protocol):
    """What a column must hold."""

    @property
    def number(self) -> bool:
        """Whether that is numbers."""

    @property
    def by_hash(self) -> bool:
        """Whether hash values of 64 bits say all that is needed of texts, if they are all right."""

    def dtype(self) -> Any:
        """The type polars reads it as."""

    def taken(self, column: Any) -> Any:
        """What a whole column of that type stands for, or None if something is wrong with it."""

    def together(self, frame: Any) -> Any:
        """What many such columns stand for; None if each has to be looked at."""

    def doubtful(self, entries: Any) -> Any:
        """Which of many texts :meth:`parse` might refuse, as a column of true and false."""

    def parse(self, value: Any) -> Any:
        """The value of one cell (None or text that is empty: missing), or a CellError."""

    def made(self, name: str, values: list[Any]) -> Any:
        """Parsed values as a column."""


@dataclass(frozen=True)
class Number:
    """A finite number.

    Attributes
    ----------
    what : str
        What messages call it, such as "utilities".
    least : float
        The smallest that is allowed.
    advice : str
        What to do about a number that is too small.
    decimal : str
        The decimal mark of numbers that are texts.
    way_out : str
        What to do about a text that is no number.
    if_empty : str
        What else an empty cell may mean, and what to say then.

    Notes
    -----
    What can be asked for stands in braces in `advice`, `way_out` and `if_empty`, as in a
    `RequestError`.
    """

    what: str = "numbers"
    least: float = -math.inf
    advice: str = "Correct it."
    decimal: str = "."
    way_out: str = "Correct it."
    if_empty: str = ""

    @property
    def number(self) -> bool:
        """It is."""
        return True

    @property
    def by_hash(self) -> bool:
        """It is no text."""
        return False

    def dtype(self) -> Any:
        """Double precision."""
        import polars as pl

        return pl.Float64

    def taken(self, column: Any) -> Any:
        """The column, if all are there, finite and large enough."""
        if not len(column):
            return column
        if column.null_count() or column.is_nan().any():  # a NaN is neither least nor largest
            return None
        smallest, largest = column.min(), column.max()
        good = smallest >= self.least and smallest > -math.inf and largest < math.inf
        return column if good else None

    def together(self, frame: Any) -> Any:
        """The columns, if all are there, finite and large enough."""
        return frame if not len(frame) or self.right(frame.to_numpy()) else None

    def right(self, numbers: Any) -> bool:
        """Whether all numbers of an array are there, finite and large enough."""
        smallest, largest = float(numbers.min()), float(numbers.max())  # NaN if there is one
        return self.least <= smallest and -math.inf < smallest <= largest < math.inf

    def made(self, name: str, values: list[Any]) -> Any:
        """Parsed values as a column."""
        import polars as pl

        return pl.Series(name, values, dtype=pl.Float64)

    def doubtful(self, entries: Any) -> Any:
        """Texts that are not plainly a number that is large enough."""
        import polars as pl

        plain = entries.str.replace(",", ".", literal=True) if self.decimal == "," else entries
        numbers = plain.cast(pl.Float64, strict=False)
        good = numbers.is_finite() & (numbers >= self.least)
        return ~good.fill_null(False)

    def parse(self, value: Any) -> float:
        """The number in a cell."""
        number = self._number(value)
        if not math.isfinite(number):
            raise CellError(
                f"{self.what} must be finite; found {{found}}. Correct it.",
                found=shown(str(value)),
            )
        if number < self.least:
            bound = "not be negative" if self.least == 0 else f"be at least {self.least:g}"
            raise CellError(f"{self.what} must {bound}; found {number:g}. {self.advice}")
        return number

    def _number(self, value: Any) -> float:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            raise self._missing("an empty cell")
        if isinstance(value, bool):
            raise CellError(f"{self.what} must be numbers; found {value}. Write 1 and 0.")
        if isinstance(value, int | float):
            return float(value)
        text = str(value).strip()
        if is_missing(text):
            raise self._missing(repr(text) if text else "an empty cell")
        plain = _with_point(text) if self.decimal == "," else text
        if _NUMBER.fullmatch(plain):
            return float(plain)
        if text.lower().lstrip("+-") in ("inf", "infinity"):
            return math.inf
        hint, mark = self._hint(text)
        raise CellError(
            f"{self.what} must be numbers; found {{found}}. {hint}", found=shown(text), mark=mark
        )

    def _missing(self, found: str) -> CellError:
        return CellError(
            f"{self.what} must be complete; found {{found}}. {_fill_in(self.if_empty)}",
            found=found,
        )

    def _hint(self, text: str) -> tuple[str, str]:
        """What to do about a text that is no number, and what is too much in it."""
        if self.decimal == "." and _THOUSAND.fullmatch(text):
            return (
                "Write thousands without separators, or say {decimal:,} if it is the decimal mark."
            ), ""
        if self.decimal == "." and _COMMA_NUMBER.fullmatch(text):
            return "If the comma is a decimal mark, say {decimal:,}", ""
        if self.decimal == "," and _NUMBER.fullmatch(text):
            return "The comma was said to be the decimal mark: write one mark in all numbers.", ""
        if self.decimal == "." and _POINTED_THOUSANDS.fullmatch(text):
            return "Write thousands without separators, or say {decimal:,}", ""
        if _THOUSANDS.fullmatch(text):
            return "Write thousands without separators.", ""
        percent = _PERCENT.fullmatch(text)
        if percent:
            return (
                "Take the sign {mark} out of the whole column, whose name may say that it holds "
                "percentages."
            ), repr(percent[2])
        note = _FOOTNOTE.fullmatch(text)
        if note:
            return (
                "If {mark} is the mark of a footnote, take it out: notes belong into a column of "
                "their own, which is left out."
            ), repr(note[2])
        return self.way_out, ""


@dataclass(frozen=True)
class Text:
    """A text, which may have to be there.

    Attributes
    ----------
    what : str
        What messages call it, such as "a name".
    required : bool
        Whether an empty cell is refused; otherwise it is an empty text.
    if_empty : str
        What else an empty cell may mean, and what to say then.
    """

    what: str = "an entry"
    required: bool = True
    if_empty: str = ""

    @property
    def number(self) -> bool:
        """It is not, even if it looks like one."""
        return False

    @property
    def by_hash(self) -> bool:
        """The text itself is needed."""
        return False

    def dtype(self) -> Any:
        """Text."""
        import polars as pl

        return pl.String

    def taken(self, column: Any) -> Any:
        """The column, if there are no empty ones, and none with blanks around it."""
        if not self.required:
            return column.fill_null("").str.strip_chars()
        if column.null_count() or not (column == column.str.strip_chars()).all():
            return None
        return column if (column != "").all() else None

    def together(self, frame: Any) -> None:
        """Each is looked at."""
        del frame

    def made(self, name: str, values: list[Any]) -> Any:
        """Parsed values as a column."""
        import polars as pl

        return pl.Series(name, values, dtype=pl.String)

    def doubtful(self, entries: Any) -> Any:
        """Texts that are empty though there must be something."""
        return (entries.fill_null("").str.strip_chars() == "") & self.required

    def parse(self, value: Any) -> str:
        """The text in a cell, without blanks around it."""
        text = "" if value is None else as_text(value).strip()
        if not text and self.required:
            raise CellError(
                f"every row must have {self.what}; found an empty cell. {_fill_in(self.if_empty)}"
            )
        return text


def _fill_in(if_empty: str) -> str:
    """What to do about an empty cell, which may mean something else."""
    fill = f"{if_empty}; otherwise fill" if if_empty else "Fill"
    return f"{fill} it in, or leave out all such rows: {{drop_missing:True}}"


def _with_point(text: str) -> str:
    """A number whose decimal mark is a comma, with a point in its place; as it is if it is none."""
    if _POINTED_THOUSANDS.fullmatch(text):
        text = text.replace(".", "")
    return "" if "." in text else text.replace(",", ".", 1)


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing, or what programs write in its place."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().lower() in _MISSING


def are_texts(entries: Iterable[Any]) -> bool:
    """Whether a column holds texts alone: something, and no cell that is a number or meant as one.

    Examples
    --------
    >>> are_texts(["Ward 3", "2020-01-01", ""]), are_texts(["north", "45%"]), are_texts([""])
    (True, False, False)
    """
    there = False
    for entry in entries:
        if not is_missing(entry):
            if _looks_like_a_number(entry):
                return False
            there = True
    return there


def _looks_like_a_number(entry: Any) -> bool:
    return not isinstance(entry, str) or _LIKE_A_NUMBER.fullmatch(entry.strip()) is not None


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """The names most like one that is unknown, at most three; those in other capitals first."""
    known = list(names)
    folded = [other.casefold() for other in known]
    wanted = name.casefold()
    alike = difflib.get_close_matches(wanted, dict.fromkeys(folded), n=_MOST_NEAR)
    found = [known[i] for near in alike for i, other in enumerate(folded) if other == near]
    if _NUMBER.fullmatch(name):  # 1 is 1.0, though the two look little alike
        same = [
            other for other in known if _NUMBER.fullmatch(other) and float(other) == float(name)
        ]
        found = [*same, *(other for other in found if other not in same)]
    return found[:_MOST_NEAR]


def as_text(value: Any) -> str:
    """What a cell shows: whole numbers without a decimal point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def shown(text: str) -> str:
    """A text in quotes, cut if it is long, on one line."""
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…")


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names in quotes, with commas between them, cut after `most`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(shown, names[:most])) + more

"""What whoever makes a report adds to it: heading, note, unit, files, remarks and date."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from welfarist.base.errors import InputError
from welfarist.base.wording import listed
from welfarist.show.report.markup import NOTHING, Html, bullets, join, paragraph
from welfarist.show.report.plain_words import plain

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
TODAY = "today"


@dataclass(frozen=True)
class Given:
    """What is added to a report.

    Attributes
    ----------
    title, note, unit : str or None
    files : tuple of str
    day : date or None
    remarks : tuple of str
        What happened when the data were read.
    """

    title: str | None = None
    note: str | None = None
    unit: str | None = None
    files: tuple[str, ...] = ()
    day: datetime.date | None = None
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        title: object,
        note: object,
        unit: object,
        files: Sequence[str],
        date: object,
        remarks: Sequence[str] = (),
    ) -> Given:
        """Check what was given; a text without letters is none."""
        named = _texts("a name in files", files)
        told = tuple(text for text in map(plain, _texts("a remark", remarks)) if text)
        said = {n: _text(n, t) for n, t in {"title": title, "note": note, "unit": unit}.items()}
        return cls(**said, files=named, day=_day(date), remarks=told)

    def below_the_heading(self) -> Html:
        """The note and the date."""
        day = NOTHING if self.day is None else paragraph(in_words(self.day), "note")
        return join(NOTHING if self.note is None else paragraph(self.note, "note"), day)

    def about_reading(self) -> Html:
        """What happened when the data were read."""
        if not self.remarks:
            return NOTHING
        return join(paragraph("When the data were read:"), bullets(self.remarks))

    def rows(self) -> list[list[str]]:
        """What stands in the table of what was fitted."""
        rows = []
        if self.files:
            rows.append(["data file" if len(self.files) == 1 else "data files", listed(self.files)])
        if self.unit is not None:
            rows.append(["unit of utility", self.unit])
        return rows


def _texts(name: str, given: Sequence[str]) -> tuple[str, ...]:
    """Checked texts; one alone need not stand in a list."""
    every = (given,) if isinstance(given, str) else given
    return tuple(str(_text(name, one)) for one in every)


def _text(name: str, given: object) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise InputError(f"{name} must be text; found {given!r}.")
    return given.strip() or None


def _day(given: object) -> datetime.date | None:
    if given is None or isinstance(given, datetime.date):
        return given.date() if isinstance(given, datetime.datetime) else given
    if given == TODAY:
        return datetime.date.today()
    found = day_of(given) if isinstance(given, str) else None
    if found is None:
        raise InputError(f'date must be a day such as "2026-01-31", or "{TODAY}"; found {given!r}.')
    return found


def day_of(text: str) -> datetime.date | None:
    """Return the day that a text such as 2026-01-31 stands for; None if it is no such text."""
    try:
        found = datetime.date.fromisoformat(text)
    except ValueError:
        return None
    return found if found.isoformat() == text else None  # Python takes 20260131 as well


def in_words(day: datetime.date) -> str:
    """Return a day as it is written in a text.

    Examples
    --------
    >>> in_words(datetime.date(2026, 1, 31))
    '31 January 2026'
    """
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

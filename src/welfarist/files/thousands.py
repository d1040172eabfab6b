"""Points that may stand between thousands: 1.200 is twelve hundred, or little more than one.

Where nobody said which, a number is refused in place of being read a thousand times too small. Two
things make points suspicious, provided that none in the file can only be a decimal point (0.125,
1.5): semicolons between the columns, which come from where the comma is the decimal mark; and, in
any file, numbers in the same column that have no point and are far larger, as 900 beside 1.200.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from welfarist.base.asking import RequestError
from welfarist.files.cells import shown

_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
# A number without a point that is so many times one with a point is hardly measured like it.
_FAR_LARGER = 10.0


def are_clear(entries: Iterable[str]) -> bool:
    """Whether one of some numbers has a point that cannot stand before thousands.

    Examples
    --------
    >>> are_clear(["1.200", "900"]), are_clear(["1.200", "0.125"])
    (False, True)
    """
    return any("." in entry and not _GROUPED.fullmatch(entry.strip()) for entry in entries)


def first_unclear(columns: Mapping[str, Sequence[str]], separator: str) -> tuple[str, str] | None:
    """The column and the entry of the first point that may stand before thousands; None if none.

    Examples
    --------
    >>> first_unclear({"a": ["1.200", "900"]}, ","), first_unclear({"a": ["1.125", "2"]}, ",")
    (('a', '1.200'), None)
    """
    if any(map(are_clear, columns.values())):
        return None
    for column, entries in columns.items():
        pointed = [entry.strip() for entry in entries if "." in entry]
        if pointed and (separator == ";" or _far_larger(entries, pointed)):
            return column, pointed[0]
    return None


def _far_larger(entries: Sequence[str], pointed: list[str]) -> bool:
    """Whether numbers without a point are of another magnitude than those with one."""
    whole = [abs(int(entry)) for entry in entries if _WHOLE.fullmatch(entry.strip())]
    return max(whole, default=0) > _FAR_LARGER * min(abs(float(entry)) for entry in pointed)


def unclear(where: str, found: str) -> RequestError:
    """What to say of such a number."""
    without = found.replace(".", "")
    return RequestError(
        "{where}: it must be clear whether the point is the decimal mark; found {found}, which may "
        "be {without} or {decimal_number}. Say {decimal:.} if it is, or {decimal:,} if the point "
        "stands before thousands.",
        where=where,
        found=shown(found),
        without=without,
        decimal_number=f"{float(found):g}",
    )

"""What the texts that people type or fill in mean."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

from welfarist.app.usage import UsageError


def listed(text: str | None) -> list[str] | None:
    """Names with commas between them, as a list; None if nothing was said.

    A name that has a comma itself stands in quotes, as in a file.
    """
    if text is None:
        return None
    (names,) = csv.reader([" ".join(text.splitlines())], skipinitialspace=True)
    return [name.strip() for name in names if name.strip()]


def number_of(text: str) -> float | None:
    """A number, perhaps infinite; None for anything else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def power_of_text(text: str) -> float:
    """A power, or that of a doctrine."""
    from welfarist.families.power_mean.doctrines import power_of  # brings NumPy, as no help needs

    number = number_of(text)
    return power_of(text) if number is None else number


def prior_of_text(text: str | None) -> Any:
    """The prior on the weights, for the learners."""
    if text is None:
        return None
    number = number_of(text)
    return numbers_by_name(text) if number is None else number


def rho_of_text(text: str | None) -> Any:
    """The flip probability or how it is estimated, for the learner."""
    number = None if text is None else number_of(text)
    return text if number is None else number


def whole_number(text: str) -> int:
    """A whole number from 1 on, such as 300 or 1e8."""
    found = number_of(text.replace("_", ""))
    if found is None or not (1 <= found <= 1e15 and found == int(found)):
        raise UsageError(
            "must be a whole number from 1 on, such as 300 or 1e8; found {found!r}.", found=text
        )
    return int(found)


def starts_of_text(text: str) -> int | str:
    """How many starts, for the learners."""
    return int(text) if text.isdecimal() else text


def sizes_of_text(text: str) -> list[int]:
    """Numbers of decisions, such as 100,300."""
    parts = [part.strip().replace("_", "") for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(
            "must be whole numbers from 1 on, such as 100,300,1000; found {found!r}.", found=text
        )
    return [int(part) for part in parts]


def numbers_by_name(text: str) -> dict[str, float]:
    """Numbers by name, such as a=2,b=1."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.rpartition("="))
        number = number_of(value)
        if not name or number is None or not math.isfinite(number):
            raise UsageError(
                "must be numbers by name such as a=2,b=1; found {found!r}.", found=part.strip()
            )
        if name in found:
            raise _named_twice("everybody", name)
        found[name] = number
    return found


def members_by_group(text: str) -> dict[str, list[str]]:
    """Who is in which group, such as north=a,b;south=c."""
    groups: dict[str, list[str]] = {}
    for part in text.split(";"):
        group, found, names = part.partition("=")
        members = listed(names)
        if not (found and group.strip() and members):
            raise UsageError(
                "must be a file with the columns stakeholder and group, or groups such as "
                "'north=a,b;south=c'; found {found!r}.",
                found=part.strip(),
            )
        if group.strip() in groups:
            raise _named_twice("every group", group.strip())
        twice = [name for name in members if members.count(name) > 1]
        if twice:
            raise _named_twice("everybody", twice[0])
        groups[group.strip()] = members
    return groups


def _named_twice(whom: str, name: str) -> UsageError:
    return UsageError(f"must name {whom} once; found {{name!r}} twice.", name=name)


def is_inline(text: str) -> bool:
    """Whether names and values stand in the text itself, not in a file that it names."""
    from welfarist.files.sources import FORMATS  # which takes long where nobody names files

    return "=" in text and Path(text).suffix.lower() not in FORMATS and not Path(text).exists()

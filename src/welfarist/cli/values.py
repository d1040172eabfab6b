"""What the texts of options mean, and which of them are wrong in themselves.

Each check is the callback of an option: it returns the value as it came, or says what may be
given. Whether a value suits the data is asked later, by those who read the data.
"""

from __future__ import annotations

import difflib
import math
from pathlib import Path
from typing import Any

import typer

from welfarist.doctrines import DOCTRINES, power_of
from welfarist.errors import InputError
from welfarist.files.sources import FORMATS

_RHO_ESTIMATORS = ("error rate", "cross-validation")
_ALIKE = 0.6


def listed(text: str | None) -> list[str] | None:
    """Names with commas between them, as a list; None if nothing was said."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def power_of_text(text: str | None) -> float | None:
    """A power, or the name of a doctrine; None is to be learned."""
    if text is None:
        return None
    number = _number(text)
    return power_of(text) if number is None else number


def prior_of_text(text: str | None) -> Any:
    """The prior on the weights, for the learners."""
    if text is None:
        return None
    number = _number(text)
    return numbers_by_name(text) if number is None else number


def rho_of_text(text: str | None) -> Any:
    """The flip probability or how it is estimated, for the learner."""
    number = None if text is None else _number(text)
    return text if number is None else number


def starts_of_text(text: str) -> int | str:
    """How many starts, for the learners."""
    return int(text) if text.isdecimal() else text


def numbers_by_name(text: str) -> dict[str, float]:
    """Numbers by name, such as a=2,b=1."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.rpartition("="))
        number = _number(value)
        if not name or number is None or not math.isfinite(number):
            raise typer.BadParameter(
                f"must be numbers by name such as a=2,b=1; found {part.strip()!r}."
            )
        if name in found:
            raise typer.BadParameter(f"must name everybody once; found {name!r} twice.")
        found[name] = number
    return found


def members_by_group(text: str) -> dict[str, list[str]]:
    """Who is in which group, such as north=a,b;south=c."""
    groups: dict[str, list[str]] = {}
    for part in text.split(";"):
        group, found, names = part.partition("=")
        members = listed(names)
        if not (found and group.strip() and members):
            raise typer.BadParameter(
                "must be a file with the columns stakeholder and group, or groups such as "
                f"'north=a,b;south=c'; found {part.strip()!r}."
            )
        if group.strip() in groups:
            raise typer.BadParameter(f"must name every group once; found {group.strip()!r} twice.")
        twice = [name for name in members if members.count(name) > 1]
        if twice:
            raise typer.BadParameter(f"must name everybody once; found {twice[0]!r} twice.")
        groups[group.strip()] = members
    return groups


def is_inline(text: str) -> bool:
    """Whether names and values stand in the option itself, not in a file."""
    return "=" in text and Path(text).suffix.lower() not in FORMATS and not Path(text).exists()


# Checks


def power(value: str | None) -> str | None:
    """Require a number or a doctrine."""
    if value is not None and _number(value) is None:
        return _named_doctrine(value, "a number, inf, -inf, or a doctrine: ")
    return value


def doctrine(value: str | None) -> str | None:
    """Require the name of a doctrine."""
    return None if value is None else _named_doctrine(value, "one of ")


def doctrines(value: str | None) -> str | None:
    """Require names of doctrines, or none."""
    for name in listed(value) or []:
        if value != "none":
            _named_doctrine(name, "one or more of ")
    return value


def _named_doctrine(value: str, form: str) -> str:
    try:
        power_of(value)
    except InputError:
        names = [doctrine.name for doctrine in DOCTRINES]
        lower = {name.lower(): name for name in names}
        near = difflib.get_close_matches(value.strip().lower(), lower, n=1, cutoff=_ALIKE)
        hint = f" Did you mean {lower[near[0]]!r}?" if near else ""
        raise typer.BadParameter(
            f"must be {form}{', '.join(names)}; found {value!r}.{hint}"
        ) from None
    return value


def weights(value: str | None) -> str | None:
    """Require learn, equal, a file, or numbers by name that are not negative."""
    if value is None or value in ("learn", "equal"):
        return value
    if is_inline(value):
        negative = [n for n, number in numbers_by_name(value).items() if number < 0]
        if negative:
            raise typer.BadParameter(
                f"must not be negative; found such a weight for {negative[0]!r}."
            )
    elif all(_number(part) is not None for part in value.split(",")):
        raise typer.BadParameter(
            f"must say whose each number is, such as a=2,b=1; found {value!r} without names."
        )
    return value


def known_weights(value: str | None) -> str | None:
    """Require weights that are known, for a rule that learns nothing."""
    if value == "learn":
        raise typer.BadParameter(
            "there is nothing to learn from here: give equal, a file, or a=2,b=1."
        )
    return weights(value)


def groups(value: str | None) -> str | None:
    """Require a file, or groups with members."""
    if value is not None and is_inline(value):
        members_by_group(value)
    return value


def prior(value: str | None) -> str | None:
    """Require concentrations of 1 or more."""
    found = prior_of_text(value)
    if found is None:
        return value
    numbers = found.values() if isinstance(found, dict) else [found]
    if not all(1 <= number < math.inf for number in numbers):
        raise typer.BadParameter(
            f"must be at least 1, which is no prior, and finite; found {value}."
        )
    return value


def rho(value: str | None) -> str | None:
    """Require a flip probability, or how to estimate it."""
    found = rho_of_text(value)
    if found is None or found in _RHO_ESTIMATORS:
        return value
    if isinstance(found, str) or not 0 <= found < 0.5:
        known = " or ".join(map(repr, _RHO_ESTIMATORS))
        raise typer.BadParameter(f"must be from 0 to below 0.5, or {known}; found {value!r}.")
    return value


def starts(value: str) -> str:
    """Require auto or a positive whole number."""
    if value != "auto" and not (value.isdecimal() and int(value) > 0):
        raise typer.BadParameter(f"must be auto or a whole number from 1 on; found {value!r}.")
    return value


def positive(value: float | None) -> float | None:
    """Require a positive number."""
    if value is not None and not value > 0:
        raise typer.BadParameter(f"must be a positive number; found {value:g}.")
    return value


def not_negative(value: float | None) -> float | None:
    """Require a finite number that is not negative."""
    if value is not None and not 0 <= value < math.inf:
        raise typer.BadParameter(f"must be a number from 0 on; found {value:g}.")
    return value


def between_0_and_1(value: float) -> float:
    """Require a probability that is neither 0 nor 1."""
    if not 0 < value < 1:
        raise typer.BadParameter(f"must be between 0 and 1, such as 0.95 or 0.05; found {value:g}.")
    return value


def slip(value: float | None) -> float | None:
    """Require a probability below one half."""
    if value is not None and not 0 <= value < 0.5:
        raise typer.BadParameter(f"must be from 0 to below 0.5; found {value:g}.")
    return value


def decimal(value: str | None) -> str | None:
    """Require a decimal mark."""
    if value is not None and value not in (".", ","):
        raise typer.BadParameter(f"must be a point or a comma; found {value!r}.")
    return value


def separator(value: str | None) -> str | None:
    """Require one character, or its name."""
    from welfarist.files.delimited import checked_separator

    if value is not None:
        try:
            checked_separator(value)
        except InputError:
            raise typer.BadParameter(
                f"must be one character, such as ',' or ';' or tab; found {value!r}."
            ) from None
    return value


def folds(value: int) -> int:
    """Require none, or at least two parts."""
    if value == 1:
        raise typer.BadParameter("must be 0 for none, or at least 2; found 1.")
    return value


def sizes(value: str) -> str:
    """Require whole numbers with commas between them."""
    sizes_of_text(value)
    return value


def sizes_of_text(text: str) -> list[int]:
    """Numbers of decisions, such as 100,300."""
    parts = [part.strip().replace("_", "") for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise typer.BadParameter(
            f"must be whole numbers from 1 on, such as 100,300,1000; found {text!r}."
        )
    return [int(part) for part in parts]


def world_weights(value: str | None) -> str | None:
    """Require random, equal, or numbers that are not negative and not all 0."""
    if value is None or value in ("random", "equal"):
        return value
    found = [_number(part) for part in value.split(",")]
    if not all(n is not None and 0 <= n < math.inf for n in found) or not any(found):
        raise typer.BadParameter(
            f"must be random, equal or numbers such as 2,1,1; found {value!r}."
        )
    return value


def _number(text: str) -> float | None:
    """A number, perhaps infinite; None for anything else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number

"""Single values that are wrong in themselves.

Each check returns the value as it came, or says what may be given; whoever asked knows which value
it was. Whether a value suits the data is asked later, by those who read the data.
"""

from __future__ import annotations

import difflib
import math

from welfarist.app.texts import (
    is_inline,
    listed,
    members_by_group,
    number_of,
    numbers_by_name,
    prior_of_text,
    rho_of_text,
    sizes_of_text,
)
from welfarist.app.usage import UsageError
from welfarist.base.errors import InputError

_RHO_ESTIMATORS = ("error rate", "cross-validation")
_ALIKE = 0.6


def power(value: str | None) -> str | None:
    """Require a number or a doctrine."""
    if value is not None and number_of(value) is None:
        return _named_doctrine(value, "a number, inf, -inf, or a doctrine: ")
    return value


def power_or_learn(value: str | None) -> str | None:
    """Require a number or a doctrine; what is to be learned is left out, or "learn"."""
    return None if value is not None and value.strip().lower() == "learn" else power(value)


def doctrine(value: str | None) -> str | None:
    """Require the name of a doctrine."""
    return None if value is None else _named_doctrine(value, "one of ")


def doctrines(value: str | None) -> str | None:
    """Require names of doctrines or of rules of recommenders, or none."""
    # Brings NumPy, which no page of help needs.
    from welfarist.comparing.recommenders import RECOMMENDERS, recommender_of

    also = ", ".join(rule.name for rule in RECOMMENDERS)
    for name in listed(value) or []:
        if value != "none" and recommender_of(name) is None:
            _named_doctrine(name, f"one or more of {also}, ")
    return value


def _named_doctrine(value: str, form: str) -> str:
    # Brings NumPy, which no page of help needs.
    from welfarist.families.power_mean.doctrines import DOCTRINES, power_of

    try:
        power_of(value)
    except InputError:
        names = [doctrine.name for doctrine in DOCTRINES]
        lower = {name.lower(): name for name in names}
        near = difflib.get_close_matches(value.strip().lower(), lower, n=1, cutoff=_ALIKE)
        hint = f" Did you mean {lower[near[0]]!r}?" if near else ""
        raise UsageError(
            f"must be {form}{', '.join(names)}; found {{found!r}}.{hint}", found=value
        ) from None
    return value


def weights(value: str | None) -> str | None:
    """Require learn, equal, population, a file, or numbers by name that are not negative."""
    if value is None or value in ("learn", "equal", "population"):
        return value
    if is_inline(value):
        found = numbers_by_name(value)
        if not any(found.values()):
            raise UsageError("must be positive for somebody; found only zeros.")
        negative = [n for n, number in found.items() if number < 0]
        if negative:
            raise UsageError(
                "must not be negative; found such a weight for {person!r}.", person=negative[0]
            )
    elif all(number_of(part) is not None for part in value.split(",")):
        raise UsageError(
            "must say whose each number is, such as a=2,b=1; found {found!r} without names.",
            found=value,
        )
    return value


def known_weights(value: str | None) -> str | None:
    """Require weights that are known, for a rule that learns nothing."""
    if value == "learn":
        raise UsageError("there is nothing to learn from here: give equal, a file, or a=2,b=1.")
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
        raise UsageError(
            "must be at least 1, which is no prior, and finite; found {found}.", found=value
        )
    return value


def rho(value: str | None) -> str | None:
    """Require a flip probability, or how to estimate it."""
    found = rho_of_text(value)
    if found is None or found in _RHO_ESTIMATORS:
        return value
    if isinstance(found, str) or not 0 <= found < 0.5:
        known = " or ".join(map(repr, _RHO_ESTIMATORS))
        raise UsageError(
            f"must be from 0 to below 0.5, or {known}; found {{found!r}}.", found=value
        )
    return value


def starts(value: str) -> str:
    """Require auto or a positive whole number."""
    if value != "auto" and not (value.isdecimal() and int(value) > 0):
        raise UsageError("must be auto or a whole number from 1 on; found {found!r}.", found=value)
    return value


def types(value: str | None) -> str | None:
    """Require how many types, auto, or a doctrine, a power or learn for each."""
    if value is None or value.strip().lower() == "auto" or value.strip().isdecimal():
        if value is not None and value.strip().strip("0") == "":
            raise _no_types(value)
        return value
    parts = listed(value) or []
    if not parts or (len(parts) == 1 and number_of(parts[0]) is not None):
        raise _no_types(value)
    for part in parts:
        if part.lower() != "learn" and number_of(part) is None:
            _named_doctrine(part, "how many, auto, or for each type learn, a number or one of ")
    return value


def _no_types(value: str) -> UsageError:
    return UsageError(
        "must be how many types, such as 3, or auto, or what each of them is, such as "
        "utilitarian,learn; found {found!r}.",
        found=value,
    )


def positive(value: float | None) -> float | None:
    """Require a positive number."""
    if value is not None and not value > 0:
        raise UsageError("must be a positive number; found {found:g}.", found=value)
    return value


def not_negative(value: float | None) -> float | None:
    """Require a finite number that is not negative."""
    if value is not None and not 0 <= value < math.inf:
        raise UsageError("must be a number from 0 on; found {found:g}.", found=value)
    return value


def finite(value: float | None) -> float | None:
    """Require a finite number, if one is given."""
    if value is not None and not math.isfinite(value):
        raise UsageError("must be a finite number; found {found:g}.", found=value)
    return value


def encoding(value: str | None) -> str | None:
    """Require the name of an encoding of texts."""
    from welfarist.files.sources import checked_encoding

    if value is not None:
        try:
            checked_encoding(value)
        except UsageError:
            raise UsageError(
                "must be the name of an encoding, such as windows-1252, latin-1 or utf-16; found "
                "{found!r}.",
                found=value,
            ) from None
    return value


def between_0_and_1(value: float) -> float:
    """Require a probability that is neither 0 nor 1."""
    if not 0 < value < 1:
        raise UsageError(
            "must be between 0 and 1, such as 0.95 or 0.05; found {found:g}.", found=value
        )
    return value


def slip(value: float | None) -> float | None:
    """Require a probability below one half."""
    if value is not None and not 0 <= value < 0.5:
        raise UsageError("must be from 0 to below 0.5; found {found:g}.", found=value)
    return value


def decimal(value: str | None) -> str | None:
    """Require a decimal mark."""
    if value is not None and value not in (".", ","):
        raise UsageError("must be a point or a comma; found {found!r}.", found=value)
    return value


def separator(value: str | None) -> str | None:
    """Require one character, or its name."""
    from welfarist.files.dialects import checked_separator

    if value is not None:
        try:
            checked_separator(value)
        except InputError:
            raise UsageError(
                "must be one character, such as ',' or ';' or tab; found {found!r}.", found=value
            ) from None
    return value


def date(value: str | None) -> str | None:
    """Require today, or a day as it stands in a calendar."""
    if value is not None and value != "today" and not _is_day(value):
        raise UsageError(
            "must be a day such as 2026-01-31, or today; found {found!r}.", found=value
        )
    return value


def _is_day(value: str) -> bool:
    from datetime import date as day

    try:
        return day.fromisoformat(value).isoformat() == value  # Python takes 20260131 as well
    except ValueError:
        return False


def folds(value: int) -> int:
    """Require none, or at least two parts."""
    if value == 1:
        raise UsageError("must be 0 for none, or at least 2; found 1.")
    return value


def number_of_types(value: str | None) -> str | None:
    """Require a number of types, or auto."""
    if value is None or value.strip().lower() == "auto":
        return value
    if not value.strip().isdecimal() or int(value) < 1:
        raise UsageError(
            "must be how many types, such as 3, or auto; found {found!r}.", found=value
        )
    return value


def sizes(value: str | None) -> str | None:
    """Require whole numbers with commas between them."""
    if value is not None:
        sizes_of_text(value)
    return value


def world_weights(value: str | None) -> str | None:
    """Require random, equal, population, or numbers that are not negative and not all 0."""
    if value is None or value in ("random", "equal", "population"):
        return value
    found = [number_of(part) for part in value.split(",")]
    if not all(n is not None and 0 <= n < math.inf for n in found) or not any(found):
        raise UsageError(
            "must be random, equal, population or numbers such as 2,1,1; found {found!r}.",
            found=value,
        )
    return value

"""The families that go by a name."""

from __future__ import annotations

from typing import Any

from welfarist.base.errors import InputError
from welfarist.families.additive.family import ADDITIVE
from welfarist.families.additive.own import ADDITIVE_OWN
from welfarist.families.base import Family
from welfarist.families.differences.family import MARGIN, OnDifferences
from welfarist.families.kolm_pollak.family import KOLM_POLLAK
from welfarist.families.needs.family import NEEDS
from welfarist.families.nested.family import NESTED
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rank_dependent.family import RANK_DEPENDENT

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (POWER_MEAN, KOLM_POLLAK, RANK_DEPENDENT, NESTED, ADDITIVE, ADDITIVE_OWN, NEEDS)
}


def family_of(family: object) -> Family:
    """Return the family of a name, or the one that was given.

    Examples
    --------
    >>> family_of("kolm").title
    'Kolm-Pollak functions'
    """
    if isinstance(family, Family):
        return family
    if isinstance(family, str) and family.strip().lower() in FAMILIES:
        return FAMILIES[family.strip().lower()]
    known = ", ".join(f'"{name}"' for name in FAMILIES)
    raise InputError(f"family must be one of {known}, or a Family of your own; found {family!r}.")


def is_known(family: Family) -> bool:
    """Whether a family is one of those that go by a name, and not one of somebody's own."""
    plain = family.of if isinstance(family, OnDifferences) else family
    return type(plain) is type(FAMILIES.get(plain.name))


def member(name: str, numbers: Any, people: int) -> Family:
    """Return the member of a known family that numbers in a file describe.

    Raises ValueError where they describe none.

    Examples
    --------
    >>> member("power", {"margin": "difference"}, 3).called
    'margin="difference"'
    """
    plain = FAMILIES[name]
    if not (isinstance(numbers, dict) and "margin" in numbers):
        return plain.of_numbers(numbers, people)
    rest = {key: value for key, value in numbers.items() if key != "margin"}
    if numbers["margin"] != MARGIN or not plain.level.is_ratio:
        raise ValueError(f'margin "{MARGIN}", of a family whose noise can act on ratios')
    return OnDifferences(plain.of_numbers(rest, people))

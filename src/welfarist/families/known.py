"""The families that go by a name."""

from __future__ import annotations

from welfarist.base.errors import InputError
from welfarist.families.additive.family import ADDITIVE
from welfarist.families.additive.own import ADDITIVE_OWN
from welfarist.families.base import Family
from welfarist.families.kolm_pollak.family import KOLM_POLLAK
from welfarist.families.nested.family import NESTED
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rank_dependent.family import RANK_DEPENDENT

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (POWER_MEAN, KOLM_POLLAK, RANK_DEPENDENT, NESTED, ADDITIVE, ADDITIVE_OWN)
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
    return type(family) is type(FAMILIES.get(family.name))

"""People's names as a figure can show them, and people found by name or number."""

from __future__ import annotations

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.inert import in_figure

_LONGEST = 34


def shown(name: str, longest: int = _LONGEST) -> str:
    """Return a name that a figure shows as it is: on one line, no formula, and not too long.

    Examples
    --------
    >>> shown("a name that goes on for longer than anybody would read it")
    'a name that goes on for longer th…'
    """
    import matplotlib as mpl  # there is a figure already

    return in_figure(name, longest, tex=mpl.rcParams["text.usetex"])


def person_of(who: object, names: tuple[str, ...]) -> int:
    """Return the number of somebody given by name or number."""
    if isinstance(who, str):
        if who in names:
            return names.index(who)
        known = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise InputError(f"a person must be one of {known}; found {who!r}.")
    if isinstance(who, int | np.integer) and not isinstance(who, bool) and 0 <= who < len(names):
        return int(who)
    raise InputError(
        f"a person must be given by name, or by a number from 0 to {len(names) - 1}; found {who!r}."
    )

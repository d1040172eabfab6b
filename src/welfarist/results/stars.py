"""Stars beside estimates that are far from 0, as some journals print them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from welfarist.base.errors import InputError
from welfarist.base.validation import is_real

StarsOption = bool | Sequence[float]

# One, two and three stars, as economists have them.
_USUAL = (0.1, 0.05, 0.01)


def check_stars(stars: object) -> tuple[float, ...]:
    """Return the levels of the stars, the largest first; none if there are to be none.

    Examples
    --------
    >>> check_stars(True), check_stars(False), check_stars([0.01, 0.05])
    ((0.1, 0.05, 0.01), (), (0.05, 0.01))
    """
    if isinstance(stars, bool):
        return _USUAL if stars else ()
    levels: list[Any] = [None]
    if isinstance(stars, Sequence) and not isinstance(stars, str):
        levels = list(stars)
    if not levels or not all(is_real(level) and 0 < level < 1 for level in levels):
        raise InputError(
            "stars must be True, False, or levels between 0 and 1 such as [0.05, 0.01]; found "
            f"{stars!r}."
        )
    return tuple(sorted(map(float, set(levels)), reverse=True))


def starred(p_value: float | None, levels: Sequence[float]) -> str:
    """Return a star for every level that a p-value is below."""
    return "" if p_value is None else "*" * sum(p_value < level for level in levels)


def about_stars(levels: Sequence[float]) -> list[str]:
    """Say what the stars mean, in a line; nothing if there are none."""
    if not levels:
        return []
    said = ", ".join(f"{'*' * i} below {level:g}" for i, level in enumerate(levels, 1))
    return [
        f"Stars: p-value of p = 0 (Nash), and of inequality aversion 0 (utilitarian), {said}; "
        "weights and noise have none, because 0 is where their range ends"
    ]

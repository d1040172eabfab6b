"""Seeds: what a caller passed as random_state, as a generator or as a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.errors import InputError


def generator_of(random_state: Any) -> np.random.Generator:
    """Return a generator for a seed, a generator or a RandomState; None is a fixed seed."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(0 if random_state is None else random_state)
    except (TypeError, ValueError):
        raise InputError(
            "random_state must be a whole number that is not negative, a Generator or a "
            f"RandomState; found {random_state!r}."
        ) from None


def seed_of(random_state: Any) -> int:
    """Return a seed that can be written down: the number itself, or one that is drawn."""
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return int(random_state)
    return int(generator_of(random_state).integers(2**31))

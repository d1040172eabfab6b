"""Random numbers of a purpose of their own: one seed may serve a whole simulation.

A whole number starts a different stream for every purpose. Otherwise two functions that were given
the same seed would draw the same numbers, and the noise would depend on the utilities.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from welfarist.base.seeds import generator_of

RandomState = (
    int | Sequence[int] | np.random.SeedSequence | np.random.Generator | np.random.RandomState
)


def stream(random_state: RandomState | None, purpose: str) -> np.random.Generator:
    """Return the generator of a seed for one purpose; a generator is taken as it is.

    Parameters
    ----------
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        None is the seed 0, so that everything can be repeated.
    purpose : str
        What the numbers are for, such as ``"scores"``.

    Examples
    --------
    >>> bool(stream(1, "scores").random() == stream(1, "scores").random())
    True
    >>> bool(stream(1, "scores").random() == stream(1, "pairs").random())
    False
    """
    generator = generator_of(random_state)  # refuses what cannot be a seed
    root: Any = random_state
    if isinstance(root, np.random.Generator | np.random.RandomState | np.random.BitGenerator):
        return generator
    if not isinstance(root, np.random.SeedSequence):
        root = np.random.SeedSequence(0 if root is None else root)
    key = (*root.spawn_key, zlib.crc32(purpose.encode()))
    return np.random.default_rng(np.random.SeedSequence(root.entropy, spawn_key=key))

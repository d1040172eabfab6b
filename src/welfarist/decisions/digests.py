"""Digests: whether decisions are the same, told without the decisions themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

# Rows that are looked at together, so that no large table is copied.
AT_A_TIME = 2**14


def digest_of(arrays: Iterable[npt.ArrayLike]) -> str:
    """Return a text that is the same for numbers that are the same, in the same order.

    Examples
    --------
    >>> digest_of([[1, 2], [3.0]]) == digest_of([np.array([1.0, 2.0]), np.array([3])])
    True
    >>> digest_of([[1, 2]]) == digest_of([[2, 1]])
    False
    """
    found = hashlib.blake2b(digest_size=16)
    for array in arrays:
        # Adding 0 turns -0.0 into 0.0, which is the same number.
        found.update(np.ascontiguousarray(np.asarray(array, dtype=np.float64) + 0.0).data)
    return found.hexdigest()


def parts_of(array: npt.NDArray[np.generic]) -> Iterable[npt.NDArray[np.generic]]:
    """Return an array in parts of a moderate size."""
    return (array[first : first + AT_A_TIME] for first in range(0, len(array), AT_A_TIME))

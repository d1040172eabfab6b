"""What a round over the files brings back: sums, added in the order of the parts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions.scanned.parquet import Part

KERNELS = ("auto", "compiled", "numpy")


@dataclass(frozen=True)
class Answer:
    """How well values of the actions explain decisions, and which way they should move.

    Attributes
    ----------
    loss : float
        Sum of the negative log likelihoods.
    right : float
        How many decisions are on the right side of the rule; of ties and equals a share each.
    by_extras : (m,) array
        Derivatives by the noise model's parameters.
    pull : (N,) array
        Derivatives by the values of the actions.
    """

    loss: float
    right: float
    by_extras: FloatArray
    pull: FloatArray

    @staticmethod
    def total(answers: Iterable[Answer]) -> Answer:
        """Add answers up, in their order."""
        loss = right = 0.0
        by_extras: FloatArray | None = None
        pull: FloatArray | None = None
        for answer in answers:
            loss += answer.loss
            right += answer.right
            if by_extras is None or pull is None:
                by_extras, pull = answer.by_extras.copy(), answer.pull.copy()
            else:
                by_extras += answer.by_extras
                pull += answer.pull
        assert by_extras is not None
        assert pull is not None
        return Answer(loss, right, by_extras, pull)


class Question(Protocol):
    """What is asked of every part in a round."""

    def __call__(self, part: Part) -> Answer:
        """Return the sums over a part."""
        ...

    def key(self) -> str:
        """A text that is the same for the same question."""
        ...


def key_of(kind: str, values: FloatArray, extras: FloatArray) -> str:
    """Return a text that is the same for the same numbers, to the last digit.

    Examples
    --------
    >>> key_of("a", np.zeros(2), np.ones(1)) == key_of("a", np.zeros(2), np.ones(1))
    True
    """
    found = hashlib.blake2b(kind.encode(), digest_size=16)
    found.update(np.ascontiguousarray(values).tobytes())
    found.update(np.ascontiguousarray(extras).tobytes())
    return found.hexdigest()


def chosen_kernel(kernel: str) -> str:
    """Return the kernel that is used: compiled where numba is installed."""
    import importlib.util

    installed = importlib.util.find_spec("numba") is not None
    if kernel == "compiled" and not installed:
        raise InputError(
            'compiled kernels need the package numba; found none. pip install "welfarist[fast]", '
            "on every worker of a cluster."
        )
    return ("compiled" if installed else "numpy") if kernel == "auto" else kernel

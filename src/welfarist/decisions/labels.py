"""The labels of a choice, and which of them means that the first action was preferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError

# Texts whose meaning is clear, the one for "the first was preferred" before the other.
_CLEAR = (("yes", "no"), ("true", "false"), ("first", "second"))
# Names that are looked at together.
_AT_A_TIME = 4096


@dataclass(frozen=True)
class Labels:
    """Two labels and their meaning.

    Attributes
    ----------
    classes : (2,) array
        Both labels in their own order, as scikit-learn keeps them.
    first : int
        Which of the two means that the first action was preferred.
    guessed : bool
        Whether that was read from the alphabet alone.
    """

    classes: npt.NDArray[Any]
    first: int = 1
    guessed: bool = False

    @classmethod
    def of(cls, y: npt.NDArray[Any], order: list[Any] | None = None) -> Labels:
        """Read labels (n,); `order` is that of an ordered categorical, the smallest first."""
        classes = _two_labels(y)
        words = [str(label).strip().lower() for label in classes]
        if order is not None:
            return cls(classes, int(order.index(classes[1]) > order.index(classes[0])))
        if not isinstance(classes[0], str):
            return cls(classes)
        for pair in _CLEAR:
            if set(words) == set(pair):
                return cls(classes, words.index(pair[0]))
        return cls(classes, guessed=True)

    @property
    def first_label(self) -> Any:
        """The label that means that the first action was preferred."""
        return self.classes[self.first]

    @property
    def sign(self) -> int:
        """+1 if the second of the classes means that the first action was preferred, else -1."""
        return 2 * self.first - 1

    def outcomes(self, y: npt.NDArray[Any]) -> npt.NDArray[np.int8]:
        """Return +1, -1 and 0 (n,) for labels as the user gave them."""
        outcomes = np.where(y == self.classes[1], 1, np.where(y == self.classes[0], -1, 0))
        unknown = (outcomes == 0) & ~(y == 0) if y.dtype.kind in "iuf" else outcomes == 0
        if unknown.any():
            raise InputError(
                f"y must hold {_shown(self.classes[0])} and {_shown(self.classes[1])} (or 0 for a "
                f"tie); found {_shown(y[unknown][0])} at row {int(np.argmax(unknown))}."
            )
        return np.asarray(self.sign * outcomes, dtype=np.int8)


def _shown(label: Any) -> str:
    """A label as its user would write it."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def order_of(y: Any) -> list[Any] | None:
    """Return the categories of an ordered categorical from smallest to largest, else None."""
    kind: Any = getattr(y, "dtype", None)
    return list(kind.categories) if getattr(kind, "ordered", False) is True else None


def _two_labels(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the labels of "second preferred" and "first preferred"."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError("y must hold outcomes for every row; found NaN or infinite ones.")
    labels = np.unique(y)
    if y.dtype.kind in "iuf" and set(labels.tolist()) <= {-1, 0, 1} and -1 in labels:
        return np.array([-1, 1], dtype=y.dtype)
    if y.dtype.kind == "f" and not (y == np.floor(y)).all():
        raise InputError("Unknown label type: y must hold outcomes; found continuous numbers.")
    if len(labels) > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is multiclass: y must "
            f"be +1, -1 or 0, or hold two labels; found {len(labels)} different ones."
        )
    if len(labels) == 1:
        if y.dtype.kind in "iuf" and labels[0] == 1:
            return np.array([-1, 1], dtype=y.dtype)
        raise InputError(
            f"y must tell which action was preferred; found only one class, {_shown(labels[0])}, "
            "whose meaning is unclear. Use +1 and -1."
        )
    return labels


def numbered(names: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the number (n,) of each name (n,), from 0 on; names may be of several kinds.

    Examples
    --------
    >>> numbered(np.array(["b", "a", "b"])), numbered(np.array(["b", 7, "b"], dtype=object))
    (array([1, 0, 1]), array([0, 1, 0]))
    """
    try:
        return np.unique(names, return_inverse=True)[1].reshape(-1)
    except TypeError:  # texts and numbers have no common order
        number = {name: i for i, name in enumerate(dict.fromkeys(names.tolist()))}
        return np.array([number[name] for name in names.tolist()], dtype=np.intp)


def are_more_than(names: npt.NDArray[Any], limit: int) -> bool:
    """Whether more than so many different names are among these (n,); stops as soon as it knows.

    Examples
    --------
    >>> are_more_than(np.array(["b", "a", "b"]), 1), are_more_than(np.array(["b", "a", "b"]), 2)
    (True, False)
    """
    found: set[Any] = set()
    for start in range(0, len(names), _AT_A_TIME):
        found.update(names[start : start + _AT_A_TIME].tolist())
        if len(found) > limit:
            return True
    return False

"""What a caller said of the weights and groups of people, checked against who is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import by_name
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_weights, normalised
from welfarist.people.attributes import ByAttributes
from welfarist.people.weighting import Weighting

NumbersOption = npt.ArrayLike | Mapping[Any, Any]
WeightsOption = Literal["learn", "equal"] | NumbersOption | ByAttributes


def weighting_of(
    weights: WeightsOption,
    groups: object,
    people: int,
    names: Sequence[str] | None = None,
    heads: FloatArray | None = None,
) -> Weighting:
    """Return what is known about the weights of `people` people, who may have names (d,).

    If they are groups, `heads` (d,) says how many people each stands for, and equal weights are
    those of people.
    """
    if weights is None:
        raise InputError(
            'weights must be "learn", "equal" or one number per person; found None, which could '
            "mean either of the first two. Say which."
        )
    if isinstance(weights, str):
        if weights not in ("learn", "equal"):
            raise InputError(
                f'weights must be "learn", "equal" or one number per person; found {weights!r}.'
            )
        if weights == "learn":
            shared = _group_numbers(groups, people, names)
            return Weighting(people, group_of=shared, heads=heads)
    if groups is not None:
        found = "attributes" if isinstance(weights, ByAttributes) else "known weights"
        raise InputError(
            'groups must come with weights="learn", because they say how learned weights are '
            f"shared; found {found} as well. Give one of the two."
        )
    if isinstance(weights, ByAttributes):
        return weights.weighting(people, names, heads)
    if isinstance(weights, str):
        equal = np.ones(people) if heads is None else heads
        return Weighting(people, fixed=equal / equal.sum())
    known = as_weights(by_name(weights, names, "weights"))
    if known.shape != (people,):
        raise InputError(
            f"known weights must be one number per person, {people} in all; found shape "
            f"{known.shape}."
        )
    return Weighting(people, fixed=normalised(known))


def group_labels(
    groups: Any, people: int, names: Sequence[str] | None = None
) -> npt.NDArray[Any] | None:
    """Return the group of each person (d,), from labels, or from lists of names by group."""
    if groups is None:
        return None
    if isinstance(groups, Mapping) and any(_is_collection(v) for v in groups.values()):
        groups = _inverted(groups)
    groups = by_name(groups, names, "groups")
    if isinstance(groups, list | tuple) and any(_is_collection(group) for group in groups):
        raise InputError(
            f"groups must hold one label per person, {people} in all; found lists of people. Give "
            'a mapping of names, such as {"north": ["a", "b"], "south": ["c"]}, or labels such as '
            '["north", "north", "south"].'
        )
    labels = np.asarray(groups)
    if labels.shape != (people,):
        raise InputError(
            f"groups must hold one label per person, {people} in all; found shape {labels.shape}."
        )
    try:
        np.unique(labels)
    except TypeError:
        raise InputError(
            "groups must hold labels of one kind, all text or all numbers; found "
            f"{labels.tolist()!r:.80}. Give everybody a group."
        ) from None
    return labels


def _is_collection(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)


def _inverted(members: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the group of each name, from the names of each group."""
    group_of: dict[Any, Any] = {}
    for group, names in members.items():
        for name in names if _is_collection(names) else [names]:
            if name in group_of:
                raise InputError(
                    f"groups must not overlap; found {name!r} in {group_of[name]!r} and {group!r}."
                )
            group_of[name] = group
    return group_of


def _group_numbers(
    groups: object, people: int, names: Sequence[str] | None
) -> npt.NDArray[np.intp] | None:
    labels = group_labels(groups, people, names)
    if labels is None:
        return None
    _, number = np.unique(labels, return_inverse=True)
    return np.asarray(number.reshape(-1), dtype=np.intp)

"""Nulls about attributes: which of them do not matter, or matter by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import is_real
from welfarist.inference.likelihood import Likelihood
from welfarist.people.attribute_weighting import AttributeWeighting, theta_name


def slopes_weighting(likelihood: Likelihood) -> AttributeWeighting:
    """Return weights that follow from attributes, or refuse a fit without any."""
    weighting = likelihood.loss.weighting
    if not isinstance(weighting, AttributeWeighting):
        raise InputError(
            "theta is that of weights by attributes; found a fit without. Fit with "
            "weights=ByAttributes(table)."
        )
    return weighting


def held_slopes(likelihood: Likelihood, theta: Any) -> dict[int, float]:
    """Return the values of thetas that a null holds, by their place.

    Parameters
    ----------
    likelihood : Likelihood
    theta : str, list of str, mapping of names to numbers, or 0
        Attributes, or their thetas as in ``theta[age]``; without numbers they are 0. The number 0
        itself stands for all of them.
    """
    names = slopes_weighting(likelihood).attributes
    if is_real(theta) and theta == 0:
        return dict.fromkeys(range(len(names)), 0.0)
    if isinstance(theta, str):
        given: dict[Any, Any] = {theta: 0.0}
    elif isinstance(theta, Mapping):
        given = dict(theta)
    elif isinstance(theta, Sequence):
        given = dict.fromkeys(theta, 0.0)
    else:
        raise InputError(
            'theta of a null must be an attribute, such as "age", a list of them, numbers by name, '
            f"or 0 for all; found {theta!r:.60}."
        )
    places = {name: i for i, name in enumerate(names)}
    places |= {theta_name(name): i for i, name in enumerate(names)}
    found: dict[int, float] = {}
    for name, value in given.items():
        if name not in places:
            raise InputError(
                f"theta of a null must be of an attribute of the fit, {', '.join(names)}; found "
                f"{name!r}."
            )
        if not is_real(value) or not np.isfinite(value):
            raise InputError(f"theta of a null must be a finite number; found {value!r}.")
        found[places[name]] = float(value)
    if not found:
        raise InputError("theta of a null must name at least one attribute; found none.")
    return found


def slopes_in_words(weighting: AttributeWeighting, held: Mapping[int, float]) -> str:
    """Return what a null says of attributes.

    Examples
    --------
    >>> known = AttributeWeighting(3, attributes=("age", "income"))
    >>> slopes_in_words(known, {0: 0.0})
    'theta[age] = 0'
    >>> slopes_in_words(known, {0: 0.0, 1: 0.0})
    'no attribute matters: theta[age] = 0, theta[income] = 0'
    """
    parts = [f"{theta_name(weighting.attributes[i])} = {value:g}" for i, value in held.items()]
    every = len(held) == len(weighting.attributes) > 1 and not any(held.values())
    return ("no attribute matters: " if every else "") + ", ".join(parts)

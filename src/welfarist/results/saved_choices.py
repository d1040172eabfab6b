"""What a saved model of choices from menus has beside its rule, and how it chooses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from welfarist.base.data_frames import order_by_name, split_names
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rule import WelfareFunction
from welfarist.people.present_rule import PresentRule
from welfarist.people.utility_tables import as_utility_table

# The kind of its decisions; whoever applies a rule need not load what holds them.
_CHOICES = "choices"
KEYS = ("taus", "gamma", "outside", "absent")
# Logarithms of welfare this close are equal up to rounding.
_EQUALLY_GOOD = 1e-13


def terms_of(result: Any) -> dict[str, Any]:
    """What a fit to choices has learned beside the rule; nothing for other fits."""
    if result.kind != _CHOICES:
        return {}
    later = [value for name, value in result.extras.items() if name.startswith("tau of choice")]
    held = result.left_out if result.decided is None else result.decided
    return {
        "taus": (math.inf if result.tau is None else float(result.tau), *map(float, later)),
        "gamma": result.extras.get("gamma"),
        "outside": result.extras.get("outside"),
        "absent": bool(held is not None and held.absent),
    }


def entries_of(model: Any) -> dict[str, Any]:
    """What a file holds of it: nothing where there is nothing to say."""
    if model.kind != _CHOICES:
        return {}
    found = {"taus": list(model.taus), "gamma": model.gamma, "outside": model.outside}
    found["absent"] = model.absent or None
    return {name: value for name, value in found.items() if value is not None}


def terms_in(fields: Any, kind: str) -> dict[str, Any]:
    """What a file says of it, checked; `fields` are those of a saved model."""
    given = [key for key in KEYS if fields.has(key)]
    if kind != _CHOICES:
        if given:
            raise fields.wrong(given[0], "left out of a model of other decisions than choices")
        return {}
    if "taus" not in given:
        raise fields.wrong("taus", "a list of numbers, one for each choice of a ranking")
    gamma = fields.number("gamma") if "gamma" in given else None
    if gamma is not None and not math.isfinite(gamma):
        raise fields.wrong("gamma", "a finite number")
    return {
        "taus": fields.numbers("taus", 0.0),
        "gamma": gamma,
        "outside": fields.number("outside", 0.0) if "outside" in given else None,
        "absent": fields.flag("absent") if "absent" in given else False,
    }


def utilities_for(rule: WelfareFunction, actions: Any, absent: bool) -> FloatArray:
    """Utilities (n, d) in the order of the rule's stakeholders; NaN for who is absent."""
    values, names = split_names(actions)
    table = np.atleast_2d(as_numbers(values, "utilities").astype(np.float64))
    missing = np.isnan(table) if absent else np.zeros(table.shape, dtype=bool)
    if missing.all(axis=1).any():
        raise InputError(
            "every action must affect somebody; found one that affects nobody, at row "
            f"{int(np.argmax(missing.all(axis=1)))}. Leave it out."
        )
    # Which refuses all else; those who are absent are not looked at.
    family = getattr(rule, "family", POWER_MEAN)
    as_utility_table(np.where(missing, max(-rule.shift, 1.0), table), family.least - rule.shift)
    if names is None or rule.stakeholders is None or family.by_place:
        return table
    ordered = np.empty_like(table)
    ordered[:, order_by_name(names, rule.stakeholders)] = table
    return ordered


def worth(rule: WelfareFunction, utilities: FloatArray, gamma: float | None) -> FloatArray:
    """What choices depend on differences of (n,): log welfare, and what a group's size adds."""
    value = np.asarray(PresentRule(rule).value(utilities))
    if gamma:
        value = value + gamma * np.log((~np.isnan(utilities)).sum(axis=1))
    return value


def chances(value: FloatArray, tau: float, rho: float) -> FloatArray:
    """How likely each action of a menu is chosen (K,), by what it is worth (K,).

    Examples
    --------
    >>> chances(np.log([1.0, 1.0, 2.0]), 1.0, 0.0).tolist()
    [0.25, 0.25, 0.5]
    """
    best = value.max()
    if np.isneginf(best):  # nothing against nothing: a toss-up
        odds = np.ones(len(value))
    elif math.isinf(tau):
        odds = (value >= best - _EQUALLY_GOOD).astype(np.float64)
    else:
        odds = np.exp(tau * (value - best))
    return np.asarray((1.0 - 2.0 * rho) * odds / odds.sum() + 2.0 * rho / len(value))


def margins_of(one: FloatArray, other: FloatArray, tau: float) -> FloatArray:
    """By how much actions are worth more than others (n,), in units in which choices err.

    Without noise that is infinite, however small the difference, and 0 for a tie.
    """
    with np.errstate(invalid="ignore"):
        apart = one - other
    apart = np.where(np.isnan(apart), 0.0, apart)  # nothing against nothing: a tie
    if math.isfinite(tau):
        return np.asarray(tau * apart)
    return np.where(np.abs(apart) <= _EQUALLY_GOOD, 0.0, np.copysign(np.inf, apart))


def with_outside(value: FloatArray, outside: float | None) -> FloatArray:
    """What the actions of a menu are worth (K + 1,), none of these last."""
    if outside is None:
        raise InputError(
            "none of these can be chosen only where the model was learned from such choices; found "
            "one that was not. Leave out outside=True."
        )
    with np.errstate(divide="ignore"):
        return np.append(value, np.log(outside))

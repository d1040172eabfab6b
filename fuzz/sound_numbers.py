"""What numbers a fit may have: valid ones, and a loss that is that of its own predictions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from scipy.special import xlogy

from fuzz.sound_choices import choice_complaints

# What is never infinite.
_FINITE = ("loss", "decisions", "accuracy", "r_squared")
# Weights are normalised: their sum is off by rounding at most.
_SUM = 1e-9
# The loss of predictions is worked out in another way; both may be off by rounding, which margins
# of large tau enlarge.
_ALIKE = 1e-6
_LARGEST_ROOT = 1e150  # of what has a square


def number_complaints(learner: Any) -> list[str]:
    """Return what is wrong with the public numbers of a fitted learner."""
    found = _own_of_choices(learner) if learner.result_.kind == "choices" else []
    weights, p, loss = np.asarray(learner.weights_), learner.p_, learner.loss_
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        found.append(f"weights_: {weights.tolist()}")
    elif abs(weights.sum() - 1.0) > _SUM:
        found.append(f"weights_: sum to {weights.sum()!r}")
    if not isinstance(p, float) or np.isnan(p):
        found.append(f"p_: {p!r}")
    if not (np.isfinite(loss) and loss >= 0):
        found.append(f"loss_: {loss!r}")
    counted = learner.result_.exact is not None
    tau, rho = getattr(learner, "tau_", 1.0), getattr(learner, "rho_", 0.0)
    if not (tau == np.inf if counted else 0 < tau < np.inf):
        found.append(f"tau_: {tau!r}")
    if not 0 <= rho < 0.5:
        found.append(f"rho_: {rho!r}")
    if not 0 < getattr(learner, "scale_", 1.0) < np.inf:
        found.append(f"scale_: {learner.scale_!r}")
    told = learner.result_.to_dict()
    found += [f"to_dict: {place} is NaN" for place in where_nan(told)]
    finite = {name: told[name] for name in _FINITE if told[name] is not None}
    return found + [f"to_dict: {name} is {x!r}" for name, x in finite.items() if np.isinf(x)]


def _own_of_choices(learner: Any) -> list[str]:
    """What is wrong with what only choices from menus have."""
    found = []
    taus, gamma, outside = np.asarray(learner.taus_), learner.gamma_, learner.outside_
    if np.isnan(taus).any() or (taus <= 0).any() or taus[0] != learner.tau_:
        found.append(f"taus_: {taus.tolist()}")
    if not np.isfinite(gamma):
        found.append(f"gamma_: {gamma!r}")
    asked = learner.result_.decided.outside
    if not (outside is not None and 0 < outside < np.inf if asked else outside is None):
        found.append(f"outside_: {outside!r}")
    return found


def where_nan(value: Any, place: str = "") -> list[str]:
    """Return where in a nest of values there are NaN."""
    if isinstance(value, Mapping):
        return [x for name, inner in value.items() for x in where_nan(inner, f"{place}.{name}")]
    if isinstance(value, list | tuple):
        return [x for i, inner in enumerate(value) for x in where_nan(inner, f"{place}[{i}]")]
    if isinstance(value, np.ma.MaskedArray):
        return [place] if np.isnan(value.compressed()).any() else []
    if isinstance(value, np.ndarray):
        return [place] if value.dtype.kind == "f" and np.isnan(value).any() else []
    if is_dataclass(value) and not isinstance(value, type):
        inner = [(f.name, getattr(value, f.name)) for f in fields(value) if f.repr]
        return [x for name, one in inner for x in where_nan(one, f"{place}.{name}")]
    is_nan = isinstance(value, float | np.floating) and np.isnan(value)
    return [place or "the answer"] if is_nan else []


def json_complaints(text: str) -> list[str]:
    """Return what is wrong with a text that should be strict JSON."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as problem:
        return [f"no strict JSON: {problem}"]
    return []


def loss_complaints(learner: Any) -> list[str]:
    """Return by how much the loss differs from that of what the learner predicts, if it does."""
    if learner.result_.kind == "choices":
        return choice_complaints(learner)
    again = loss_of_predictions(learner)
    loss = learner.loss_
    size = 1.0
    if learner.result_.kind == "scores":  # what is left of scores of this size is rounding
        shift = learner.result_.score_offset  # which takes digits of smaller ones
        largest = max(float(np.abs(learner.result_.decided.values).max()), abs(shift))
        size = largest * largest if largest < _LARGEST_ROOT else np.inf
    elif np.isfinite(learner.tau_):  # margins are off by the rounding of welfares, times tau
        size = max(size, 1e-3 * float(learner.tau_))
    if abs(again - loss) <= _ALIKE * abs(loss) + 1e-12 * size:
        return []
    return [f"loss_: {loss!r}, but that of its predictions is {again!r}"]


def loss_of_predictions(learner: Any) -> float:
    """Return the mean loss of the decisions that were fitted, from what the learner predicts."""
    decided = learner.result_.decided
    kept = decided.counts > 0
    share = decided.counts[kept] / decided.counts[kept].sum()
    if learner.result_.kind == "scores":
        errors = learner.predict(decided)[kept] - decided.values[kept]
        return float(share @ np.square(errors))
    first = decided.outcomes[kept] * 0.5 + 0.5
    if learner.result_.exact is not None:
        margins = learner.decision_function(decided)[kept]
        likely = (1.0 + np.sign(margins)) / 2.0
        return float(share @ (first * (1.0 - likely) + (1.0 - first) * likely))
    chances = learner.predict_proba(decided)[kept]
    places = list(learner.classes_)
    likely = chances[:, places.index(learner.first_label_)]
    unlikely = chances[:, 1 - places.index(learner.first_label_)]
    # The logarithm of a chance that is too small to be a number is its margin.
    far = np.abs(learner.decision_function(decided)[kept])
    lost = sum(
        np.where(
            (part > 0) & (chance == 0), -part * np.where(part > 0, far, 0.0), xlogy(part, chance)
        )
        for part, chance in ((first, likely), (1.0 - first, unlikely))
    )
    return float(-(share @ lost))

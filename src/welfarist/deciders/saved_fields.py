"""What a file of several decision makers says, checked entry by entry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.deciders.kinds import DeciderType
from welfarist.deciders.saved_rules import (
    Believed,
    SavedRules,
    checked_noise,
    is_noise,
    rules_of_types,
)
from welfarist.families.rule import WelfareFunction
from welfarist.results.saved_models import SEVERAL
from welfarist.results.saved_records import Fields, Form, as_number

VERSION = 1
_COMMON = (
    "format", "version", "welfarist", "kind", "decided", "headline", "decisions", "log_likelihood",
    "converged", "caveats", "shift", "absent", "stakeholders",
)  # fmt: skip
_OF_TYPES = ("types", "membership")
_OF_POPULATION = ("population", "level", "estimates", "noise", "rules", "draws", "anybody")
_OF_TYPE = {"share", "p", "weights", "noise", "explained", "given"}
_OF_NORMAL = {"numbers", "columns", "coefficients", "covariance"}
# Chances that sum to 1 do so up to the rounding of their sum; weights that were rounded to seven
# digits are off by more.
_SUM_ROUNDING, _DIGITS_LOST = 1e-9, 1e-5


def entries_in(record: Any, source: str) -> dict[str, Any]:
    """Return the entries of the model that a record describes, or say why it cannot be trusted."""
    kind = record.get("kind") if isinstance(record, Mapping) else None
    own = _OF_POPULATION if kind == "population" else _OF_TYPES
    fields = Fields(record, source, Form(SEVERAL, VERSION, (*_COMMON, *own)))
    found: dict[str, Any] = dict(
        kind=fields.one_of("kind", ("types", "population")),
        decided=fields.one_of("decided", ("comparisons", "choices")),
        headline=fields.text("headline"),
        decisions=fields.number("decisions", 0.0),
        log_likelihood=fields.number("log_likelihood"),
        converged=fields.flag("converged"),
        caveats=fields.texts("caveats"),
        version=fields.text("welfarist"),
    )
    people, shift, absent = _names(fields, "stakeholders"), fields.shift(), fields.flag("absent")
    read = _population if kind == "population" else _of_types
    return found | read(fields, people, shift, absent)


def _names(fields: Fields, key: str) -> tuple[str, ...]:
    found = fields.texts(key)
    if not found or len(set(found)) < len(found):
        raise fields.wrong(key, "a list of names, each of them once")
    return found


def _of_types(
    fields: Fields, people: tuple[str, ...], shift: float, absent: bool
) -> dict[str, Any]:
    types = _types(fields, people, shift)
    rules, anybody = rules_of_types(types, people, shift, absent)
    deciders, belongs = _membership(fields, len(types))
    each = tuple(Believed(anybody.rules, row) for row in belongs)
    return dict(rules=rules, deciders=deciders, each=each, anybody=anybody, types=types)


def _types(fields: Fields, people: tuple[str, ...], shift: float) -> tuple[DeciderType, ...]:
    value = fields.entry("types")
    if not isinstance(value, list) or not value:
        raise fields.wrong("types", "a list of types")
    types = tuple(_type(fields, entry, people, shift) for entry in value)
    if abs(math.fsum(one.share for one in types) - 1.0) > _SUM_ROUNDING:
        raise fields.wrong("types", "types whose shares sum to 1")
    if any(set(one.noise) != set(types[0].noise) for one in types):
        raise fields.wrong("types", "types with the same numbers of the noise")
    return types


def _type(fields: Fields, entry: Any, people: tuple[str, ...], shift: float) -> DeciderType:
    if not isinstance(entry, dict) or set(entry) != _OF_TYPE:
        raise fields.wrong("types", f"types with {', '.join(sorted(_OF_TYPE))}", entry)
    weights, names = fields.people_in(entry["weights"])
    if names != people:
        raise fields.wrong("types", "types with a weight of each stakeholder", list(names))
    share, p, explained = (as_number(entry[name]) for name in ("share", "p", "explained"))
    if share is None or not 0.0 <= share <= 1.0 or p is None or explained is None:
        raise fields.wrong("types", "types whose share, p and explained are numbers", entry)
    if entry["given"] is not None and not isinstance(entry["given"], str):
        raise fields.wrong("types", "types that were given by a text, or not", entry["given"])
    noise = checked_noise(fields, "types", entry["noise"])
    return DeciderType(
        WelfareFunction(p, weights, names, shift), share, noise, explained, entry["given"]
    )


def _membership(fields: Fields, types: int) -> tuple[tuple[str, ...], FloatArray]:
    value = fields.entry("membership")
    if not isinstance(value, dict) or not value:
        raise fields.wrong("membership", "chances of each type by name")
    for row in value.values():
        chances = _numbers(row)
        if chances is None or len(chances) != types or not _is_whole(chances, _SUM_ROUNDING):
            raise fields.wrong("membership", f"{types} chances of each person that sum to 1", row)
    return tuple(value), np.array(list(value.values()), dtype=np.float64)


def _is_whole(chances: FloatArray, rounding: float) -> bool:
    return bool(chances.min() >= 0.0 and abs(chances.sum() - 1.0) <= rounding)


def _numbers(value: Any) -> FloatArray | None:
    """A list of numbers, perhaps infinite; None for anything else."""
    found = [as_number(entry) for entry in value] if isinstance(value, list) else []
    return np.array(found, dtype=np.float64) if found and None not in found else None


def _population(
    fields: Fields, people: tuple[str, ...], shift: float, absent: bool
) -> dict[str, Any]:
    rules = _rules(fields, people, shift, absent)
    value = fields.entry("draws")
    if not isinstance(value, dict) or not value:
        raise fields.wrong("draws", "numbers of rules by name")
    deciders = tuple(value)
    each = tuple(_drawn(fields, "draws", draws, len(rules)) for draws in value.values())
    return dict(
        rules=rules,
        deciders=deciders,
        each=each,
        anybody=_drawn(fields, "anybody", fields.entry("anybody"), len(rules)),
        population=_normal(fields),
        estimates=_estimates(fields, len(deciders)),
        level=fields.number("level", 0.0, 1.0),
    )


def _rules(fields: Fields, people: tuple[str, ...], shift: float, absent: bool) -> SavedRules:
    noise, value = _names(fields, "noise"), fields.entry("rules")
    if "tau" not in noise or not all(is_noise(name, 0.0) for name in noise):
        raise fields.wrong("noise", "names of numbers of the noise, tau among them")
    size = 1 + len(people) + len(noise)
    rows = [_numbers(row) for row in value] if isinstance(value, list) else []
    if not rows or any(row is None or len(row) != size for row in rows):
        raise fields.wrong("rules", f"a list of rules with {size} numbers each")
    table = np.array(rows)
    weights = table[:, 1 : 1 + len(people)]
    sums = weights.sum(axis=1)
    if not (weights >= 0.0).all() or np.abs(sums - 1.0).max() > _DIGITS_LOST:
        raise fields.wrong("rules", "rules whose weights are from 0 to 1 and sum to 1")
    columns = dict(zip(noise, table[:, 1 + len(people) :].T, strict=True))
    for name, column in columns.items():
        if not all(is_noise(name, x) for x in column.tolist()):
            raise fields.wrong("rules", f"rules with a {name} that can be one")
    return SavedRules(table[:, 0], weights, columns, people, shift, absent)


def _drawn(fields: Fields, key: str, draws: Any, rules: int) -> Believed:
    good = (
        isinstance(draws, list) and draws and all(type(x) is int and 0 <= x < rules for x in draws)
    )
    if not good:
        raise fields.wrong(key, f"numbers of rules below {rules}", draws)
    return Believed.of_draws(draws)


def _normal(fields: Fields) -> dict[str, Any]:
    value = fields.entry("population")
    if value is None:
        return {}
    form = f"nothing, or {', '.join(sorted(_OF_NORMAL))} of a normal population"
    if not isinstance(value, dict) or set(value) != _OF_NORMAL:
        raise fields.wrong("population", form)
    texts = [value[name] for name in ("numbers", "columns")]
    if not all(isinstance(t, list) and t and all(isinstance(x, str) for x in t) for t in texts):
        raise fields.wrong("population", form)
    numbers, columns = map(len, texts)
    for name, width in (("coefficients", columns), ("covariance", numbers)):
        rows = [_numbers(row) for row in value[name]] if isinstance(value[name], list) else []
        if len(rows) != numbers or any(row is None or len(row) != width for row in rows):
            raise fields.wrong("population", f"{name} with {numbers} rows of {width}", value[name])
    return dict(value)


def _estimates(fields: Fields, people: int) -> dict[str, FloatArray]:
    value = fields.entry("estimates")
    entries = value.items() if isinstance(value, dict) else ()
    found = {name: _numbers(column) for name, column in entries}
    kept = {n: column for n, column in found.items() if column is not None}
    if not kept or len(kept) < len(found) or any(len(x) != people for x in kept.values()):
        raise fields.wrong("estimates", f"columns of {people} numbers by name")
    return kept

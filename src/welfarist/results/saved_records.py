"""Records of what was learned, in files: strict JSON, of which every entry is checked."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.half_written import settle
from welfarist.base.ordinary_files import open_ordinary, read_within
from welfarist.base.validation import FloatArray

# Weights that were saved sum to 1 up to rounding of their sum.
_SUM_ROUNDING = 1e-9
# Bytes of a file: those of a million people are fewer.
_MOST_BYTES = 250 * 10**6


@dataclass(frozen=True)
class Form:
    """What a record of one kind must look like.

    Attributes
    ----------
    format : str
        What it says it is.
    version : int
        The latest that is known.
    keys : tuple of str
        Entries that must be there.
    optional : tuple of str
        Entries that may be there.
    """

    format: str
    version: int
    keys: tuple[str, ...]
    optional: tuple[str, ...] = ()


def record_in(path: str | os.PathLike[str]) -> Any:
    """Return what a file of a model holds, or say why it cannot be trusted."""
    name = os.fspath(path)
    settle([name])
    text = _text_of(name)
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_once)
    except json.JSONDecodeError as problem:
        raise InputError(
            f"{name}, line {problem.lineno}, column {problem.colno}: a saved model must be JSON; "
            "found text that is not. The file may be truncated: save the model again."
        ) from None
    except (RecursionError, InputError) as problem:
        raise InputError(
            f"{name}: a saved model must be strict JSON; found {problem}. Save the model again."
        ) from None
    except ValueError:  # Python reads whole numbers of some thousand digits only
        raise InputError(
            f"{name}: a saved model must be strict JSON; found a number with too many digits. "
            "Save the model again."
        ) from None


def _text_of(name: str) -> str:
    """What stands in a file that may be a model."""
    try:
        with open_ordinary(name) as file:
            return read_within(file, _MOST_BYTES, name, "It is no saved model.").decode("utf-8")
    except FileNotFoundError:
        raise InputError(
            f"{name}: there is no such file. Save a model first: welfarist fit … --save {name}"
        ) from None
    except (UnicodeDecodeError, OSError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no text in UTF-8"
        raise InputError(f"{name}: cannot be read as a model: {reason}. Check the name.") from None


def _refuse_constant(token: str) -> float:
    raise InputError(f"{token}, which is no number in JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError("an entry that is there twice")
    return found


class Fields:
    """The entries of a saved model, each checked when it is taken."""

    def __init__(self, record: Any, source: str, form: Form) -> None:
        self._source, self._form = source, form
        if not isinstance(record, Mapping) or record.get("format") != form.format:
            found = record.get("format") if isinstance(record, Mapping) else type(record).__name__
            raise InputError(
                f"{source}: a saved model must have the format {form.format!r}; found "
                f"{found!r:.80}. "
                "This is another file: models are written by save_model, or welfarist fit --save."
            )
        self._record = record
        self._check_format()

    def _check_format(self) -> None:
        """Require the version that is known, and all entries and no others."""
        form, version = self._form, self._record.get("version")
        if type(version) is not int or version < 1:
            raise self._wrong("version", "a whole number from 1 on", version)
        if version > form.version:
            raise InputError(
                f"{self._source}: a saved model must have version {form.version} or earlier; found "
                f"{version}. It was written by a later welfarist: update the package."
            )
        unknown = [key for key in self._record if key not in (*form.keys, *form.optional)]
        missing = [key for key in form.keys if key not in self._record]
        if unknown or missing:
            what = f"the unknown {unknown[0]!r:.80}" if unknown else f"no {missing[0]!r}"
            raise InputError(
                f"{self._source}: a saved model must have the entries {', '.join(form.keys)}; "
                f"found {what}. It was changed by hand: save the model again."
            )

    def number(self, key: str, least: float = -math.inf, most: float = math.inf) -> float:
        """A number in a range, perhaps infinite."""
        value = as_number(self._record[key])
        if value is None or not least <= value <= most:
            bounds = "" if least == -math.inf else f" from {least:g} to {most:g}"
            raise self._wrong(key, f"a number{bounds}", self._record[key])
        return value

    def optional(self, key: str, least: float = -math.inf, most: float = math.inf) -> float | None:
        """A number in a range, or nothing."""
        return None if self._record[key] is None else self.number(key, least, most)

    def shift(self) -> float:
        """What the rule adds to every utility; 0 if nothing is said."""
        value = self.number("shift") if "shift" in self._record else 0.0
        if not math.isfinite(value):
            raise self._wrong("shift", "a finite number", self._record["shift"])
        return value

    def has(self, key: str) -> bool:
        """Whether there is such an entry."""
        return key in self._record

    def flag(self, key: str) -> bool:
        """True or False."""
        if not isinstance(self._record[key], bool):
            raise self._wrong(key, "true or false", self._record[key])
        return bool(self._record[key])

    def text(self, key: str) -> str:
        """A text."""
        if not isinstance(self._record[key], str):
            raise self._wrong(key, "a text", self._record[key])
        return str(self._record[key])

    def one_of(self, key: str, known: tuple[str, ...]) -> Any:
        """One of several texts."""
        if self._record[key] not in known:
            raise self._wrong(key, f"one of {', '.join(known)}", self._record[key])
        return self._record[key]

    def numbers(self, key: str, least: float) -> tuple[float, ...]:
        """A list of numbers, at least one."""
        value = self._record[key]
        found = [as_number(entry) for entry in value] if isinstance(value, list) else []
        kept = [entry for entry in found if entry is not None and entry >= least]
        if not kept or len(kept) < len(found):
            raise self._wrong(key, f"a list of numbers from {least:g} on", value)
        return tuple(kept)

    def numbers_by_name(self, key: str) -> dict[str, float]:
        """Finite numbers by name, at least one."""
        value = self._record[key]
        entries = value.items() if isinstance(value, dict) else ()
        found = {name: as_number(entry) for name, entry in entries}
        kept = {n: x for n, x in found.items() if x is not None and math.isfinite(x)}
        if not kept or len(kept) < len(found):
            raise self._wrong(key, "finite numbers by name", value)
        return kept

    def entry(self, key: str) -> Any:
        """An entry as it is."""
        return self._record[key]

    def wrong(self, key: str, form: str, *found: Any) -> InputError:
        """Say what an entry must be, and what was found in it or in its place."""
        return self._wrong(key, form, found[0] if found else self._record.get(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._record[key]
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise self._wrong(key, "a list of texts", value)
        return tuple(value)

    def people(self) -> tuple[FloatArray, tuple[str, ...]]:
        """The weights (d,), which sum to 1, and the names they belong to."""
        return self.people_in(self._record["weights"])

    def people_in(self, value: Any) -> tuple[FloatArray, tuple[str, ...]]:
        """The same of what stands in an entry."""
        form = 'a list of entries such as {"stakeholder": "staff", "weight": 0.5}'
        if not isinstance(value, list) or not value:
            raise self._wrong("weights", form, value)
        names: dict[str, None] = {}  # in their order
        weights = []
        for entry in value:
            if not isinstance(entry, dict) or set(entry) != {"stakeholder", "weight"}:
                raise self._wrong("weights", form, entry)
            weight = as_number(entry["weight"])
            if not isinstance(entry["stakeholder"], str) or weight is None or not 0 <= weight <= 1:
                raise self._wrong("weights", f"{form}, each weight from 0 to 1", entry)
            if entry["stakeholder"] in names:
                raise self._wrong("weights", "one entry per stakeholder", entry)
            names[entry["stakeholder"]] = None
            weights.append(weight)
        if abs(math.fsum(weights) - 1.0) > _SUM_ROUNDING:
            raise self._wrong("weights", "numbers that sum to 1", math.fsum(weights))
        return np.array(weights), tuple(names)

    def intervals(self) -> dict[str, Any]:
        """Pairs of numbers by name, and single numbers such as their level."""
        value = self._record["intervals"]
        if not isinstance(value, dict):
            raise self._wrong("intervals", "pairs of numbers by name", value)
        return {name: self._interval(entry) for name, entry in value.items()}

    def _interval(self, entry: Any) -> Any:
        ends = [as_number(end) for end in entry] if isinstance(entry, list) else [as_number(entry)]
        if None in ends or len(ends) != (2 if isinstance(entry, list) else 1):
            raise self._wrong("intervals", "pairs of numbers by name", entry)
        return tuple(ends) if isinstance(entry, list) else ends[0]

    def _wrong(self, key: str, form: str, found: Any) -> InputError:
        return InputError(
            f"{self._source}: the entry {key!r} of a saved model must be {form}; found "
            f"{found!r:.80}. It was changed by hand: save the model again."
        )


def as_number(value: Any) -> float | None:
    """A number as JSON holds it, infinite ones as texts; None for anything else."""
    if value in ("inf", "-inf") and isinstance(value, str):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if abs(value) <= sys.float_info.max else None
    return None

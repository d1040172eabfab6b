"""Strict JSON with a line an entry, written several times faster than the standard library does."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

_WORDS = {None: "null", True: "true", False: "false"}


def json_text(value: Any, *, indent: int = 2, ascii_only: bool = False) -> str:
    """Return a value as JSON text: what `json.dumps` gives, but infinities are texts.

    Parameters
    ----------
    value : mapping, sequence, text, number, bool or None
        With others inside. Sequences need not be lists: entries may be made when they are asked
        for. A NaN is refused.
    indent : int
        How many blanks go before an entry, for each level.
    ascii_only : bool
        Whether other letters are spelled out.

    Examples
    --------
    >>> print(json_text({"p": float("-inf"), "weights": (0.5, 0.5), "given": []}))
    {
      "p": "-inf",
      "weights": [
        0.5,
        0.5
      ],
      "given": []
    }
    """
    quoted = encode_basestring_ascii if ascii_only else encode_basestring
    return _text(value, "\n", " " * indent, quoted)


def _text(value: Any, line: str, step: str, quoted: Callable[[str], str]) -> str:
    """One value; `line` is what an end of line and the blanks after it are at this level."""
    if isinstance(value, str):
        return quoted(value)
    if value is None or value is True or value is False:
        return _WORDS[value]
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, Mapping):
        inner = line + step
        entries = [
            f"{quoted(key if isinstance(key, str) else _key(key))}: "
            f"{_text(entry, inner, step, quoted)}"
            for key, entry in value.items()
        ]
        return f"{{{inner}{(',' + inner).join(entries)}{line}}}" if entries else "{}"
    if isinstance(value, Sequence):
        inner = line + step
        entries = [_text(entry, inner, step, quoted) for entry in value]
        return f"[{inner}{(',' + inner).join(entries)}{line}]" if entries else "[]"
    raise TypeError(f"JSON holds no {type(value).__name__}")


def _number(value: float) -> str:
    if math.isfinite(value):
        return float.__repr__(value)
    if math.isnan(value):
        raise ValueError("NaN is not JSON compliant")
    return '"inf"' if value > 0 else '"-inf"'


def _key(key: Any) -> str:
    """A key that is no text, as the standard library spells it."""
    return str(next(iter(json.loads(json.dumps({key: 0}, allow_nan=False)))))

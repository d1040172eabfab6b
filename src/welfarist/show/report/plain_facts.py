"""What a report is made of, with all its messages in plain words."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from welfarist.results.record import FitResult
from welfarist.show.report.facts import Facts
from welfarist.show.report.plain_words import plain


def plain_facts(facts: Facts) -> Facts:
    """Return what a report is made of, with all its messages in plain words."""
    found = {
        field.name: _plainly(getattr(facts, field.name))
        for field in fields(facts)
        if field.name not in ("result", "profile", "utilities")
    }
    return replace(facts, result=_plain_result(facts.result), **found)


def _plain_result(result: FitResult) -> FitResult:
    caveats = tuple(replace(caveat, message=plain(caveat.message)) for caveat in result.caveats)
    if caveats == result.caveats:
        return result
    return replace(result, caveats=caveats, reason=plain(result.reason))


def _plainly(value: Any) -> Any:
    """Texts in plain words, also in records and tuples of them."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, tuple):
        return tuple(map(_plainly, value))
    if is_dataclass(value) and not isinstance(value, type):
        return _plain_record(value)
    return value


def _plain_record(record: Any) -> Any:
    changed = {}
    for field in fields(record):
        if not field.init:
            continue
        old = getattr(record, field.name)
        new = _plainly(old)
        if new is not old and new != old:
            changed[field.name] = new
    return replace(record, **changed) if changed else record

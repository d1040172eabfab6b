"""Interviews from what is stored: the same rows make the same interview, in every process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from welfarist.asking.interview import Interview
from welfarist.web.asking.rows import Rows
from welfarist.web.models import Answer, Respondent


def rebuilt(respondent: Respondent, rows: Rows) -> Interview:
    """Return the interview of a respondent, with their answers and the question that is put."""
    record = begun(respondent).to_dict()
    standing = [*rows.answered, *([] if rows.pending is None else [rows.pending])]
    record["made_up"] = made_up(standing, len(record["actions"]))
    record["asked"] = [{**_question(row), "answer": row.choice} for row in rows.answered]
    record["pending"] = None if rows.pending is None else _question(rows.pending)
    return Interview.from_dict(record)


def begun(respondent: Respondent) -> Interview:
    """Return the interview of a respondent without answers."""
    study = respondent.study
    settings = replace(study.ask_settings, seed=respondent.seed)
    made = Interview(study.table, **settings.of_interview(study.action_names))
    made.stakeholders, made.names = study.stakeholder_names, study.action_names
    return made


def _question(row: Answer) -> dict[str, Any]:
    return {
        "first": row.first,
        "second": row.second,
        "bits": row.bits,
        "reason": row.reason,
        "about": row.about,
    }


def made_up(rows: Sequence[Answer], actions: int) -> list[list[float]]:
    """Return outcomes that were made up, by their row numbers, which follow those of the table."""
    found = {
        place: outcome
        for row in rows
        if row.outcomes is not None
        for place, outcome in zip((row.first, row.second), row.outcomes, strict=True)
        if place >= actions
    }
    return [found[place] for place in sorted(found)]

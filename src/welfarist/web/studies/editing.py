"""Changes to a study: what people are told may change, what they are asked may not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from welfarist.base.errors import InputError
from welfarist.web.asking.live import KEPT
from welfarist.web.audit import note
from welfarist.web.models import State, Study
from welfarist.web.models.studies import Described
from welfarist.web.studies.opening import check_settings, described
from welfarist.web.studies.uploads import Uploaded

# What may change at any time, and what decides which questions are put.
TOLD = ("title", "description", "numbers_on_demand", "respondents_see_result")
ASKED = ("most", "designed", "aim", "sure", "check_every")
Whom = Literal["actions", "stakeholders"]


def change(study: Study, user: User, told: Mapping[str, Any]) -> tuple[str, ...]:
    """Change fields of a study, and return which; those of `ASKED` only if nobody was asked."""
    with _to_oneself(study) as now:
        changed = tuple(
            name for name in (*TOLD, *ASKED) if name in told and told[name] != getattr(now, name)
        )
        if set(changed) & set(ASKED):
            require_changeable(now)
        for name in changed:
            setattr(now, name, told[name])
        _check(now, changed)
        if changed:
            now.save(update_fields=changed)
            note(now, user, "study changed", fields=list(changed))
    return changed


def replace_table(study: Study, user: User, table: Uploaded) -> None:
    """Put another table in place of the one there is; what is told of the same names stays."""
    with _to_oneself(study) as now:
        require_changeable(now)
        now.actions = _kept(now.actions, table.actions)
        now.stakeholders = _kept(now.stakeholders, table.stakeholders)
        now.utilities, now.notes = table.utilities.tolist(), list(table.notes)
        now.file_name = table.file
        check_settings(now)
        now.save(update_fields=["actions", "stakeholders", "utilities", "notes", "file_name"])
        note(now, user, "table replaced", actions=len(table.actions))
        for respondent in now.respondents.all():
            KEPT.take(respondent.pk)


def describe(
    study: Study, user: User, whom: Whom, told: Mapping[int, tuple[str, str]]
) -> tuple[int, ...]:
    """Say more of actions or stakeholders, by their places; return whose words changed.

    Parameters
    ----------
    study : Study
    user : account
    whom : "actions" or "stakeholders"
    told : mapping
        Label and description by place.
    """
    with _to_oneself(study) as now:
        rows: list[Described] = getattr(now, whom)
        changed = []
        for place, (label, description) in told.items():
            if not 0 <= place < len(rows):
                raise InputError(f"there are {len(rows)} {whom}; found number {place + 1}.")
            name = rows[place]["name"]
            said = Described(name=name, label=label.strip(), description=description.strip())
            if rows[place] != said:
                rows[place] = said
                changed.append(place)
        if changed:
            now.save(update_fields=[whom])
            note(now, user, f"{whom} described", count=len(changed))
    return tuple(changed)


def require_changeable(study: Study) -> None:
    """Refuse to change what is asked while somebody may answer, or after somebody was asked."""
    if study.frozen:
        raise InputError(
            "somebody was asked already: the table and how questions are chosen stay as they are, "
            "so that all answers are about the same. Make a new study for anything else."
        )
    if study.state == State.OPEN:
        raise InputError(
            "the study is open, so that somebody may come at any moment. Pause it, change it, and "
            "open it again."
        )


@contextmanager
def _to_oneself(study: Study) -> Iterator[Study]:
    """Have a study to oneself; afterwards the one that was given is as stored."""
    with transaction.atomic():
        yield Study.objects.select_for_update().get(pk=study.pk)
    study.refresh_from_db()


def _check(study: Study, changed: Sequence[str]) -> None:
    if set(changed) & set(ASKED):
        check_settings(study)
    try:
        study.clean_fields()
    except ValidationError as problem:
        field, said = next(iter(problem.message_dict.items()))
        raise InputError(f"“{field.replace('_', ' ')}”: {' '.join(said)}") from None


def _kept(before: Sequence[Described], names: Sequence[str]) -> list[Described]:
    known = {row["name"]: row for row in before}
    return [known.get(name) or described(name) for name in names]

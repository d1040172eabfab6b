"""A study that comes back: everything is looked at before anything of it is stored."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from django.contrib.auth.models import User
from django.db import transaction

from welfarist.asking.interview import Interview
from welfarist.base.errors import InputError, WelfaristError
from welfarist.web.audit import note
from welfarist.web.leaving.plain import Plain
from welfarist.web.leaving.record import FORMAT, VERSION
from welfarist.web.leaving.rows_back import answers_of
from welfarist.web.models import Answer, Designed, Invite, Respondent, State, Study
from welfarist.web.models.studies import Described
from welfarist.web.studies.uploads import MOST_ACTIONS, MOST_PEOPLE
from welfarist.web.words import message_of

MOST_BYTES = 14 << 20
_MOST_RESPONDENTS, _SMALL, _LARGE = 20_000, 2**15 - 1, 2**31 - 1
_LONGEST = 200


def study_back(owner: User, data: bytes) -> Study:
    """Store a study that was exported, all of it or nothing.

    Parameters
    ----------
    owner : account
        Whose it will be.
    data : bytes
        What :func:`~welfarist.web.leaving.record.text_of` wrote. Links are new ones.
    """
    told = _opened(data)
    study, created = _study(owner, told["study"])
    invites = told["invites"].items(_MOST_RESPONDENTS)
    people = told["respondents"].items(_MOST_RESPONDENTS)
    _check(study)
    with transaction.atomic():
        study.save(force_insert=True)
        Study.objects.filter(pk=study.pk).update(created_at=created)
        places = [_invite(study, one) for one in invites]
        numbers = set[int]()
        for one in people:
            _respondent(study, one, places, numbers)
        note(study, owner, "study imported", respondents=len(people))
    study.refresh_from_db()
    return study


def _opened(data: bytes) -> Plain:
    if len(data) > MOST_BYTES:
        raise InputError(f"a study must have {MOST_BYTES >> 20} megabytes at most; found more.")
    try:
        found = Plain(json.loads(data, parse_constant=_no_number))
    except (ValueError, RecursionError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(
            "a study must be a JSON file that was exported from these pages; found something else."
        ) from None
    if not isinstance(found.value, dict) or found.value.get("format") != FORMAT:
        raise InputError(
            "a study must be a JSON file that was exported from these pages; found another kind."
        )
    found["version"].whole(VERSION, VERSION)
    return found


def _no_number(word: str) -> NoReturn:
    raise InputError(f"a study must hold finite numbers; found {word}. Nothing was stored.")


def _study(owner: User, told: Plain) -> tuple[Study, Any]:
    actions = [_described(one) for one in told["actions"].items(MOST_ACTIONS)]
    people = [_described(one) for one in told["stakeholders"].items(MOST_PEOPLE)]
    study = Study(
        owner=owner,
        title=told["title"].text(_LONGEST, 1),
        description=told["description"].text(),
        state=told["state"].one_of(State.values),
        file_name=told["file_name"].text(_LONGEST),
        actions=actions,
        stakeholders=people,
        utilities=_table(told["utilities"], len(actions), len(people)),
        notes=[one.text() for one in told["notes"].items(1_000)],
        most=told["most"].whole(1, 500),
        designed=told["designed"].one_of(Designed.values),
        aim=told["aim"].text(),
        sure=told["sure"].number(1e-9, 1),
        check_every=told["check_every"].whole(0, _SMALL),
        seed=told["seed"].whole(0, _LARGE),
        numbers_on_demand=told["numbers_on_demand"].yes(),
        respondents_see_result=told["respondents_see_result"].yes(),
        last_number=told["last_number"].whole(0, _LARGE),
    )
    return study, told["created_at"].time()


def _described(told: Plain) -> Described:
    return {
        "name": told["name"].text(10_000, 1),
        "label": told["label"].text(_LONGEST),
        "description": told["description"].text(),
    }


def _table(told: Plain, actions: int, people: int) -> list[list[float]]:
    rows = told.items(MOST_ACTIONS)
    if len(rows) != actions:
        told.refuse(f"have a row for each of {actions} actions")
    found = []
    for row in rows:
        cells = row.items(MOST_PEOPLE)
        if len(cells) != people:
            row.refuse(f"have a number for each of {people} stakeholders")
        found.append([cell.number(0.0) for cell in cells])
    return found


def _check(study: Study) -> None:
    """Require a study that people can be asked about."""
    for names, what in ((study.action_names, "actions"), (study.stakeholder_names, "stakeholders")):
        if len(set(names)) < len(names):
            raise InputError(f"{what} must have different names; found some twice.")
    if study.check_every == 1:
        raise InputError("study, check_every: it must be 0, or 2 at least; found 1.")
    try:
        Interview(study.table, **study.ask_settings.of_interview(study.action_names))
    except WelfaristError as problem:
        raise InputError(message_of(problem)) from None


def _invite(study: Study, told: Plain) -> Invite:
    made = Invite.objects.create(
        study=study,
        kind=told["kind"].one_of(Invite.Kind.values),
        name=told["name"].text(_LONGEST),
        expires_at=told["expires_at"].or_none(Plain.time),
        revoked_at=told["revoked_at"].or_none(Plain.time),
    )
    Invite.objects.filter(pk=made.pk).update(created_at=told["created_at"].time())
    return made


def _respondent(study: Study, told: Plain, invites: list[Invite], numbers: set[int]) -> None:
    """Store somebody with their answers; `numbers` are those of others, and get theirs."""
    number = told["number"].whole(1, study.last_number or 1)
    if number in numbers:
        told["number"].refuse("be one that nobody else has")
    numbers.add(number)
    person = Respondent.objects.create(
        study=study,
        invite=invites[told["invite"].whole(0, len(invites) - 1)],
        number=number,
        name=told["name"].text(_LONGEST),
        seed=told["seed"].whole(0, 2**32 - 1),
        finished_at=told["finished_at"].or_none(Plain.time),
        finished_because=told["finished_because"].text(),
    )
    Respondent.objects.filter(pk=person.pk).update(created_at=told["created_at"].time())
    Answer.objects.bulk_create(answers_of(person, study, told["answers"]))

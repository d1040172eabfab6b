"""A new study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from welfarist.app.decisions import TableOptions
from welfarist.base.errors import InputError, WelfaristError
from welfarist.web.audit import note
from welfarist.web.models import Study
from welfarist.web.models.studies import Described
from welfarist.web.studies.uploads import Uploaded, read_upload
from welfarist.web.words import message_of


def open_study(
    owner: User,
    data: bytes,
    name: str,
    options: TableOptions | None = None,
    *,
    title: str = "",
    **told: Any,
) -> Study:
    """Make a study, as a draft, from a table that somebody sent.

    Parameters
    ----------
    owner : User
    data, name, options
        As in :func:`~welfarist.web.studies.uploads.read_upload`.
    title : str
        The name of the file if left out.
    **told
        Other fields of :class:`~welfarist.web.models.Study`.
    """
    return study_of(owner, read_upload(data, name, options), title=title, **told)


def study_of(owner: User, table: Uploaded, *, title: str = "", **told: Any) -> Study:
    """Make a study from a table that was read."""
    study = Study(
        owner=owner,
        title=title.strip() or Path(table.file).stem,
        file_name=table.file,
        actions=[described(name) for name in table.actions],
        stakeholders=[described(name) for name in table.stakeholders],
        utilities=table.utilities.tolist(),
        notes=list(table.notes),
        **told,
    )
    check_settings(study)
    with transaction.atomic():
        study.save()
        note(study, owner, "study made", actions=len(table.actions))
    return study


def described(name: str) -> Described:
    """Return an action or stakeholder of whom nothing but the name is known."""
    return {"name": name, "label": "", "description": ""}


def check_settings(study: Study) -> None:
    """Require that questions can be chosen as the study says; aims name actions of its table."""
    try:
        study.ask_settings.of_interview(study.action_names)
    except WelfaristError as problem:
        raise InputError(message_of(problem)) from None

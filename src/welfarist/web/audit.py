"""Noting who did what."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from welfarist.web.models import AuditEntry, Respondent, Study

Actor = User | Respondent | None


def note(study: Study | None, actor: Actor, what: str, **details: Any) -> AuditEntry:
    """Note that somebody did something, in the same transaction as what they did.

    Parameters
    ----------
    study : Study or None
    actor : account, Respondent or None
        Nobody who is known, where somebody tried to come in.
    what : str
        In words, such as "study opened".
    **details
        Plain values, and nothing of what anybody answered.
    """
    user = None if isinstance(actor, Respondent) else actor
    title = "" if study is None else study.title
    # Names of respondents may have to be forgotten; their numbers may stay.
    who = f"respondent {actor.number}" if isinstance(actor, Respondent) else str(actor or "unknown")
    return AuditEntry.objects.create(
        study=study, study_title=title, user=user, who=who, what=what, details=details
    )

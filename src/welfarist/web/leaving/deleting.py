"""Deleting: what is gone is gone; that it was deleted, when and by whom is all that stays."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from welfarist.web.asking.live import KEPT
from welfarist.web.audit import note
from welfarist.web.learned.known import KNOWN
from welfarist.web.learned.walking import WALKS
from welfarist.web.models import AuditEntry, Invite, Respondent, Study


def delete_study(study: Study, user: User) -> None:
    """Delete a study with everybody's answers; what was noted stays without its title."""
    with transaction.atomic():
        now = Study.objects.select_for_update().get(pk=study.pk)
        number = now.pk
        people = list(now.respondents.values_list("pk", flat=True))
        AuditEntry.objects.filter(study=now).update(study_title="")
        now.delete()
        note(None, user, "study deleted", number=number, respondents=len(people))
    for pk in people:
        _forget(pk)


def delete_respondent(respondent: Respondent, user: User) -> None:
    """Delete what somebody answered, their name, and a link that was theirs alone."""
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=respondent.study_id)
        now = Respondent.objects.select_for_update(of=("self",)).get(pk=respondent.pk)
        invite, number, pk = now.invite, now.number, now.pk
        now.delete()
        if invite.kind == Invite.Kind.PERSONAL:
            invite.delete()
        note(study, user, "respondent deleted", number=number)
    _forget(pk)


def _forget(respondent: int) -> None:
    """Keep nothing at hand of somebody, in this process."""
    KEPT.take(respondent)
    KNOWN.take(respondent)
    WALKS.take(respondent)

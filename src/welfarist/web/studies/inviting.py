"""Links to a study: made, and made worthless."""

from __future__ import annotations

from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from welfarist.base.errors import InputError
from welfarist.web.audit import note
from welfarist.web.models import Invite, Respondent, Study


def invite(
    study: Study,
    user: User,
    kind: str = Invite.Kind.PERSONAL,
    name: str = "",
    expires_at: datetime | None = None,
) -> Invite:
    """Make a link; a personal one has its respondent from the beginning."""
    if kind not in Invite.Kind.values:
        raise InputError(f"an invite must be personal or open; found {kind!r}.")
    if expires_at is not None and expires_at <= timezone.now():
        raise InputError("an invite must expire in the future; found a time that is past.")
    with transaction.atomic():
        made = Invite.objects.create(
            study=study, kind=kind, name=name.strip(), expires_at=expires_at
        )
        if kind == Invite.Kind.PERSONAL:
            new_respondent(made, name)
        note(study, user, "invite made", invite=made.pk, kind=kind)
    return made


def revoke(invite: Invite, user: User) -> None:
    """Make a link worthless, also for those who came by it; their answers stay."""
    with transaction.atomic():
        changed = Invite.objects.filter(pk=invite.pk, revoked_at=None).update(
            revoked_at=timezone.now()
        )
        if changed:
            note(invite.study, user, "invite revoked", invite=invite.pk)


def new_respondent(invite: Invite, name: str = "") -> Respondent:
    """Add somebody who came by a link, with a number and a seed of their own."""
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=invite.study_id)
        study.last_number += 1
        study.save(update_fields=["last_number"])
        return Respondent.objects.create(
            study=study,
            invite=invite,
            number=study.last_number,
            name=name.strip(),
            seed=_seed(study.seed, study.last_number),
        )


def _seed(study: int, number: int) -> int:
    """The seed of one respondent: sides and questions are drawn for each apart."""
    return int(np.random.SeedSequence([study, number]).generate_state(1)[0])

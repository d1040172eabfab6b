"""Whether people can answer, and who decided that."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from welfarist.base.errors import InputError
from welfarist.web.audit import note
from welfarist.web.models import State, Study

# From which state one may go where: who was asked once can never be a draft again.
WAYS: dict[str, tuple[State, ...]] = {
    State.DRAFT: (State.OPEN,),
    State.OPEN: (State.PAUSED, State.CLOSED),
    State.PAUSED: (State.OPEN, State.CLOSED),
    State.CLOSED: (State.OPEN,),
}


def change_state(study: Study, user: User, state: str) -> None:
    """Open, pause or close a study."""
    with transaction.atomic():
        now = Study.objects.select_for_update().get(pk=study.pk)
        if state == now.state:
            return
        if state not in WAYS[now.state]:
            ways = " or ".join(WAYS[now.state])
            raise InputError(f"a study that is {now.state} can become {ways}; found {state!r}.")
        Study.objects.filter(pk=study.pk).update(state=state)
        note(study, user, f"study {state}", before=now.state)
    study.state = state

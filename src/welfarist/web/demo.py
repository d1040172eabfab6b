"""A study to try everything with: the simulated charity, as its groups see it."""

from __future__ import annotations

import numpy as np
from django.contrib.auth.models import User

from welfarist.web.models import Invite, State, Study
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import study_of
from welfarist.web.studies.states import change_state
from welfarist.web.studies.uploads import Uploaded

TITLE = "Who gets tonight's donation?"
DESCRIPTION = (
    "A food-rescue charity decides which of two organisations gets tonight's donation. For each "
    "one you see how good that would be for dispatchers, recipients, volunteers and donors, from 1 "
    "(bad) to 10 (very good). Which one is better? (The charity is simulated.)"
)
_QUESTIONS = 15
# What organisations are to everybody on average: among the others one is best by every rule.
_LEAST, _MOST = 5.0, 6.2


def demo_invite(owner: User) -> Invite:
    """Return a link to the demo study of an account; the study is made if there is none."""
    study = Study.objects.filter(owner=owner, title=TITLE).first() or _made(owner)
    known = study.invites.filter(kind=Invite.Kind.OPEN, revoked_at=None).first()
    return known or invite(study, owner, Invite.Kind.OPEN)


def _made(owner: User) -> Study:
    study = study_of(
        owner, _table(), title=TITLE, description=DESCRIPTION, most=_QUESTIONS,
        respondents_see_result=True,
    )  # fmt: skip
    change_state(study, owner, State.OPEN)
    return study


def _table() -> Uploaded:
    """The organisations about which rules differ, as groups of stakeholders see them."""
    from welfarist.app import demo  # learners take a second to import; mostly there is the study

    world = demo.charity()
    assert world.group_of is not None
    member = np.array(world.group_of)
    groups = tuple(dict.fromkeys(world.group_of))
    seen = world.utilities
    means = np.column_stack([seen[:, member == group].mean(axis=1) for group in groups]).round(1)
    average = means.mean(axis=1)
    means = means[(average >= _LEAST) & (average <= _MOST)]
    names = tuple(f"organisation {i + 1}" for i in range(len(means)))
    people = tuple(f"{group}s" for group in groups)
    return Uploaded("charity.csv", names, people, means, ())

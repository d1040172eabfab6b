"""An analyst, a small study, and pages with their style sheets."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from welfarist.web.asking.live import KEPT
from welfarist.web.models import State
from welfarist.web.preparing import collect_static
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.states import change_state

TABLE = b"""action,residents,shops,staff
park,9,2,4
road,3,8,5
school,6,5,6
market,4,9,2
bridge,7,3,7
clinic,5,4,9
"""


@pytest.fixture(autouse=True, scope="session")
def _static():
    collect_static()


@pytest.fixture(autouse=True)
def _nothing_kept():
    """Interviews of one test are not those of the next, though row numbers may be the same."""
    KEPT.clear()


@pytest.fixture
def analyst(db):
    return User.objects.create_user("ada", password="correct horse battery")


@pytest.fixture
def study(analyst):
    made = open_study(analyst, TABLE, "plans.csv", title="Plans", most=4, seed=1)
    change_state(made, analyst, State.OPEN)
    return made


@pytest.fixture
def invited(study, analyst):
    return invite(study, analyst, name="Grace")


@pytest.fixture
def respondent(invited):
    return invited.respondents.get()

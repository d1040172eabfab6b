"""A study for many respondents in the database of some server, and what they answered there.

``python -m benchmarks.web_study make 200`` prints the links of as many respondents, and
``python -m benchmarks.web_study read`` prints how often each question was answered, by link. It is
a process of its own, because Django knows one database a process.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np

ACTIONS, PEOPLE, MOST = 200, 5, 40


def make(respondents: int) -> list[str]:
    """Make a study with as many personal links, and return what stands in them."""
    from welfarist.web.accounts.local import local_analyst
    from welfarist.web.models import State
    from welfarist.web.studies.inviting import invite
    from welfarist.web.studies.opening import study_of
    from welfarist.web.studies.states import change_state
    from welfarist.web.studies.uploads import Uploaded

    owner, rng = local_analyst(), np.random.default_rng(0)
    utilities = np.round(rng.uniform(1.0, 10.0, (ACTIONS, PEOPLE)), 1)
    actions = tuple(f"plan {i + 1}" for i in range(ACTIONS))
    people = tuple(f"group {i + 1}" for i in range(PEOPLE))
    study = study_of(owner, Uploaded("plans.csv", actions, people, utilities, ()), most=MOST)
    change_state(study, owner, State.OPEN)
    return [invite(study, owner, name=f"{i + 1}").token for i in range(respondents)]


def read() -> dict[str, list[tuple[int, str, str]]]:
    """Return what is stored: number, key and answer of what stands, by link."""
    from welfarist.web.models import Answer

    found: dict[str, list[tuple[int, str, str]]] = {}
    rows = Answer.objects.filter(ended="").exclude(choice="").order_by("number", "pk")
    values = rows.values_list("respondent__invite__token", "number", "key", "choice")
    for token, number, key, choice in values:
        found.setdefault(token, []).append((number, key, choice))
    return found


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "welfarist.web.settings")
    import django

    django.setup()
    print(json.dumps(make(int(sys.argv[2])) if sys.argv[1] == "make" else read()))


if __name__ == "__main__":
    main()

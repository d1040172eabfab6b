"""Tables of worlds that are simulated, to try everything without data."""

from __future__ import annotations

import numpy as np

from welfarist.app.simulating import simulate
from welfarist.app.world_requests import WorldRequest
from welfarist.base.errors import InputError, WelfaristError
from welfarist.web.studies.uploads import Uploaded
from welfarist.web.words import message_of

MOST_PEOPLE, MOST_ACTIONS = 12, 500


def simulated_table(people: int = 4, actions: int = 30, seed: int = 0) -> Uploaded:
    """Return a table of random utilities, with few digits, as people can compare them."""
    if not (2 <= people <= MOST_PEOPLE and 2 <= actions <= MOST_ACTIONS):
        raise InputError(
            f"a simulated world must have 2 to {MOST_PEOPLE} stakeholders and 2 to {MOST_ACTIONS} "
            f"actions; found {people} and {actions}."
        )
    try:
        made = simulate(WorldRequest(people=people, actions=actions, decisions=1, seed=seed))
    except WelfaristError as problem:
        raise InputError(message_of(problem)) from None
    columns = dict(made.tables["actions"])
    names = tuple(map(str, columns.pop("action")))
    table = np.column_stack([np.asarray(c, dtype=np.float64) for c in columns.values()]).round()
    note = f"simulated: {people} stakeholders and {actions} actions by lot, seed {seed}"
    return Uploaded("simulated.csv", names, tuple(columns), table, (note,))

"""Names are looked up, not searched for: work on d columns or people grows with d, not its square.

Looks at names are counted, which no busy machine changes.
"""

from __future__ import annotations

import pytest

import welfarist as wf
from welfarist.base.data_frames import by_name, order_by_name, refuse_twins
from welfarist.files.dialects import header_of
from welfarist.files.opening import columns_named
from welfarist.files.people import check_people
from welfarist.files.sources import Source
from welfarist.results.saved_models import Model

D = 400
# So many looks at every name, where a search through all of them takes D / 2.
FEW = 20


class Counted(str):
    """A name that counts how often it is looked at: compared with another, or hashed."""

    looked_at = 0
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        Counted.looked_at += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        Counted.looked_at += 1
        return str.__hash__(self)


NAMES = tuple(Counted(f"person {i}") for i in range(D))
# Equal, but others: what is the same object is not compared.
AGAIN = tuple(Counted(f"person {i}") for i in reversed(range(D)))


class Table:
    name, columns = "a.csv", NAMES


def record() -> dict[str, object]:
    rule = wf.WelfareFunction(0.5, stakeholders=list(NAMES))
    made = Model(rule, "scores", None, None, 1.0, 10.0, 0.0).to_dict()
    return {
        **made,
        "weights": [dict(w, stakeholder=Counted(w["stakeholder"])) for w in made["weights"]],
    }


WORK = {
    "columns that are named": lambda: columns_named(Table(), AGAIN, "a stakeholder"),
    "columns in other capitals": lambda: columns_named(
        Table(), [Counted(name.upper()) for name in AGAIN], "a stakeholder"
    ),
    "a header": lambda: header_of(Source("a.csv"), list(NAMES)),
    "people in a file": lambda: check_people(AGAIN, NAMES, "weight", "a.csv"),
    "columns of a data frame": lambda: order_by_name(AGAIN, NAMES),
    "values by name": lambda: by_name(dict.fromkeys(AGAIN, 1.0), NAMES, "weights"),
    "names of columns": lambda: refuse_twins(Table()),
    "a rule": lambda: wf.WelfareFunction(0.5, dict.fromkeys(AGAIN, 1.0), list(NAMES)),
    "a saved model": lambda: Model.from_dict(record()),
}


@pytest.mark.parametrize("what", WORK)
def test_names_are_looked_at_a_few_times_each(what):
    Counted.looked_at = 0
    WORK[what]()
    assert Counted.looked_at <= FEW * D

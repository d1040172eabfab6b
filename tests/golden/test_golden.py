"""Whatever is re-arranged inside, the package says what it said before.

`record.json` holds what many fits and commands said when it was written; ``python -m tests.golden``
writes it anew, which is right only where digits were meant to change.

Where libraries and processor are those of the machine that wrote the record, texts and whole
numbers must be equal and other numbers within 1e-12: a sum taken in another order is no change.
Elsewhere the same formulas round differently, and optimisers end elsewhere in the last digits.
There estimates must agree within 1e-6 and everything else within 1e-3, texts up to the numbers in
them; how many steps a search took is not compared, and where many rules are as good only the loss
and the warnings are. Linear algebra runs in one thread, because several add up in another order.
"""

from __future__ import annotations

import json

import pytest

from tests.golden import RECORD
from tests.golden.cases import CASES
from tests.golden.commands import COMMANDS, answers_of
from tests.golden.differences import differences, without_numbers
from tests.golden.machine import fingerprint
from tests.golden.record import record_of

GOLDEN = json.loads(RECORD.read_text(encoding="utf-8"))
SAME = GOLDEN["machine"] == fingerprint()
# Differences that a message lists.
_SHOWN = 5


def check(name, found, *, determined=True):
    """Fail with the case, the place in its record, what was expected and what was found."""
    found = json.loads(json.dumps(found, sort_keys=True))
    wrong = list(differences(GOLDEN["cases"][name], found, same=SAME, determined=determined))
    lines = [f"  {path}: {shown(old, new)}" for path, old, new in wrong]
    more = [f"  and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    assert not wrong, "\n".join([f"case {name!r}:", *lines[:_SHOWN], *more])


def shown(old, new):
    """Both values; of long texts the part in which they begin to differ."""
    if isinstance(old, str) and isinstance(new, str):
        alike = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
        begin = max(alike - 40, 0)
        old, new = old[begin:], new[begin:]
    return f"expected {old!r:.200}, found {new!r:.200}"


@pytest.mark.parametrize("name", CASES)
def test_fit_says_what_it_said(name):
    case = CASES[name]
    if case.missing:
        pytest.skip("no folder of real data: set WELFARIST_DATA to one")
    check(name, record_of(case), determined=case.determined)


@pytest.mark.parametrize("name", COMMANDS)
def test_command_says_what_it_said(name):
    check(f"$ {name}", answers_of(COMMANDS[name]))


def test_record_holds_every_case_and_no_other():
    assert set(GOLDEN["cases"]) == {*CASES, *(f"$ {name}" for name in COMMANDS)}


def test_differences_are_found_and_named():
    old = {"estimates": {"p": 1.0, "n_iter": 3}, "text": "p is 1.00", "converged": True}
    new = {"estimates": {"p": 1.0 + 1e-9, "n_iter": 4}, "text": "p  is 1.01", "converged": True}
    found = [path for path, *_ in differences(old, new, same=True)]
    assert found == ["estimates.p", "estimates.n_iter", "text"]
    assert not list(differences(old, new, same=False))
    turned = {**old, "converged": 1}
    assert list(differences(old, turned, same=False)) == [("converged", True, 1)]
    assert list(differences(old, {}, same=True)) == [("", old, {})]


def test_open_cases_share_their_loss_and_warnings():
    old = {"estimates": {"p": 1.0, "loss": 0.5}, "warned": []}
    new = {"estimates": {"p": 9.0, "loss": 0.6}, "warned": ["MisfitWarning"]}
    found = [path for path, *_ in differences(old, new, same=False, determined=False)]
    assert found == ["estimates.loss", "warned"]
    edge = {**old, "warned": ["SearchRangeWarning"]}
    assert not list(differences(old, edge, same=False, determined=False))
    assert list(differences(old, edge, same=False)) == [("warned", [], ["SearchRangeWarning"])]


def test_numbers_are_taken_out_of_texts():
    assert without_numbers("p   -1.5e-07 to inf; person 2") == "p # to #; person #"

"""Rows that sum up the others are said to be no actions."""

from __future__ import annotations

from pathlib import Path

import pytest

from welfarist.app.ranking import rank
from welfarist.app.rules import RuleRequest, rule_of

ROWS = "action,a,b\nx,1,2\ny,3,5\nz,3,3\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def notes_of(last: str) -> list[str]:
    Path("a.csv").write_text(ROWS + last)
    found = rank(rule_of(RuleRequest("a.csv", doctrine="Nash"))).to_dict()["notes"]
    return [note for note in found if "other rows" in note]


@pytest.mark.parametrize(
    ("last", "what"),
    [
        ("Total,7,10\n", "'Total' is the sum"),
        ("Gesamt:,7,10\n", "'Gesamt:' is the sum"),
        ("average,2.33,3.33\n", "'average' is the mean"),
        ("Sum,7,10\nMean,2.333,3.333\n", "'Sum' is the sum"),
    ],
)
def test_a_row_that_sums_up_the_others_gets_a_note(last, what):
    notes = notes_of(last)
    assert what in notes[0]
    assert len(notes) == last.count("\n")
    assert "Remove that row." in notes[0]


@pytest.mark.parametrize("last", ["Total,7,9\n", "w,7,10\n", ""])
def test_other_rows_get_none(last):
    assert notes_of(last) == []

"""How many questions are enough: the least that were simulated, in both ways."""

from __future__ import annotations

import pytest

import welfarist as wf
from welfarist.asking import needed


@pytest.fixture
def asked_for(monkeypatch):
    """What a study was asked for, which is not run."""
    told = {}

    def study(people, **options):
        told.update(options, people=people)
        ways = options["questions"]
        rows = [(way, n, 1 - 1 / n) for way, counts in ways.items() for n in counts]
        columns = {
            "people": [people] * len(rows), "way": [row[0] for row in rows],
            "questions": [row[1] for row in rows], "accuracy": [row[2] for row in rows],
        }  # fmt: skip
        return wf.asking.Study(columns)

    monkeypatch.setattr(needed, "study", study)
    return told


def test_the_least_that_is_enough_is_told_for_both_ways(asked_for):
    found = wf.asking.questions_needed(3, accuracy=0.94, jobs=2, tau=5.0)
    assert (found.adaptive, found.random) == (20, 20)
    assert (asked_for["people"], asked_for["jobs"], asked_for["tau"]) == (3, 2, 5.0)
    found = wf.asking.questions_needed(3, accuracy=0.99)
    assert (found.adaptive, found.random) == (None, 100)
    assert found.in_words == (
        "To foresee 99% of new choices it takes more than 40 adaptive questions; of questions "
        "drawn at random 100."
    )


@pytest.mark.parametrize("accuracy", [0.5, 1.0, "high"])
def test_the_accuracy_must_be_within_reach(accuracy):
    with pytest.raises(wf.InputError, match=r"above 0\.5 and below 1"):
        wf.asking.questions_needed(3, accuracy=accuracy)

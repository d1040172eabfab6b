"""Plans for who is asked: what is asked for reaches the study, and what makes no sense does not."""

from __future__ import annotations

import pytest

import welfarist as wf
from welfarist import asking
from welfarist.app import panels, questioning
from welfarist.app.planning import PlanRequest, plan
from welfarist.app.usage import UsageError


@pytest.fixture
def asked_for(monkeypatch):
    """What was asked for, which is not simulated."""
    told = {}

    def needed(**options):
        told.update(options)
        columns = {
            "people": [3, 3], "way": ["adaptive", "random"], "questions": [20, 100],
            "deciders": [4, 4], "accuracy": [0.96, 0.94], "accuracy_error": [0.01, 0.02],
            "power_error": [0.2, 0.3],
        }  # fmt: skip
        return asking.QuestionsNeeded(options["accuracy"], asking.Study(columns))

    monkeypatch.setattr(asking, "questions_needed", needed)
    return told


def test_what_is_not_said_has_a_usual_value(asked_for):
    found = questioning.plan(PlanRequest(ask=True, people=3))
    assert asked_for.pop("actions").shape == (500, 3)
    assert asked_for == dict(
        accuracy=0.95, questions=None, deciders=20, tau=10.0, rho=0.0, truth="spread",
        random_state=0, jobs=1,
    )  # fmt: skip
    told = found.to_dict()
    assert told["enough"] == {"accuracy": 0.95, "adaptive": 20, "random": None}
    assert told["people"] == 3
    assert told["simulated"][1] == {
        "way": "random", "questions": 100, "accuracy": 0.94, "accuracy_error": 0.02,
        "power_error": 0.3,
    }  # fmt: skip
    shown = str(found.table())
    assert "takes 20 adaptive questions; of questions drawn at random more than 100" in shown
    assert "slips" not in shown


def test_what_is_said_is_done(asked_for):
    asked = PlanRequest(
        ask=True, questions="5,9", accuracy=0.9, tau=4.0, rho=0.1, repetitions=2, seed=3, p="Nash",
        jobs=2,
    )  # fmt: skip
    found = questioning.plan(asked)
    assert asked_for["actions"].shape[1] == 5
    assert (asked_for["questions"], asked_for["deciders"]) == ([5, 9], 2)
    assert (asked_for["tau"], asked_for["rho"], asked_for["truth"]) == (4.0, 0.1, 0.0)
    assert (asked_for["random_state"], asked_for["jobs"]) == (3, 2)
    assert "10% slips" in str(found.table())


def test_a_pilot_is_taken_for_the_truth(asked_for, tmp_path):
    world = wf.simulate.individuals(40, 3, p=-2, random_state=1)
    decided = wf.simulate.comparisons(
        world, wf.simulate.random_pairs(40, 200, random_state=1), tau=9, random_state=1
    )
    pilot = wf.ComparisonClassifier().fit(decided)
    model, table = tmp_path / "pilot.json", tmp_path / "actions.csv"
    wf.save_model(pilot, model)
    columns = world.columns()
    lines = [",".join(["action", *columns])]
    lines += [f"{i}," + ",".join(map(str, row)) for i, row in enumerate(world.utilities)]
    table.write_text("\n".join(lines))
    found = questioning.plan(PlanRequest(ask=True, actions=str(table), model=str(model)))
    assert asked_for["truth"].p == pilot.p_
    assert asked_for["tau"] == pilot.tau_
    assert found.rules == f"the model, p = {pilot.p_:.4g}"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(task="scores"), "task has no effect with ask"),
        (dict(decisions="5"), "decisions has no effect"),
        (dict(deciders=4), "deciders has no effect"),
        (dict(known_weights=True), "known_weights has no effect"),
        (dict(people=1), "at least 2"),
        (dict(people=2, actions="a.csv"), "people is for actions"),
        (dict(accuracy=0.5), "above 0.5"),
    ],
)
def test_what_has_no_effect_is_refused(options, words):
    with pytest.raises(UsageError, match=words):
        questioning.plan(PlanRequest(**{"ask": True, **options}))


@pytest.mark.parametrize("options", [dict(questions="5"), dict(accuracy=0.9)])
def test_who_is_not_asked_has_no_questions(options):
    with pytest.raises(UsageError, match="goes with ask"):
        plan(PlanRequest(**options))
    with pytest.raises(UsageError, match="goes with ask"):
        panels.plan(PlanRequest(deciders=3, **options))

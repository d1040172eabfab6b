"""Plans for people who differ: what is asked for reaches the study, and what makes no sense not."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist import bounds
from welfarist.app import panels
from welfarist.app.planning import PlanRequest, plan
from welfarist.app.usage import UsageError
from welfarist.bounds.panels import PanelOutcome, PanelStudy


@pytest.fixture
def asked_for(monkeypatch):
    """What a study was asked for, which is not run."""
    told = {}

    def study(world, **options):
        told.update(options, world=world)
        each = tuple(options["each"])
        runs = {name: np.full((len(each), 2), 0.25) for name in PanelOutcome._fields}
        return PanelStudy(
            world.people, options["deciders"], options["tau"], options["spread"], each, runs
        )

    monkeypatch.setattr(bounds, "choices_per_person", study)
    return told


def test_what_is_not_said_has_a_usual_value(asked_for):
    found = panels.plan(PlanRequest(deciders=160, people=3))
    world = asked_for.pop("world")
    assert asked_for == dict(
        deciders=160, each=[1, 2, 5, 10, 20, 40], tau=10.0, spread=1.0, repetitions=5,
        random_state=0, n_jobs=1,
    )  # fmt: skip
    # Somebody in the middle counts everybody the same.
    assert (world.p, world.weights.tolist()) == (-1, [1 / 3] * 3)
    told = found.to_dict()
    assert told["findings"][0] == "1 choice a person: the average only."
    assert told["parameters"] == {"p": -1.0, "tau": 10.0, "spread": 1.0}
    shown = str(found.table())
    assert "160 people who differ" in shown
    assert "may have erred, or may differ" in shown


def test_what_is_said_is_done(asked_for):
    asked = PlanRequest(
        deciders=20, each="5,9", tau=4.0, spread=0.5, repetitions=2, seed=3, p="Nash"
    )
    found = panels.plan(asked)
    assert asked_for["world"].p == 0
    assert asked_for["each"] == [5, 9]
    assert (asked_for["tau"], asked_for["spread"], asked_for["repetitions"]) == (4.0, 0.5, 2)
    assert "asked once" not in str(found.table())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(task="scores"), "task has no effect with deciders"),
        (dict(decisions="5"), "decisions has no effect"),
        (dict(menu_size=4), "menu_size has no effect"),
        (dict(known_weights=True), "known_weights has no effect"),
        (dict(rho=0.1), "rho has no effect"),
        (dict(deciders=1), "at least 2"),
        (dict(people=2, actions="a.csv"), "people is for actions"),
    ],
)
def test_what_has_no_effect_is_refused(options, words):
    with pytest.raises(UsageError, match=words):
        panels.plan(PlanRequest(**{"deciders": 10, **options}))


@pytest.mark.parametrize("options", [dict(each="5"), dict(spread=0.5)])
def test_one_decider_does_not_differ(options):
    with pytest.raises(UsageError, match="is of several deciders"):
        plan(PlanRequest(**options))

"""Choices from menus without a terminal: read, learned from, and applied."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import welfarist as wf
from welfarist.app import comparing, fitting
from welfarist.app.decisions import DecisionOptions, TableOptions, read_decisions
from welfarist.app.learning import LearnerOptions, learner_of
from welfarist.app.usage import RequestError, UsageError
from welfarist.files import read_actions

CHOSEN = DecisionOptions(choices="menus.csv")


@pytest.fixture
def menus(folder):
    """Choices among three or four of the actions of a world."""
    actions = read_actions("actions.csv")
    rng = np.random.default_rng(5)
    value = 8 * wf.WelfareFunction(-1).log(actions.utilities)
    lines = ["menu,chosen,by"]
    for number in range(120):
        menu = rng.permutation(len(actions))[: rng.integers(3, 5)]
        best = menu[np.argmax(value[menu] + rng.gumbel(size=len(menu)))]
        names = "|".join(actions.names[a] for a in menu)
        lines.append(f"{names},{actions.names[best]},judge {number % 60}")
    Path("menus.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.mark.usefixtures("menus")
def test_a_fit_to_choices_is_that_of_the_learner():
    asked = fitting.FitRequest("actions.csv", decision=CHOSEN, covariance="clustered")
    decided = fitting.read(asked)
    fitted = fitting.fit(asked, decided)
    learned = wf.ChoiceLearner(random_state=0).fit(decided.X)
    assert decided.kind == "choices"
    assert fitted.result.p == learned.p_
    assert fitted.asked.files == ("actions.csv", "menus.csv")
    assert fitted.model().kind == "choices"
    assert fitted.model().taus == (learned.tau_,)


@pytest.mark.usefixtures("menus")
def test_the_file_of_choices_is_not_written_over():
    asked = fitting.FitRequest("actions.csv", decision=CHOSEN, save="menus.csv")
    with pytest.raises(UsageError, match=r"save menus\.csv would replace"):
        fitting.read(asked)


@pytest.mark.usefixtures("menus")
def test_options_of_choices_reach_the_learner():
    decided = read_decisions("actions.csv", TableOptions(), CHOSEN)
    learner = learner_of(LearnerOptions(tau_by_stage=True, noise="lapse"), decided)
    assert isinstance(learner, wf.ChoiceLearner)
    assert (learner.tau_by_stage, learner.size_effect, learner.noise) == (True, False, "lapse")
    with pytest.raises(UsageError, match="scale is for scores; found choices"):
        learner_of(LearnerOptions(scale=True), decided)


@pytest.mark.usefixtures("menus")
def test_what_competes_is_read():
    contest = comparing.read(comparing.CompareRequest("actions.csv", decision=CHOSEN))
    assert contest.decided.kind == "choices"
    with pytest.raises(UsageError, match="logit is for comparisons; found choices"):
        comparing.compare(comparing.read(
            comparing.CompareRequest("actions.csv", decision=CHOSEN, logit=True)
        ))  # fmt: skip


@pytest.mark.usefixtures("menus")
@pytest.mark.parametrize(
    ("decision", "problem", "said"),
    [
        (dict(choices="menus.csv", comparisons="comparisons.csv"), UsageError, "not several"),
        (dict(choices="menus.csv", long=True), UsageError, "not several"),
        (dict(choices="menus.csv", first_label="x"), UsageError, "is for comparisons, not for"),
        (dict(choices="menus.csv", ranking="menu,chosen"), RequestError, "found 'action"),
        (dict(outside=True), UsageError, "outside is for choices from menus"),
        (dict(long=True, drop_unknown=True), UsageError, "drop_unknown is not for long"),
        (dict(long=True), RequestError, "menu=COLUMN chosen=COLUMN"),
    ],
)
def test_what_cannot_be_read_is_said_in_neutral_words(decision, problem, said):
    with pytest.raises(problem, match=said):
        read_decisions("actions.csv", TableOptions(), DecisionOptions(**decision))

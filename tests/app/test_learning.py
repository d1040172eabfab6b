"""Fitting and comparing without a terminal."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import welfarist as wf
from welfarist.app import comparing, fitting
from welfarist.app.decisions import DecisionOptions, TableOptions, read_decisions
from welfarist.app.learning import LearnerOptions, learner_of
from welfarist.app.usage import RequestError, UsageError
from welfarist.app.warned import heard

COMPARED = DecisionOptions(comparisons="comparisons.csv")


def fitted_of(**options):
    asked = fitting.FitRequest("actions.csv", decision=COMPARED, **options)
    return fitting.fit(asked, fitting.read(asked))


@pytest.mark.usefixtures("folder")
def test_a_fit_is_that_of_the_learner(tmp_path):
    fitted = fitted_of(level=0.9)
    decided = read_decisions("actions.csv", TableOptions(), COMPARED)
    learned = wf.ComparisonClassifier(random_state=0).fit(decided.X)
    assert fitted.result.p == learned.p_
    assert str(fitted.summary()) == str(learned.result_.summary(0.9))
    found = fitted.to_dict()
    assert found["intervals"]["p"] == list(learned.result_.interval("p", 0.9))
    assert list(found["intervals"]["weights"]) == list(decided.people)
    model = fitted.model()
    assert model.welfare == learned.welfare_
    assert model.intervals["level"] == 0.9
    learned.result_.report(tmp_path / "s.html", level=0.9, files=fitted.asked.files)
    assert fitted.page() == (tmp_path / "s.html").read_text("utf-8")


@pytest.mark.usefixtures("folder")
def test_messages_are_put_by_whoever_shows_them():
    fitted = fitted_of(intervals=False, learner=LearnerOptions(p="5"))
    assert fitted.record.caveats  # the rule does not describe the decisions
    loud = fitted.to_dict(str.upper)
    assert loud["caveats"] == [caveat.upper() for caveat in fitted.record.caveats]
    assert fitted.to_dict()["caveats"] == list(fitted.model().caveats)
    assert loud["lines"][0] in fitted.summary(str.upper)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "problem", "said"),
    [
        (dict(report="r.html", intervals=False), UsageError, "leave out no_intervals or report"),
        (dict(save="actions.csv"), UsageError, "save actions.csv would replace"),
        (dict(covariance="clustered"), RequestError, "Name it with by COLUMN"),
        (dict(learner=LearnerOptions(scale=True)), UsageError, "scale is for scores"),
        (dict(learner=LearnerOptions(weights="x=1")), RequestError, "weights: a name must be"),
    ],
)
def test_what_cannot_be_done_is_said_in_neutral_words(options, problem, said):
    with pytest.raises(problem, match=said) as refused:
        fitted_of(**options)
    assert type(refused.value) is problem


@pytest.mark.usefixtures("folder")
def test_scores_have_no_noise_of_comparisons():
    decided = read_decisions("actions.csv", TableOptions(), DecisionOptions(score="person 1"))
    with pytest.raises(UsageError, match="tau_max is for choices and comparisons"):
        learner_of(LearnerOptions(tau_max=10.0), decided)
    assert isinstance(learner_of(LearnerOptions(), decided), wf.WelfareRegressor)


@pytest.mark.usefixtures("folder")
def test_saved_models_come_with_a_caveat():
    asked = comparing.CompareRequest(
        "actions.csv", decision=COMPARED, doctrines="Nash", models=("truth.json",), folds=0
    )
    compared = comparing.compare(comparing.read(asked))
    found = compared.to_dict(str.upper)
    assert [row["name"] for row in found["rows"]] == ["learned", "Nash", "truth.json"]
    assert "IF IT WAS LEARNED FROM THEM" in found["caveats"][-1]
    nothing = comparing.CompareRequest(
        "actions.csv", decision=COMPARED, doctrines="none", learn=False
    )
    with pytest.raises(UsageError, match="doctrines, model, types, each, logit or learn"):
        comparing.compare(comparing.read(nothing))


def heard_of(*given):
    with heard() as said:
        for message, kind in given:
            warnings.warn(message, kind, stacklevel=1)
    return said


def test_warnings_become_texts_and_those_of_others_stay():
    flat = ("flat", wf.NotIdentifiedWarning)
    with pytest.warns(DeprecationWarning, match="old"):
        said = heard_of(flat, ("old", DeprecationWarning), flat)
    assert said == ["flat"]


def test_surprising_scores_of_a_file_have_the_names_of_their_actions(folder):
    rows = ["action,staff,payers,score"]
    rng = np.random.default_rng(0)
    for i, (staff, payers) in enumerate(rng.uniform(1, 10, (30, 2)).round(2).tolist()):
        rows.append(f"plan {i},{staff},{payers},{(staff + payers) / 2 + (3 if i == 7 else 0)}")
    (folder / "scored.csv").write_text("\n".join(rows) + "\n")
    scored = DecisionOptions(score="score")
    asked = fitting.FitRequest("scored.csv", decision=scored, report="report.html")
    fitted = fitting.fit(asked, fitting.read(asked))
    assert fitted.result.surprises(1)[0].action == "plan 7"
    fitted.write()
    page = (folder / "report.html").read_text()
    assert "<td" in page.split("plan 7")[0]
    asked = replace(asked, table=TableOptions(numbered=True, ignore="action"))
    assert fitting.fit(asked, fitting.read(asked)).result.surprises(1)[0].name is None

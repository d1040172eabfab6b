"""What other families would take: the same as by fitting each of them and applying its rule."""

from __future__ import annotations

import json

import numpy as np
import pytest

import welfarist as wf
from welfarist.comparing.families import TIED
from welfarist.recommending.by_family import choices_by_family
from welfarist.results.family_fits import FamilyFit

ACTIONS = np.array([[4.0, 4.0, 4.0], [9.0, 2.0, 5.0], [3.0, 4.0, 4.0], [1.0, 9.0, 6.0]])
NAMES = ["bus", "tram", "car park", "cycle lane"]


@pytest.mark.parametrize("family", ["power", "kolm"])
def test_families_take_what_each_takes_when_it_is_fitted_by_itself(decided, family):
    fit = wf.ComparisonClassifier(family=family).fit(decided)
    said = choices_by_family(wf.family_fits(fit), ACTIONS, NAMES, 1)
    found = {one.family: one for one in (said.own, *said.others)}
    assert said.own.family == family
    options = {"power": {}, "kolm": {}, "rank": {"p": 1.0}}
    alone = {
        name: wf.ComparisonClassifier(family=name, **more).fit(decided).result_
        for name, more in options.items()
    }
    lowest = min(result.bic for result in alone.values())
    near = {name for name, result in alone.items() if result.bic - lowest <= TIED}
    assert set(found) == near | {family}
    for name, choice in found.items():
        welfare = alone[name].welfare(ACTIONS)
        assert choice.behind == pytest.approx(alone[name].bic - lowest, abs=1e-6)
        assert choice.best == (NAMES[int(welfare.argmax())],)
        assert choice.place == 1 + (welfare > welfare[1]).sum()


def _fit(name: str, behind: float, weights: list[float], p: float = 1.0) -> FamilyFit:
    return FamilyFit(name, behind, wf.WelfareFunction(p, weights, ["x", "y"]))


def test_a_sentence_says_who_agrees_and_who_fits_less_well():
    table = np.array([[4.0, 1.0], [1.0, 4.0], [1.0, 4.0]])
    own, other = _fit("own", 0.5, [0.9, 0.1]), _fit("other", 0.0, [0.8, 0.2])
    astray, worse = _fit("astray", 2.0, [0.1, 0.9]), _fit("worse", 2.1, [0.1, 0.9])
    said = choices_by_family([own, other, astray, worse], table, ["a", "b", "c"], 0)
    assert said.sentence == (
        "Of other families of rules that fit as well (BIC within 2), other would take a too; "
        "astray would take b or c"
    )
    assert not said.agree
    assert [choice.place for choice in said.others] == [1, 3]
    assert said.worse == ("worse",)
    alone = choices_by_family([own, worse], table, ["a", "b", "c"], 0)
    assert alone.agree
    assert "the BIC of worse is higher by more than 2" in alone.sentence
    behind = choices_by_family([_fit("own", 3.0, [1, 0]), astray], table, ["a", "b", "c"], 0)
    assert behind.sentence.startswith("Of families of rules that fit better than own (whose BIC")
    assert choices_by_family([own], table, ["a", "b", "c"], 0) is None


def test_a_family_that_cannot_judge_an_action_is_left_out_with_its_reason():
    kolm = wf.families.KolmPollak(0.1, [0.5, 0.5], ["x", "y"])
    fits = [FamilyFit("kolm", 0.0, kolm), _fit("power", 0.0, [0.5, 0.5])]
    said = choices_by_family(fits, np.array([[-1.0, 2.0], [3.0, 3.0]]), ["a", "b"], 1)
    assert said.others == ()
    assert "utilities must be" in said.left_out["power"]
    assert said.sentence == ""


def test_a_saved_model_keeps_other_families_with_its_draws(fit, draws, tmp_path):
    path = tmp_path / "model.json"
    wf.save_model(fit, path, draws=draws)
    here = wf.recommend(fit, ACTIONS, names=NAMES, draws=50)
    there = wf.recommend(wf.load_model(path), ACTIONS, names=NAMES)
    assert here.lines()[-1] == here.families.sentence
    assert there.families.to_dict() == here.families.to_dict()
    assert there.to_dict()["families"]["sentence"] == here.families.sentence
    assert wf.recommend(fit, ACTIONS, draws=50, families=False).families is None
    assert wf.recommend(draws, ACTIONS).families is None
    for entry, wrong in (("family", "guess"), ("behind", -1.0), ("p", None), ("numbers", {"q": 1})):
        record = json.loads(path.read_text())
        record["families"][1][entry] = wrong
        with pytest.raises(wf.InputError, match="entry 'families' of a saved model"):
            wf.Model.from_dict(record)


def test_where_nothing_can_be_fitted_again_nothing_is_said(decided):
    counted = wf.ComparisonClassifier(noise="flip").fit(decided)
    ranked = wf.ComparisonClassifier(family="rank").fit(decided)
    assert wf.family_fits(counted) == wf.family_fits(ranked) == ()

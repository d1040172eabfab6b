"""Ranking, judging, planning and simulating without a terminal, and the demo's story."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import welfarist as wf
from welfarist import files
from welfarist.app import demo
from welfarist.app.decisions import TableOptions
from welfarist.app.judging import judge
from welfarist.app.planning import Plan, PlanRequest, plan
from welfarist.app.ranking import rank
from welfarist.app.rules import RuleRequest, rule_of
from welfarist.app.simulating import WorldRequest, simulate
from welfarist.app.usage import RequestError, UsageError
from welfarist.results.saved_models import Model


def test_one_action_is_the_best(tmp_path):
    (tmp_path / "one.csv").write_text("action,a,b\nx,1,4\n")
    found = rank(rule_of(RuleRequest(str(tmp_path / "one.csv"), p="0")))
    assert [(row["place"], row["action"], row["preferred_to_next"]) for row in found] == [
        (1, "x", None)
    ]
    assert found.table().title.startswith("1 action by")


@pytest.mark.usefixtures("folder")
def test_a_rule_puts_actions_in_order():
    rule = rule_of(RuleRequest("actions.csv", model="truth.json"))
    found = rank(rule, top=3)
    order = rule.model.welfare.rank(rule.actions.utilities)[:3]
    assert [row["action"] for row in found] == [rule.actions.labels[int(i)] for i in order]
    assert found.table().header[:4] == ("", "action", "welfare", "beats next")
    best, next_one = (row["action"] for row in found[:2])
    judged = judge(rule, best, next_one)
    assert judged.preferred == best
    assert judged.probability_first == found[0]["preferred_to_next"]
    welfare = judged.to_dict()["actions"][0]["welfare"]
    # Of two rows or of many a processor may round the last digit another way.
    assert welfare == pytest.approx(found[0]["welfare"], rel=1e-14)
    assert f"Preferred: {best}." in judged.table().lines
    with pytest.raises(wf.InputError, match="did you mean 'action 1'"):
        judge(rule, "acton 1", best)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (dict(), "one of model, doctrine and p"),
        (dict(p="1", doctrine="Nash"), "one of model, doctrine and p"),
        (dict(model="truth.json", weights="equal"), "weights go with doctrine or p"),
        (dict(model="truth.json", table=TableOptions(ignore="person 0")), "ignore must not name"),
        (dict(model="truth.json", shift=1.0), "shift goes with"),
        (dict(p="1", table=TableOptions(sheet="x")), "sheet is for workbooks"),
    ],
)
def test_rules_that_are_none(options, said):
    with pytest.raises(UsageError, match=said):
        rule_of(RuleRequest("actions.csv", **options))


@pytest.mark.usefixtures("folder")
def test_a_plan_takes_a_pilot_for_true():
    few = dict(decisions="40", repetitions=2)
    found = plan(PlanRequest("actions.csv", "truth.json", **few))
    assert found.to_dict()["parameters"]["tau"] == 8.0
    assert f"from {found.needed:,} decisions on" in found.table().lines[-1]
    for wrong, said in (
        (PlanRequest("actions.csv", people=3), "people is for actions that are made up"),
        (PlanRequest(model="truth.json"), "model needs actions"),
        (PlanRequest("actions.csv", "truth.json", p="1"), "p and model both"),
        (PlanRequest(nu=0.1, decisions="10"), "nu is not the noise of task logistic"),
    ):
        with pytest.raises(UsageError, match=said):
            plan(wrong)


def plan_of(excess: list[list[float]], needed: int) -> Plan:
    """A plan whose studies reached these excess risks, at 100, 300 and 1,000 decisions."""
    world = wf.simulate.individuals(30, 2, p=-1, random_state=0)
    few = wf.bounds.learning_curve(world, "logistic", tau=10, n=(100, 300, 1000), repetitions=2)
    runs = {**few.runs, "excess_risk": np.array(excess)}
    return Plan(replace(few, runs=runs), world, 0.05, needed)


@pytest.mark.parametrize(
    ("excess", "said", "usually", "nearly_always"),
    [
        ([[0.1, 0.02], [0.02, 0.03], [0.01, 0.01]], "Usually 300 decisions are enough", 300, 300),
        ([[0.06, 0.02], [0.09, 0.03], [0.01, 0.01]], "Usually 1,000 decisions are", 1000, 1000),
        ([[0.03, 0.03], [0.08, 0.01], [0.01, 0.01]], "nearly all of them 1,000 are.", 100, 1000),
        ([[0.03, 0.03], [0.06, 0.01], [0.08, 0.01]], "it takes more than 1,000.", 100, None),
        ([[0.2, 0.2], [0.1, 0.1], [0.1, 0.1]], "Usually more than 1,000 decisions", None, None),
    ],
)
def test_a_plan_leads_with_what_usually_happens(excess, said, usually, nearly_always):
    found = plan_of(excess, 638_559_899_353)
    assert said in found.table().lines[0]
    assert found.table().title.startswith("What usually happens")
    told = found.to_dict()
    assert told["usually"]["decisions"] == usually
    assert told["usually"]["decisions_nearly_always"] == nearly_always
    assert list(told).index("usually") < list(told).index("guarantee")


def test_a_plan_says_when_a_guarantee_is_out_of_reach():
    excess = [[0.0, 0.0]] * 3
    far = plan_of(excess, 638_559_899_353)
    assert far.table().lines[-1].startswith("A guarantee is out of reach")
    assert "from 638,559,899,353 decisions on [PSPS24, Thm 5.1]" in far.table().lines[-1]
    assert far.to_dict()["guarantee"]["within_reach"] is False
    near = plan_of(excess, 5_000)
    assert near.table().lines[-1].startswith("Guaranteed whatever the actions are")
    assert near.to_dict()["guarantee"]["within_reach"] is True


def test_an_old_world_goes_when_the_new_one_is_there(folder):
    made = simulate(WorldRequest(people=2, actions=10, scores=True))
    with pytest.raises(RequestError, match="use force"):
        made.write(str(folder))
    (folder / "truth.json").unlink()
    (folder / "truth.json").mkdir()  # where nothing can be written
    with pytest.raises(wf.InputError):
        made.write(str(folder), force=True)
    assert (folder / "comparisons.csv").exists()
    (folder / "truth.json").rmdir()
    # Without its truth it may be somebody's own file.
    assert made.write(str(folder), force=True).removed == []
    assert (folder / "comparisons.csv").exists()
    written = made.write(str(folder), force=True)
    assert written.removed == [folder / "comparisons.csv"]
    assert sorted(written.files.values()) == sorted(folder.iterdir())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (WorldRequest(charity=True, people=3), "people has no effect here: charity"),
        (WorldRequest(scores=True, tau=20.0), "tau has no effect here: scores"),
        (WorldRequest(nu=0.05), "nu has no effect here"),
        (WorldRequest(weights="1,2", people=3), "weights must be as many as people; found 2 for 3"),
    ],
)
def test_worlds_that_are_none(asked, said):
    with pytest.raises(UsageError, match=said):
        simulate(asked)


def test_the_story_comes_part_by_part(tmp_path):
    told = demo.story(tmp_path / "r.html")
    assert "food-rescue charity" in next(told)
    assert not (tmp_path / "r.html").exists()
    said: list[str] = []
    demo.tell(tmp_path / "r.html", said.append)
    assert (tmp_path / "r.html").exists()
    assert "simulate charity --charity" in said[-1]


def saved(path, **terms):
    """A model of choices from menus with equal weights of two people, who are added up."""
    rule = wf.WelfareFunction(1.0, [0.5, 0.5], ["a", "b"])
    made = Model(rule, "choices", 4.0, None, None, decisions=9.0, loss=0.5, taus=(4.0,), **terms)
    path.write_text(made.as_text())
    return str(path)


def test_judging_says_what_sizes_count_for(tmp_path):
    (tmp_path / "some.csv").write_text("action,a,b\nfew,6,\nmany,5,5\n")
    model = saved(tmp_path / "m.json", gamma=0.5, absent=True)
    rule = rule_of(RuleRequest(str(tmp_path / "some.csv"), TableOptions(absent=True), model))
    found = judge(rule, "few", "many")
    assert found.preferred == "many"  # though its welfare is lower
    few, many = found.to_dict()["actions"]
    assert (few["welfare"], few["affected"], few["worth"]) == pytest.approx((6.0, 1, 6.0))
    assert (many["affected"], many["worth"]) == pytest.approx((2, 5.0 * 2**0.5))
    assert found.to_dict()["gamma"] == 0.5
    shown = {row[0]: row[1::2] for row in found.table().rows}
    assert shown["people affected"] == ("1", "2")
    assert shown["worth"] == ("6.0000", "7.0711")
    assert "worth, which decides: welfare times the number" in " ".join(found.table().lines)


def test_none_of_these_has_its_place(tmp_path):
    (tmp_path / "some.csv").write_text("action,a,b\nx,1,1\ny,9,9\nz,4,6\n")
    model = saved(tmp_path / "m.json", outside=4.5)
    rule = rule_of(RuleRequest(str(tmp_path / "some.csv"), model=model))
    ranked = rank(rule)
    assert [row["better_than_none"] for row in ranked] == [True, True, False]
    assert ranked.to_dict()["outside"] == 4.5
    assert [row[1] for row in ranked.table().rows] == ["y", "z", "none of these", "x"]
    assert ranked.table().lines[-1] == "none of these: 2 of 3 actions are better"
    assert [row[1] for row in rank(rule, top=1).table().rows] == ["y"]
    for pair, which in (("xz", "z alone is better"), ("yz", "both are better")):
        lines = judge(rule, *pair).table().lines
        assert f"None of these is as good as a welfare of 4.5000: {which}." in lines
    assert judge(rule, "x", "y").to_dict()["actions"][0]["better_than_none"] is False


def test_a_plan_says_what_it_makes_of_a_pilot_from_menus(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"x{i},{a:.3f},{b:.3f}" for i, (a, b) in enumerate(rng.uniform(1, 9, (30, 2)))]
    (tmp_path / "some.csv").write_text("\n".join(["action,a,b", *rows]) + "\n")
    model = saved(tmp_path / "m.json", outside=4.5)
    few = dict(decisions="40", repetitions=2)
    found = plan(PlanRequest(str(tmp_path / "some.csv"), model, **few))
    said = " ".join(found.notes)
    assert "while comparisons of two actions are planned here; menu_size=… plans choices" in said
    assert "none of these as a choice plays no part in the plan" in said
    found = plan(PlanRequest(str(tmp_path / "some.csv"), model, menu_size=3, **few))
    assert "comparisons of two actions" not in " ".join(found.notes)
    model = saved(tmp_path / "m.json", absent=True)
    (tmp_path / "some.csv").write_text("\n".join(["action,a,b", *rows, "y,3,"]) + "\n")
    with pytest.raises(RequestError, match="affect everybody; found 1 of 31 that do not"):
        plan(PlanRequest(str(tmp_path / "some.csv"), model, **few))
    without = TableOptions(drop_missing=True)
    assert plan(PlanRequest(str(tmp_path / "some.csv"), model, table=without, **few)).needed > 0


@pytest.mark.parametrize(("places", "tau"), [(None, 5.0), (2, 5.0), (4, 5.0), (None, np.inf)])
def test_choices_from_menus_can_be_simulated(tmp_path, places, tau):
    asked = WorldRequest(people=3, decisions=40, actions=12, menus=4, places=places, tau=tau)
    written = simulate(asked).write(str(tmp_path / "world"))
    assert set(written.files) == {"actions", "choices", "truth"}
    read = files.read_choices(
        written.files["choices"], files.read_actions(written.files["actions"])
    )
    world = wf.simulate.individuals(12, 3, p=-1.0, random_state=0)
    menus = wf.simulate.random_menus(12, 40, 4, random_state=0)
    if places is None:
        expected = wf.simulate.choices(world, menus, tau=tau, random_state=0)
    else:
        expected = wf.simulate.rankings(world, menus, places=places, tau=tau, random_state=0)
    assert np.array_equal(read.decisions.menus.rows, expected.menus.rows)
    assert np.array_equal(read.decisions.menus.taken, expected.menus.taken)
    truth = wf.load_model(written.files["truth"])
    assert (truth.kind, truth.tau, truth.taus) == ("choices", tau, (tau,))
    for wrong in (dict(menus=13), dict(menus=2, places=3), dict(menus=None, places=2)):
        with pytest.raises(UsageError, match="menus"):
            simulate(replace(asked, **wrong))

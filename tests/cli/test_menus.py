"""Choices from menus on the command line: every layout gives the learner's own answer."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.cli.app import app
from welfarist.people.present_rule import PresentRule

PEOPLE = ["donors", "staff", "recipients"]
TRUTH = wf.WelfareFunction(-0.5, [0.2, 0.3, 0.5])
NAMES = [f"action {i}" for i in range(40)]
MENUS = 200


def world():
    """Utilities, menus and the order in which somebody puts each."""
    rng = np.random.default_rng(3)
    table = rng.uniform(1, 10, (40, 3))
    value = 12 * TRUTH.log(table)
    menus = [rng.permutation(40)[: rng.integers(3, 6)] for _ in range(MENUS)]
    orders = [menu[np.argsort(-value[menu] - rng.gumbel(size=len(menu)))] for menu in menus]
    return table, menus, orders


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("menus")
    table, menus, orders = world()
    columns = dict(zip(PEOPLE, table.T, strict=True))
    pl.DataFrame({"action": NAMES} | columns).write_csv(place / "actions.csv")
    listed = [";".join(NAMES[a] for a in menu) for menu in menus]
    first = [NAMES[order[0]] for order in orders]
    by = [f"judge {i % 40}" for i in range(MENUS)]
    pl.DataFrame({"menu": listed, "chosen": first, "by": by}).write_csv(place / "listed.csv")
    places = {
        name: [NAMES[order[i]] for order in orders]
        for i, name in enumerate(["first", "second", "third"])
    }
    pl.DataFrame({"menu": listed} | places).write_csv(place / "ranked.csv")
    rows = [(k, a, int(a == orders[k][0])) for k, menu in enumerate(menus) for a in menu]
    number, action, chosen = (list(column) for column in zip(*rows, strict=True))
    long = {"menu": number, "action": [NAMES[a] for a in action], "chosen": chosen}
    pl.DataFrame(long | {"by": [by[k] for k in number]}).write_csv(place / "long.csv")
    pl.DataFrame(
        {"menu": number, "chosen": chosen} | dict(zip(PEOPLE, table[action].T, strict=True))
    ).write_csv(place / "utilities.csv")
    pairs = [(o[0], a) for m, o in zip(menus, orders, strict=True) for a in m if a != o[0]]
    best, other = ([NAMES[a] for a in side] for side in zip(*pairs, strict=True))
    pl.DataFrame({"preferred": best, "other": other}).write_csv(place / "pairs.csv")
    return place


@pytest.fixture(autouse=True)
def _in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.fixture(scope="module")
def learned():
    table, menus, orders = world()
    choices = wf.Choices(table, menus, [order[0] for order in orders])
    return wf.ChoiceLearner(random_state=0).fit(choices)


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


# The same menus in another order are the same likelihood up to rounding.
SAME_OPTIMUM = 1e-6


@pytest.mark.parametrize(
    "files", [("actions.csv", "--choices", "listed.csv"), ("actions.csv", "--choices", "long.csv")]
)
def test_a_fit_is_that_of_the_learner(files, learned):
    found = json.loads(run("fit", *files, "--no-intervals", "--json").stdout)
    assert found["p"] == learned.p_
    assert found["weights"] == dict(zip(PEOPLE, learned.weights_.tolist(), strict=True))
    assert found["n"] == MENUS


def test_utilities_in_the_same_table(learned):
    found = json.loads(run("fit", "utilities.csv", "--long", "--no-intervals", "--json").stdout)
    assert found["p"] == pytest.approx(learned.p_, rel=SAME_OPTIMUM)


def test_standard_errors_are_clustered_by_who_decided():
    found = json.loads(run("fit", "actions.csv", "--choices", "listed.csv", "--json").stdout)
    assert found["covariance"] == "clustered"
    assert found["clusters"] == 40


def test_rankings_may_grow_noisier():
    told = ("fit", "actions.csv", "--choices", "ranked.csv", "--no-intervals", "--json")
    plain, staged = json.loads(run(*told).stdout), json.loads(run(*told, "--tau-by-stage").stdout)
    assert staged["fit"]["log-likelihood"] > plain["fit"]["log-likelihood"]
    assert {name for name in staged if name.startswith("tau")} > {"tau"}


def test_sizes_of_groups_and_none_of_these(tmp_path):
    rng = np.random.default_rng(1)
    table = pl.read_csv("actions.csv")
    holes = [
        None if away else u for away, u in zip(rng.random(40) < 0.3, table["staff"], strict=True)
    ]
    table.with_columns(pl.Series("staff", holes)).write_csv(tmp_path / "holes.csv")
    chosen = pl.read_csv("listed.csv").with_columns(
        chosen=pl.when(pl.int_range(pl.len()) % 5 == 0).then(None).otherwise(pl.col("chosen"))
    )
    chosen.write_csv(tmp_path / "none.csv")
    told = ("fit", str(tmp_path / "holes.csv"), "--choices", str(tmp_path / "none.csv"))
    assert "column 'staff'" in run(*told, "--outside", code=1).stderr
    assert "column 'chosen'" in run(*told, "--absent", code=1).stderr
    more = ("--outside", "--absent", "--size-effect", "--no-intervals", "--json")
    found = json.loads(run(*told, *more).stdout)
    assert {"gamma", "outside"} <= set(found)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--choices", "listed.csv", "--tie", "x"), 2, "--tie is for comparisons, not for choices"),
        (("--choices", "listed.csv", "--wide"), 2, "give one of --comparisons, --choices"),
        (("--comparisons", "pairs.csv", "--menu", "x"), 2, "--menu is for choices from menus"),
        (("--comparisons", "pairs.csv", "--absent"), 2, "--absent is for choices from menus"),
        (("--comparisons", "pairs.csv", "--size-effect"), 2, "--size-effect is for choices"),
        (("--comparisons", "listed.csv"), 1, "say --choices FILE"),
        (("--choices", "pairs.csv"), 1, "say --comparisons FILE"),
        (("--choices", "listed.csv", "--size-effect"), 1, "say --absent"),
        (("--long", "--name", "x"), 2, "--name is for a table of actions, not for --long"),
        (("--long", "--ranking", "x"), 2, "--ranking is not for --long"),
        ((), 2, "--long (choices from menus)"),
    ],
)
def test_what_does_not_go_together_is_said(arguments, code, said):
    done = run("fit", "actions.csv", *arguments, code=code)
    assert said in " ".join(done.stderr.split())


def test_wrong_menus_are_counted():
    done = run("fit", "actions.csv", "--choices", "listed.csv", "--noise", "flip", "--json")
    found = json.loads(done.stdout)
    assert 0 <= found["loss"] < 0.5


def test_menus_taken_apart_are_warned_about():
    done = run("fit", "actions.csv", "--comparisons", "pairs.csv", "--no-intervals")
    assert "81 to 83% of the time" in done.stderr
    assert "--choices FILE" in done.stderr


def test_a_saved_model_ranks_and_judges(tmp_path, learned):
    model = str(tmp_path / "m.json")
    told = ("--choices", "listed.csv", "--save", model, "--no-intervals")
    run("fit", "actions.csv", *told)
    assert wf.load_model(model).kind == "choices"
    ranked = json.loads(run("rank", "actions.csv", "--model", model, "--json").stdout)["actions"]
    table = world()[0]
    order = learned.welfare_.rank(table)
    assert [row["action"] for row in ranked] == [NAMES[i] for i in order]
    best, second = ranked[0]["action"], ranked[1]["action"]
    judged = json.loads(
        run("judge", "actions.csv", best, second, "--model", model, "--json").stdout
    )
    pair = wf.Choices(table, [order[:2]], order[:1])
    chance = learned.predict_proba(pair)[0][0]
    assert judged["preferred"] == best
    assert judged["probability_first"] == pytest.approx(chance, rel=1e-12)  # the same formula
    said = run("rank", "actions.csv", "--model", model, "--absent", code=2).stderr
    assert "--absent goes with models that were learned so" in " ".join(said.split())


def test_absent_people_are_ranked_where_the_model_knows_them(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    monkeypatch.chdir(tmp_path)
    table, menus, _ = world()
    holes = np.where(rng.random(table.shape) < 0.2, np.nan, table)
    holes[:, 2] = table[:, 2]
    columns = {name: pl.Series(holes[:, i]).fill_nan(None) for i, name in enumerate(PEOPLE)}
    pl.DataFrame({"action": NAMES} | columns).write_csv("holes.csv")
    gone = wf.Choices(holes, menus, [menu[0] for menu in menus], absent=True)
    value = PresentRule(TRUTH).value(holes)
    value = 12 * (value + 0.7 * np.log((~np.isnan(holes)).sum(axis=1)))
    chosen = [NAMES[menu[np.argmax(value[menu] + rng.gumbel(size=len(menu)))]] for menu in menus]
    listed = [";".join(NAMES[a] for a in menu) for menu in menus]
    pl.DataFrame({"menu": listed, "chosen": chosen}).write_csv("asked.csv")
    told = ("fit", "holes.csv", "--choices", "asked.csv", "--absent", "--size-effect")
    run(*told, "--save", "m.json", "--no-intervals")
    model = wf.load_model("m.json")
    found = json.loads(run("rank", "holes.csv", "--model", "m.json", "--absent", "--json").stdout)
    order = np.argsort(-model.worth(gone.utilities), kind="stable")
    assert [row["action"] for row in found["actions"]] == [NAMES[i] for i in order]
    assert found["gamma"] == model.gamma
    assert "to the power" in run("rank", "holes.csv", "--model", "m.json", "--absent").stdout
    missing = NAMES[int(np.argmax(np.isnan(holes[:, 0])))]
    told = ("judge", "holes.csv", missing, NAMES[0], "--model", "m.json", "--absent")
    judged = json.loads(run(*told, "--json").stdout)
    assert judged["actions"][0]["utilities"]["donors"] is None
    assert judged["actions"][0]["shares"]["donors"] == 0.0
    assert missing in run(*told).stdout
    assert "column" in run("rank", "holes.csv", "--model", "m.json", code=1).stderr
    doctrine = json.loads(run("rank", "holes.csv", "--p", "0", "--absent", "--json").stdout)
    assert len(doctrine["actions"]) == 40


def test_rules_of_recommenders_are_compared():
    told = ("--choices", "listed.csv", "--weights", "equal", "--folds", "0", "--no-learn")
    done = run("compare", "actions.csv", *told, "--doctrines", "average,least misery,Nash")
    for name in ("average", "least misery", "Nash"):
        assert name in done.stdout
    wrong = run("compare", "actions.csv", *told, "--doctrines", "averge", code=2).stderr
    assert "average" in wrong

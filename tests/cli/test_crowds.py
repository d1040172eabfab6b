"""Worlds and plans in which several decide, on the command line."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import welfarist as wf
from tests.cli.test_worlds import run
from welfarist.bounds import panels
from welfarist.files import read_actions, read_comparisons

# Numbers are written to files in full.
DIGITS = 1e-14


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_people_who_differ_by_degree_are_those_in_memory():
    run("simulate", "made", "--people", "3", "--deciders", "12", "--each", "5", "--spread", "0.7",
        "--tau", "8", "--seed", "4")  # fmt: skip
    world = wf.simulate.individuals(100, 3, p=-1, random_state=4)
    mean, covariance = wf.simulate.population_around(world.rule, 8, 0.7)
    crowd = wf.simulate.normal_crowd(mean, covariance, 12, random_state=4)
    decided = wf.simulate.crowd_comparisons(world, crowd, each=5, random_state=4)
    told = pl.read_csv("made/deciders.csv")
    assert told.columns == ["who", "p", "tau", *[f"weight of person {i}" for i in range(3)]]
    assert told["p"].to_numpy() == pytest.approx(crowd.powers, rel=DIGITS)
    assert told["tau"].to_numpy() == pytest.approx(crowd.taus, rel=DIGITS)
    read = read_comparisons("made/comparisons.csv", read_actions("made/actions.csv")).decisions
    # A column that is called so is taken as who decided, without an option.
    assert np.asarray(read.by).tolist() == np.asarray(decided.by).tolist()
    assert (read.pairs[:, 0] == np.where(decided.outcomes > 0, *decided.pairs.T)).all()
    truth = wf.load_model("made/truth.json")
    assert (truth.welfare.p, truth.tau) == (-1.0, 8.0)


@pytest.mark.parametrize("weights", ["equal", "random"])
def test_types_choose_from_menus(weights):
    line = ("--people", "2", "--deciders", "40", "--each", "3", "--types", "2", "--menus", "4")
    files = json.loads(run("simulate", "made", *line, "--weights", weights, "--json").stdout)
    assert sorted(files["files"]) == ["actions", "choices", "deciders", "truth"]
    told, chosen = pl.read_csv("made/deciders.csv"), pl.read_csv("made/choices.csv")
    assert sorted(set(told["type"])) == [1, 2]
    assert told.select("type", "p", "tau", "weight of person 0").n_unique() == 2
    assert (told["weight of person 0"].n_unique() == 1) == (weights == "equal")
    assert chosen.columns == ["by", "menu", "chosen"]
    assert (chosen["by"].to_numpy() == np.repeat(told["who"].to_numpy(), 3)).all()
    rows = zip(chosen["menu"], chosen["chosen"], strict=True)
    assert all(taken in menu.split(";") and menu.count(";") == 3 for menu, taken in rows)
    largest = told.filter(pl.col("type") == 1)["p"][0]
    assert wf.load_model("made/truth.json").welfare.p == pytest.approx(largest, rel=DIGITS)
    fitted = ("fit", "made/actions.csv", "--choices", "made/choices.csv")
    assert "40 decision makers" in run(*fitted).stdout


def test_deciders_of_an_old_world_are_removed(tmp_path):
    run("simulate", "made", "--people", "2", "--deciders", "5")
    done = run("simulate", "made", "--people", "2", "--force")
    assert "deciders.csv" in done.stderr
    assert not (tmp_path / "made" / "deciders.csv").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--each", "4"), "--each has no effect"),
        (("--types", "4"), "--types has no effect"),
        (("--spread", "1"), "--spread has no effect"),
        (("--deciders", "4", "--decisions", "9"), "not --decisions"),
        (("--deciders", "4", "--types", "2", "--spread", "1"), "Leave one out"),
        (("--deciders", "4", "--scores"), "no --scores"),
        (("--deciders", "4", "--menus", "3", "--places", "2"), "no --places"),
        (("--deciders", "4", "--regions", "2"), "no country"),
        (("--deciders", "4", "--spread", "-1"), "--spread"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, options, words):
    assert words in run("simulate", "made", *options, code=2).stderr
    assert not (tmp_path / "made").exists()


def test_nobody_differs_around_the_end_of_the_line():
    line = ("simulate", "made", "--deciders", "4", "--p", "egalitarian")
    assert "a finite p" in run(*line, code=1).stderr


def test_a_plan_says_what_choices_a_person_teach(monkeypatch):
    def drawn(_setting, cell):
        return panels.PanelOutcome(*wf.simulate.streams.stream(cell[1], "a test").random(7))

    # The study itself is tested elsewhere; fits take seconds.
    monkeypatch.setattr(panels, "_run", drawn)
    line = ("plan", "--people", "2", "--deciders", "12", "--each", "6", "--repetitions", "1",
            "--tau", "20", "--p", "0")  # fmt: skip
    found = json.loads(run(*line, "--json").stdout)
    world = wf.simulate.individuals(500, 2, p=0, weights="equal", u_min=1, u_max=10, random_state=0)
    study = wf.bounds.choices_per_person(
        world, deciders=12, each=6, tau=20, repetitions=1, random_state=0
    )
    assert found["simulated"] == study.rows
    assert found["findings"] == list(study.findings)
    refused = run("plan", "--deciders", "12", "--task", "scores", code=2)
    assert "--task has no effect" in refused.stderr
    assert "--deciders" in run("plan", "--each", "4", code=2).stderr

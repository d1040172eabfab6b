"""Commands that need no data: simulated worlds, plans, the demo and the project's studies."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.base import whole_files
from welfarist.cli import clone
from welfarist.cli.app import app
from welfarist.files import read_actions, read_comparisons

# Welfares of a world read from CSV, whose numbers are written in full.
DIGITS = 1e-14


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_world_in_files_is_the_world_in_memory(tmp_path, kind):
    run("simulate", "made", "--people", "3", "--actions", "40", "--decisions", "200",
        "--p", "0.5", "--tau", "8", "--seed", "5", "--format", kind)  # fmt: skip
    world = wf.simulate.individuals(40, 3, p=0.5, random_state=5)
    pairs = wf.simulate.random_pairs(40, 200, random_state=5)
    decided = wf.simulate.comparisons(world, pairs, tau=8, random_state=5)
    actions = read_actions(tmp_path / "made" / f"actions.{kind}")
    assert (actions.utilities == world.utilities).all()
    read = read_comparisons(tmp_path / "made" / f"comparisons.{kind}", actions).decisions
    again = wf.ComparisonClassifier().fit(read)
    assert again.p_ == pytest.approx(wf.ComparisonClassifier().fit(decided).p_, rel=1e-6)
    truth = wf.load_model("made/truth.json")
    assert (truth.welfare.p, truth.tau) == (0.5, 8.0)
    assert truth.welfare.weights == pytest.approx(world.weights, abs=DIGITS)


def test_the_truth_can_be_compared_with_what_is_learned():
    run("simulate", "made", "--decisions", "150", "--weights", "equal", "--people", "2")
    files = ("made/actions.csv", "--comparisons", "made/comparisons.csv")
    rows = json.loads(run("compare", *files, "--model", "made/truth.json", "--json").stdout)
    assert "truth.json" in [row["name"] for row in rows["rows"]]


def test_programs_are_told_where_the_files_are(tmp_path):
    found = json.loads(run("simulate", "made", "--people", "2", "--json").stdout)["files"]
    assert sorted(found) == ["actions", "comparisons", "truth"]
    assert all((tmp_path / path).is_file() for path in found.values())


def test_a_charity_comes_with_its_groups():
    run("simulate", "made", "--charity", "--actions", "30", "--decisions", "200")
    groups = pl.read_csv("made/groups.csv")
    assert groups["group"].n_unique() == 4
    assert len(groups) == 18
    files = ("made/actions.csv", "-c", "made/comparisons.csv", "--groups", "made/groups.csv")
    found = json.loads(run("fit", *files, "--json", "--no-intervals").stdout)
    assert len(set(np.round(list(found["weights"].values()), 12))) <= 4


def test_scores_stand_in_the_table_of_actions():
    run("simulate", "made", "--scores", "--nu", "0", "--p", "Nash", "--people", "3")
    found = json.loads(run("fit", "made/actions.csv", "--score", "score", "--json").stdout)
    assert found["p"] == pytest.approx(0.0, abs=1e-6)


def test_files_that_are_there_stay(tmp_path):
    run("simulate", "made", "--people", "2")
    before = (tmp_path / "made" / "actions.csv").read_bytes()
    refused = run("simulate", "made", "--people", "3", code=1)
    assert "is there already" in refused.stderr
    assert (tmp_path / "made" / "actions.csv").read_bytes() == before
    run("simulate", "made", "--people", "3", "--force")
    assert (tmp_path / "made" / "actions.csv").read_bytes() != before


def test_a_folder_that_was_made_for_nothing_goes_again(tmp_path, monkeypatch):
    def full(*_args, **_options):
        raise OSError(28, "No space left on device")

    (tmp_path / "there").mkdir()
    monkeypatch.setattr(whole_files, "staged", full)
    assert "No space left" in run("simulate", "there/a/b", "--people", "2", code=1).stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "there"]
    assert list((tmp_path / "there").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--weights", "a,b"), "numbers such as 2,1,1"),
        (("--p", "socialist"), "socialist"),
        (("--tau", "-1"), "tau"),
        (("--rho", "0.7"), "rho"),
        (("--weights", "1,2", "--people", "3"), "3"),
    ],
)
def test_bad_worlds_get_a_usage_error_and_no_folder(tmp_path, arguments, words):
    done = run("simulate", "made", *arguments, code=2)
    assert words in done.stderr
    assert not (tmp_path / "made").exists()


def test_a_plan_has_the_numbers_of_the_bounds_and_of_the_simulation():
    options = ("--people", "2", "--task", "comparisons", "--known-weights", "--error", "0.1")
    few = ("--decisions", "30,60", "--repetitions", "3", "--seed", "2")
    found = json.loads(run("plan", *options, *few, "--json").stdout)
    needed = wf.bounds.samples_needed("comparisons", error=0.1, d=2, weights="known")
    assert found["guarantee"]["decisions"] == needed
    assert found["guarantee"]["theorem"] == "[PSPS24, Thm 4.2]"
    world = wf.simulate.individuals(500, 2, p=-1, u_min=1, u_max=10, random_state=2)
    curve = wf.bounds.learning_curve(
        world, "comparisons", n=(30, 60), weights="known", repetitions=3, random_state=2
    )
    assert [row["accuracy"] for row in found["simulated"]] == curve.columns["accuracy"]
    shown = run("plan", *options, *few).stdout
    assert f"from {needed:,} decisions on" in shown.replace("\n  ", " ")


def test_a_pilot_is_taken_for_the_truth():
    run("simulate", "made", "--people", "2", "--actions", "30", "--p", "-2", "--tau", "7")
    pilot = ("plan", "made/actions.csv", "--model", "made/truth.json")
    few = ("--decisions", "40", "--repetitions", "2", "--json")
    found = json.loads(run(*pilot, *few).stdout)
    assert found["parameters"]["tau"] == 7.0
    assert found["people"] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--tau", "3", "--task", "flip"), 2, "is not the noise"),
        (("--decisions", "ten"), 2, "whole numbers"),
        (("--model", "nowhere.json"), 1, "no such file"),
        (("--error", "0"), 2, "error"),
    ],
)
def test_bad_plans_say_what_is_wrong(arguments, code, words):
    few = ("--people", "2", "--repetitions", "1")
    given = arguments if "--decisions" in arguments else (*arguments, "--decisions", "20")
    assert words in run("plan", *few, *given, code=code).stderr


def test_studies_need_a_clone(tmp_path, monkeypatch):
    monkeypatch.setattr(clone, "_CLONE", tmp_path)
    for command in ("bench", "replicate"):
        assert "part of a clone" in run(command, "--quick", code=1).stderr


def test_studies_are_started_with_what_was_asked_for(tmp_path, monkeypatch):
    (tmp_path / "replication").mkdir()
    script = "import sys; print(*sys.argv[1:]); sys.exit('--fresh' in sys.argv)"
    (tmp_path / "replication" / "__main__.py").write_text(script)
    monkeypatch.setattr(clone, "_CLONE", tmp_path)
    run("replicate", "--quick", "--only", "collapse")
    run("replicate", "--fresh", code=1)


def study_that_prints(tmp_path, monkeypatch, script):
    (tmp_path / "clone" / "replication").mkdir(parents=True)
    (tmp_path / "clone" / "replication" / "__main__.py").write_text(script)
    monkeypatch.setattr(clone, "_CLONE", tmp_path / "clone")


def test_a_study_is_started_where_the_user_is(tmp_path, monkeypatch, capfd):
    script = "import os, sys; print(os.getcwd(), *sys.argv[1:])"
    study_that_prints(tmp_path, monkeypatch, script)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    run("replicate", "--d", "3,5", "--tau", "1", "--nu", "0.1,0.2", "--repetitions", "2",
        "--method-repetitions", "0", "--to", "out", "--json")  # fmt: skip
    told = capfd.readouterr().out.split()
    assert told == [
        str(tmp_path / "here"), "--json", "--d=3,5", "--tau=1", "--nu=0.1,0.2",
        "--repetitions=2", "--method-repetitions=0", "--to=out",
    ]  # fmt: skip


@pytest.mark.parametrize(("code", "told"), [(2, 2), (130, 130), (7, 1)])
def test_a_study_tells_how_it_ended(tmp_path, monkeypatch, code, told):
    study_that_prints(tmp_path, monkeypatch, f"raise SystemExit({code})")
    run("replicate", code=told)


def test_the_demo_tells_programs_what_it_tells_people(tmp_path):
    told = json.loads(run("demo", "--report", "a.html", "--json").stdout)
    assert (tmp_path / told["files"]["report"]).exists()
    story = run("demo", "--report", "b.html").stdout
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert f"The power p is {told['p']:.2f} ({told['doctrine']})" in story
    low, high = told["p_interval"]
    assert f"between {low:.2f} and {high:.2f}. The truth is {told['truth']['p']:g}." in story
    for row in told["groups"]:
        assert f"{row['group']:<12} {row['members']:>7} {row['weight_each']:>7.1%}" in story
    assert sum(row["weight_together"] for row in told["groups"]) == pytest.approx(1)
    for order in told["tonight"]["orders"].values():
        assert " > ".join(order) in story
    assert f"with probability {told['tonight']['probability_first']:.0%}" in story


def test_the_demo_is_refused_a_place_before_it_begins():
    done = run("demo", "--report", "nowhere/report.html", code=1)
    assert done.stdout == ""


@pytest.mark.parametrize("groups", ["g=person 0;g=person 1", "g=person 0,person 0;h=person 1"])
def test_groups_and_people_are_named_once(groups):
    run("simulate", "made", "--people", "2")
    files = ("made/actions.csv", "-c", "made/comparisons.csv")
    assert "once; found" in run("fit", *files, "--groups", groups, code=2).stderr


def test_a_plan_says_how_many_questions_are_enough():
    line = ("plan", "--ask", "--people", "2", "--questions", "2,6", "--repetitions", "2",
            "--p", "-1", "--tau", "30", "--seed", "3", "--accuracy", "0.6")  # fmt: skip
    found = json.loads(run(*line, "--json").stdout)
    world = wf.simulate.individuals(500, 2, p=-1, u_min=1, u_max=10, random_state=3)
    study = wf.asking.study(
        actions=world.utilities, questions=[2, 6], ways=["adaptive", "random"], deciders=2,
        truth=-1, tau=30, random_state=3,
    )  # fmt: skip
    assert [row["accuracy"] for row in found["simulated"]] == study.columns["accuracy"]
    assert found["enough"]["adaptive"] == study.enough(0.6)
    assert "adaptive questions" in run(*line).stdout
    assert "goes with --ask" in run("plan", "--questions", "4", code=2).stderr

"""Other families from the command line: learned, saved, applied and compared."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.cli.app import app


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Gains and losses by district, and choices of somebody who minds gaps."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(6)
    table = rng.normal(0.0, 3.0, (40, 3)).round(2)
    names = [f"plan {i}" for i in range(40)]
    people = pl.DataFrame(table, schema=["north", "old town", "süd"])
    actions = pl.concat([pl.DataFrame({"action": names}), people], how="horizontal")
    actions.write_csv("plans.csv")
    actions.with_columns(pl.col("north", "old town", "süd") + 20.0).write_csv("lifted.csv")
    pairs = wf.simulate.random_pairs(40, 500, random_state=6)
    value = wf.families.KolmPollak(0.4, [0.5, 0.3, 0.2])(table)
    z = 2.0 * (value[pairs[:, 0]] - value[pairs[:, 1]])
    first = rng.random(500) < 1.0 / (1.0 + np.exp(-z))
    chosen, other = np.where(first, pairs.T, pairs.T[::-1])
    decided = {"preferred": [names[i] for i in chosen], "other": [names[i] for i in other]}
    pl.DataFrame(decided).write_csv("choices.csv")


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done


def test_negative_utilities_are_learned_from_saved_and_ranked():
    wanted = "plans.csv", "--comparisons", "choices.csv"
    assert "--shift" in run("fit", *wanted, code=1).output
    saved = run("fit", *wanted, "--family", "kolm", "--save", "k.json", "--report", "k.html")
    assert "averse to absolute gaps" in saved.output
    found = json.loads(run("rank", "plans.csv", "--model", "k.json", "--json").stdout)
    assert found["family"] == "kolm"
    model = wf.load_model("k.json")
    table = pl.read_csv("plans.csv").drop("action").to_numpy()
    best = int(model.welfare.rank(table)[0])
    assert found["actions"][0]["action"] == f"plan {best}"


def test_places_are_applied_to_whoever_is_in_them():
    wanted = "lifted.csv", "--comparisons", "choices.csv", "--family", "rank", "--p", "1"
    run("fit", *wanted, "--save", "r.json")
    assert "Preferred" in run("judge", "lifted.csv", "plan 1", "plan 2", "--model", "r.json").output
    done = run("rank", "lifted.csv", "--model", "r.json", "--ignore", "süd", code=1)
    assert "as many as r.json has places" in done.output


def test_families_are_compared_and_strange_ones_refused():
    wanted = "lifted.csv", "--comparisons", "choices.csv", "--folds", "0"
    found = json.loads(run("compare", *wanted, "--families", "all", "--json").stdout)
    assert [row["name"] for row in found["rows"]] == ["power", "kolm", "rank"]
    nests = "--families", "power,nested", "--groups", "a=north,süd;b=old town"
    assert "q = " in run("compare", *wanted, *nests).output
    assert "some of power" in run("compare", *wanted, "--families", "gini", code=2).output
    three = "--families", "kolm,difference,needs,choquet"
    done = run("compare", *wanted, *three)
    assert "Who complements whom" in done.output
    found = json.loads(run("compare", *wanted, *three, "--json").stdout)
    assert [row["name"] for row in found["rows"]] == ["kolm", "difference", "needs", "choquet"]
    assert len(found["interactions"]["interactions"]) == 3
    assert "--logit" in run("compare", *wanted, "--families", "all", "--logit", code=2).output


def test_noise_on_differences_is_learned_saved_and_applied():
    wanted = "lifted.csv", "--comparisons", "choices.csv"
    done = run("fit", *wanted, "--margin", "difference", "--save", "d.json", "--report", "d.html")
    assert "preferred 73 times in 100" in " ".join(done.output.split())
    model = wf.load_model("d.json")
    assert model.welfare.family.called == 'margin="difference"'
    assert json.loads(run("rank", "lifted.csv", "--model", "d.json", "--json").stdout)["actions"]
    assert "Preferred" in run("judge", "lifted.csv", "plan 1", "plan 2", "--model", "d.json").output
    refused = run("fit", *wanted, "--margin", "difference", "--family", "kolm", code=1).output
    assert "--margin difference is for families" in " ".join(refused.split())
    needs = run("fit", "plans.csv", "--comparisons", "choices.csv", "--family", "needs").output
    assert "zero of the scale" in needs

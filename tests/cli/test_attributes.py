"""Weights by attributes on the command line: the learner's own answer, and refusals in words."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.cli.app import app

PEOPLE = ["young", "middle", "late", "old"]
AGES, REGIONS, HEADS = [20, 40, 60, 80], ["city", "country", "city", "country"], [9, 5, 4, 2]
ORDER = [2, 0, 3, 1]  # of the rows of the file
NAMES = [f"plan {i}" for i in range(40)]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = rng.lognormal(0.0, 0.6, (40, 4))
    rule = wf.WelfareFunction(0.0, np.array(HEADS) * np.exp(0.03 * np.array(AGES)))
    pairs = rng.permuted(np.tile(np.arange(40), (400, 1)), axis=1)[:, :2]
    gain = rule.log(table[pairs[:, 0]]) - rule.log(table[pairs[:, 1]])
    first = 10 * gain + rng.logistic(size=len(pairs)) > 0
    best, other = np.where(first[:, None], pairs, pairs[:, ::-1]).T.tolist()
    pl.DataFrame({"plan": NAMES} | dict(zip(PEOPLE, table.T, strict=True))).write_csv("plans.csv")
    decided = {"preferred": [NAMES[i] for i in best], "other": [NAMES[i] for i in other]}
    pl.DataFrame(decided).write_csv("decisions.csv")
    known = {"who": PEOPLE, "age": AGES, "region": REGIONS, "people": HEADS}
    rows = {name: [values[i] for i in ORDER] for name, values in known.items()}
    pl.DataFrame(rows).write_csv("people.csv")


def run(*more: str):
    return CliRunner().invoke(app, ["fit", "plans.csv", "-c", "decisions.csv", *more])


def test_a_fit_is_the_learners_own() -> None:
    done = run("--attributes", "people.csv", "--heads", "people", "--json", "--save", "model.json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    table = pl.read_csv("plans.csv").select(PEOPLE)
    decisions = pl.read_csv("decisions.csv")
    pairs = [[NAMES.index(name) for name in row] for row in decisions.rows()]
    option = wf.ByAttributes({"age": AGES, "region": REGIONS}, HEADS)
    made = wf.Comparisons(table, pairs, np.ones(len(pairs)))
    fit = wf.ComparisonClassifier(weights=option, random_state=0).fit(made)
    assert said["theta"] == pytest.approx(fit.theta_, rel=1e-6)
    low, high = said["intervals"]["theta[age]"]
    assert low < 0.03 < high
    assert wf.load_model("model.json").theta == pytest.approx(fit.theta_, rel=1e-6)
    assert "theta[age]" in wf.load_model("model.json").intervals


def test_the_summary_and_a_contest_show_it() -> None:
    done = run("--attributes", "people.csv", "--heads", "people", "--report", "report.html")
    assert "theta[region: country]" in done.stdout
    with open("report.html", encoding="utf-8") as page:
        assert "Who counts more, by attributes" in page.read()
    beside = ["compare", "plans.csv", "-c", "decisions.csv", "--attributes", "people.csv"]
    done = CliRunner().invoke(app, [*beside, "--doctrines", "Nash", "--folds", "0"])
    assert done.exit_code == 0, done.output
    assert "learned" in done.stdout


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--heads", "people"], "--heads is a column of --attributes FILE"),
        (["--attributes", "people.csv", "--weights", "equal"], "found --weights as well"),
        (["--attributes", "people.csv", "--groups", "a=young,old"], "found --groups as well"),
        (["--attributes", "people.csv", "--prior", "2"], "found --prior as well"),
        (["--attributes", "people.csv", "--noise", "none"], "it counts errors"),
        (["--attributes", "people.csv", "--heads", "folk"], "--heads must be a column of"),
        (["--attributes", "nobody.csv"], "nobody.csv"),
        (["--attributes", "short.csv"], "must have an attribute; found none for 'middle'"),
        (["--attributes", "names.csv"], "at least one attribute"),
        (["--attributes", "constant.csv"], "1 for everybody in 'age'"),
        (["--attributes", "people.csv", "--save", "people.csv"], "would replace people.csv"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(more: list[str], words: str) -> None:
    pl.DataFrame({"who": PEOPLE[:1] + PEOPLE[2:], "age": AGES[:3]}).write_csv("short.csv")
    pl.DataFrame({"who": PEOPLE}).write_csv("names.csv")
    pl.DataFrame({"who": PEOPLE, "age": [1, 1, 1, 1]}).write_csv("constant.csv")
    done = run(*more)
    assert done.exit_code != 0
    assert words in " ".join(done.output.split())

"""`welfarist recommend`: from decisions in a file to the next decision."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.cli.app import app


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Actions, thirty comparisons, a model with draws and one without."""
    place = tmp_path_factory.mktemp("recommend")
    rng = np.random.default_rng(5)
    table = rng.uniform(1, 10, (12, 2)).round(1)
    names = ["[b]park", *(f"plan {i}" for i in range(1, 12))]
    people = dict(zip(["staff", "pupils"], table.T, strict=True))
    pl.DataFrame({"action": names} | people).write_csv(place / "actions.csv")
    pairs = rng.permuted(np.tile(np.arange(12), (30, 1)), axis=1)[:, :2]
    welfare = wf.power_mean(table, 0, [0.6, 0.4])
    best = np.where(welfare[pairs[:, 0]] > welfare[pairs[:, 1]], pairs.T, pairs.T[::-1])
    columns = ("preferred", "other")
    decided = {c: [names[i] for i in rows] for c, rows in zip(columns, best, strict=True)}
    pl.DataFrame(decided).write_csv(place / "decisions.csv")
    return place


@pytest.fixture
def _there(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.mark.usefixtures("_there")
def test_the_whole_way_from_decisions_to_a_recommendation():
    fit = ("fit", "actions.csv", "--comparisons", "decisions.csv", "--no-intervals")
    run(*fit, "--save", "model.json", "--draws", "200")
    ask = ("recommend", "actions.csv", "--model", "model.json")
    said = json.loads(run(*ask, "--why", "--questions", "2", "--json").stdout)
    assert said["recommended"] == said["actions"][0]["action"]
    assert sum(row["p_best"] for row in said["actions"]) == pytest.approx(1)
    assert said["uncertainty"] == "posterior"
    assert said["why"]["better"] == said["recommended"]
    assert {"raises", "further"} <= set(said)
    text = run(*ask, "--against", "plan 3", "--top", "2").stdout
    assert text.startswith(f"Recommended: {said['recommended']}")
    assert "Why" in text
    assert "plan 3" in text
    assert run(*ask, "--json").stdout == run(*ask, "--json").stdout

    page = ("--report", "next.html", "--title", "Next <year>", "--questions", "2")
    assert "Report: next.html" in run(*ask, *page).output
    html = Path("next.html").read_text(encoding="utf-8")
    for heading in ("<h1>Next &lt;year&gt;</h1>", "What would change it", "more questions"):
        assert heading in html
    assert f"Of 12 actions it is {said['recommended']}" in html
    assert "actions.csv and model.json" in html
    assert "give --report FILE" in run(*ask, "--title", "x", code=2).output
    assert "would replace" in run(*ask, "--report", "model.json", code=2).output

    run(*fit, "--save", "bare.json")
    refused = run("recommend", "actions.csv", "--model", "bare.json", code=1)
    assert "Save the model with --draws NUMBER" in refused.output
    assert "found none called 'plan 99'" in run(*ask, "--against", "plan 99", code=1).output
    assert "--save FILE" in run(*fit, "--draws", "200", code=2).output


@pytest.mark.usefixtures("_there")
def test_people_whom_the_model_does_not_know_are_refused():
    table = pl.read_csv("actions.csv").rename({"pupils": "parents"})
    table.write_csv("others.csv")
    run("fit", "actions.csv", "--comparisons", "decisions.csv", "--no-intervals", "--save",
        "known.json", "--draws", "50")  # fmt: skip
    said = run("recommend", "others.csv", "--model", "known.json", code=1).output
    assert "pupils" in said

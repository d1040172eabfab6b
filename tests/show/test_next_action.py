"""What a report says of the next action: the numbers of the recommendation, and its reasons."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.cli.app import app
from welfarist.show.report.document import report_html
from welfarist.show.report.next_action import next_action


@pytest.fixture(scope="module")
def fit():
    world = wf.simulate.individuals(20, 2, p=-1, random_state=1)
    pairs = wf.simulate.random_pairs(20, 30, random_state=1)
    return wf.ComparisonClassifier().fit(
        wf.simulate.comparisons(world, pairs, tau=10, random_state=1)
    )


def test_a_report_shows_the_order_and_why(fit):
    names = ["<b>park", "tram", "coach", *(f"plan {i}" for i in range(9))]
    table = np.random.default_rng(1).uniform(1, 9, (12, 2))
    said = wf.recommend(fit, table, names=names, draws=100)
    page = report_html(fit.result_, recommendation=said)
    assert "<h2>Which action to take</h2>" in page
    assert "&lt;b&gt;park" in page
    assert "<b>park" not in page
    part = next_action(said)
    assert part.count("<tr>") == 1 + 10
    assert f"{said.why().sentence}" in part
    for place in range(3):
        row = int(said.order[place])
        assert f">{said.regret[row]:.2f}%<" in part
    assert "Which action to take" not in report_html(fit.result_)
    lone = next_action(wf.recommend(fit, table[:1], names=["a"], draws=50))
    assert "none of 50 rules that may be the right one finds another better" in lone
    assert "Why" not in lone


def test_losses_without_a_natural_zero_are_no_percents():
    draws = wf.RuleDraws(
        np.tile([0.6, 0.4], (20, 1)), np.linspace(0.1, 2, 20), np.ones(20), np.zeros(20),
        np.zeros(20), ("x", "y"), "bootstrap", 0, 0.0, wf.families.KOLM_POLLAK,
    )  # fmt: skip
    part = next_action(wf.recommend(draws, [[4.0, 2.0], [3.0, 2.5]]))
    assert "units of welfare are lost" in part
    assert "% of welfare" not in part


def test_a_recommendation_must_be_one_about_the_same_people(fit):
    other = wf.RuleDraws(
        np.full((30, 2), 0.5), np.zeros(30), np.ones(30), np.zeros(30), np.zeros(30),
        ("cats", "dogs"), "posterior", 0,
    )  # fmt: skip
    for wrong, message in (("bus", "what welfarist.recommend returns"),
                           (wf.recommend(other, [[1.0, 2.0]]), "found cats, dogs")):  # fmt: skip
        with pytest.raises(wf.InputError, match=message):
            report_html(fit.result_, recommendation=wrong)


def test_the_command_line_reports_the_actions_that_were_judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    table = rng.uniform(1, 10, (8, 2)).round(1)
    names = [f"plan {i}" for i in range(8)]
    people = dict(zip(["staff", "pupils"], table.T, strict=True))
    pl.DataFrame({"action": names} | people).write_csv("actions.csv")
    pairs = rng.permuted(np.tile(np.arange(8), (30, 1)), axis=1)[:, :2]
    rows = {c: [names[i] for i in pairs[:, k]] for k, c in enumerate(("preferred", "other"))}
    pl.DataFrame(rows).write_csv("decisions.csv")
    fit = ["fit", "actions.csv", "--comparisons", "decisions.csv", "--draws", "50"]
    done = CliRunner().invoke(app, [*fit, "--report", "report.html"])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report.html").read_text()
    assert "Which action to take" in page
    assert "plan 7" in page
    refused = CliRunner().invoke(app, fit)
    assert refused.exit_code == 2
    assert "--report FILE" in refused.output

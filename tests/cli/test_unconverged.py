"""A fit that did not converge is no answer, unless somebody takes it for one."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.cli.app import app

OUTPUTS = ("--save", "model.json", "--report", "report.html")
EARLY = ("--max-iter", "1", "--starts", "1")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (30, 3))
    welfare = wf.WelfareFunction(-2, [0.6, 0.3, 0.1]).log(table)
    rows = [f"x{i},{','.join(map(str, row))}" for i, row in enumerate(table.tolist())]
    (tmp_path / "actions.csv").write_text("action,a,b,c\n" + "\n".join(rows) + "\n")
    scored = [f"{row},{np.exp(w)}" for row, w in zip(rows, welfare, strict=True)]
    (tmp_path / "scores.csv").write_text("action,a,b,c,score\n" + "\n".join(scored) + "\n")
    lines = []
    for _ in range(150):
        one, two = rng.choice(30, 2, replace=False)
        first = welfare[one] - welfare[two] + rng.logistic(scale=0.1) > 0
        lines.append(f"x{one},x{two}" if first else f"x{two},x{one}")
    (tmp_path / "d.csv").write_text("preferred,other\n" + "\n".join(lines) + "\n")


def run(*arguments, code=0):
    done = CliRunner().invoke(app, ["fit", *arguments])
    assert done.exit_code == code, done.output
    return done


FITS = [("actions.csv", "-c", "d.csv"), ("scores.csv", "--score", "score")]


@pytest.mark.parametrize("files", FITS)
@pytest.mark.parametrize("shape", [(), ("--json",)])
def test_nothing_is_written_and_the_message_says_what_to_try(files, shape):
    before = sorted(os.listdir())
    done = run(*files, *EARLY, *OUTPUTS, *shape, code=1)
    assert done.stdout == ""
    assert sorted(os.listdir()) == before
    assert len(done.stderr.splitlines()) == 1
    for said in ("did not converge", "--max-iter", "Nothing was written", "--allow-unconverged"):
        assert said in done.stderr


def test_an_old_model_stays_as_it_was():
    run("actions.csv", "-c", "d.csv", "--save", "model.json", "--no-intervals")
    with open("model.json", encoding="utf-8") as file:
        before = file.read()
    run("actions.csv", "-c", "d.csv", *EARLY, "--save", "model.json", code=1)
    with open("model.json", encoding="utf-8") as file:
        assert file.read() == before


@pytest.mark.parametrize("files", FITS)
def test_whoever_allows_it_reads_the_warning_first(files):
    done = run(*files, *EARLY, *OUTPUTS, "--allow-unconverged")
    assert done.stdout.startswith("Warning: the fit did not converge")
    assert "--max-iter" in done.stdout.splitlines()[0]
    with open("report.html", encoding="utf-8") as file:
        page = file.read()
    start = page.partition("<main>")[2].lstrip()
    assert start.startswith('<header>\n<p class="warning">Warning: the search for the rule did not')
    model = wf.load_model("model.json")
    assert not model.converged
    assert model.caveats[0].startswith("the fit did not converge")
    record = json.loads(run(*files, *EARLY, "--allow-unconverged", "--json").stdout)
    assert next(iter(record)) == "warning"
    assert "did not converge" in record["warning"]
    assert record["converged"] is False


def test_a_fit_that_converged_has_no_warning():
    done = run("actions.csv", "-c", "d.csv", "--allow-unconverged", "--json")
    assert "warning" not in json.loads(done.stdout)


def test_a_model_that_was_allowed_says_so_when_it_is_used():
    run("actions.csv", "-c", "d.csv", *EARLY, "--save", "model.json", "--allow-unconverged")
    done = CliRunner().invoke(app, ["rank", "actions.csv", "--model", "model.json"])
    assert done.exit_code == 0
    assert "Note: model.json: it was learned by a search that did not end well" in done.stderr


def test_model_and_report_are_written_both_or_neither(monkeypatch):
    real, calls = os.replace, []

    def fail(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    before = sorted(os.listdir())
    monkeypatch.setattr(os, "replace", fail)
    done = run("actions.csv", "-c", "d.csv", "--no-intervals", "--save", "m.json", code=0)
    assert "Model: m.json" in done.stderr
    os.unlink("m.json")
    calls.clear()
    done = run("actions.csv", "-c", "d.csv", *OUTPUTS, code=1)
    assert "report.html: could not be written" in done.stderr
    assert sorted(os.listdir()) == before

"""From stakeholders' answers to a learned rule, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from welfarist import ComparisonClassifier, InputError, People
from welfarist.cli.app import app


def run(*arguments: str, code: int = 0):
    found = CliRunner().invoke(app, list(arguments))
    assert found.exit_code == code, found.output
    return found


def refused(*arguments: str) -> str:
    found = CliRunner().invoke(app, list(arguments))
    assert found.exit_code != 0
    return " ".join(found.output.split())


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    table, wanted = rng.normal(size=(25, 2)), np.array([[1.0, 0.2], [0.3, 0.9]])
    worth = (table - table.mean(axis=0)) @ wanted.T
    rows = [f"plan {i},{a},{b}" for i, (a, b) in enumerate(table)]
    Path("features.csv").write_text("\n".join(["plan,cost,reach", *rows]) + "\n")
    said = ["Stakeholder,first,second,choice"]
    for person, name in enumerate(["ann", "bo"]):
        for _ in range(150):
            one, other = rng.choice(25, 2, replace=False)
            better = rng.random() < 1 / (1 + np.exp(worth[other, person] - worth[one, person]))
            said.append(f"{name},plan {one},plan {other},{'first' if better else 'second'}")
    Path("answers.csv").write_text("\n".join(said) + "\n")
    decided = ["first,second,choice"]
    for _ in range(300):
        one, other = rng.choice(25, 2, replace=False)
        better = rng.random() < 1 / (1 + np.exp(-5 * (worth[one] - worth[other]).mean()))
        decided.append(f"plan {one},plan {other},{'first' if better else 'second'}")
    Path("comparisons.csv").write_text("\n".join(decided) + "\n")


def test_answers_become_people_from_whom_a_rule_is_learned(world):
    found = json.loads(
        run("utilities", "features.csv", "answers.csv", "--save", "p.json", "--json").stdout
    )
    assert [row["stakeholder"] for row in found["stakeholders"]] == ["ann", "bo"]
    assert found["answers"] == 300
    people = People.load("p.json")
    assert people.stakeholders == ("ann", "bo")
    learned = json.loads(run("fit", "p.json", "-c", "comparisons.csv", "--json").stdout)
    from welfarist.files import read_comparisons, read_people

    decided = read_comparisons("comparisons.csv", read_people("p.json")).decisions
    assert np.isclose(learned["p"], ComparisonClassifier().fit(decided).p_, atol=1e-9)
    assert any("utilities are estimates" in text for text in learned["caveats"])
    again = Path("p.json").read_bytes()
    people.save("again.json")
    assert np.allclose(People.load("again.json").errors, people.errors)
    run("utilities", "features.csv", "answers.csv", "--save", "p.json", "--json")
    assert Path("p.json").read_bytes() == again


def test_what_is_wrong_is_said_in_a_sentence(world):
    run("utilities", "features.csv", "answers.csv", "--save", "p.json", "--anchor", "1,10")
    assert "people with errors" in refused("fit", "p.json")
    line = ("utilities", "features.csv", "comparisons.csv", "--save", "q.json")
    assert "answers must have columns" in refused(*line)
    line = ("utilities", "features.csv", "answers.csv", "--save", "q.json", "--anchor", "3")
    assert "--anchor must be two numbers" in refused(*line)
    Path("p.json").write_text(Path("p.json").read_text()[:300])
    with pytest.raises(InputError, match="damaged"):
        People.load("p.json")


def test_people_go_through_every_command_or_are_refused(world):
    run("utilities", "features.csv", "answers.csv", "--save", "p.json", "--table", "t.csv")
    assert Path("t.csv").read_text().splitlines()[0] == "action,ann,bo"
    best = People.load("p.json").utilities
    assert np.allclose(np.loadtxt("t.csv", delimiter=",", skiprows=1, usecols=(1, 2)), best, 1e-5)
    run("fit", "p.json", "-c", "comparisons.csv", "--save", "m.json", "--draws", "20")
    ranked = run("rank", "p.json", "--model", "m.json", "--json")
    assert "utilities are estimates" in json.loads(ranked.stdout)["notes"][1]
    judged = json.loads(
        run("judge", "p.json", "plan 1", "plan 2", "--model", "m.json", "--json").stdout
    )
    assert "comes from that stakeholder" in run(
        "judge", "p.json", "plan 1", "plan 2", "--doctrine", "Nash"
    ).stdout  # fmt: skip
    assert 0 < judged["probability_first"] < 1
    said = json.loads(run("recommend", "p.json", "--model", "m.json", "--json").stdout)
    assert said["regret_if_exact"] < said["actions"][0]["regret"]
    compared = run("compare", "p.json", "-c", "comparisons.csv", "--folds", "0")
    assert "are left out" in " ".join(compared.output.split())
    for line in (
        ("allocate", "p.json", "--model", "m.json", "--budget", "3"),
        ("plan", "p.json"),
        ("recommend", "p.json", "--model", "m.json", "--questions", "2"),
    ):
        assert "--table FILE" in refused(*line)


def test_the_charity_goes_from_raw_answers_to_a_recommendation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = (
        "simulate",
        "w",
        "--charity",
        "--answers",
        "60",
        "--actions",
        "60",
        "--decisions",
        "300",
    )
    told = run(*line)
    assert "utilities w/features.csv w/answers.csv --anchor 1,10" in told.output
    assert not Path("w/actions.csv").exists()
    line = (
        "utilities",
        "w/features.csv",
        "w/answers.csv",
        "--anchor",
        "1,10",
        "--save",
        "w/p.json",
    )
    assert "magnitude" not in run(*line).output  # features need not be measured alike
    line = (
        "simulate",
        "w",
        "--charity",
        "--answers",
        "60",
        "--actions",
        "60",
        "--decisions",
        "300",
    )
    groups, kept = ("--groups", "w/groups.csv"), ("--save", "w/m.json", "--draws", "50")
    run("fit", "w/p.json", "-c", "w/comparisons.csv", *groups, *kept)
    run("fit", "w/p.json", "-c", "w/comparisons.csv", *groups, "--report", "w/r.html")
    page = Path("w/r.html").read_text()
    box = page[page.index('class="answer"') :]
    assert "do not tell whether" in box[: box.index("</div>")]
    assert page.count("weight of each in donor") == 2  # beside a fit to exact ones, and on scales
    assert "best 100 x worst" in page
    found = json.loads(run("rank", "w/p.json", "--model", "w/m.json", "--json").stdout)
    assert len(found["actions"]) == 60
    assert "already" in refused(*line)
    run(*line, "--force")
    run("simulate", "w", "--charity", "--actions", "60", "--force")
    assert not Path("w/answers.csv").exists()
    for odd in ("--scores", "--deciders=3"):
        assert "Leave" in refused("simulate", "v", "--charity", "--answers", "5", odd)
    assert "stakeholders of --charity" in refused("simulate", "v", "--answers", "5")


def test_what_is_wrong_is_found_at_its_line_or_left_out(world):
    said = Path("answers.csv").read_text().splitlines()
    odd = [*said[:5], said[5].rsplit(",", 1)[0] + ",maybe", *said[6:]]
    Path("odd.csv").write_text("\n".join(odd) + "\n")
    assert "odd.csv, line 6: choices must be" in refused(
        "utilities", "features.csv", "odd.csv", "--save", "p.json"
    )
    Path("empty.csv").write_text("\n".join([*said[:5], "," + said[5].split(",", 1)[1]]) + "\n")
    line = ("utilities", "features.csv", "empty.csv", "--save", "p.json")
    assert "--drop-missing" in refused(*line)
    assert not Path("p.json").exists()
    assert "1 of 5 answers were left out" in run(*line, "--drop-missing").output
    plans = Path("features.csv").read_text().splitlines()
    Path("gaps.csv").write_text("\n".join([*plans[:-1], plans[-1].rsplit(",", 1)[0] + ","]) + "\n")
    line = ("utilities", "gaps.csv", "answers.csv", "--save", "p.json")
    assert "features must be complete" in refused(*line)
    assert "actions that were left out" in run(*line, "--drop-missing").output

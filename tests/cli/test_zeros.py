"""Tables with zeros, gaps and strangers, from the command line: no dead ends."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import welfarist as wf
from welfarist.cli.app import app

ACTIONS = 25


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A survey from 0 to 10, whose decisions name some actions that are not in its table."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    answers = rng.integers(0, 11, (ACTIONS, 3)).astype(float)
    names = [f"action {i}" for i in range(ACTIONS)]
    table = pl.DataFrame({"action": names, "ward": ["North", "South"] * 12 + ["East"]})
    people = pl.DataFrame(answers, schema=["old", "young", "poor"])
    pl.concat([table, people], how="horizontal").write_csv("actions.csv")
    pairs = rng.permuted(np.tile(np.arange(ACTIONS), (300, 1)), axis=1)[:, :2]
    truth = wf.WelfareFunction(-1, [0.5, 0.3, 0.2], shift=1)
    margin = 8 * (truth.log(answers[pairs[:, 0]]) - truth.log(answers[pairs[:, 1]]))
    first = rng.random(300) < 1 / (1 + np.exp(-margin))
    chosen = np.where(first, pairs[:, 0], pairs[:, 1])
    other = np.where(first, pairs[:, 1], pairs[:, 0])
    decided = {"preferred": [names[i] for i in chosen], "other": [names[i] for i in other]}
    pl.DataFrame(decided).write_csv("decisions.csv")
    return tmp_path


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


FILES = ("actions.csv", "-c", "decisions.csv")


def test_compare_leaves_out_what_zeros_exclude():
    done = run("compare", *FILES, "--folds", "0")
    said = " ".join(done.stdout.split())
    assert "Left out egalitarian, harmonic and Nash" in said
    assert "(such as --shift 1)" in said
    assert "utilitarian" in said
    found = json.loads(run("compare", *FILES, "--folds", "0", "--shift", "1", "--json").stdout)
    assert len(found["rows"]) == 6
    assert not any("Left out" in note for note in found["notes"])


def test_advice_about_zeros_leads_somewhere():
    said = " ".join(run("fit", *FILES, "--no-intervals").stdout.split())
    assert "add a constant to every utility (such as --shift 1)" in said
    assert "take those actions out of the table and say --drop-unknown" in said
    table = pl.read_csv("actions.csv")
    kept = table.filter(pl.min_horizontal("old", "young", "poor") > 0)
    assert len(kept) < len(table)
    kept.write_csv("kept.csv")
    done = run("fit", "kept.csv", "-c", "decisions.csv", "--no-intervals", code=1)
    assert "--drop-unknown" in done.stderr
    done = run("fit", "kept.csv", "-c", "decisions.csv", "--no-intervals", "--drop-unknown")
    assert "comparisons were left out, which name actions" in done.stderr
    assert "utility is 0" not in done.stdout
    said = run("fit", *FILES, "--p", "Nash", "--no-intervals", code=1).stderr
    assert "Learn p, add a constant to every utility (such as --shift 1)" in said


def test_a_shift_goes_from_fit_to_model_to_rank_and_judge(folder):
    done = run("fit", *FILES, "--shift", "1", "--save", "model.json", "--report", "report.html")
    assert "1 was added to every utility" in done.stdout
    assert "added to every utility" in (folder / "report.html").read_text()
    assert json.loads((folder / "model.json").read_text())["shift"] == 1
    model = wf.load_model("model.json")
    ranked = json.loads(run("rank", "actions.csv", "--model", "model.json", "--json").stdout)
    table = pl.read_csv("actions.csv")
    order = model.welfare.rank(table.select("old", "young", "poor").to_numpy())
    assert [row["action"] for row in ranked["actions"]] == [table["action"][int(i)] for i in order]
    assert "1 added to every utility" in ranked["rule"]
    judged = run("judge", "actions.csv", "action 1", "action 2", "--model", "model.json")
    assert "1 added to every utility" in judged.stdout
    nash = run("rank", "actions.csv", "--doctrine", "Nash", "--shift", "0.5", "--top", "1")
    assert "0.5 added to every utility" in nash.stdout
    for shift in ("1", "0"):
        again = ("rank", "actions.csv", "--model", "model.json", "--shift", shift)
        assert "--shift goes with" in run(*again, code=2).stderr


def test_the_table_of_shifts(folder):
    done = run("fit", *FILES, "--weights", "equal", "--shift", "1", "--shift-table")
    assert "With a constant added to every utility" in done.stdout
    found = json.loads(
        run("fit", *FILES, "--weights", "equal", "--shift", "1", "--shift-table", "--json").stdout
    )
    powers = {row["shift"]: row["p"] for row in found["shifts"]}
    assert set(powers) == {0, 0.1, 1, 2, 5, 10}
    assert powers[1] == found["p"]
    assert found["shift"] == 1


def test_negative_utilities_are_lifted(folder):
    text = (folder / "actions.csv").read_text()
    table = pl.read_csv("actions.csv").with_columns(pl.col("old", "young", "poor") - 5)
    table.write_csv("actions.csv")
    refused = run("fit", *FILES, code=1).stderr
    assert "--shift NUMBER" in refused
    lifted = json.loads(run("fit", *FILES, "--shift", "6", "--json", "--no-intervals").stdout)
    (folder / "actions.csv").write_text(text)
    plain = json.loads(run("fit", *FILES, "--shift", "1", "--json", "--no-intervals").stdout)
    assert lifted["p"] == pytest.approx(plain["p"])
    assert run("fit", *FILES, "--shift", "-2", code=1).exit_code == 1


def test_gaps_are_left_out(folder):
    text = (folder / "actions.csv").read_text().splitlines()
    text[3] = ",".join([*text[3].split(",")[:-1], "n/a"])
    (folder / "actions.csv").write_text("\n".join(text) + "\n")
    assert "--drop-missing" in run("fit", *FILES, code=1).stderr
    done = run("fit", *FILES, "--drop-missing", "--no-intervals")
    assert "1 of 25 actions were left out" in done.stderr
    assert "comparisons were left out" in done.stderr
    done = run("rank", "actions.csv", "--doctrine", "utilitarian", "--drop-missing")
    assert "24 actions" in done.stdout


# Workbooks, encodings and columns


def test_sheets_of_one_workbook():
    import xlsxwriter

    book = xlsxwriter.Workbook("book.xlsx")
    for name in ("actions", "decisions"):
        sheet = book.add_worksheet(name)
        rows = pl.read_csv(f"{name}.csv")
        sheet.write_row(0, 0, rows.columns)
        for number, row in enumerate(rows.rows(), start=1):
            sheet.write_row(number, 0, row)
    book.close()
    named = ("fit", "book.xlsx:actions", "-c", "book.xlsx:decisions", "--no-intervals")
    done = run(*named)
    assert done.stdout == run("fit", *FILES, "--no-intervals").stdout
    assert "--sheet is for workbooks that are named without" in run(
        *named, "--sheet", "actions", code=2
    ).stderr.replace("\n", " ")
    assert "would replace" in run(*named, "--save", "book.xlsx", code=2).stderr


def test_encodings(folder):
    text = (folder / "actions.csv").read_text().replace("North", "Nörd").replace("old", "ält")
    (folder / "actions.csv").write_text(text, encoding="cp1252")
    assert "--encoding windows-1252" in run("fit", *FILES, code=1).stderr
    told = ("--encoding", "windows-1252", "--no-intervals")
    assert "weight of ält" in run("fit", *FILES, *told).stdout
    weights = folder / "weights.csv"
    weights.write_text("stakeholder,weight\nält,1\nyoung,1\npoor,2\n", encoding="cp1252")
    assert "given" in run("fit", *FILES, *told, "--weights", "weights.csv").stdout
    rank = ("rank", "actions.csv", "--p", "1", "--weights", "weights.csv")
    assert "25 actions" in run(*rank, "--encoding", "windows-1252").stdout


def test_texts_are_left_out_with_a_note():
    done = run("rank", "actions.csv", "--doctrine", "utilitarian")
    assert "left out 'ward', because it holds texts" in done.stderr


def test_a_model_minds_no_column_that_it_never_knew():
    run("fit", *FILES, "--save", "model.json", "--no-intervals")
    rank = ("rank", "actions.csv", "--model", "model.json", "--ignore")
    assert "ward" not in run(*rank, "ward").stderr
    assert run(*rank, "nothing").exit_code == 0
    assert "--ignore must not name a stakeholder of the model; found 'old'" in run(
        *rank, "old", code=2
    ).stderr.replace("\n", " ")


# What is wrong with a command whatever the data are


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--weights", "equal", "--groups", "g=old,young;h=poor"), "--groups says how"),
        (("--rho", "0.1"), "--rho is the flip probability of --noise flip"),
        (("--noise", "none", "--prior", "2"), "--prior needs a likelihood"),
        (("--noise", "none", "--solver", "grid"), "--solver exact goes with --noise none"),
        (("--solver", "exact"), "found --solver exact with --noise logistic"),
        (("--method", "profile", "--covariance", "robust"), "--method profile takes decisions"),
        (("--name", "action", "--numbered"), "--name and --numbered exclude each other"),
        (("--stakeholders", "old,old"), "--stakeholders must name columns of their own"),
        (("--preferred", "other", "--other", "other"), "every column must have one meaning"),
        (("--first-label", "A"), "--first-label is for a column that tells the choice"),
        (("--weights", "old=0,young=0,poor=0"), "found only zeros"),
        (("--encoding", "klingon"), "must be the name of an encoding"),
        (("--shift", "inf"), "must be a finite number"),
        (("--encoding", "utf-8", "--drop-unknown", "--wide"), "not several"),
    ],
)
def test_mistakes_in_the_command_exit_with_2(options, said):
    done = run("fit", *FILES, *options, code=2)
    assert said in done.stderr.replace("\n", " ")
    assert done.stdout == ""


def test_too_many_decisions_are_a_mistake_in_the_command():
    said = run("plan", "--decisions", "100000000000", code=2).stderr
    assert "--decisions must be at most 10,000,000" in said.replace("\n", " ")
    assert "--first and --second belong together" in run(
        "fit", "actions.csv", "--wide", "--first", "old", code=2
    ).stderr.replace("\n", " ")


def test_a_plan_reads_tables_like_the_others():
    few = ("--decisions", "50", "--repetitions", "2")
    done = run("plan", "actions.csv", *few, "--shift", "1")
    assert "left out 'ward', because it holds texts" in done.stderr
    assert "utilities from 1 to 11" in done.stdout
    run("fit", *FILES, "--shift", "2", "--save", "model.json", "--no-intervals")
    done = run("plan", "actions.csv", "--model", "model.json", *few, "--ignore", "ward")
    assert "utilities from 2 to 12" in done.stdout
    for wrong in (("--shift", "1"), ("actions.csv", "--model", "model.json", "--shift", "1")):
        assert "--shift" in run("plan", *wrong, *few, code=2).stderr


def test_shares_of_a_product_of_zero_are_left_blank(folder):
    (folder / "few.csv").write_text("action,a,b\nx,0,4\ny,2,2\nz,0,0\n")
    nash = ("--doctrine", "Nash")
    done = run("rank", "few.csv", *nash)
    assert done.stdout.count("%") == 2
    said = " ".join(done.stderr.split())
    assert "2 of 3 actions give somebody 0" in said
    assert (
        "left blank. To tell them apart add a constant to every utility (such as --shift 1)" in said
    )
    found = json.loads(run("rank", "few.csv", *nash, "--json").stdout)
    shares = {row["action"]: row["shares"] for row in found["actions"]}
    assert shares == {
        "x": {"a": None, "b": None},
        "y": {"a": 0.5, "b": 0.5},
        "z": {"a": None, "b": None},
    }
    assert run("judge", "few.csv", "x", "y", *nash).stdout.count("%") == 2
    assert "left blank" not in run("rank", "few.csv", *nash, "--shift", "1").stderr
    assert run("rank", "few.csv", "--doctrine", "egalitarian").stdout.count("%") == 6


def test_nothing_chosen_over_something_is_refused_and_named(folder):
    table = pl.read_csv("actions.csv")
    nothing = table.head(1).with_columns(
        pl.lit("do nothing").alias("action"),
        *(pl.lit(0.0).alias(who) for who in ("old", "young", "poor")),
    )
    pl.concat([table, nothing]).write_csv("actions.csv")
    with (folder / "decisions.csv").open("a") as file:
        file.write("do nothing,action 3\n")
    refused = " ".join(run("fit", *FILES, "--report", "report.html", code=1).stderr.split())
    assert "'do nothing' over 'action 3'" in refused
    assert "--shift 1" in refused
    assert "--noise lapse" in refused
    assert not (folder / "report.html").exists()
    found = json.loads(run("fit", *FILES, "--noise", "lapse", "--no-intervals", "--json").stdout)
    assert 0 < found["rho"] < 0.5
    assert found["loss"] < 1

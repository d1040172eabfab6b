"""Several decision makers on the command line: fit --each and --types, rank and judge by them."""

from __future__ import annotations

import csv
import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

import welfarist as wf
from tests.deciders.small_panels import small_panel
from welfarist.cli.app import app

NAMES = ["=cmd()", "Müller, Jörg", "112010050603", "007", "-5", '"q"', "[b]", "日本"]
FILES = ("actions.csv", "-c", "d.csv", "--by", "who decided")
EACH = ("--each", "--nodes", "1024", "--allow-unconverged")
TYPES = ("--types", "2", "--no-population", "--starts", "3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("deciders")
    panel = small_panel(len(NAMES), 25)
    write(place / "actions.csv", ["action", "staff", "patients"], panel.utilities, number=True)
    who = dict(zip(np.unique(panel.by), NAMES, strict=True))
    rows = [
        [f"a{i}", f"a{j}", who[by]] if outcome > 0 else [f"a{j}", f"a{i}", who[by]]
        for (i, j), outcome, by in zip(panel.pairs, panel.outcomes, panel.by, strict=True)
    ]
    write(place / "d.csv", ["preferred", "other", "who decided"], rows)
    known = [[name, 20 + i * i, "women" if i % 3 else "men"] for i, name in enumerate(NAMES)]
    write(place / "people.csv", ["who decided", "age", "group"], known)
    rows[3][2] = ""
    write(place / "gap.csv", ["preferred", "other", "who decided"], rows)
    os.chdir(place)
    run("fit", *FILES, *TYPES, "--save", "types.json")
    run("fit", *FILES, *EACH, "--save", "each.json", "--individuals", "each.csv")
    return place


def write(path, header, rows, *, number=False):
    with open(path, "w", newline="", encoding="utf-8") as file:
        made = csv.writer(file)
        made.writerow(header)
        made.writerows([f"a{i}", *row] if number else row for i, row in enumerate(rows))


@pytest.fixture(autouse=True)
def _in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_types_are_told_with_everybody_in_a_table():
    done = run("fit", *FILES, *TYPES, "--individuals", "i.csv", "--latex", "t.tex")
    assert "200 decisions of 8 people" in done.stdout
    assert "type 2" in done.stdout
    assert "2 types " in done.stdout
    assert "Individuals: i.csv" in done.stderr
    rows = rows_of("i.csv")
    assert list(rows[0]) == ["who", "type", "chance of type 1", "chance of type 2"]
    assert {row["who"] for row in rows} == {"'=cmd()", "'-5", *NAMES} - {"=cmd()", "-5"}
    best = [max((1, 2), key=lambda k: float(row[f"chance of type {k}"])) for row in rows]
    assert [int(row["type"]) for row in rows] == best
    with open("t.tex", encoding="utf-8") as file:
        assert file.read().count(r"\begin{table}") == 2


def test_json_is_the_result_of_the_learner():
    record = json.loads(run("fit", *FILES, *TYPES, "--json", "--level", "0.9").stdout)
    model = wf.load_model("types.json")
    assert [one["p"] for one in record["types"]] == [one.p for one in model.types]
    assert set(record["membership"]) == set(NAMES)
    assert record["level"] == 0.9
    assert record["people"] == 8


def test_everybody_has_a_row_and_the_model_the_same_numbers():
    rows, model = rows_of("each.csv"), wf.load_model("each.json")
    assert [row["decisions"] for row in rows] == ["25"] * 8
    assert set(model.deciders) == set(NAMES)
    assert [float(row["p"]) for row in rows] == model.individuals()["p"].to_list()
    # Pairs of types are far apart: people of one kind have more weight on the staff.
    weight = {row["who"]: float(row["weight of staff"]) for row in rows}
    assert weight["'=cmd()"] > weight["Müller, Jörg"]


def test_a_second_run_replaces_the_first_whole():
    with open("again.csv", "w", encoding="utf-8") as file:
        file.write("x" * 100_000)
    run("fit", *FILES, *TYPES, "--individuals", "again.csv")
    assert len(rows_of("again.csv")) == 8


def test_groups_are_tested():
    known = ("--deciders", "people.csv", "--test-same", "women,men", "--test-same", "age")
    done = run("fit", *FILES, *TYPES, *known)
    assert "Null: women and men belong to the types alike" in done.stdout
    assert "Null: age says nothing" in done.stdout
    assert "the names are in the column 'who decided'" in done.stderr
    record = json.loads(run("fit", *FILES, *TYPES, *known[:4], "--json").stdout)
    [test] = record["tests"]
    assert test["degrees"] == 1
    assert 0 <= test["p_value"] <= 1


def test_types_can_be_doctrines():
    told = ("--types", "utilitarian,-inf,learn", "--no-population", "--starts", "2", "--json")
    record = json.loads(run("fit", *FILES, *told).stdout)
    assert sorted(one["given"] for one in record["types"]) == [False, True, True]
    assert 1.0 in [one["p"] for one in record["types"]]


REFUSED = [
    (("--each", "--types", "2"), "found both"),
    (("--each", "--covariance", "robust"), "found --covariance robust"),
    (("--types", "2", "--method", "profile"), "--method is not for --types"),
    (("--types", "2", "--nodes", "1024"), "--nodes is not for --types"),
    (("--each", "--starts", "3"), "--starts has no effect with --each"),
    (("--types", "2", "--solver", "grid"), "--solver has no effect with --types"),
    (("--each", "--no-intervals"), "--no-intervals is not for --each"),
    (("--each", "--no-population"), "--no-population is not for --each"),
    (("--each", "--noise", "none"), "it counts errors"),
    (("--each", "--prior", "2"), "--prior is for one rule"),
    (("--each", "--shift-table"), "--shift-table is not for --each"),
    (("--types", "0"), "how many types, such as 3"),
    (("--types", "2.5"), "how many types, such as 3"),
    (("--types", "utilitarain,learn"), "Did you mean 'utilitarian'?"),
    (("--nodes", "1024"), "give --each or --types as well"),
    (("--individuals", "x.csv"), "give --each or --types as well"),
    (("--types", "2", "--test-same", "a,b"), "give --deciders FILE as well"),
    (("--types", "2", "--individuals", "d.csv"), "would replace d.csv"),
    (("--types", "2", "--save", "x", "--individuals", "x"), "must name different files"),
    (("--each", "--title", "x"), "--title is for a report"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_options_that_do_not_go_together(options, said):
    done = run("fit", *FILES, *options, code=2)
    assert said in " ".join(done.stderr.split())
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("actions.csv", "-c", "d.csv", "--each"), 1, "Name it with --by COLUMN"),
        (("actions.csv", "--score", "staff", "--each"), 2, "found --score"),
        (("actions.csv", "-c", ".", "--each"), 2, "found a folder of Parquet files"),
        (("actions.csv", "-c", "gap.csv", "--by", "who decided", "--each"), 1, "gap.csv, line 5"),
        ((*FILES, "--types", "9"), 1, "found 9 types and 8 people"),
        ((*FILES, *TYPES, "--deciders", "d.csv"), 1, "decision makers must have one row each"),
        (
            (*FILES, *TYPES, "--deciders", "people.csv", "--test-same", "women,dogs"),
            1,
            "--test-same must name a column",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments, code, said):
    done = run("fit", *arguments, code=code)
    last = [line for line in done.stderr.splitlines() if line.startswith("Error")]
    assert len(last) == 1
    assert said in last[0]


def test_warnings_are_notes_of_the_answer(recwarn):
    told = ("--types", "4", "--no-population", "--starts", "2", "--allow-unconverged")
    done = run("fit", *FILES, *told)
    record = json.loads(run("fit", *FILES, *told, "--json").stdout)
    assert len(recwarn) == 0
    assert record["caveats"]
    for caveat in record["caveats"]:
        assert caveat in " ".join(done.stdout.split())


def test_an_unconverged_search_is_no_answer(monkeypatch):
    from welfarist.deciders.types_result import TypesResult

    monkeypatch.setattr(TypesResult, "converged", property(lambda _: False))
    before = sorted(os.listdir())
    done = run("fit", *FILES, *TYPES, "--save", "no.json", "--individuals", "no.csv", code=1)
    assert "Nothing was written" in done.stderr
    assert sorted(os.listdir()) == before
    done = run("fit", *FILES, *TYPES, "--allow-unconverged")
    assert done.stdout.startswith("Warning: ")


def test_who_stops_a_fit_finds_nothing_half_written(monkeypatch):
    def stopped(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("welfarist.app.deciding.write_together", stopped)
    before = sorted(os.listdir())
    done = run("fit", *FILES, *TYPES, "--save", "no.json", "--individuals", "no.csv", code=130)
    assert done.stdout == ""
    assert "Interrupted." in done.stderr
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("way", [TYPES, EACH])
def test_a_report_says_what_was_said(way):
    told = ("--report", "r.html", "--title", "Ours & theirs", "--note", "A note.", "--level", "0.8")
    run("fit", *FILES, *way, "--deciders", "people.csv", *told)
    with open("r.html", encoding="utf-8") as file:
        page = file.read()
    assert "Ours &amp; theirs" in page
    assert "A note." in page
    assert "80%" in page
    for name in ("actions.csv", "d.csv", "people.csv"):
        assert name in page
    assert "/" + "tmp" not in page


# --- rank and judge ---


def test_actions_are_ranked_by_every_type_side_by_side():
    record = json.loads(run("rank", "actions.csv", "--model", "types.json", "--json").stdout)
    model, table = wf.load_model("types.json"), small_panel(len(NAMES), 25).utilities
    assert len(record["actions"]) == 40
    order = [int(one["action"][1:]) for one in record["actions"]]
    for k, kind in enumerate(model.types):
        welfare = np.array([one["types"][k]["welfare"] for one in record["actions"]])
        np.testing.assert_allclose(welfare, kind(table)[order], rtol=1e-12)
        places = [one["types"][k]["place"] for one in record["actions"]]
        assert [order[i] for i in np.argsort(places)] == kind.rank(table).tolist()
    average = [one["average_place"] for one in record["actions"]]
    assert average == sorted(average)
    shares = [kind.share for kind in model.types]
    first = record["actions"][0]
    places = [one["place"] for one in first["types"]]
    assert first["average_place"] == pytest.approx(np.dot(shares, places))
    assert sum(one["best_for"] for one in record["actions"]) == pytest.approx(1)
    done = run("rank", "actions.csv", "--model", "types.json", "--top", "3")
    assert "order: by the average place, over people" in done.stdout
    assert len([line for line in done.stdout.splitlines() if " a" in line and "(" in line]) >= 3


@pytest.mark.parametrize("model", ["types.json", "each.json"])
def test_a_person_is_asked_by_name(model):
    saved, table = wf.load_model(model), small_panel(len(NAMES), 25).utilities
    told = ("actions.csv", "a3", "a7", "--model", model, "--who", "Müller, Jörg", "--json")
    record = json.loads(run("judge", *told).stdout)
    chance = saved.chances(table[3], table[7], "Müller, Jörg")[0]
    assert record["probability_first"] == pytest.approx(chance)
    share = saved.agreeing(table[3], table[7], "Müller, Jörg")[0]
    assert record["share_first"] == pytest.approx(share)
    new = json.loads(run("judge", *told[:5], "--json").stdout)
    assert new["share_first"] == pytest.approx(saved.agreeing(table[3], table[7])[0])
    done = run("rank", "actions.csv", "--model", model, "--who", "007", "--top", "2")
    assert "007" in done.stdout
    assert run("judge", *told[:-1]).stdout.count("Müller, Jörg") >= 2


def test_the_next_is_beaten_as_the_model_says():
    record = json.loads(run("rank", "actions.csv", "--model", "each.json", "--json").stdout)
    saved, table = wf.load_model("each.json"), small_panel(len(NAMES), 25).utilities
    one, other = (int(record["actions"][i]["action"][1:]) for i in (0, 1))
    chance = saved.chances(table[one], table[other])[0]
    assert record["actions"][0]["preferred_to_next"] == pytest.approx(chance)
    assert record["actions"][-1]["preferred_to_next"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("rank", "actions.csv", "--model", "types.json", "--who", "008"), 1, "mean '007'"),
        (("rank", "actions.csv", "--doctrine", "Nash", "--who", "007"), 2, "--each or --types"),
        (("judge", "actions.csv", "a1", "b", "--model", "each.json"), 1, "no action 'b'"),
        (("rank", "actions.csv", "--model", "types.json", "--shift", "1"), 2, "has its own"),
        (("rank", "people.csv", "--model", "types.json"), 1, "'staff'"),
    ],
)
def test_what_cannot_be_asked(arguments, code, said):
    done = run(*arguments, code=code)
    assert said in " ".join(done.stderr.split())

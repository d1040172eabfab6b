"""Participatory budgets as files, in the form of pabulib.org."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from welfarist.base.errors import InputError
from welfarist.cli.app import app
from welfarist.files.pabulib import read_pabulib

TEXT = """META
key;value
description;A made-up town
num_projects;3
num_votes;4
budget;100
vote_type;approval
PROJECTS
project_id;cost;name
7;60;"Park; the old one"
8;40;Lamps
9;50;Bench
VOTES
voter_id;sex;vote
1;F;7,8
2;M;8
3;F;9,7
4;M;
"""
POINTS = TEXT.replace("approval", "cumulative").replace("sex;vote", "sex;vote;points")
POINTS = POINTS.replace("7,8\n", "7,8;3,1\n").replace("M;8\n", "M;8;4\n")
POINTS = POINTS.replace("9,7\n", "9,7;2,2\n").replace("M;\n", "M;;\n")


def _file(tmp_path, text=TEXT):
    path = tmp_path / "town.pb"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_is_read_as_it_stands(tmp_path):
    found = read_pabulib(_file(tmp_path))
    assert found.budget == 100
    assert found.names == ("Park; the old one", "Lamps", "Bench")
    assert found.votes == ((0, 1), (1,), (2, 0), ())
    gains, groups = found.gains("count", "sex")
    assert groups == ("F", "M")
    assert gains.tolist() == [[1.0, 0.0], [0.5, 0.5], [0.5, 0.0]]
    assert found.gains("cost")[0][:, 0].tolist() == [60.0, 40.0, 0.0]
    with pytest.raises(InputError, match="approval votes are worth must be one of count, cost"):
        found.gains("points")


def test_points_and_places_are_worth_what_is_said(tmp_path):
    found = read_pabulib(_file(tmp_path, POINTS))
    assert found.gains("points")[0].T.tolist() == [[3, 1, 0], [0, 4, 0], [2, 0, 2], [0, 0, 0]]
    ordered = read_pabulib(_file(tmp_path, TEXT.replace("approval", "ordinal")))
    assert ordered.gains("places")[0].T.tolist() == [[2, 1, 0], [0, 2, 0], [1, 0, 2], [0, 0, 0]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("META\n", "", "line 1: a participatory budget must begin with META"),
        ("VOTES\n", "", "found no VOTES|at most 3 cells"),
        (";60;", ";-60;", "line 10: cost must be a number from 0 on; found '-60'"),
        ("7,8\n", "7,12\n", "line 15: a vote must name projects of the file, each once; .*'12'"),
        ("budget;100", "budget;lots", "line 6: budget must be a number"),
        ("budget;100", "budget;1,000", "line 6: .* clear whether the comma .* '1,000'"),
        (";40;", ";1,040;", "line 11: .* clear whether the comma .* '1,040'"),
        ("\n2;M", "\n1;M", "a voter_id must stand once; found '1' twice"),
        ("\n9;50", "\n8;50", "a project_id must stand once"),
        ("project_id;cost", "project_id;price", "found no column cost"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, old, new, message):
    with pytest.raises(InputError, match=message):
        read_pabulib(_file(tmp_path, TEXT.replace(old, new, 1)))


def test_a_budget_is_allocated_from_a_file(tmp_path):
    pytest.importorskip("clarabel", reason="shares of a budget need the extra allocate")
    ask = ["allocate", _file(tmp_path), "--doctrine", "Nash", "--baseline", "1", "--whole"]
    refused = CliRunner().invoke(app, ask)
    assert refused.exit_code == 2
    assert "--satisfaction" in refused.output
    votes = ["--satisfaction", "count", "--voter-groups", "sex", "--boards"]
    done = CliRunner().invoke(app, [*ask, *votes, "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["spent"] == 100
    assert set(said["boards"]) == {"this rule", "utilitarian", "Nash", "egalitarian"}
    table = tmp_path / "projects.csv"
    table.write_text("project,cost,old,young\npark,60,3,1\nlamps,40,1,2\nbench,50,1,1\n")
    plain = ["allocate", str(table), "--p", "0.5", "--budget", "100", "--boards"]
    shown = CliRunner().invoke(app, plain)
    assert shown.exit_code == 0, shown.output
    assert "park" in shown.stdout


def test_cells_of_many_lines_and_points_that_are_not_there(tmp_path):
    broken = TEXT.replace("Lamps", '"Lamps\nand\u2028benches"')
    found = read_pabulib(_file(tmp_path, broken))
    assert found.names[1] == "Lamps\nand\u2028benches"
    assert found.votes[2] == (2, 0)
    without = read_pabulib(_file(tmp_path, TEXT.replace("approval", "scoring")))
    with pytest.raises(InputError, match="a column points of VOTES; found none"):
        without.gains("points")

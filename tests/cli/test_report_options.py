"""What whoever types a command adds to the report."""

from __future__ import annotations

import datetime
import sys

import pytest
from typer.testing import CliRunner

from tests.show.test_report import Reader
from welfarist.cli.app import app

ACTIONS = "action,a,b\nx,1,4\ny,9,1\nz,4,4\nv,2,8\nw,1,9\nu,3,3\nt,5,2\ns,2,6\n"
SCORES = [2.1, 3.0, 4.0, 3.9, 3.0, 3.1, 3.3, 3.5]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    head, *rows = ACTIONS.splitlines()
    lines = [f"{row},{score}" for row, score in zip(rows, SCORES, strict=True)]
    (tmp_path / "data" / "scores.csv").write_text("\n".join([f"{head},score", *lines]) + "\n")
    (tmp_path / "w.csv").write_text("stakeholder,weight\na,1\nb,2\n")


def run(*arguments, code=0, **options):
    done = CliRunner().invoke(app, ["fit", *arguments], **options)
    assert done.exit_code == code, done.output
    return done


def report(*options):
    run("data/scores.csv", "--score", "score", "--report", "r.html", *options)
    with open("r.html", encoding="utf-8") as file:
        return Reader(file.read()).text


def test_title_note_unit_and_date():
    said = report(
        "--title", "Who <counts>?", "--note", "For the council.", "--unit", "points", "--date",
        "2026-01-31",
    )  # fmt: skip
    for text in ("Who <counts>?", "For the council.", "31 January 2026", "unit of utility points"):
        assert text in said


def test_the_names_of_the_files_without_their_folders():
    assert "data file scores.csv" in report()
    assert "data files scores.csv and w.csv" in report("--weights", "w.csv")
    assert "data file scores.csv" in report("--weights", "a=1,b=2")
    with open("data/scores.csv", encoding="utf-8") as file:
        text = file.read()
    run("-", "--score", "score", "--report", "r.html", input=text)
    with open("r.html", encoding="utf-8") as file:
        assert "standard input" in file.read()


def test_what_was_left_out_when_files_were_read_is_in_the_report():
    with open("data/scores.csv", "a", encoding="utf-8") as file:
        file.write("r,,4,3.5\n")
    said = report("--drop-missing")
    assert "When the data were read:" in said
    assert "1 of 9 actions were left out, in which something is missing." in said
    assert "data/" not in said


def test_columns_of_another_magnitude_are_in_the_report_in_plain_words():
    with open("data/scores.csv", encoding="utf-8") as file:
        head, *rows = file.read().splitlines()
    lines = [f"{head},year", *(f"{row},{2000 + i}" for i, row in enumerate(rows))]
    with open("data/scores.csv", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    said = report()
    assert "'year' is of another magnitude than the other columns." in said
    assert "ignore" not in said


def test_reports_are_the_same_whenever_they_are_made():
    assert report() == report()
    assert str(datetime.date.today().year) in report("--date", "today")


@pytest.mark.parametrize("option", ["--title", "--note", "--unit", "--date"])
def test_without_a_report_they_are_a_mistake(option):
    value = "today" if option == "--date" else "text"
    done = run("data/scores.csv", "--score", "score", option, value, code=2)
    assert f"{option} is for a report" in done.stderr


@pytest.mark.parametrize("day", ["31.1.2026", "2026-02-30", "20260131", "2026-W01-1", "tomorrow"])
def test_what_is_no_day_is_refused(day):
    done = run("data/scores.csv", "--score", "score", "--report", "r", "--date", day, code=2)
    assert "2026-01-31, or today" in " ".join(done.stderr.replace("│", "").split())


def test_whoever_makes_it_is_told_what_brings_figures(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("data/scores.csv", "--score", "score", "--report", "r.html")
    assert "Note: the report has no figures" in done.stderr
    assert 'pip install "welfarist[plots]"' in done.stderr
    with open("r.html", encoding="utf-8") as file:
        assert "pip install" not in file.read()

"""Hostile names from a file to every answer: terminal, JSON, report, LaTeX, model, CSV."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

import welfarist as wf
from tests.base.test_inert import unseen
from welfarist.app.simulating import Simulated, tables_of
from welfarist.base.inert import in_csv
from welfarist.cli.app import app
from welfarist.files import read_actions, read_comparisons

# As a file can hold them: without blanks around them.
PEOPLE = [
    "=cmd|' /C calc'!A0", "\x1b]0;title\x07<script>alert(1)</script>", "$x$ \\input{a} to inf",
    "[red]\u202egnp\x9b31m two\nlines", "@" + "n" * 10_000,
]  # fmt: skip
ACTIONS = [
    *PEOPLE, "-1+2", "+3", "'=4", "pan\u200btry", "pantry", '"quoted", & <b>', "50% #1_{~^}",
    "]]>", "$", "x to inf", "inf",
]  # fmt: skip
PLAIN = [f"action {i}" for i in range(len(ACTIONS))]
HOSTILE_FILE = "\x1b[31m=a.csv"


def written(path, names, people, utilities, scores):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", *map(in_csv, people), "score"])
        rows = zip(names, utilities, scores, strict=True)
        writer.writerows([in_csv(name), *row, score] for name, row, score in rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("names")
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 10, (len(ACTIONS), len(PEOPLE)))
    scores = wf.WelfareFunction(0.5)(table) + rng.normal(0, 0.05, len(ACTIONS))
    written(place / HOSTILE_FILE, ACTIONS, PEOPLE, table, scores)
    written(place / "plain.csv", PLAIN, ["p0", "p1", "p2", "p3", "p4"], table, scores)
    return place


@pytest.fixture(autouse=True)
def _in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    assert not unseen(done.stdout.replace("\n", ""))
    assert not unseen(done.stderr.replace("\n", ""))
    return done


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.marks: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.marks.append(f"{tag} {sorted(name for name, _ in attrs)}")


@pytest.fixture(scope="module")
def learned(folder):
    """What a fit with hostile names and one with plain ones print and write."""
    files = {}
    for file, title in ((HOSTILE_FILE, '</title><script>"'), ("plain.csv", "title")):
        options = ("--weights", "equal", "--title", title, "--note", title, "--unit", title)
        paths = [folder / name for name in ("m.json", "r.html", "t.tex")]
        targets = ("--save", str(paths[0]), "--report", str(paths[1]), "--latex", str(paths[2]))
        done = run("fit", str(folder / file), "--score", "score", *options, *targets)
        texts = [path.read_text(encoding="utf-8") for path in paths]
        files[file] = (done, *texts)
    return files


def test_a_report_has_the_same_tags_whatever_the_names(learned):
    hostile, plain = (Page(learned[file][2]) for file in (HOSTILE_FILE, "plain.csv"))
    assert set(hostile.marks) == set(plain.marks)
    assert len(hostile.marks) == len(plain.marks)
    assert not unseen(learned[HOSTILE_FILE][2].replace("\n", ""))


def test_a_model_keeps_the_names(folder, learned, tmp_path):
    model = tmp_path / "m.json"
    model.write_text(learned[HOSTILE_FILE][1], encoding="utf-8")
    assert list(wf.load_model(model).welfare.stakeholders) == PEOPLE
    found = json.loads(run("rank", HOSTILE_FILE, "--model", str(model), "--json").stdout)
    assert {row["action"] for row in found["actions"]} == set(ACTIONS)
    assert list(found["actions"][0]["shares"]) == PEOPLE
    for name in ACTIONS[:8]:
        options = ("--model", str(model), "--json", "--")  # a name may begin as an option does
        judged = run("judge", *options, HOSTILE_FILE, name, "pantry")
        assert json.loads(judged.stdout)["actions"][0]["action"] == name


def test_latex_gets_no_commands(learned):
    made = learned[HOSTILE_FILE][3]
    assert r"\$x\$ \textbackslash{}input\{a\} to inf" in made
    allowed = set(re.findall(r"\\[a-zA-Z]+", learned["plain.csv"][3]))
    letters = {r"\textbackslash", r"\textless", r"\textgreater", r"\textbar", r"\char"}
    assert set(re.findall(r"\\[a-zA-Z]+", made)) <= allowed | letters


def test_tables_and_messages(learned):
    assert r"\u001b]0;title\u0007<script>" in learned[HOSTILE_FILE][0].stdout
    shown = run("rank", HOSTILE_FILE, "--p", "1").stdout
    assert r"[red]\u202egnp\u009b31m two lines" in shown
    assert sum("pantry" in line for line in shown.splitlines()) == 1  # the other looks different
    run("judge", HOSTILE_FILE, "\x1b[2J", "pantry", "--p", "1", code=1)
    run("judge", HOSTILE_FILE, ACTIONS[0], "pantry", "--p", "1")
    run("rank", HOSTILE_FILE, "--p", "\x1b[2J\u202e", code=2)
    run("rank", "\x1b[2J.csv", "--p", "1", code=1)
    run("rank", HOSTILE_FILE, "--p", "1", "--weights", "\x1b[2J=1", code=1)


@pytest.mark.usefixtures("learned")
def test_files_that_are_written_are_read_back(tmp_path):
    """No cell begins a formula, and every name is the one it was."""
    names = [name for name in ACTIONS if name.strip() == name]
    table = np.random.default_rng(0).uniform(1, 10, (4, len(names)))
    world = wf.simulate.World(table, wf.WelfareFunction(0, stakeholders=names), tuple(names))
    decided = wf.simulate.comparisons(world, [[0, 1], [2, 3]], random_state=0)
    tables = tables_of(world, None, decided)
    tables["actions"]["action"] = names[:4]
    tables["comparisons"] = {"preferred": names[:2], "other": names[2:4], "by": names[5:7]}
    made = Simulated(tables, wf.load_model("m.json"))
    for kind in ("csv", "parquet"):
        made.write(str(tmp_path / kind), kind)
        actions = read_actions(tmp_path / kind / f"actions.{kind}")
        assert list(actions.stakeholders) == names
        assert list(actions.names) == names[:4]
        read = read_comparisons(tmp_path / kind / f"comparisons.{kind}", actions)
        assert read.decisions.pairs.tolist() == [[0, 2], [1, 3]]
        assert sorted(read.deciders) == sorted(names[5:7])
    for path in (tmp_path / "csv").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell]

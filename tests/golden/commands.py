"""Cases of the command line: files in a folder of their own, commands, and what they answer."""

from __future__ import annotations

import io
import json
import sys
import tempfile
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from tests.golden.data import decided, falling, pairs_of, table_of, welfare_of
from tests.golden.record import page_of, plain
from welfarist.cli import main

_PEOPLE = ("donors", "staff", "[guests]")
_ACTIONS = 30
_CHOICES = ("fit", "actions.csv", "--comparisons", "decisions.csv")

# One case is one or more commands, run one after the other in the same folder.
COMMANDS = {
    "fit": [_CHOICES],
    "fit as JSON": [(*_CHOICES, "--json", "--level", "0.9")],
    "fit groups": [(*_CHOICES, "--groups", "givers=donors,staff;others=[guests]", "--json")],
    "fit known weights": [(*_CHOICES, "--weights", "donors=2,staff=1,[guests]=1", "--p", "Nash")],
    "fit lapse": [(*_CHOICES, "--noise", "lapse", "--starts", "3", "--json")],
    "fit prior": [(*_CHOICES, "--prior", "donors=2,staff=1,[guests]=3", "--json")],
    "fit flip": [(*_CHOICES, "--noise", "flip", "--rho", "0.05", "--weights", "equal", "--json")],
    "fit none": [("fit", "actions.csv", "-c", "clear.csv", "--noise", "none")],
    "fit clustered": [(*_CHOICES, "--by", "judge", "--covariance", "clustered", "--json")],
    "fit scores": [("fit", "scores.csv", "--score", "score", "--scale", "--json")],
    "fit wide": [("fit", "wide.csv", "--wide", "--choice", "choice_x", "--no-intervals")],
    "rank": [
        (*_CHOICES, "--save", "model.json"),
        ("rank", "actions.csv", "--model", "model.json", "--top", "4"),
        ("rank", "actions.csv", "--model", "model.json", "--top", "4", "--json"),
    ],
    "judge": [
        ("fit", "scores.csv", "--save", "model.json", "--json"),
        ("judge", "actions.csv", "action 1", "action 2", "--model", "model.json", "--json"),
        ("judge", "actions.csv", "action 3", "action 4", "--doctrine", "Nash"),
    ],
    "compare": [
        ("compare", "actions.csv", "-c", "decisions.csv", "--folds", "3", "--json"),
        ("compare", "scores.csv", "--doctrines", "Nash,utilitarian", "--folds", "0"),
    ],
    "report": [(*_CHOICES, "--p", "-1", "--report", "report.html")],
    "problems": [
        ("fit", "nowhere.csv"),
        ("judge", "actions.csv", "action 1", "axtion 2", "--doctrine", "Nash"),
        (*_CHOICES, "--covariance", "clustered", "--by", "nobody"),
    ],
}


def answers_of(commands):
    """Run commands in a fresh folder; return what they said and the files they left."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), threadpool_limits(1):
        given = write_files(Path())
        answers = [_answer(command) for command in commands]
        made = {path.name: path.read_text("utf-8") for path in sorted(Path().iterdir())}
    files = {name: _kept(name, text) for name, text in made.items() if name not in given}
    return plain({"answers": answers, "files": files})


def _answer(command):
    """One command in this process: its exit code and what went to which stream."""
    before, out, err = sys.argv, io.StringIO(), io.StringIO()
    sys.argv = ["welfarist", *command]
    try:
        with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = _code()
    finally:
        sys.argv = before
    said = out.getvalue()
    is_record = "--json" in command and code == 0
    found = json.loads(said) if is_record else said
    if is_record:  # what starts saw follows from what they reached, which records of fits keep
        found.pop("search", None)
    return {"code": code, "out": found, "err": err.getvalue()}


def _code():
    try:
        main()
    except SystemExit as ended:
        return ended.code
    return 0


def _kept(name, text):
    return page_of(text) if name.endswith(".html") else json.loads(text)


def write_files(folder):
    """Write the tables of one seeded world; return the names of the files."""
    rng = np.random.default_rng(11)
    table = table_of(len(_PEOPLE), _ACTIONS, rng)
    welfare = welfare_of(table, -0.5, falling(len(_PEOPLE)))
    names = [f"action {i}" for i in range(_ACTIONS)]
    pairs = pairs_of(_ACTIONS, 250, rng)
    outcomes = decided(welfare, pairs, rng, tau=10.0)
    few = pairs[:60]
    scores = (2 * welfare + rng.normal(0, 0.2, _ACTIONS)).round(3)
    sides = [f"{person}_{side}" for side in "xy" for person in _PEOPLE]
    both = np.hstack([table[pairs[:, 0]], table[pairs[:, 1]]])
    files = {
        "actions.csv": [["action", *_PEOPLE], *_rows(names, table)],
        "decisions.csv": _decisions(names, pairs, outcomes),
        "clear.csv": _decisions(names, few, decided(welfare, few, rng, tau=np.inf)),
        "scores.csv": [["action", *_PEOPLE, "score"], *_rows(names, np.c_[table, scores])],
        "wide.csv": [[*sides, "choice_x"], *np.c_[both, outcomes > 0].tolist()],
    }
    for name, rows in files.items():
        text = "\n".join(",".join(map(str, row)) for row in rows)
        (folder / name).write_text(text + "\n", encoding="utf-8")
    return set(files)


def _rows(names, table):
    return [[name, *row] for name, row in zip(names, table.tolist(), strict=True)]


def _decisions(names, pairs, outcomes):
    rows = zip(pairs.tolist(), outcomes.tolist(), strict=True)
    ordered = [(pair if sign > 0 else pair[::-1]) for pair, sign in rows]
    lines = [[names[a], names[b], f"judge {i % 9}"] for i, (a, b) in enumerate(ordered)]
    return [["preferred", "other", "judge"], *lines]

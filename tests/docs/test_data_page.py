"""The page on data formats: its examples are written to files, read, and its commands run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from welfarist import files
from welfarist.cli.app import app

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text()
EXAMPLES = dict(re.findall(r"`(\w+\.csv)`\n\n```csv\n(.*?)```", PAGE, re.DOTALL))
COMMANDS = re.findall(r"^```\n(welfarist .*)\n```$", PAGE, re.MULTILINE)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in EXAMPLES.items():
        (tmp_path / name).write_text(text)


def test_the_page_has_an_example_of_each_layout():
    assert set(EXAMPLES) == {
        "actions.csv", "decisions.csv", "counted.csv", "asked.csv", "choices.csv", "scored.csv",
        "weights.csv", "groups.csv",
    }  # fmt: skip
    assert len(COMMANDS) == 4


def test_examples_hold_what_the_page_says():
    actions = files.read_actions("actions.csv")
    assert len(actions) == 4
    assert actions.utilities[2].tolist() == [3, 2.5, 14]
    expected = [[2, 0], [1, 0], [2, 3], [3, 0]]
    plain = files.read_comparisons("decisions.csv", actions)
    assert plain.decisions.pairs.tolist() == expected
    counted = files.read_comparisons("counted.csv", actions)
    assert counted.decisions.outcomes.tolist() == [1, 1, 0, 1]
    assert counted.decisions.counts.tolist() == [3, 1, 1, 2]
    assert counted.deciders == ("Ann", "Bob")
    asked = files.read_comparisons("asked.csv", actions)
    assert asked.decisions.pairs.tolist() == [[2, 0], [0, 1], [2, 3], [3, 0]]
    assert asked.decisions.outcomes.tolist() == [1, -1, 0, 1]
    assert plain.notes == counted.notes == asked.notes == ()
    wide = files.read_wide_comparisons("choices.csv")
    assert wide.decisions.stakeholders == ("self", "other")
    assert wide.decisions.outcomes.tolist() == [1, -1, 1, 1]
    assert files.read_actions("scored.csv", score="score").scores[0] == 4.1
    assert files.read_weights("weights.csv") == {"donors": 1, "volunteers": 1, "recipients": 2}
    assert set(files.read_groups("groups.csv").values()) == {"helpers", "helped"}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command):
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    assert done.stdout

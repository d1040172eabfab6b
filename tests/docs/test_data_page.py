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
        "weights.csv", "groups.csv", "menus.csv", "offered.csv", "rankings.csv", "declined.csv",
        "partly.csv", "alternatives.csv", "people.csv", "extremes.csv", "panel.csv", "judges.csv",
    }  # fmt: skip
    assert len(COMMANDS) == 13


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
    known = files.read_attributes("people.csv", people=actions.stakeholders)
    assert known["age"] == {"donors": 61, "volunteers": 35, "recipients": 28}
    assert set(known) == {"age", "paid", "members"}


def test_decision_makers_are_those_of_the_page():
    panel = files.read_comparisons("panel.csv", files.read_actions("actions.csv"))
    assert panel.deciders == ("Ann", "Bob", "Cem", "Dee", "Eva")
    known = files.read_deciders("judges.csv", panel.deciders).columns
    assert known["age"] == [61, 35, 28, 44, 52]
    assert set(known["role"]) == {"donor", "staff"}


def test_layouts_of_menus_hold_what_the_page_says():
    actions = files.read_actions("actions.csv")
    listed = files.read_choices("menus.csv", actions)
    assert listed.decisions.menus.sizes.tolist() == [3, 3, 2, 3]
    assert listed.notes == ()
    offered = files.read_choices("offered.csv", actions)
    assert offered.decisions.same_as(listed.decisions[:3])
    ranked = files.read_choices("rankings.csv", actions).decisions
    assert ranked.menus.sizes.tolist() == [4, 3, 2, 4, 3, 4, 3, 2, 4]
    declined = files.read_choices("declined.csv", actions, outside=True).decisions
    assert declined.menus.sizes.tolist() == [3, 4, 3, 4, 3]
    extremes = files.read_choices("extremes.csv", actions).decisions
    assert extremes.menus.sign.tolist() == [1.0] * 4 + [-1.0] * 4
    partly = files.read_actions("partly.csv", absent=True)
    assert files.read_choices("menus.csv", partly).decisions.absent
    long = files.read_long_choices("alternatives.csv").decisions
    assert (len(long), long.actions, long.stakeholders) == (4, 7, ("patients", "staff"))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command):
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    assert done.stdout

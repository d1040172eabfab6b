"""The room of use cases: no terminal, no browser, and the same defaults as the command line."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from pathlib import Path
from typing import get_args

import pytest

import welfarist.app
from welfarist.app import (
    comparing,
    fitting,
    learning,
    panels,
    planning,
    questioning,
    rules,
    simulating,
)
from welfarist.app.decisions import DecisionOptions, TableOptions
from welfarist.cli import compare, fit, judge, plan, rank, simulate

MODULES = sorted(Path(welfarist.app.__file__).parent.glob("*.py"))
TERMINALS = {"typer", "click", "rich", "django", "argparse"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_nothing_is_printed_and_no_terminal_is_known(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not TERMINALS & {name.split(".")[0] for name in names}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("print", "input")
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("argv", "stdout", "stderr")


@pytest.mark.parametrize(
    ("command", "records"),
    [
        (fit.fit, [fitting.FitRequest, learning.LearnerOptions, TableOptions, DecisionOptions]),
        (
            compare.compare,
            [comparing.CompareRequest, learning.LearnerOptions, TableOptions, DecisionOptions],
        ),
        (rank.rank, [rules.RuleRequest, TableOptions]),
        (judge.judge, [rules.RuleRequest, TableOptions]),
        (plan.plan, [planning.PlanRequest]),
        (simulate.simulate, [simulating.WorldRequest]),
    ],
)
def test_what_is_not_said_means_the_same_everywhere(command, records):
    filled = {**simulating.DEFAULTS, "people": planning.PEOPLE, "menu_size": planning.MENU_SIZE}
    filled["repetitions"] = planning.REPETITIONS
    typed = inspect.signature(command).parameters
    if command is plan.plan:
        filled |= {"each": panels.EACH, "spread": panels.SPREAD}
        filled["accuracy"] = questioning.ACCURACY
    for record in records:
        for field in dataclasses.fields(record):
            if field.default is not dataclasses.MISSING and field.name in typed:
                default = typed[field.name].default
                assert default in (field.default, filled.get(field.name)), field.name


def test_choices_have_the_same_names_everywhere():
    assert get_args(simulate.Kind) == get_args(simulating.Kind)
    assert get_args(plan.Task) == get_args(planning.Task)

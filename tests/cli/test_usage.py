"""What is typed wrongly: exit code 2, the option named, nothing written and nothing guessed."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import signal
import subprocess
import sys
from importlib import import_module
from typing import get_args, get_type_hints

import numpy as np
import polars as pl
import pytest
from typer.models import OptionInfo
from typer.testing import CliRunner

import welfarist as wf
from welfarist.app import values
from welfarist.cli import fit as fit_command
from welfarist.cli import options
from welfarist.cli.app import COMMANDS, app
from welfarist.cli.words import in_options
from welfarist.inference.covariance import CovarianceName
from welfarist.inference.intervals import MethodName
from welfarist.learners.options import NoiseName, RhoEstimator, SolverName
from welfarist.results import caveats

ACTIONS = "action,residents,shops,staff\na,1,4,2\nb,2,3,5\nc,5,1,3\nd,3,3,1\n"
DECISIONS = "preferred,other\na,b\nc,b\na,d\nc,d\nd,b\n"
MODEL = wf.WelfareFunction(0.0, [0.5, 0.3, 0.2], ["residents", "shops", "staff"])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "actions.csv").write_text(ACTIONS)
    (tmp_path / "decisions.csv").write_text(DECISIONS)
    return tmp_path


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def refused(*arguments: str, code: int = 2) -> str:
    """The last line of what is said, which holds the message."""
    done = run(*arguments, code=code)
    assert done.stdout == ""
    return done.stderr.strip().splitlines()[-1]


FIT = ("fit", "actions.csv", "-c", "decisions.csv")
RANK = ("rank", "actions.csv")


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        (FIT, "--p", "abc"),
        (FIT, "--p", "nan"),
        (FIT, "--noise", "foo"),
        (FIT, "--solver", "foo"),
        (FIT, "--covariance", "foo"),
        (FIT, "--method", "foo"),
        (FIT, "--level", "2"),
        (FIT, "--tau-max", "-1"),
        (FIT, "--starts", "0"),
        (FIT, "--seed", "-1"),
        (FIT, "--max-iter", "0"),
        (FIT, "--tol", "0"),
        (FIT, "--decimal", "x"),
        (FIT, "--separator", ";;"),
        (FIT, "--weights", "residents=x"),
        (FIT, "--weights", "residents=-1"),
        (FIT, "--weights", "2,1,1"),
        (FIT, "--groups", "=x"),
        (FIT, "--prior", "0.5"),
        (FIT, "--rho", "0.5"),
        (RANK, "--doctrine", "nsh"),
        (RANK, "--weights", "learn"),
        (("compare", *FIT[1:]), "--folds", "1"),
        (("compare", *FIT[1:]), "--doctrines", "Nash,Bentham"),
        (("compare", *FIT[1:]), "--types", "0"),
        (("compare", *FIT[1:]), "--types", "some"),
        (("plan",), "--decisions", "10,x"),
        (("plan",), "--error", "0"),
        (("plan",), "--delta", "1"),
        (("simulate", "made"), "--rho", "2"),
        (("simulate", "made"), "--nu", "-1"),
    ],
)
def test_values_that_are_wrong_in_themselves(folder, command, option, value):
    assert f"'{option}'" in refused(*command, option, value)
    assert not (folder / "made").exists()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("rank", "actions.csv", "--doctrine", "Nash", "--shift", "abc"), "'abc'"),
        (("fit", "actions.csv", "--max-iter", "many"), "'many'"),
        (("fit", "actions.csv", "--noise", "loud"), "'loud' is not one of"),
        (("fit", "actions.csv", "decisions.csv"), "--comparisons FILE"),
        (("compare", "actions.csv", "decisions.csv"), "--comparisons FILE"),
    ],
)
def test_what_was_typed_is_shown_with_what_to_do(typed, said):
    done = CliRunner().invoke(app, list(typed))
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("'loud'") <= 1
    assert "Input should" not in done.stderr


def test_names_of_choices_are_those_of_the_learners():
    assert set(get_args(options.NoiseName)) == set(get_args(NoiseName))
    assert get_args(options.SolverName) == get_args(SolverName)
    assert get_args(fit_command.CovarianceName) == get_args(CovarianceName)
    assert get_args(fit_command.MethodName) == get_args(MethodName)
    assert get_args(RhoEstimator) == values._RHO_ESTIMATORS


def test_doctrines_are_suggested():
    assert "Did you mean 'Nash'?" in refused(*RANK, "--doctrine", "nsh")
    assert "Did you mean 'utilitarian'?" in refused(*FIT, "--p", "utilitarain")
    assert "Did you mean" not in refused(*RANK, "--doctrine", "Rawls")


# Outputs


@pytest.mark.parametrize("target", ["actions.csv", "./decisions.csv", "link.csv", "hard.csv"])
def test_outputs_never_replace_what_is_read(folder, target):
    (folder / "link.csv").symlink_to(folder / "actions.csv")
    os.link(folder / "actions.csv", folder / "hard.csv")
    for option in ("--save", "--report"):
        assert "would replace" in refused(*FIT, option, target)
    (folder / "weights.csv").write_text("stakeholder,weight\nresidents,1\nshops,1\nstaff,1\n")
    assert "would replace" in refused(*FIT, "--weights", "weights.csv", "--save", "weights.csv")
    assert (folder / "actions.csv").read_text() == ACTIONS
    assert (folder / "decisions.csv").read_text() == DECISIONS


def test_outputs_are_different_files_with_names(folder):
    assert "different files" in refused(*FIT, "--save", "x.json", "--report", "./x.json")
    assert "standard output" in refused(*FIT, "--save", "-")
    assert "empty" in refused(*FIT, "--report", "")
    assert sorted(p.name for p in folder.iterdir()) == ["actions.csv", "decisions.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_only_ordinary_files_are_replaced(folder):
    os.mkfifo(folder / "pipe")
    assert "ordinary file" in refused(*FIT, "--save", "pipe", code=1)
    assert (folder / "pipe").is_fifo()
    for name in ("pipe", ""):
        with pytest.raises(wf.InputError):
            wf.files.write_whole(name, "text")


def test_where_things_were_written_is_said():
    done = run(*FIT, "--save", "model.json", "--no-intervals")
    assert done.stderr == "Model: model.json\n"


# Options without effect


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*RANK, "--model", "m.json", "--ignore", "shops"), "--ignore"),
        ((*RANK, "--model", "m.json", "--stakeholders", "shops"), "--stakeholders"),
        ((*FIT, "--sheet", "one"), "--sheet"),
        (("fit", "actions.csv", "--score", "shops", "--by", "staff"), "--by"),
        (("fit", "actions.csv", "--wide", "--ignore", "staff"), "--ignore"),
        (("fit", "actions.csv", "--score", "shops", "--covariance", "clustered"), "--covariance"),
        (("simulate", "made", "--charity", "--people", "4"), "--people"),
        (("simulate", "made", "--scores", "--tau", "20"), "--tau"),
        (("simulate", "made", "--nu", "0.05"), "--nu"),
        (("plan", "actions.csv", "--people", "3"), "--people"),
    ],
)
def test_options_without_effect_are_refused(folder, arguments, said):
    wf.save_model(wf.Model(MODEL, "scores", None, None, None, 0.0, 0.0), "m.json")
    assert said in refused(*arguments)
    assert not (folder / "made").exists()


def test_clusters_need_somebody_who_decided():
    assert "--by COLUMN" in refused(*FIT, "--covariance", "clustered", code=1)


def test_an_old_world_leaves_nothing_behind(folder):
    run("simulate", "made", "--charity")
    assert "is there already" in refused("simulate", "made", "--format", "parquet", code=1)
    done = run("simulate", "made", "--scores", "--force")
    left = sorted(path.name for path in (folder / "made").iterdir())
    assert left == ["actions.csv", "truth.json"]
    assert done.stderr.count("Removed: ") == 2


# People by name


@pytest.mark.parametrize("command", [FIT, (*RANK, "--p", "1")])
def test_weights_name_everybody_and_nobody_else(folder, command):
    said = refused(*command, "--weights", "residents=1,shop=1,staff=1", code=1)
    assert "found 'shop'. Did you mean 'shops'?" in said
    said = refused(*command, "--weights", "residents=1,shops=1", code=1)
    assert "found none for 'staff'" in said
    (folder / "w.csv").write_text("stakeholder,weight\nresidents,1\nshop,1\nstaff,1\n")
    said = refused(*command, "--weights", "w.csv", code=1)
    assert "w.csv, line 3:" in said
    assert "Did you mean 'shops'?" in said
    (folder / "w.csv").write_text("stakeholder,weight\nresidents,1\n")
    said = refused(*command, "--weights", "w.csv", code=1)
    assert "w.csv: every stakeholder must have a weight; found none for 'shops', 'staff'" in said


def test_groups_name_everybody_and_nobody_else(folder):
    (folder / "g.csv").write_text("stakeholder,group\nresidents,x\nshops,x\nstuff,y\n")
    assert "g.csv, line 4:" in refused(*FIT, "--groups", "g.csv", code=1)
    assert "--groups: every" in refused(*FIT, "--groups", "x=residents;y=shops", code=1)
    assert "--prior: a name" in refused(
        *FIT, "--groups", "x=residents,shops;y=staff", "--prior", "x=2,z=2", code=1
    )


# Words

_PYTHON = re.compile(r'\w=("|True|False|…)|\b(n_starts|tau_max|max_iter|random_state)\b|result_\b')


def _texts(module) -> list[str]:
    """The texts in a module's code, docstrings left out."""
    found = []
    for function in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body[1:]:
                for node in ast.walk(statement):
                    if isinstance(node, ast.JoinedStr | ast.Constant):
                        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
                        texts = [p.value for p in parts if isinstance(p, ast.Constant)]
                        found.append("7".join(t for t in texts if isinstance(t, str)))
    return found


def test_caveats_speak_of_options():
    texts = _texts(caveats)
    assert any(_PYTHON.search(text) for text in texts)  # there is something to translate
    assert [t for t in map(in_options, texts) if _PYTHON.search(t)] == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ('Use noise="flip" or noise="logistic".', "Use --noise flip or --noise logistic."),
        ("If scores differ, set scale=True.", "If scores differ, set --scale."),
        ("raise max_iter or n_starts.", "raise --max-iter or --starts."),
        ("random_state must be a whole number", "--seed must be a whole number"),
        ('groups must come with weights="learn"', "--groups must come with --weights learn"),
        ("a column 'tau_max' and p = 1", "a column 'tau_max' and p = 1"),
        ('rho="error rate"', "--rho 'error rate'"),
    ],
)
def test_arguments_become_options(said, meant):
    assert in_options(said) == meant


def test_an_answer_in_a_file_has_its_caveats(folder):
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (20, 2))
    names = [f"action {i}" for i in range(20)]
    pl.DataFrame({"action": names, "a": table[:, 0], "b": table[:, 1]}).write_csv("some.csv")
    order = np.argsort(-table.sum(axis=1))
    sure = {"preferred": [names[i] for i in order[:-1]], "other": [names[i] for i in order[1:]]}
    pl.DataFrame(sure).write_csv("sure.csv")
    done = run("fit", "some.csv", "-c", "sure.csv")
    said = " ".join(done.stdout.split())
    assert "Note: the choices are noise-free" in said
    assert "--noise none finds" in said
    assert done.stderr == ""
    exact = run("fit", "some.csv", "-c", "sure.csv", "--noise", "none", "--json")
    found = json.loads(exact.stdout)
    low, high = found["powers"][0]
    assert low < found["p"] < high


# Interruptions


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_an_interruption_at_the_start_is_quiet():
    code = (
        "import os, signal, sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'welfarist.cli.app':\n"
        f"            os.kill(os.getpid(), {int(signal.SIGINT)})\n"
        "from welfarist import cli\n"
        "sys.meta_path.insert(0, Stop())\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 130
    assert done.stderr.replace(b"\r", b"") == b"Interrupted.\n"


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_option_is_called_by_name(name):
    """What a library would make of other words, such as WEIGHTS, depends on its version."""
    function = getattr(import_module(f"welfarist.cli.{name}"), name)
    hints = get_type_hints(function, include_extras=True)
    options = [
        told
        for hint in hints.values()
        for told in getattr(hint, "__metadata__", ())
        if isinstance(told, OptionInfo)
    ]
    assert options
    for option in options:
        assert str(option.default).startswith("--"), option.help

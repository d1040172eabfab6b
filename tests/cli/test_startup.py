"""What a command brings along before it answers, and what happens to who stops it right away."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from benchmarks.startup import MODEL

from welfarist.cli.app import COMMANDS

# Slow to import. Neither help nor a rule that is already known needs them.
LEARNING = {"scipy", "sklearn", "polars", "pandas", "narwhals", "matplotlib", "daqp", "joblib"}
# Where nothing is worked out, not even arrays.
ARRAYS = {"numpy"}

LOADED = """
import sys
from welfarist.cli import main
sys.argv = ["welfarist", *sys.argv[1:]]
try:
    main()
finally:
    print(*sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "actions.csv").write_text("action,a,b\nx,1,4\ny,2,2\n")
    (tmp_path / "model.json").write_text(MODEL)
    return tmp_path


def loaded(folder, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("fit", "--help")])
def test_help_imports_no_arrays_and_nothing_that_learns(folder, arguments):
    assert not loaded(folder, *arguments) & (LEARNING | ARRAYS | {"rich"})


@pytest.mark.parametrize(
    "arguments",
    [
        ("rank", "actions.csv", "--doctrine", "Nash"),
        ("rank", "actions.csv", "--model", "model.json", "--json"),
        ("rank", "actions.csv", "--p", "0.5", "--weights", "a=2,b=1"),
        ("rank", "actions.csv", "--p", "0.5", "--numbered", "--ignore", "action"),
        ("judge", "actions.csv", "x", "y", "--model", "model.json"),
    ],
)
def test_a_known_rule_imports_nothing_that_learns(folder, arguments):
    assert not loaded(folder, *arguments) & LEARNING


def test_help_looks_at_no_command(folder):
    script = LOADED.replace('.split(".")[0]', "")
    done = subprocess.run(
        [sys.executable, "-c", script, "--help"], capture_output=True, text=True, check=True
    )
    assert not {f"welfarist.cli.{name}" for name in COMMANDS} & set(done.stderr.split())


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
@pytest.mark.parametrize("package", ["typer", "pydantic", "numpy", "scipy"])
def test_whoever_stops_an_import_sees_no_traceback(folder, package):
    """Each package is replaced by one in whose import somebody presses Ctrl-C."""
    if package == "pydantic":
        pytest.importorskip("pydantic")
    (folder / "d.csv").write_text("preferred,other\nx,y\ny,x\n")
    (folder / "stopped" / package).mkdir(parents=True)
    (folder / "stopped" / package / "__init__.py").write_text(
        "import os, signal, sys, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)\n"
    )
    paths = [str(folder / "stopped"), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-m", "welfarist", "fit", "actions.csv", "-c", "d.csv"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    assert done.stderr == "Interrupted.\n"
    assert done.stdout == ""
    assert done.returncode == 130


def test_the_model_of_the_benchmark_is_one(folder):
    from welfarist import load_model

    assert load_model(folder / "model.json").to_dict()["p"] == json.loads(MODEL)["p"]

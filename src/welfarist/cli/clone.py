"""Work that is done in a clone of the project, where its studies are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import typer

from welfarist.base.errors import WelfaristError
from welfarist.cli.exit_codes import INTERRUPTED, PROBLEM

# Where the package lies in a clone: src/welfarist.
_CLONE = Path(__file__).resolve().parents[3]
# What a study tells by its exit code: a mistake in what was typed, or that it was stopped.
_TOLD = (2, INTERRUPTED)


def run_study(name: str, arguments: list[str]) -> None:
    """Run one of the project's studies by the name of its folder."""
    if not (_CLONE / name / "__main__.py").exists():
        raise WelfaristError(
            f"the folder {name} must be there, which is part of a clone of the project; found an "
            "installed package without it. In a clone, after make demo: "
            f".venv/bin/welfarist {'bench' if name == 'benchmarks' else 'replicate'}"
        )
    # Started here, so that results are written here; -P, so that nothing here is imported.
    paths = [str(_CLONE), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-P", "-m", name, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
    )
    if done.returncode:
        raise typer.Exit(done.returncode if done.returncode in _TOLD else PROBLEM)

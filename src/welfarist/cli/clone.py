"""Work that is done in a clone of the project, where its studies are."""

from __future__ import annotations

import os
import signal
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
# How many seconds a study has to say something when it is stopped.
_LAST_WORD = 5.0


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
    with subprocess.Popen(
        [sys.executable, "-P", "-m", name, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    ) as study:
        code = _end_of(study)
    if code:
        raise typer.Exit(code if code in _TOLD else PROBLEM)


def _end_of(study: subprocess.Popen[bytes]) -> int:
    """Wait for a study's exit code; one that is interrupted has a last word."""
    try:
        return study.wait()
    except KeyboardInterrupt:
        pass
    try:
        return study.wait(_LAST_WORD)  # it was stopped from the keyboard as well
    except subprocess.TimeoutExpired:
        study.send_signal(signal.SIGINT)  # or it was this process alone
    except KeyboardInterrupt:
        study.kill()
    return study.wait()

"""Work that is done in a clone of the project, where its studies are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import typer

from welfarist.base.errors import WelfaristError

# Where the package lies in a clone: src/welfarist.
_CLONE = Path(__file__).resolve().parents[3]


def run_study(name: str, arguments: list[str]) -> None:
    """Run one of the project's studies by the name of its folder."""
    if not (_CLONE / name / "__main__.py").exists():
        raise WelfaristError(
            f"the folder {name} must be there, which is part of a clone of the project; found an "
            "installed package without it. In a clone, after make demo: "
            f".venv/bin/welfarist {'bench' if name == 'benchmarks' else 'replicate'}"
        )
    done = subprocess.run([sys.executable, "-m", name, *arguments], cwd=_CLONE, check=False)
    if done.returncode:
        raise typer.Exit(1)

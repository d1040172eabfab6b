"""`welfarist bench`: speed beside other methods."""

from __future__ import annotations

from typing import Annotated

import typer

from welfarist.cli.clone import run_study

EXAMPLE = "welfarist bench --quick"

Quick = Annotated[bool, typer.Option("--quick", help="Fewer problems, in about two minutes.")]


def bench(quick: Quick = False) -> None:
    """Measure speed beside other methods, in a clone (minutes)."""
    run_study("benchmarks", ["--quick"] if quick else [])

"""`welfarist replicate`: the paper's experiments again."""

from __future__ import annotations

from typing import Annotated

import typer

from welfarist.cli.clone import run_study

EXAMPLE = "welfarist replicate --quick"

Quick = Annotated[bool, typer.Option("--quick", help="Fewer settings, in about three minutes.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Forget what an earlier run has finished.")]
Only = Annotated[
    str | None,
    typer.Option(help="One experiment, such as collapse.", metavar="NAME", show_default=False),
]


def replicate(quick: Quick = False, fresh: Fresh = False, only: Only = None) -> None:
    """Run the paper's experiments again, in a clone (15 minutes)."""
    chosen = ["--quick"] * quick + ["--fresh"] * fresh
    run_study("replication", [*chosen, *(["--only", only] if only is not None else [])])

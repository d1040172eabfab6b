"""The commands and how they are started."""

from __future__ import annotations

import io
import sys
from types import ModuleType
from typing import Annotated

import typer

from welfarist.cli import bench, compare, demo, fit, judge, plan, rank, replicate, simulate
from welfarist.cli.console import guarded

# Every command: its module has a function of the same name, and an EXAMPLE.
COMMANDS: dict[str, ModuleType] = {
    "fit": fit,
    "rank": rank,
    "judge": judge,
    "compare": compare,
    "plan": plan,
    "simulate": simulate,
    "demo": demo,
    "replicate": replicate,
    "bench": bench,
}

app = typer.Typer(
    name="welfarist",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # names in brackets are no markup
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from welfarist.base.version import __version__

        print(f"welfarist {__version__}")
        raise typer.Exit


@app.callback()
def welfarist(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Learn which welfare function a decision maker follows from what they decided."""


for _name, _module in COMMANDS.items():
    app.command(_name, epilog=f"Example: {_module.EXAMPLE}")(guarded(getattr(_module, _name)))


def run() -> None:
    """Run the command line; letters that a terminal cannot show are spelled out."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()

"""The commands and how they are started."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer

from welfarist.cli.console import answer, guarded
from welfarist.cli.help_pages import PanelledCommand, group_of

# Every command and what it does: its module has a function of the same name, which says so too,
# and an EXAMPLE.
COMMANDS = {
    "ask": "Put questions to a decision maker, and learn their rule.",
    "serve": "Show pages on which studies are set up, answered and looked at.",
    "fit": "Learn the rule behind decisions: who counts how much.",
    "rank": "Put actions in order by a saved model or a doctrine.",
    "recommend": "Say which action to take by a saved model, how sure that is, and why.",
    "allocate": "Allocate a budget over projects so that welfare is largest.",
    "judge": "Decide between two actions, and say why.",
    "compare": "Put doctrines, saved models and a learned rule side by side.",
    "utilities": "Learn everybody's utilities from what they answered.",
    "sketch": "Put any number of people into one small file, to learn from.",
    "plan": "Say how many decisions are needed to learn a rule.",
    "simulate": "Write a simulated world to files, with its truth.",
    "demo": "Learn the rule of a simulated charity, up to a report.",
    "replicate": "Run the paper's experiments again, with a clone (20 minutes).",
    "bench": "Measure speed beside other methods, in a clone (minutes).",
}

_SETTINGS: dict[str, Any] = dict(
    add_completion=False,
    rich_markup_mode=None,  # names in brackets are no markup
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


# Endings of files that are read in another process.
_BINARY = (".parquet", ".pq", ".feather", ".arrow", ".ipc", ".xlsx", ".xls", ".dta")


def build(name: str) -> Any:
    """Return a command with its options, from its module."""
    module = import_module(f"welfarist.cli.{name}")
    made = typer.Typer(**_SETTINGS)
    made.command(name, cls=PanelledCommand, epilog=f"Example: {module.EXAMPLE}")(
        guarded(getattr(module, name))
    )
    return typer.main.get_command(made)


app = typer.Typer(
    name="welfarist", no_args_is_help=True, cls=group_of(COMMANDS, build), **_SETTINGS
)


def _version(wanted: bool) -> None:
    if wanted:
        from welfarist.base.version import __version__

        answer(f"welfarist {__version__}")
        raise typer.Exit


@app.callback()
def welfarist(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Learn which welfare function a decision maker follows from what they decided."""


def run() -> None:
    """Run the command line."""
    if any(argument.lower().endswith(_BINARY) for argument in sys.argv[1:]):
        from welfarist.files.reading_apart import start

        start()  # while everything else is imported
    app()

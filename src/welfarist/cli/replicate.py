"""`welfarist replicate`: the paper's experiments again."""

from __future__ import annotations

from typing import Annotated

import typer

from welfarist.cli import options as opt
from welfarist.cli.clone import run_study

EXAMPLE = "welfarist replicate --quick --tau 1,10 --repetitions 3"

Quick = Annotated[bool, typer.Option("--quick", help="Fewer settings, in about three minutes.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Run again what an earlier run has finished.")]
Text = str | None
Only = Annotated[
    Text,
    typer.Option(
        "--only",
        help="One experiment, such as collapse, without the page.",
        metavar="NAME",
        show_default=False,
    ),
]
NUMBERS = "NUMBER,…"
People = Annotated[
    Text,
    typer.Option(
        "--d",
        help="Numbers of people in the synthetic experiments (5,10,20,50).",
        metavar=NUMBERS,
        show_default=False,
    ),
]
Tau = Annotated[
    Text,
    typer.Option(
        "--tau",
        help="Temperatures of comparisons (the charity's 0.1,1,10,100; synthetic 10).",
        metavar=NUMBERS,
        show_default=False,
    ),
]
Nu = Annotated[
    Text,
    typer.Option(
        "--nu",
        help="Noise levels of scores (the charity's 0.01,0.05,0.1,0.2; synthetic 0.1).",
        metavar=NUMBERS,
        show_default=False,
    ),
]
Repetitions = Annotated[
    int | None,
    typer.Option(
        "--repetitions",
        help="How often each setting is run (10, 8 or 5, by experiment).",
        metavar="NUMBER",
        min=1,
        show_default=False,
    ),
]
MethodRepetitions = Annotated[
    int | None,
    typer.Option(
        "--method-repetitions",
        help="How often the paper's own methods are run, which take minutes; 0: never (3).",
        metavar="NUMBER",
        min=0,
        show_default=False,
    ),
]
To = Annotated[
    Text,
    typer.Option(
        "--to",
        help="Folder to write to (in the clone its docs or build, elsewhere where you are).",
        metavar="FOLDER",
        show_default=False,
    ),
]


def replicate(
    quick: Quick = False,
    fresh: Fresh = False,
    only: Only = None,
    d: People = None,
    tau: Tau = None,
    nu: Nu = None,
    repetitions: Repetitions = None,
    method_repetitions: MethodRepetitions = None,
    to: To = None,
    json: opt.Json = False,
) -> None:
    """Run the paper's experiments again, with a clone (20 minutes)."""
    flags = {"--quick": quick, "--fresh": fresh, "--json": json}
    told = {
        "--only": only, "--d": d, "--tau": tau, "--nu": nu, "--repetitions": repetitions,
        "--method-repetitions": method_repetitions, "--to": to,
    }  # fmt: skip
    arguments = [flag for flag, wanted in flags.items() if wanted]
    # With an equals sign a value that begins with a minus is told from an option.
    arguments += [f"{option}={value}" for option, value in told.items() if value is not None]
    run_study("replication", arguments)

"""The options that several commands share, and what their texts mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from welfarist.doctrines import power_of
from welfarist.errors import InputError
from welfarist.files import read_groups, read_weights
from welfarist.files.sources import FORMATS


def _option(text: str, *names: str, metavar: str | None = None) -> Any:
    return typer.Option(*names, help=text, metavar=metavar, show_default=False)


ActionsFile = Annotated[
    str,
    typer.Argument(
        help="Table of actions: a file, or - for standard input.",
        metavar="ACTIONS",
        show_default=False,
    ),
]
Text = str | None
COLUMN, COLUMNS, FILE = "COLUMN", "COLUMN,…", "FILE"

Name = Annotated[Text, _option("Column of the actions' names (the first).", metavar=COLUMN)]
Numbered = Annotated[bool, _option("The actions have no names: call them 1, 2, …", "--numbered")]
Stakeholders = Annotated[Text, _option("Columns of the utilities (all others).", metavar=COLUMNS)]
Ignore = Annotated[Text, _option("Columns to leave out.", metavar=COLUMNS)]
Separator = Annotated[Text, _option("What separates columns, such as ';' or tab.", metavar="MARK")]
Decimal = Annotated[Text, _option("The decimal mark, . or ,", metavar="MARK")]
Sheet = Annotated[Text, _option("Sheet of a workbook (the first).", metavar="NAME")]
Json = Annotated[bool, _option("Print JSON and nothing else.", "--json")]

ComparisonsFile = Annotated[
    Text, _option("Comparisons between the actions.", "--comparisons", "-c", metavar=FILE)
]
Score = Annotated[Text, _option("Column of the scores, in place of comparisons.", metavar=COLUMN)]
Wide = Annotated[
    bool,
    _option("ACTIONS holds comparisons, the utilities of both actions in one row.", "--wide"),
]
Preferred = Annotated[Text, _option("Column of the preferred action.", metavar=COLUMN)]
Other = Annotated[Text, _option("Column of the other action.", metavar=COLUMN)]
First = Annotated[
    Text, _option("Column of the first action; with --wide, of its utilities.", metavar=COLUMNS)
]
Second = Annotated[
    Text, _option("Column of the second action; with --wide, of its utilities.", metavar=COLUMNS)
]
Choice = Annotated[Text, _option("Column that tells which was chosen.", metavar=COLUMN)]
FirstLabel = Annotated[
    Text, _option("What --choice holds where the first was preferred.", metavar="LABEL")
]
Count = Annotated[Text, _option("Column of how often (count).", metavar=COLUMN)]
Tie = Annotated[Text, _option("Column of ties (tie).", metavar=COLUMN)]
By = Annotated[Text, _option("Column of who decided (by).", metavar=COLUMN)]

Noise = Annotated[
    str, typer.Option(help="How choices err: logistic, lapse, flip or none.", metavar="NAME")
]
Power = Annotated[
    Text, _option("The power, a number, inf, -inf or a doctrine (learned).", "--p", metavar="P")
]
Weights = Annotated[
    Text,
    _option("Weights: learn, equal, a file, or a=2,b=1 (learn).", metavar="WEIGHTS"),
]
Groups = Annotated[
    Text,
    _option("People who share a weight: a file, or north=a,b;south=c.", metavar="GROUPS"),
]
Prior = Annotated[Text, _option("Prior on weights: 1 or more, or a=2,b=1.", metavar="PRIOR")]
Scale = Annotated[bool, _option("Scores are on another scale than utilities.", "--scale")]
Solver = Annotated[str, typer.Option(help="newton, grid, two_stage or exact.", metavar="NAME")]
TauMax = Annotated[float, typer.Option(help="Largest temperature.", metavar="NUMBER")]
Rho = Annotated[
    Text,
    _option("Flip probability, or 'error rate', or 'cross-validation'.", metavar="RHO"),
]
Starts = Annotated[str, typer.Option(help="How many starts, or auto.", metavar="NUMBER")]
MaxIter = Annotated[int, typer.Option(help="Most steps per start.", metavar="NUMBER")]
Tol = Annotated[float, typer.Option(help="When a start has converged.", metavar="NUMBER")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.", metavar="NUMBER")]

ModelFile = Annotated[Text, _option("A model saved by welfarist fit --save.", metavar=FILE)]
Doctrine = Annotated[
    Text,
    _option("A doctrine: egalitarian, harmonic, Nash, utilitarian, best off.", metavar="NAME"),
]


def listed(text: str | None) -> list[str] | None:
    """Names with commas between them, as a list; None if nothing was said."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def power_option(text: str | None) -> float | None:
    """A power, or the name of a doctrine; None is to be learned."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return power_of(text)


def weights_option(text: str | None) -> Any:
    """What is known about the weights, for the learners."""
    if text is None or text in ("learn", "equal"):
        return text or "learn"
    return by_name_option(text, "--weights") if _inline(text) else read_weights(text)


def groups_option(text: str | None) -> Any:
    """Who shares a weight with whom, for the learners."""
    if text is None:
        return None
    if not _inline(text):
        return read_groups(text)
    groups: dict[str, list[str]] = {}
    for part in text.split(";"):
        group, found, names = part.partition("=")
        members = listed(names)
        if not (found and group.strip() and members):
            raise InputError(
                "--groups must be a file with the columns stakeholder and group, or groups such as "
                f"'north=a,b;south=c'; found {part.strip()!r}. Correct it."
            )
        groups[group.strip()] = members
    return groups


def prior_option(text: str | None) -> Any:
    """The prior on the weights, for the learners."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return by_name_option(text, "--prior")


def rho_option(text: str | None) -> Any:
    """The flip probability or how it is estimated, for the learner."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text


def starts_option(text: str) -> Any:
    """How many starts, for the learners."""
    return int(text) if text.isdecimal() else text


def by_name_option(text: str, option: str) -> dict[str, float]:
    """Numbers by name, such as a=2,b=1."""
    found = {}
    for part in text.split(","):
        name, _, value = part.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            name = ""
        if not name.strip():
            raise InputError(
                f"{option} must be a file or numbers by name such as a=2,b=1; found "
                f"{part.strip()!r}. Correct it."
            )
    return found


def _inline(text: str) -> bool:
    """Whether names and values stand in the option itself, not in a file."""
    return "=" in text and Path(text).suffix.lower() not in FORMATS and not Path(text).exists()

"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from welfarist.app import values
from welfarist.cli.console import checked


def _option(
    text: str,
    *names: str,
    metavar: str | None = None,
    check: Callable[[Any], Any] | None = None,
) -> Any:
    return typer.Option(
        *names,
        help=text,
        metavar=metavar,
        show_default=False,
        callback=None if check is None else checked(check),
    )


ActionsFile = Annotated[
    str,
    typer.Argument(
        help="Table of actions or a sketch of people: a file, or - for standard input.",
        metavar="ACTIONS",
        show_default=False,
    ),
]
Text = str | None
COLUMN, COLUMNS, FILE = "COLUMN", "COLUMN,…", "FILE"

Name = Annotated[
    Text, _option("Column of the actions' names (the first).", "--name", metavar=COLUMN)
]
Numbered = Annotated[bool, _option("The actions have no names: call them 1, 2, …", "--numbered")]
Stakeholders = Annotated[
    Text, _option("Columns of the utilities (all others).", "--stakeholders", metavar=COLUMNS)
]
Ignore = Annotated[Text, _option("Columns to leave out.", "--ignore", metavar=COLUMNS)]
Separator = Annotated[
    Text,
    _option(
        "What separates columns, such as ';' or tab.",
        "--separator",
        metavar="MARK",
        check=values.separator,
    ),
]
Decimal = Annotated[
    Text, _option("The decimal mark, . or ,", "--decimal", metavar="MARK", check=values.decimal)
]
Sheet = Annotated[
    Text,
    _option("Sheet of workbooks (the first); of one: file.xlsx:NAME.", "--sheet", metavar="NAME"),
]
Encoding = Annotated[
    Text,
    _option(
        "How text files are written (utf-8).", "--encoding", metavar="NAME", check=values.encoding
    ),
]
DropMissing = Annotated[
    bool, _option("Leave out rows in which something is missing.", "--drop-missing")
]
DropUnknown = Annotated[
    bool,
    _option("Leave out decisions with actions that are not in ACTIONS.", "--drop-unknown"),
]
_SHIFT = _option(
    "A constant added to every utility.", "--shift", metavar="NUMBER", check=values.finite
)
Shift = Annotated[float, _SHIFT]
# Of a rule that is applied: a model has its own, so that even 0 must be told from nothing.
RuleShift = Annotated[float | None, _SHIFT]
ShiftTable = Annotated[bool, _option("Show how p moves with such a constant.", "--shift-table")]
Latex = Annotated[
    str | None,
    typer.Option(
        "--latex",
        help="Write a table for a paper in LaTeX (booktabs).",
        metavar="FILE",
        show_default=False,
    ),
]
Level = Annotated[
    float,
    typer.Option(
        "--level",
        help="Level of the intervals.",
        metavar="NUMBER",
        callback=checked(values.between_0_and_1),
    ),
]
Top = Annotated[
    int | None,
    typer.Option("--top", help="Show the best only.", metavar="NUMBER", min=1, show_default=False),
]
Json = Annotated[bool, _option("Print JSON and nothing else.", "--json")]

ComparisonsFile = Annotated[
    Text,
    _option(
        "Comparisons between the actions.",
        "--comparisons",
        "-c",
        metavar=FILE,
    ),
]
ChoicesFile = Annotated[
    Text,
    _option("Choices from menus of the actions, or rankings.", "--choices", metavar=FILE),
]
Long = Annotated[
    bool,
    _option("ACTIONS holds choices from menus, a row for each action of a menu.", "--long"),
]
Menu = Annotated[Text, _option("Column of the menu (menu).", "--menu", metavar=COLUMN)]
Chosen = Annotated[
    Text, _option("Column of what was chosen from it (chosen).", "--chosen", metavar=COLUMN)
]
Action = Annotated[
    Text, _option("Column of the action, if each has a row.", "--action", metavar=COLUMN)
]
RankingColumns = Annotated[
    Text, _option("Columns of a ranking, best first.", "--ranking", metavar=COLUMNS)
]
MenuSeparator = Annotated[
    Text,
    _option("What separates the actions of a menu (; or |).", "--menu-separator", metavar="MARK"),
]
Outside = Annotated[
    bool, _option("None of these could be chosen as well (an empty cell).", "--outside")
]
Absent = Annotated[
    bool, _option("An empty utility means that somebody is not affected.", "--absent")
]
TauByStage = Annotated[
    bool, _option("Each place of a ranking has a temperature of its own.", "--tau-by-stage")
]
SizeEffect = Annotated[
    bool, _option("How many people an action affects counts for itself.", "--size-effect")
]
Score = Annotated[
    Text,
    _option(
        "Column of the scores, in place of comparisons; a file beside a sketch.",
        "--score",
        metavar=COLUMN,
    ),
]
Wide = Annotated[
    bool,
    _option("ACTIONS holds comparisons, the utilities of both actions in one row.", "--wide"),
]
Preferred = Annotated[
    Text, _option("Column of the preferred action.", "--preferred", metavar=COLUMN)
]
Other = Annotated[Text, _option("Column of the other action.", "--other", metavar=COLUMN)]
First = Annotated[
    Text,
    _option(
        "Column of the first action; with --wide, of its utilities.", "--first", metavar=COLUMNS
    ),
]
Second = Annotated[
    Text,
    _option(
        "Column of the second action; with --wide, of its utilities.", "--second", metavar=COLUMNS
    ),
]
Choice = Annotated[Text, _option("Column that tells which was chosen.", "--choice", metavar=COLUMN)]
FirstLabel = Annotated[
    Text,
    _option("What --choice holds where the first was preferred.", "--first-label", metavar="LABEL"),
]
Count = Annotated[Text, _option("Column of how often (count).", "--count", metavar=COLUMN)]
Tie = Annotated[Text, _option("Column of ties (tie).", "--tie", metavar=COLUMN)]
By = Annotated[Text, _option("Column of who decided (by).", "--by", metavar=COLUMN)]

Each = Annotated[bool, _option("Learn everybody's own rule, by who decided.", "--each")]
Types = Annotated[
    Text,
    _option(
        "Learn types of decision makers: how many, auto, or utilitarian,learn.",
        "--types",
        metavar="TYPES",
        check=values.types,
    ),
]
DecidersFile = Annotated[
    Text,
    _option(
        "What is known of who decided: a file, a row each.",
        "--deciders",
        metavar=FILE,
    ),
]
Covariates = Annotated[
    Text, _option("Its columns that matter (all).", "--covariates", metavar=COLUMNS)
]
TestSame = Annotated[
    list[str] | None,
    typer.Option(
        "--test-same",
        help="Test whether groups of them are the same: women,men, or a column.",
        metavar="GROUP,…",
        show_default=False,
    ),
]
Individuals = Annotated[
    Text,
    _option("Write a table with a row for each who decided (CSV).", "--individuals", metavar=FILE),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes",
        help="How many rules the population of --each is made of (32768).",
        metavar="NUMBER",
        min=512,
        show_default=False,
    ),
]
BesideTypes = Annotated[
    bool,
    typer.Option(
        "--population/--no-population",
        help="Whether --types are weighed against people who differ by degree.",
    ),
]
Who = Annotated[
    Text,
    _option("Who decides, of a model of several (somebody new).", "--who", metavar="NAME"),
]

NoiseName = Literal["logistic", "lapse", "flip", "none"]
SolverName = Literal["newton", "grid", "two_stage", "exact"]
EffortName = Literal["low", "auto", "high"]
SmallSampleName = Literal["auto", "none"]
FamilyName = Literal["power", "kolm", "rank", "nested", "additive", "additive own", "needs"]
Family = Annotated[
    FamilyName,
    typer.Option("--family", help="Welfare functions: power means, or others (see families)."),
]
MarginName = Literal["auto", "ratio", "difference"]
Margin = Annotated[
    MarginName,
    typer.Option(
        "--margin", help="What noise acts on: ratios of welfare or differences (as the family has)."
    ),
]
Noise = Annotated[NoiseName, typer.Option("--noise", help="How choices err.")]
_POWER = "The power: a number, inf, -inf or a doctrine"
Power = Annotated[
    Text, _option(f"{_POWER} (learned).", "--p", metavar="P", check=values.power_or_learn)
]
RulePower = Annotated[Text, _option(f"{_POWER}.", "--p", metavar="P", check=values.power)]
Weights = Annotated[
    Text,
    _option(
        "Weights: learn, equal, population (of a sketch), a file, or a=2,b=1 (learn).",
        "--weights",
        metavar="WEIGHTS",
        check=values.weights,
    ),
]
RuleWeights = Annotated[
    Text,
    _option(
        "Weights: equal, a file, or a=2,b=1 (equal; of a sketch, population).",
        "--weights",
        metavar="WEIGHTS",
        check=values.known_weights,
    ),
]
Attributes = Annotated[
    Text,
    _option(
        "Attributes that weights follow from: a file, a row per stakeholder.",
        "--attributes",
        metavar=FILE,
    ),
]
Heads = Annotated[
    Text, _option("Its column of how many stand behind each.", "--heads", metavar=COLUMN)
]
Groups = Annotated[
    Text,
    _option(
        "People who share a weight: a file, or north=a,b;south=c.",
        "--groups",
        metavar="GROUPS",
        check=values.groups,
    ),
]
Prior = Annotated[
    Text,
    _option(
        "Prior on weights: 1 or more, or a=2,b=1.", "--prior", metavar="PRIOR", check=values.prior
    ),
]
Scale = Annotated[bool, _option("Scores are on another scale than utilities.", "--scale")]
Solver = Annotated[SolverName, typer.Option("--solver", help="How the best rule is searched for.")]
TauMax = Annotated[
    float,
    typer.Option(
        "--tau-max",
        help="Largest temperature.",
        metavar="NUMBER",
        callback=checked(values.positive),
    ),
]
SmallSample = Annotated[
    SmallSampleName,
    typer.Option("--small-sample", help="Penalise the likelihood where decisions are few, or not."),
]
Rho = Annotated[
    Text,
    _option(
        "Flip probability, or 'error rate', or 'cross-validation'.",
        "--rho",
        metavar="RHO",
        check=values.rho,
    ),
]
Effort = Annotated[
    EffortName, typer.Option("--effort", help="How hard to search where optima are many.")
]
Starts = Annotated[
    str,
    typer.Option(
        "--starts",
        help="How many starts, or auto.",
        metavar="NUMBER",
        callback=checked(values.starts),
    ),
]
MaxIter = Annotated[
    int, typer.Option("--max-iter", help="Most steps per start.", metavar="NUMBER", min=1)
]
Tol = Annotated[
    float,
    typer.Option(
        "--tol",
        help="When a start has converged.",
        metavar="NUMBER",
        callback=checked(values.positive),
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", help="Seed of everything random.", metavar="NUMBER", min=0)
]
ComparisonsFolder = Annotated[
    Text,
    _option(
        "Comparisons between the actions, or a folder of Parquet files.",
        "--comparisons",
        "-c",
        metavar=FILE,
    ),
]
ChoicesFolder = Annotated[
    Text,
    _option(
        "Choices from menus of the actions, or rankings; or a folder.", "--choices", metavar=FILE
    ),
]
Dask = Annotated[
    Text,
    _option("Scheduler of a Dask cluster that reads a folder.", "--dask", metavar="ADDRESS"),
]
Resume = Annotated[
    Text,
    _option("Where rounds over a folder are kept, to go on from.", "--resume", metavar=FILE),
]

ModelFile = Annotated[
    Text, _option("A model saved by welfarist fit --save.", "--model", metavar=FILE)
]
Doctrine = Annotated[
    Text,
    _option(
        "A doctrine: egalitarian, harmonic, Nash, utilitarian, best off.",
        "--doctrine",
        metavar="NAME",
        check=values.doctrine,
    ),
]

Title = Annotated[Text, _option("Heading of the report.", "--title", metavar="TEXT")]
Note = Annotated[Text, _option("What stands below the heading.", "--note", metavar="TEXT")]
Unit = Annotated[
    Text, _option("What utilities are measured in, for the report.", "--unit", metavar="TEXT")
]
Date = Annotated[
    Text,
    _option(
        "Date of the report, such as 2026-01-31, or today (none).",
        "--date",
        metavar="DATE",
        check=values.date,
    ),
]

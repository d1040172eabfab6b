"""`welfarist fit`: learn the rule behind decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import answer, one_line, print_json, say, say_notes, working
from welfarist.cli.table_options import Table, of_a_table
from welfarist.cli.words import in_options

if TYPE_CHECKING:  # it takes a second to import
    from welfarist.app.deciding import DecidersRequest
    from welfarist.app.fitting import FitRequest, Fitted

EXAMPLE = "welfarist fit actions.csv --comparisons decisions.csv --save model.json"

CovarianceName = Literal["fisher", "robust", "clustered", "bootstrap"]
MethodName = Literal["profile", "wald", "bootstrap", "posterior"]

Method = Annotated[
    MethodName | None,
    typer.Option(
        "--method", help="How intervals are made (as the covariance says).", show_default=False
    ),
]
Covariance = Annotated[
    CovarianceName | None,
    typer.Option(
        "--covariance",
        help="Kind of standard errors (clustered where --by says who decided, else fisher).",
        show_default=False,
    ),
]
Intervals = Annotated[
    bool, typer.Option("--intervals/--no-intervals", help="Whether to work out intervals.")
]
Save = Annotated[
    str | None,
    typer.Option("--save", help="Save the model to a file.", metavar="FILE", show_default=False),
]
Draws = Annotated[
    int | None,
    typer.Option(
        "--draws",
        help="Keep so many equally likely rules with it, to recommend actions, also in the report.",
        metavar="NUMBER",
        min=20,
        show_default=False,
    ),
]
Report = Annotated[
    str | None,
    typer.Option("--report", help="Write a report in HTML.", metavar="FILE", show_default=False),
]
AllowUnconverged = Annotated[
    bool,
    typer.Option(
        "--allow-unconverged",
        help="Answer, with a warning, though the search did not end well.",
    ),
]


@of_a_table()
def fit(
    actions: opt.ActionsFile,
    comparisons: opt.ComparisonsFolder = None,
    choices: opt.ChoicesFolder = None,
    score: opt.Score = None,
    wide: opt.Wide = False,
    long: opt.Long = False,
    each: opt.Each = False,
    types: opt.Types = None,
    deciders: opt.DecidersFile = None,
    covariates: opt.Covariates = None,
    test_same: opt.TestSame = None,
    individuals: opt.Individuals = None,
    nodes: opt.Nodes = None,
    population: opt.BesideTypes = True,
    noise: opt.Noise = "logistic",
    family: opt.Family = "power",
    margin: opt.Margin = "auto",
    p: opt.Power = None,
    weights: opt.Weights = None,
    groups: opt.Groups = None,
    attributes: opt.Attributes = None,
    heads: opt.Heads = None,
    prior: opt.Prior = None,
    shift: opt.Shift = 0.0,
    shift_table: opt.ShiftTable = False,
    scale: opt.Scale = False,
    solver: opt.Solver = "newton",
    tau_max: opt.TauMax = 1e6,
    small_sample: opt.SmallSample = "auto",
    rho: opt.Rho = None,
    tau_by_stage: opt.TauByStage = False,
    size_effect: opt.SizeEffect = False,
    effort: opt.Effort = "auto",
    starts: opt.Starts = "auto",
    max_iter: opt.MaxIter = 200,
    tol: opt.Tol = 1e-12,
    seed: opt.Seed = 0,
    dask: opt.Dask = None,
    resume: opt.Resume = None,
    level: opt.Level = 0.95,
    method: Method = None,
    covariance: Covariance = None,
    intervals: Intervals = True,
    save: Save = None,
    draws: Draws = None,
    report: Report = None,
    latex: opt.Latex = None,
    title: opt.Title = None,
    note: opt.Note = None,
    unit: opt.Unit = None,
    date: opt.Date = None,
    allow_unconverged: AllowUnconverged = False,
    json: opt.Json = False,
    preferred: opt.Preferred = None,
    other: opt.Other = None,
    first: opt.First = None,
    second: opt.Second = None,
    choice: opt.Choice = None,
    first_label: opt.FirstLabel = None,
    count: opt.Count = None,
    tie: opt.Tie = None,
    by: opt.By = None,
    menu: opt.Menu = None,
    chosen: opt.Chosen = None,
    action: opt.Action = None,
    ranking: opt.RankingColumns = None,
    menu_separator: opt.MenuSeparator = None,
    outside: opt.Outside = False,
    absent: opt.Absent = False,
    *,
    table: Table,
    drop_unknown: opt.DropUnknown = False,
) -> None:
    """Learn the rule behind decisions: who counts how much."""
    from welfarist.app.deciding import DecidersRequest
    from welfarist.app.decisions import DecisionOptions
    from welfarist.app.fitting import FitRequest
    from welfarist.app.learning import LearnerOptions
    from welfarist.app.pages import PageOptions

    asked = FitRequest(
        actions,
        replace(table, absent=absent),
        DecisionOptions(
            comparisons, score, wide, preferred, other, first, second, choice, first_label, count,
            tie, by, drop_unknown, choices, long, menu, chosen, action, ranking, menu_separator,
            outside,
        ),
        LearnerOptions(
            noise=noise, family=family, margin=margin, p=p, weights=weights, groups=groups,
            attributes=attributes, heads=heads, prior=prior, shift=shift, scale=scale,
            solver=solver, tau_max=tau_max, small_sample=small_sample, rho=rho,
            effort=effort, starts=starts,
            max_iter=max_iter, tol=tol, seed=seed, tau_by_stage=tau_by_stage,
            size_effect=size_effect, dask=dask, resume=resume,
        ),
        level=level, method=method, covariance=covariance, intervals=intervals, save=save,
        shift_table=shift_table, report=report, latex=latex,
        page=PageOptions(title, note, unit, date), allow_unconverged=allow_unconverged, draws=draws,
    )  # fmt: skip
    several = DecidersRequest(
        asked, each, types, deciders, covariates, tuple(test_same or ()), individuals, nodes,
        population,
    )  # fmt: skip
    if several.several:
        _several(several, json)
    else:
        _one_rule(asked, json)


def _one_rule(asked: FitRequest, json: bool) -> None:
    """Learn one rule for all, and say what it is."""
    from welfarist.app import fitting

    decided = fitting.read(asked)
    say_notes(decided.notes)
    with working():
        fitted = fitting.fit(asked, decided)
        record = fitted.to_dict(in_options) if json else {}
        lines = [] if json else _lines(fitted)
        fitted.write()  # when nothing can go wrong with the answer any more
    _said(asked, fitted.missing(), record, lines)


def _several(asked: DecidersRequest, json: bool) -> None:
    """Learn how decision makers differ, and say how."""
    from welfarist.app import deciding

    read = deciding.read(asked)
    say_notes(read.notes)
    with working():
        fitted = deciding.fit(asked, read)
        record = fitted.to_dict(in_options) if json else {}
        lines = [] if json else fitted.lines(in_options)
        fitted.write()
    _said(asked.fit, fitted.missing(), record, lines, asked.individuals)


def _said(
    asked: FitRequest,
    missing: list[str],
    record: dict[str, Any],
    lines: list[str],
    individuals: str | None = None,
) -> None:
    """Say what was written where, and answer."""
    written = {"Model": asked.save, "Report": asked.report, "LaTeX": asked.latex}
    for what, path in (written | {"Individuals": individuals}).items():
        if path is not None:
            say(f"{what}: {path}")
    say_notes(missing)
    if record:
        print_json(record)
    answer(*lines)


def _lines(fitted: Fitted) -> list[str]:
    """What people read: a warning before everything else, and how p moves at the end."""
    warning = fitted.warning(in_options)
    first = [f"Warning: {one_line(warning)}"] if warning else []
    last = [] if fitted.shifts is None else ["", str(fitted.shifts)]
    return [*first, str(fitted.summary(in_options)), *last]

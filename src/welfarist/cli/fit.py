"""`welfarist fit`: learn the rule behind decisions."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import print_json, say_notes, working
from welfarist.cli.decisions import Decided, DecisionOptions, TableOptions, read_decisions
from welfarist.errors import InputError
from welfarist.files.writing import check_target

EXAMPLE = "welfarist fit actions.csv --comparisons decisions.csv --save model.json"

_WEIGHT = "weight of "

Level = Annotated[float, typer.Option(help="Level of the intervals.", metavar="NUMBER")]
Method = Annotated[
    str | None,
    typer.Option(help="Intervals by profile or wald.", metavar="NAME", show_default=False),
]
Covariance = Annotated[
    str, typer.Option(help="Standard errors: fisher, robust or clustered.", metavar="NAME")
]
Intervals = Annotated[bool, typer.Option(help="Whether to work out intervals.")]
Save = Annotated[
    str | None, typer.Option(help="Save the model to a file.", metavar="FILE", show_default=False)
]
Report = Annotated[
    str | None, typer.Option(help="Write a report in HTML.", metavar="FILE", show_default=False)
]


def fit(
    actions: opt.ActionsFile,
    comparisons: opt.ComparisonsFile = None,
    score: opt.Score = None,
    wide: opt.Wide = False,
    noise: opt.Noise = "logistic",
    p: opt.Power = None,
    weights: opt.Weights = None,
    groups: opt.Groups = None,
    prior: opt.Prior = None,
    scale: opt.Scale = False,
    solver: opt.Solver = "newton",
    tau_max: opt.TauMax = 1e6,
    rho: opt.Rho = None,
    starts: opt.Starts = "auto",
    max_iter: opt.MaxIter = 200,
    tol: opt.Tol = 1e-12,
    seed: opt.Seed = 0,
    level: Level = 0.95,
    method: Method = None,
    covariance: Covariance = "fisher",
    intervals: Intervals = True,
    save: Save = None,
    report: Report = None,
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
    name: opt.Name = None,
    numbered: opt.Numbered = False,
    stakeholders: opt.Stakeholders = None,
    ignore: opt.Ignore = None,
    separator: opt.Separator = None,
    decimal: opt.Decimal = None,
    sheet: opt.Sheet = None,
) -> None:
    """Learn the welfare function behind decisions: who counts how much, and which doctrine."""
    for target in (save, report):
        if target is not None:
            check_target(target)
    table = TableOptions(name, numbered, stakeholders, ignore, separator, decimal, sheet)
    decision = DecisionOptions(
        comparisons, score, wide, preferred, other, first, second, choice, first_label, count,
        tie, by,
    )  # fmt: skip
    decided = read_decisions(actions, table, decision)
    say_notes(decided.notes)
    shared = shared_options(p, weights, groups, prior, solver, starts, max_iter, tol, seed)
    compared = dict(noise=noise, tau_max=tau_max, rho=opt.rho_option(rho))
    with working():  # its warnings are the caveats of the result
        learned = learner_of(decided, shared, compared, scale)
        learned.fit(decided.X, decided.scores)
        result = learned.result_
        summary = result.summary(level if intervals else None, method, covariance)
    record = summary.record
    say_notes(record.caveats)
    if save is not None:
        from welfarist.models import save_model

        save_model(learned, save, _kept_intervals(record))
    if report is not None:
        _write_report(result, report)
    if json:
        print_json(_as_record(result, record, decided.notes))
    else:
        print(type(summary)(replace(record, caveats=())))  # which were said already


def shared_options(
    p: str | None,
    weights: str | None,
    groups: str | None,
    prior: str | None,
    solver: str,
    starts: str,
    max_iter: int,
    tol: float,
    seed: int,
) -> dict[str, Any]:
    """The options that both learners have."""
    return dict(
        p=opt.power_option(p),
        weights=opt.weights_option(weights),
        groups=opt.groups_option(groups),
        prior=opt.prior_option(prior),
        solver=solver,
        n_starts=opt.starts_option(starts),
        max_iter=max_iter,
        tol=tol,
        random_state=seed,
    )


def learner_of(
    decided: Decided, shared: dict[str, Any], compared: dict[str, Any], scale: bool
) -> Any:
    """The learner for these decisions; options of the other kind are refused."""
    from welfarist.learners import ComparisonClassifier, WelfareRegressor

    if decided.scores is None:
        if scale:
            raise typer.BadParameter("--scale is for scores; found comparisons. Leave it out.")
        return ComparisonClassifier(**shared, **compared)
    default = ComparisonClassifier()
    told = [name for name, value in compared.items() if value != getattr(default, name)]
    if told:
        option = f"--{told[0].replace('_', '-')}"
        raise typer.BadParameter(f"{option} is for comparisons; found scores. Leave it out.")
    return WelfareRegressor(**shared, scale=scale)


def _kept_intervals(record: Any) -> dict[str, Any]:
    """The intervals of a summary by the names of its rows, with their level."""
    found = {row.parameter: (row.low, row.high) for row in record.rows if row.low is not None}
    return {"level": record.level, **found} if found else {}


def _as_record(result: Any, record: Any, notes: tuple[str, ...]) -> dict[str, Any]:
    """What `--json` prints."""
    estimates = result.to_dict()
    decisions = estimates.pop("decisions")
    caveats = estimates.pop("caveats")
    intervals = {row.parameter: [row.low, row.high] for row in record.rows if row.low is not None}
    weights = {
        row.parameter.removeprefix(_WEIGHT): intervals.pop(row.parameter)
        for row in record.rows
        if row.parameter.startswith(_WEIGHT) and row.parameter in intervals
    }
    return {
        **estimates,
        "n": decisions,
        "intervals": {**intervals, **({"weights": weights} if weights else {})},
        "level": record.level,
        "lines": list(record.lines),
        "caveats": caveats,
        "notes": list(notes),
    }


def _write_report(result: Any, path: str) -> None:
    write = getattr(result, "report", None)
    if write is None:
        raise InputError(f"{path}: this version of welfarist cannot write reports.")
    with working():
        write(path)
    print(f"Report: {path}", file=sys.stderr)

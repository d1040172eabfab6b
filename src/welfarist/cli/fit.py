"""`welfarist fit`: learn the rule behind decisions."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from welfarist.cli import options as opt
from welfarist.cli import values
from welfarist.cli.console import print_json, say_notes, working
from welfarist.cli.decisions import Decided, DecisionOptions, TableOptions, read_decisions
from welfarist.cli.people import groups_of, prior_of, weights_of
from welfarist.cli.targets import check_targets
from welfarist.cli.words import in_options
from welfarist.errors import InputError

if TYPE_CHECKING:
    from welfarist.summary import SummaryRecord

EXAMPLE = "welfarist fit actions.csv --comparisons decisions.csv --save model.json"

_WEIGHT = "weight of "

CovarianceName = Literal["fisher", "robust", "clustered", "bootstrap"]
MethodName = Literal["profile", "wald", "bootstrap"]

Level = Annotated[
    float,
    typer.Option(help="Level of the intervals.", metavar="NUMBER", callback=values.between_0_and_1),
]
Method = Annotated[
    MethodName | None,
    typer.Option(help="How intervals are made (as the covariance says).", show_default=False),
]
Covariance = Annotated[CovarianceName, typer.Option(help="Kind of standard errors.")]
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
    """Learn the rule behind decisions: who counts how much."""
    check_targets({"--save": save, "--report": report}, (actions, comparisons, weights, groups))
    if report is not None and not intervals:
        raise typer.BadParameter("a report shows intervals: leave out --no-intervals or --report.")
    table = TableOptions(name, numbered, stakeholders, ignore, separator, decimal, sheet)
    decision = DecisionOptions(
        comparisons, score, wide, preferred, other, first, second, choice, first_label, count,
        tie, by,
    )  # fmt: skip
    decided = read_decisions(actions, table, decision)
    say_notes(decided.notes)
    if covariance == "clustered":
        _require_deciders(decided)
    shared = shared_options(
        decided.people, p, weights, groups, prior, solver, starts, max_iter, tol, seed
    )
    compared = dict(noise=noise, tau_max=tau_max, rho=values.rho_of_text(rho))
    with working():  # its warnings are the caveats of the result
        learned = learner_of(decided, shared, compared, scale)
        learned.fit(decided.X, decided.scores)
        result = learned.result_.with_covariance(covariance)
        summary = result.summary(level if intervals else None, method)
        misfit = result.misfit()
    said = summary.record
    if misfit.clear:
        said = replace(said, caveats=(*said.caveats, misfit.verdict))
    record = _in_options(said)
    if save is not None:
        _save(learned, said, save)
    if report is not None:
        with working():
            result.report(report, level=level, method=method)
        print(f"Report: {report}", file=sys.stderr)
    if json:
        print_json(_as_record(result, record, decided.notes))
    else:
        print(type(summary)(record))


def _save(learned: Any, said: SummaryRecord, path: str) -> None:
    """Save what was learned, with the intervals and caveats of its summary."""
    from welfarist.models import Model, save_model

    model = Model.of(learned, _kept_intervals(said))
    save_model(replace(model, caveats=said.caveats), path)
    print(f"Model: {path}", file=sys.stderr)


def _require_deciders(decided: Decided) -> None:
    if decided.scores is not None:
        raise typer.BadParameter(
            "--covariance clustered is for comparisons; found scores. Use --covariance robust."
        )
    if not decided.deciders:
        raise InputError(
            "--covariance clustered needs to know who decided; found no column that says so. Name "
            "it with --by COLUMN."
        )


def _in_options(record: SummaryRecord) -> SummaryRecord:
    """A summary that speaks of options, not of Python."""
    return replace(
        record,
        lines=tuple(map(in_options, record.lines)),
        caveats=tuple(map(in_options, record.caveats)),
    )


def shared_options(
    people: tuple[str, ...],
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
    shared = groups_of(groups, people)
    return dict(
        p=values.power_of_text(p),
        weights=weights_of(weights, people),
        groups=shared,
        prior=prior_of(prior, people, shared),
        solver=solver,
        n_starts=values.starts_of_text(starts),
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


def _kept_intervals(record: SummaryRecord) -> dict[str, Any]:
    """The intervals of a summary by the names of its rows, with their level."""
    found = {row.parameter: (row.low, row.high) for row in record.rows if row.low is not None}
    return {"level": record.level, **found} if found else {}


def _as_record(result: Any, record: SummaryRecord, notes: tuple[str, ...]) -> dict[str, Any]:
    """What `--json` prints."""
    estimates = result.to_dict()
    decisions = estimates.pop("decisions")
    if result.exact is not None:
        estimates["powers"] = [[part.low, part.high] for part in result.exact.intervals]
    intervals = {
        row.parameter.replace("inequality aversion", "inequality_aversion"): [row.low, row.high]
        for row in record.rows
        if row.low is not None
    }
    weights = {
        row.parameter.removeprefix(_WEIGHT): intervals.pop(row.parameter)
        for row in record.rows
        if row.parameter.startswith(_WEIGHT) and row.parameter in intervals
    }
    return {
        **estimates,
        "n": int(decisions) if float(decisions).is_integer() else decisions,
        "intervals": {**intervals, **({"weights": weights} if weights else {})},
        "level": record.level,
        "lines": list(record.lines),
        "caveats": list(record.caveats),
        "notes": list(notes),
    }

"""`welfarist compare`: doctrines and saved models on the same decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from welfarist.app import values
from welfarist.cli import options as opt
from welfarist.cli.console import answer, checked, one_line, print_json, say, say_notes, working
from welfarist.cli.table_options import Table, of_a_table
from welfarist.cli.words import in_options

EXAMPLE = "welfarist compare actions.csv --comparisons decisions.csv --model model.json"

Doctrines = Annotated[
    str | None,
    typer.Option(
        "--doctrines",
        help="Doctrines, rules of recommenders (average, …), or none (all doctrines).",
        metavar="NAME,…",
        show_default=False,
        callback=checked(values.doctrines),
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="A saved model; may be repeated.", metavar="FILE", show_default=False
    ),
]
Learn = Annotated[bool, typer.Option("--learn/--no-learn", help="Whether to learn a rule as well.")]
Logit = Annotated[
    bool, typer.Option("--logit", help="Add the linear logit of utility differences.")
]
Types = Annotated[
    str | None,
    typer.Option(
        "--types",
        help="Add types of decision makers: how many, or auto (needs --by).",
        metavar="NUMBER",
        show_default=False,
        callback=checked(values.number_of_types),
    ),
]
Each = Annotated[
    bool, typer.Option("--each", help="Add everybody's own rule, by who decided (needs --by).")
]
Families = Annotated[
    str | None,
    typer.Option(
        "--families",
        help="Compare families instead: all, or power,kolm,difference,choquet,… (see families).",
        metavar="NAME,…",
        show_default=False,
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        "--folds",
        help="Parts in which decisions are held out; 0 for none.",
        metavar="NUMBER",
        min=0,
        callback=checked(values.folds),
    ),
]


@of_a_table()
def compare(
    actions: opt.ActionsFile,
    comparisons: opt.ComparisonsFile = None,
    choices: opt.ChoicesFile = None,
    score: opt.Score = None,
    wide: opt.Wide = False,
    long: opt.Long = False,
    doctrines: Doctrines = None,
    model: Models = None,
    learn: Learn = True,
    logit: Logit = False,
    types: Types = None,
    each: Each = False,
    families: Families = None,
    folds: Folds = 5,
    noise: opt.Noise = "logistic",
    weights: opt.Weights = None,
    groups: opt.Groups = None,
    attributes: opt.Attributes = None,
    heads: opt.Heads = None,
    prior: opt.Prior = None,
    shift: opt.Shift = 0.0,
    scale: opt.Scale = False,
    tau_max: opt.TauMax = 1e6,
    small_sample: opt.SmallSample = "auto",
    effort: opt.Effort = "auto",
    rho: opt.Rho = None,
    tau_by_stage: opt.TauByStage = False,
    size_effect: opt.SizeEffect = False,
    seed: opt.Seed = 0,
    latex: opt.Latex = None,
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
    """Put doctrines, saved models and a learned rule side by side."""
    from welfarist.app import comparing
    from welfarist.app.decisions import DecisionOptions
    from welfarist.app.learning import LearnerOptions

    asked = comparing.CompareRequest(
        actions,
        replace(table, absent=absent),
        DecisionOptions(
            comparisons, score, wide, preferred, other, first, second, choice, first_label, count,
            tie, by, drop_unknown, choices, long, menu, chosen, action, ranking, menu_separator,
            outside,
        ),
        LearnerOptions(
            noise=noise, weights=weights, groups=groups, attributes=attributes, heads=heads,
            prior=prior, shift=shift, scale=scale,
            tau_max=tau_max, small_sample=small_sample, rho=rho,
            effort=effort, seed=seed,
            tau_by_stage=tau_by_stage, size_effect=size_effect,
        ),
        doctrines=doctrines, models=tuple(model or ()), learn=learn, folds=folds,
        logit=logit, latex=latex, types=types, each=each, families=families,
    )  # fmt: skip
    contest = comparing.read(asked)
    say_notes(contest.decided.notes)
    with working():
        compared = comparing.compare(contest)
    record = compared.to_dict(in_options) if json else {}
    lines = [] if json else [*compared.tables(in_options), *_notes(compared.said(in_options))]
    if latex is not None:  # when nothing can go wrong with the answer any more
        compared.write_latex(latex)
        say(f"LaTeX: {latex}")
    if json:
        print_json(record)
    answer(*lines)


def _notes(caveats: list[str]) -> list[str]:
    return [f"Note: {one_line(caveat)}" for caveat in caveats]

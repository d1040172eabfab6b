"""`welfarist compare`: doctrines and saved models on the same decisions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from welfarist.cli import options as opt
from welfarist.cli import values
from welfarist.cli.console import one_line, print_json, say_notes, working
from welfarist.cli.decisions import DecisionOptions, TableOptions, read_decisions
from welfarist.cli.fit import learner_of, shared_options
from welfarist.doctrines import DOCTRINES, power_of
from welfarist.models import load_model
from welfarist.welfare import WelfareFunction

_FLATTERED = (
    "a saved model counts as learning nothing from these decisions: if it was learned from them, "
    "it looks better than it is, held out as well."
)

EXAMPLE = "welfarist compare actions.csv --comparisons decisions.csv --model model.json"

Doctrines = Annotated[
    str | None,
    typer.Option(
        "--doctrines",
        help="Doctrines, or none (all).",
        metavar="NAME,…",
        show_default=False,
        callback=values.doctrines,
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="A saved model; may be repeated.", metavar="FILE", show_default=False
    ),
]
Learn = Annotated[bool, typer.Option(help="Whether to learn a rule as well.")]
Folds = Annotated[
    int,
    typer.Option(
        help="Parts in which decisions are held out; 0 for none.",
        metavar="NUMBER",
        min=0,
        callback=values.folds,
    ),
]


def compare(
    actions: opt.ActionsFile,
    comparisons: opt.ComparisonsFile = None,
    score: opt.Score = None,
    wide: opt.Wide = False,
    doctrines: Doctrines = None,
    model: Models = None,
    learn: Learn = True,
    folds: Folds = 5,
    noise: opt.Noise = "logistic",
    weights: opt.Weights = None,
    groups: opt.Groups = None,
    prior: opt.Prior = None,
    scale: opt.Scale = False,
    tau_max: opt.TauMax = 1e6,
    rho: opt.Rho = None,
    seed: opt.Seed = 0,
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
    """Put doctrines, saved models and a learned rule side by side."""
    from welfarist.side_by_side import compare as side_by_side

    table = TableOptions(name, numbered, stakeholders, ignore, separator, decimal, sheet)
    decision = DecisionOptions(
        comparisons, score, wide, preferred, other, first, second, choice, first_label, count,
        tie, by,
    )  # fmt: skip
    rules = _rules(model or [])  # before decisions are read, which may take longer
    decided = read_decisions(actions, table, decision)
    say_notes(decided.notes)
    shared = shared_options(
        decided.people, None, weights, groups, prior, "newton", "auto", 200, 1e-12, seed
    )
    compared = dict(noise=noise, tau_max=tau_max, rho=values.rho_of_text(rho))
    base = learner_of(decided, shared, compared, scale)
    with working() as said:
        items = _items(base, doctrines, rules, learn)
        found = side_by_side(
            items, decided.X, decided.scores, folds=folds or None, random_state=seed
        )
    caveats = [*said, *([_FLATTERED] if rules else [])]
    if json:
        print_json({**found.to_dict(), "caveats": caveats, "notes": list(decided.notes)})
    else:
        print("\n".join([str(found), *(f"Note: {one_line(caveat)}" for caveat in caveats)]))


def _rules(paths: list[str]) -> dict[str, WelfareFunction]:
    """The rules of saved models, by the names of their files."""
    rules: dict[str, WelfareFunction] = {}
    for path in paths:
        name = Path(path).name
        rules[name if name not in rules else path] = load_model(path).welfare
    return rules


def _items(
    base: Any, doctrines: str | None, rules: dict[str, WelfareFunction], learn: bool
) -> dict[str, Any]:
    """Who competes, by name: doctrines take all but p from the learner."""
    from sklearn.base import clone

    items: dict[str, Any] = {"learned": base} if learn else {}
    wanted = [d.name for d in DOCTRINES] if doctrines is None else values.listed(doctrines) or []
    for doctrine in wanted if wanted != ["none"] else []:
        items[doctrine] = clone(base).set_params(p=power_of(doctrine))
    for name, rule in rules.items():
        items[name if name not in items else f"{name} (saved)"] = rule
    if not items:
        raise typer.BadParameter("name what to compare: --doctrines, --model or --learn.")
    return items

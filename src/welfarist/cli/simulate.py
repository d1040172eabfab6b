"""`welfarist simulate`: a world with a known truth, as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from welfarist.app import texts, values
from welfarist.cli import options as opt
from welfarist.cli.console import answer, checked, print_json, say, typed, working

EXAMPLE = "welfarist simulate world --people 5 --decisions 300"

Kind = Literal["csv", "parquet"]

Folder = Annotated[
    str,
    typer.Argument(
        help="Folder to write to, made if it is not there.", metavar="FOLDER", show_default=False
    ),
]
People = Annotated[
    int,
    typer.Option(
        "--people",
        help="How many stakeholders; more than 100,000 are a country, in parts.",
        metavar="NUMBER",
        parser=lambda text: checked(texts.whole_number)(str(text)),
    ),
]
Regions = Annotated[
    int | None,
    typer.Option(
        "--regions",
        help="How many regions of a country, whose people have a row each (5).",
        metavar="NUMBER",
        min=1,
        show_default=False,
    ),
]
Actions = Annotated[
    int,
    typer.Option("--actions", help="How many actions; a country has 12.", metavar="NUMBER", min=2),
]
Decisions = Annotated[
    int,
    typer.Option("--decisions", help="How many comparisons or choices.", metavar="NUMBER", min=1),
]
Power = Annotated[
    str,
    typer.Option(
        "--p", help="The true power, or a doctrine.", metavar="P", callback=checked(values.power)
    ),
]
WorldWeights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        help="The true weights: random, equal, population (of a country), or numbers such as "
        "2,1,1 (random).",
        metavar="WEIGHTS",
        callback=checked(values.world_weights),
        show_default=False,
    ),
]
Tau = Annotated[
    float,
    typer.Option(
        "--tau",
        help="Temperature; larger errs less, inf never.",
        metavar="NUMBER",
        callback=checked(values.positive),
    ),
]
Rho = Annotated[
    float,
    typer.Option(
        "--rho", help="Probability of a slip.", metavar="NUMBER", callback=checked(values.slip)
    ),
]
Charity = Annotated[
    bool,
    typer.Option("--charity", help="A food-rescue charity: 18 stakeholders in 4 groups."),
]
Answers = Annotated[
    int | None,
    typer.Option(
        "--answers",
        help="How many comparisons each stakeholder of the charity answers: utilities are then to "
        "be learned, not in the files.",
        metavar="NUMBER",
        min=1,
        show_default=False,
    ),
]
Scores = Annotated[
    bool, typer.Option("--scores", help="Scores of all actions in place of comparisons.")
]
Menus = Annotated[
    int | None,
    typer.Option(
        "--menus",
        help="From how many actions is chosen each time, in place of comparisons.",
        metavar="NUMBER",
        min=2,
        show_default=False,
    ),
]
Places = Annotated[
    int | None,
    typer.Option(
        "--places",
        help="How many actions of each menu are ranked.",
        metavar="NUMBER",
        min=1,
        show_default=False,
    ),
]
Nu = Annotated[
    float,
    typer.Option(
        "--nu",
        help="Noise of scores, as a share of an action's range.",
        metavar="NUMBER",
        callback=checked(values.not_negative),
    ),
]
Deciders = Annotated[
    int | None,
    typer.Option(
        "--deciders",
        help="How many decide, each by a rule of their own.",
        metavar="NUMBER",
        min=1,
        show_default=False,
    ),
]
Each = Annotated[
    int,
    typer.Option("--each", help="How often each of them decides.", metavar="NUMBER", min=1),
]
Types = Annotated[
    int | None,
    typer.Option(
        "--types",
        help="How many rules they follow, each one of them.",
        metavar="NUMBER",
        min=1,
        show_default=False,
    ),
]
Spread = Annotated[
    float,
    typer.Option(
        "--spread",
        help="How much they differ by degree: standard deviation of asinh p, and half of it of log "
        "weights and log tau.",
        metavar="NUMBER",
        callback=checked(values.not_negative),
    ),
]
Format = Annotated[Kind, typer.Option("--format", help="Kind of file.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]


def simulate(
    ctx: typer.Context,
    folder: Folder,
    people: People = 5,
    regions: Regions = None,
    actions: Actions = 100,
    decisions: Decisions = 300,
    p: Power = "-1",
    weights: WorldWeights = None,
    tau: Tau = 20.0,
    rho: Rho = 0.0,
    charity: Charity = False,
    answers: Answers = None,
    scores: Scores = False,
    menus: Menus = None,
    places: Places = None,
    nu: Nu = 0.05,
    deciders: Deciders = None,
    each: Each = 39,
    types: Types = None,
    spread: Spread = 1.0,
    seed: opt.Seed = 0,
    format: Format = "csv",
    force: Force = False,
    json: opt.Json = False,
) -> None:
    """Write a simulated world to files, with its truth."""
    from welfarist.app import simulating

    asked = simulating.WorldRequest(
        people=typed(ctx, "people", people),
        decisions=typed(ctx, "decisions", decisions),
        tau=typed(ctx, "tau", tau),
        rho=typed(ctx, "rho", rho),
        nu=typed(ctx, "nu", nu),
        actions=typed(ctx, "actions", actions),
        regions=regions,
        p=p,
        weights=weights,
        charity=charity,
        answers=answers,
        scores=scores,
        menus=menus,
        places=places,
        seed=seed,
        deciders=deciders,
        each=typed(ctx, "each", each),
        types=types,
        spread=typed(ctx, "spread", spread),
    )
    with working():
        if asked.is_country:
            from welfarist.app import countries

            written = countries.write(asked, folder, format, force=force)
        else:
            written = simulating.simulate(asked).write(folder, format, force=force)
    for path in written.removed:
        say(f"Removed: {path}")
    say(f"Next: {_next(written.files)}")
    if json:
        print_json({"files": {name: str(path) for name, path in written.files.items()}})
    else:
        answer(*written.files.values())


def _next(files: Mapping[str, Path]) -> str:
    """What to type to learn from these files."""
    if "people" in files:
        sketched = files["people"].parent / "people.sketch"
        return f"welfarist sketch {files['people']} --groups region --out {sketched}"
    if "answers" in files:
        made = files["answers"].parent / "people.json"
        read = f"{files['features']} {files['answers']}"
        return f"welfarist utilities {read} --anchor 1,10 --save {made}"
    kinds = [kind for kind in ("comparisons", "choices") if kind in files]
    decided = f"--{kinds[0]} {files[kinds[0]]}" if kinds else "--score score"
    grouped = f" --groups {files['groups']}" if "groups" in files else ""
    differ = " --each" if "deciders" in files else ""
    return f"welfarist fit {files['actions']} {decided}{grouped}{differ}"

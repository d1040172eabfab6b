"""`welfarist allocate`: a budget over projects, whole or in part."""

from __future__ import annotations

from typing import Annotated

import typer

from welfarist.app import values
from welfarist.cli import options as opt
from welfarist.cli.console import checked, print_json, print_table, say_notes, working
from welfarist.cli.table_options import Table, of_a_table

EXAMPLE = "welfarist allocate projects.csv --model model.json --budget 100000 --whole --boards"

Projects = Annotated[
    str,
    typer.Argument(
        help="Table of projects with a column of costs, or a Pabulib file (.pb).",
        metavar="PROJECTS",
        show_default=False,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget",
        help="How much there is (what a .pb file says).",
        metavar="NUMBER",
        callback=checked(values.positive),
        show_default=False,
    ),
]
Cost = Annotated[str, typer.Option("--cost", help="Column of the costs.", metavar="COLUMN")]
Baseline = Annotated[
    float,
    typer.Option(
        "--baseline", help="What everybody has without projects.", metavar="NUMBER", min=0.0
    ),
]
Whole = Annotated[bool, typer.Option("--whole", help="Fund projects whole or not at all.")]
Gap = Annotated[
    float,
    typer.Option(
        "--gap", help="How close whole projects come to the best.", metavar="SHARE", min=0.0
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        "--seconds",
        help="Time for whole projects.",
        metavar="NUMBER",
        callback=checked(values.positive),
    ),
]
WithBoards = Annotated[
    bool,
    typer.Option("--boards", help="Show what utilitarian, Nash and egalitarian boards would fund."),
]
Satisfaction = Annotated[
    str | None,
    typer.Option(
        "--satisfaction",
        help="What a vote in a .pb file is worth: count, cost, points or places.",
        metavar="NAME",
        show_default=False,
    ),
]
VoterGroups = Annotated[
    str | None,
    typer.Option(
        "--voter-groups",
        help="Column of the votes that says whose mean utility counts (each voter's).",
        metavar="COLUMN",
        show_default=False,
    ),
]


@of_a_table()
def allocate(
    projects: Projects,
    budget: Budget = None,
    cost: Cost = "cost",
    baseline: Baseline = 0.0,
    whole: Whole = False,
    boards: WithBoards = False,
    gap: Gap = 0.001,
    seconds: Seconds = 60.0,
    satisfaction: Satisfaction = None,
    voter_groups: VoterGroups = None,
    model: opt.ModelFile = None,
    doctrine: opt.Doctrine = None,
    p: opt.RulePower = None,
    weights: opt.RuleWeights = None,
    json: opt.Json = False,
    *,
    table: Table,
) -> None:
    """Allocate a budget over projects so that welfare is largest."""
    from welfarist.app import allocating
    from welfarist.app.rules import RuleRequest

    rule = RuleRequest(projects, table, model, doctrine, p, weights)
    asked = allocating.AllocateRequest(
        rule, budget, cost, baseline, whole, gap, seconds, boards, satisfaction, voter_groups
    )
    with working():
        found = allocating.allocate(asked)
    say_notes(found.notes)
    if json:
        print_json(found.to_dict())
    else:
        print_table(found.table())

"""`welfarist simulate`: a world with a known truth, as files."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
import typer

from welfarist import __version__
from welfarist import simulate as worlds
from welfarist.cli import options as opt
from welfarist.cli import values
from welfarist.cli.console import print_json, was_given, working
from welfarist.decisions import Comparisons
from welfarist.errors import InputError
from welfarist.files.writing import check_target, write_whole
from welfarist.fit import named_people
from welfarist.models import Model, save_model
from welfarist.simulate import World
from welfarist.welfare import WelfareFunction

EXAMPLE = "welfarist simulate world --people 5 --decisions 300"

TRUTH = "truth.json"
_TABLES = ("actions", "comparisons", "groups")
Kind = Literal["csv", "parquet"]

Folder = Annotated[
    str,
    typer.Argument(
        help="Folder to write to, made if it is not there.", metavar="FOLDER", show_default=False
    ),
]
People = Annotated[int, typer.Option(help="How many stakeholders.", metavar="NUMBER", min=1)]
Actions = Annotated[int, typer.Option(help="How many actions.", metavar="NUMBER", min=2)]
Decisions = Annotated[int, typer.Option(help="How many comparisons.", metavar="NUMBER", min=1)]
Power = Annotated[
    str,
    typer.Option("--p", help="The true power, or a doctrine.", metavar="P", callback=values.power),
]
WorldWeights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        help="The true weights: random, equal, or numbers such as 2,1,1 (random).",
        metavar="WEIGHTS",
        callback=values.world_weights,
        show_default=False,
    ),
]
Tau = Annotated[
    float,
    typer.Option(
        help="Temperature; larger errs less, inf never.", metavar="NUMBER", callback=values.positive
    ),
]
Rho = Annotated[
    float, typer.Option(help="Probability of a slip.", metavar="NUMBER", callback=values.slip)
]
Charity = Annotated[
    bool,
    typer.Option("--charity", help="A food-rescue charity: 18 stakeholders in 4 groups."),
]
Scores = Annotated[
    bool, typer.Option("--scores", help="Scores of all actions in place of comparisons.")
]
Nu = Annotated[
    float,
    typer.Option(
        help="Noise of scores, as a share of an action's range.",
        metavar="NUMBER",
        callback=values.not_negative,
    ),
]
Format = Annotated[Kind, typer.Option(help="Kind of file.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]


# Options that say nothing beside another one, with the reason.
_WITHOUT_EFFECT = {
    "people": "--charity has 18 stakeholders",
    "decisions": "--scores are of all actions",
    "tau": "--scores have another noise, --nu",
    "rho": "--scores have another noise, --nu",
    "nu": "it is the noise of --scores",
}


def simulate(
    ctx: typer.Context,
    folder: Folder,
    people: People = 5,
    actions: Actions = 100,
    decisions: Decisions = 300,
    p: Power = "-1",
    weights: WorldWeights = None,
    tau: Tau = 20.0,
    rho: Rho = 0.0,
    charity: Charity = False,
    scores: Scores = False,
    nu: Nu = 0.05,
    seed: opt.Seed = 0,
    format: Format = "csv",
    force: Force = False,
    json: opt.Json = False,
) -> None:
    """Write a simulated world to files, with its truth."""
    _refuse_idle(ctx, charity, scores)
    if weights is not None and "," in weights and not charity and len(weights.split(",")) != people:
        raise typer.BadParameter(
            f"--weights must be as many as --people; found {len(weights.split(','))} for {people}."
        )
    power = values.power_of_text(p)
    assert power is not None
    with working():
        world = _world(charity, actions, people, power, weights, seed)
        told = worlds.scores(world, nu, random_state=seed) if scores else None
        choices = None
        if told is None:
            pairs = worlds.random_pairs(world.actions, decisions, random_state=seed)
            choices = worlds.comparisons(world, pairs, tau=tau, rho=rho, random_state=seed)
    tables = tables_of(world, told, choices)
    truth = _truth(world, choices is not None, tau, rho)
    written = _write(Path(folder), tables, format, truth, force)
    if json:
        print_json({"files": {name: str(path) for name, path in written.items()}})
    else:
        print(*written.values(), sep="\n")


def _refuse_idle(ctx: typer.Context, charity: bool, scores: bool) -> None:
    """Refuse options that were given and would have no effect."""
    idle = ["people"] * charity + (["decisions", "tau", "rho"] if scores else ["nu"])
    for name in idle:
        if was_given(ctx, name):
            raise typer.BadParameter(
                f"--{name} has no effect here: {_WITHOUT_EFFECT[name]}. Leave it out."
            )


def _world(
    charity: bool, actions: int, people: int, p: float, weights: str | None, seed: int
) -> World:
    known = _weights(weights)
    if charity:
        share = "deployed" if known is None else known
        made = worlds.food_rescue(
            actions, p=p, weights=share, u_min=1.0, u_max=10.0, random_state=seed
        )
        return made.world
    return worlds.individuals(
        actions, people, p=p, weights="random" if known is None else known, random_state=seed
    )


def _weights(text: str | None) -> Any:
    if text is None or text in ("random", "equal"):
        return text
    return [float(part) for part in text.split(",")]


def tables_of(world: World, scores: Any, choices: Comparisons | None) -> dict[str, Any]:
    """The files' contents by name, as columns."""
    labels = [f"action {i + 1}" for i in range(world.actions)]
    named = dict(zip(labels, range(world.actions), strict=True))
    actions: dict[str, Any] = {"action": list(named), **world.columns()}
    tables = {"actions": actions}
    if scores is not None:
        actions["score"] = scores
    if choices is not None:
        first, second = (np.array(labels, dtype=object)[rows] for rows in choices.pairs.T)
        lost = choices.outcomes < 0
        tables["comparisons"] = {
            "preferred": np.where(lost, second, first).tolist(),
            "other": np.where(lost, first, second).tolist(),
        }
        if (choices.outcomes == 0).any():
            tables["comparisons"]["tie"] = (choices.outcomes == 0).astype(int)
    if world.group_of is not None:
        members = named_people(world.stakeholders, world.people)
        tables["groups"] = {"stakeholder": list(members), "group": list(world.group_of)}
    return tables


def _truth(world: World, compared: bool, tau: float, rho: float) -> Model:
    """The true rule as a saved model, so that `rank` and `compare` can apply it."""
    names = named_people(world.stakeholders, world.people)
    return Model(
        WelfareFunction(world.p, world.weights, names),
        "comparisons" if compared else "scores",
        tau if compared else None,
        rho if compared else None,
        None,
        decisions=0.0,
        loss=0.0,
        given=("p", "weights"),
        version=__version__,
    )


def _write(
    folder: Path, tables: dict[str, Any], kind: str, truth: Model, force: bool
) -> dict[str, Path]:
    """Write all files and return where they are, by what they hold."""
    targets = {name: folder / f"{name}.{kind}" for name in tables}
    there = [path for path in _files_of_worlds(folder) if path.exists()]
    if there and not force:
        raise InputError(f"{there[0]}: is there already. Name another folder, or use --force.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"{folder}: cannot be made: {problem.strerror}. Name another.") from None
    for path in (*targets.values(), folder / TRUTH):
        check_target(path)
    for path in there:
        if path not in targets.values() and path != folder / TRUTH:
            path.unlink()  # beside the new files it would pass for one of them
            print(f"Removed: {path}", file=sys.stderr)
    for name, path in targets.items():
        write_whole(path, _content(tables[name], kind))
    save_model(truth, folder / TRUTH)
    decided = "--comparisons" if "comparisons" in targets else "--score score"
    second = f" {targets['comparisons']}" if "comparisons" in targets else ""
    grouped = f" --groups {targets['groups']}" if "groups" in targets else ""
    print(f"Next: welfarist fit {targets['actions']} {decided}{second}{grouped}", file=sys.stderr)
    return {**targets, "truth": folder / TRUTH}


def _files_of_worlds(folder: Path) -> list[Path]:
    """All files that this command ever writes to a folder."""
    tables = [f"{name}.{kind}" for name in _TABLES for kind in get_args(Kind)]
    return [folder / name for name in (*tables, TRUTH)]


def _content(columns: dict[str, Any], kind: str) -> bytes:
    """A table as the bytes of a file."""
    import polars as pl

    made, held = pl.DataFrame(columns), io.BytesIO()
    if kind == "csv":
        made.write_csv(held)
    else:
        made.write_parquet(held)
    return held.getvalue()

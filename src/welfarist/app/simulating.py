"""A simulated world with a known truth, written to files."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from welfarist import simulate as worlds
from welfarist.app.texts import power_of_text
from welfarist.app.usage import RequestError
from welfarist.app.world_requests import DEFAULTS, WorldRequest
from welfarist.base.errors import InputError
from welfarist.base.half_written import settle
from welfarist.base.inert import in_csv
from welfarist.base.version import __version__
from welfarist.base.whole_files import write_together
from welfarist.decisions import Comparisons
from welfarist.families.rule import WelfareFunction
from welfarist.files.menu_layouts import ORDINALS
from welfarist.results.learned import named_people
from welfarist.results.saved_models import Model
from welfarist.simulate import World

__all__ = ["DEFAULTS", "Simulated", "simulate", "WorldRequest", "Written"]

TRUTH = "truth.json"
# The folder of a country's people.
PEOPLE = "people"
Kind = Literal["csv", "parquet"]
_TABLES = ("actions", "features", "answers", "comparisons", "choices", "groups", "deciders")


@dataclass(frozen=True)
class Written:
    """What became of a folder.

    Attributes
    ----------
    files : dict of Path
        Where everything is, by what it holds: "actions" (or "features" and "answers"), perhaps
        "comparisons" or "choices", "groups" and "deciders", and "truth".
    removed : list of Path
        Files of an old world that would have passed for files of this one.
    """

    files: dict[str, Path]
    removed: list[Path]


@dataclass(frozen=True)
class Simulated:
    """A world in tables.

    Attributes
    ----------
    tables : dict of columns
        By name: "actions" (or "features" and "answers", from which they are learned), perhaps
        "comparisons" or "choices", "groups", and "deciders" with
        everybody's own rule where several decide.
    truth : Model
        The true rule as a saved model, so that it can be applied and compared; where several
        decide, that of somebody in the middle, or of the largest type.
    """

    tables: dict[str, Any]
    truth: Model

    def write(self, folder: str, kind: Kind = "csv", *, force: bool = False) -> Written:
        """Write all files to a folder, which is made if it is not there.

        With `force` files of an old world are replaced, all at once; without they are refused.
        """
        place = Path(folder)
        settle(files_of_worlds(place))
        there = [path for path in files_of_worlds(place) if path.exists()]
        if there and not force:
            raise RequestError(
                "{path}: is there already. Name another folder, or use {force}.", path=there[0]
            )
        if (place / PEOPLE).is_dir():
            raise RequestError(
                "{path}: has the people of a country, which would pass for those of this world. "
                "Name another folder.",
                path=place / PEOPLE,
            )
        targets = {name: place / f"{name}.{kind}" for name in self.tables}
        files = {**targets, "truth": place / TRUTH}
        contents = {path: content_of(self.tables[name], kind) for name, path in targets.items()}
        # What else bears such a name is of an old world if that world's truth is there.
        old = files_of_worlds(place) if files["truth"].exists() else []
        others = [path for path in old if path not in files.values()]
        with made_folder(place):
            write_together({**contents, files["truth"]: self.truth.as_text()}, remove=others)
        return Written(files, [path for path in there if path in others])


def simulate(asked: WorldRequest) -> Simulated:
    """Simulate a world, and what its decision maker does in it."""
    asked.check()
    if asked.answers is not None:
        return _answered(asked, asked.answers)
    world = _world(asked)
    if asked.deciders is not None:
        return _several(asked, world, asked.deciders)
    scores, choices = None, None
    if asked.scores:
        scores = worlds.scores(world, asked.value("nu"), random_state=asked.seed)
    elif asked.menus is None:
        choices = _choices(asked, world)
    tables = tables_of(world, scores, choices)
    if asked.menus is not None:
        tables["choices"] = _from_menus(asked, asked.menus, world, tables["actions"]["action"])
    return Simulated(tables, truth_of(asked, world))


def _answered(asked: WorldRequest, answers: int) -> Simulated:
    """The charity from raw answers on: its utilities are not in the files."""
    known = weights_of_world(asked.weights)
    made = worlds.food_rescue_answers(
        asked.value("actions"),
        p=power_of_text(asked.p),
        weights="deployed" if known is None else known,
        answers=answers,
        random_state=asked.seed,
    )
    world, labels = made.world, made.features["action"]
    tables: dict[str, Any] = {"features": made.features, "answers": made.answers}
    if asked.menus is None:
        tables["comparisons"] = columns_of(_choices(asked, world), labels)
    else:
        tables["choices"] = _from_menus(asked, asked.menus, world, labels)
    tables["groups"] = tables_of(world, None, None)["groups"]
    return Simulated(tables, truth_of(asked, world))


def _several(asked: WorldRequest, world: World, count: int) -> Simulated:
    """A world in which several decide, each by a rule of their own."""
    tau, seed = asked.value("tau"), asked.seed
    named = list(named_people(world.stakeholders, world.people))
    middle = WelfareFunction(world.p, world.weights, named)
    if asked.types is None:
        mean, covariance = worlds.population_around(middle, tau, asked.value("spread"))
        crowd = worlds.normal_crowd(mean, covariance, count, stakeholders=named, random_state=seed)
    else:
        own = asked.weights in (None, "random")
        types, shares = worlds.random_types(asked.types, middle, weights=own, random_state=seed)
        crowd = worlds.crowd_of_types(types, shares, count, tau=tau, random_state=seed)
        middle = types[0]
    here = World(world.utilities, middle, world.group_of)
    tables = tables_of(world, None, None)
    labels = tables["actions"]["action"]
    options: dict[str, Any] = {name: asked.value(name) for name in ("each", "rho")}
    options["random_state"] = seed
    if asked.menus is None:
        compared = worlds.crowd_comparisons(here, crowd, **options)
        who, kind, columns = compared.by, "comparisons", columns_of(compared, labels)
    else:
        chosen = worlds.crowd_choices(here, crowd, size=asked.menus, **options)
        names = np.array(labels, dtype=object)
        offered = names[chosen.menus.rows].reshape(-1, asked.menus)
        taken = names[chosen.menus.rows[chosen.menus.taken > 0]].tolist()
        who, kind = chosen.by, "choices"
        columns = {"menu": [";".join(menu) for menu in offered], "chosen": taken}
    tables[kind] = {"by": np.asarray(who).tolist(), **columns}
    return Simulated({**tables, "deciders": crowd.columns()}, truth_of(asked, here))


def _from_menus(asked: WorldRequest, size: int, world: World, labels: list[str]) -> dict[str, Any]:
    """A list of each menu, and what was chosen from it or how it was ranked."""
    count, places = asked.value("decisions"), asked.places or 1
    menus = worlds.random_menus(world.actions, count, size, random_state=asked.seed)
    noise = {"tau": asked.value("tau"), "rho": asked.value("rho"), "random_state": asked.seed}
    if places == 1:
        decided = worlds.choices(world, menus, **noise)
    else:
        decided = worlds.rankings(world, menus, places=places, **noise)
    found = decided.menus
    names = np.array(labels, dtype=object)
    columns: dict[str, Any] = {"menu": [";".join(names[menu]) for menu in menus]}
    # The last of a whole ranking is no choice: it is what is left.
    picked = [set[str]() for _ in menus]
    for stage in range(places):
        title = "chosen" if places == 1 else _place(stage, places)
        taken = found.rows[(found.taken > 0) & (np.repeat(found.stage, found.sizes) == stage)]
        if len(taken):
            columns[title] = names[taken].tolist()
        else:
            left = zip(menus, picked, strict=True)
            columns[title] = [next(a for a in names[menu] if a not in out) for menu, out in left]
        for out, name in zip(picked, columns[title], strict=True):
            out.add(name)
    return columns


def _place(stage: int, places: int) -> str:
    """What the column of a place in rankings is called, so that files are read without options."""
    return ORDINALS[stage] if places <= len(ORDINALS) else f"rank {stage + 1}"


def _world(asked: WorldRequest) -> World:
    power, known = power_of_text(asked.p), weights_of_world(asked.weights)
    if asked.charity:
        share = "deployed" if known is None else known
        made = worlds.food_rescue(
            asked.value("actions"),
            p=power,
            weights=share,
            u_min=1.0,
            u_max=10.0,
            random_state=asked.seed,
        )
        return made.world
    share = "random" if known is None else known
    return worlds.individuals(
        asked.value("actions"),
        asked.value("people"),
        p=power,
        weights=share,
        random_state=asked.seed,
    )


def weights_of_world(text: str | None) -> Any:
    """What is said about the true weights, as worlds are made."""
    if text is None or text in ("random", "equal", "population"):
        return text
    return [float(part) for part in text.split(",")]


def _choices(asked: WorldRequest, world: World) -> Comparisons:
    pairs = worlds.random_pairs(world.actions, asked.value("decisions"), random_state=asked.seed)
    tau, rho = asked.value("tau"), asked.value("rho")
    return worlds.comparisons(world, pairs, tau=tau, rho=rho, random_state=asked.seed)


def tables_of(world: World, scores: Any, choices: Comparisons | None) -> dict[str, Any]:
    """The files' contents by name, as columns."""
    labels = [f"action {i + 1}" for i in range(world.actions)]
    tables: dict[str, Any] = {"actions": {"action": labels, **world.columns()}}
    if scores is not None:
        tables["actions"]["score"] = scores
    if choices is not None:
        tables["comparisons"] = columns_of(choices, labels)
    if world.group_of is not None:
        members = named_people(world.stakeholders, world.people)
        tables["groups"] = {"stakeholder": list(members), "group": list(world.group_of)}
    return tables


def columns_of(choices: Comparisons, labels: list[str]) -> dict[str, Any]:
    """Which action was preferred to which; ties have a column if there are any."""
    first, second = (np.array(labels, dtype=object)[rows] for rows in choices.pairs.T)
    lost, tied = choices.outcomes < 0, choices.outcomes == 0
    columns = {
        "preferred": np.where(lost, second, first).tolist(),
        "other": np.where(lost, first, second).tolist(),
    }
    return {**columns, "tie": tied.astype(int)} if tied.any() else columns


def truth_of(asked: WorldRequest, world: World) -> Model:
    """The true rule as a saved model."""
    names = named_people(world.stakeholders, world.people)
    return Model(
        WelfareFunction(world.p, world.weights, names),
        "scores" if asked.scores else "comparisons" if asked.menus is None else "choices",
        None if asked.scores else asked.value("tau"),
        None if asked.scores else asked.value("rho"),
        None,
        decisions=0.0,
        loss=0.0,
        given=("p", "weights"),
        version=__version__,
        taus=() if asked.menus is None else (asked.value("tau"),),
    )


@contextlib.contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder if it is not there; where it was made for nothing, it goes again."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            said = f"{folder}: cannot be made: {problem.strerror}. Name another."
            raise InputError(said) from None
        yield
    except BaseException:
        for path in new:
            with contextlib.suppress(OSError):
                path.rmdir()
        raise


def files_of_worlds(folder: Path) -> list[Path]:
    """All files that are ever written to a folder."""
    tables = [f"{name}.{kind}" for name in _TABLES for kind in get_args(Kind)]
    return [folder / name for name in (*tables, TRUTH)]


def _guarded(entries: Any) -> Any:
    """A column of names, none of which a spreadsheet takes for a formula; numbers as they are."""
    return [in_csv(entry) if isinstance(entry, str) else entry for entry in entries]


def content_of(columns: dict[str, Any], kind: Kind) -> bytes:
    """A table as the bytes of a file."""
    import polars as pl  # which a plain install lacks

    held = io.BytesIO()
    if kind == "csv":
        columns = {in_csv(name): _guarded(entries) for name, entries in columns.items()}
    made = pl.DataFrame(columns)
    if kind == "csv":
        made.write_csv(held)
    else:
        made.write_parquet(held)
    return held.getvalue()

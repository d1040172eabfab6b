"""A simulated country, written in parts: nobody has all of its people in memory."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from welfarist import simulate as worlds
from welfarist.app.simulating import (
    PEOPLE,
    TRUTH,
    Kind,
    WorldRequest,
    Written,
    columns_of,
    content_of,
    files_of_worlds,
    made_folder,
    truth_of,
    weights_of_world,
)
from welfarist.app.texts import power_of_text
from welfarist.app.usage import RequestError
from welfarist.base.errors import InputError
from welfarist.base.folders import held
from welfarist.base.half_written import settle
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.whole_files import write_together
from welfarist.simulate.country import Country, CountryPart

# Where people are until all of them are there, and where those of an old world wait meanwhile.
_PARTIAL, _FORMER = ".people.partial", ".people.former"
_NAME = "part-{:05}.parquet"
# Rows of a row group: what readers take in at once.
_ROWS = 2**18


def write(
    asked: WorldRequest,
    folder: str,
    kind: Kind = "csv",
    *,
    force: bool = False,
    progress: ProgressOption = "auto",
) -> Written:
    """Write a country to a folder: people in parts, comparisons and the truth; all of it or none.

    With `force` an old world is replaced, once the new one is complete.
    """
    asked.check()
    country = _country(asked)
    place = Path(folder)
    settle(files_of_worlds(place))
    _settle_people(place)
    there = [path for path in (*files_of_worlds(place), place / PEOPLE) if path.exists()]
    if there and not force:
        raise RequestError(
            "{path}: is there already. Name another folder, or use {force}.", path=there[0]
        )
    _refuse_others(place / PEOPLE)
    with made_folder(place), _partial(place) as partial:
        sketch = country.sketch_of(_written(country, partial, progress))
        files = {
            "people": place / PEOPLE,
            "comparisons": place / f"comparisons.{kind}",
            "truth": place / TRUTH,
        }
        world = country.world(sketch)
        pairs = worlds.random_pairs(
            world.actions, asked.value("decisions"), random_state=asked.seed
        )
        decided = worlds.comparisons(
            world, pairs, tau=asked.value("tau"), rho=asked.value("rho"), random_state=asked.seed
        )
        contents: dict[Path, str | bytes] = {
            files["comparisons"]: content_of(columns_of(decided, list(country.plans)), kind),
            files["truth"]: truth_of(asked, world).as_text(),
        }
        others = [path for path in files_of_worlds(place) if path not in contents]
        with _in_place(partial, place):
            write_together(contents, remove=others)
    return Written(files, [path for path in there if path in others])


def _country(asked: WorldRequest) -> Country:
    known = weights_of_world(asked.weights)
    return worlds.country(
        asked.value("people"),
        asked.value("actions"),
        asked.value("regions"),
        p=power_of_text(asked.p),
        weights="random" if known is None else known,
        random_state=asked.seed,
    )


def _refuse_others(people: Path) -> None:
    """Require that a folder that would be replaced has nothing else in it."""
    if not people.is_dir():
        return
    strange = [path for path in people.iterdir() if not path.match("part-*.parquet")]
    if strange:
        raise InputError(
            f"{strange[0]}: would be removed with the people of an old world, to which it does not "
            "belong. Move it, or name another folder."
        )


@contextlib.contextmanager
def _partial(place: Path) -> Iterator[Path]:
    """A folder for what is not complete; it goes away whatever happens, but for a kill.

    What a killed run has left in it is removed by the next.
    """
    partial = place / _PARTIAL
    partial.mkdir(exist_ok=True)
    try:
        with held([partial]):
            for left in partial.iterdir():
                left.unlink()
            yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _written(country: Country, folder: Path, progress: ProgressOption) -> Iterator[CountryPart]:
    """Write part after part, and hand each on."""
    parts = Progress(progress).track(country.parts(), country.n_parts, "Writing people")
    for number, part in enumerate(parts):
        _write_part(part, folder / _NAME.format(number))
        yield part


def _write_part(part: CountryPart, path: Path) -> None:
    import polars as pl  # which a plain install lacks

    regions = pl.Series("region", part.region).cast(pl.UInt32)
    names = pl.Series("region", list(part.regions))
    columns: dict[str, Any] = {"region": names.gather(regions), **part.columns()}
    try:
        pl.DataFrame(columns).write_parquet(path, row_group_size=_ROWS)
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise InputError(
            f"{path.parent.parent / PEOPLE}: could not be written: {problem!s:.200} Nothing was "
            "kept. Make room, or name another folder."
        ) from None


@contextlib.contextmanager
def _in_place(partial: Path, place: Path) -> Iterator[None]:
    """Let people take their place, and give it back if what belongs to them cannot be written."""
    people, former = place / PEOPLE, place / _FORMER
    was_there = people.is_dir()
    if was_there:
        people.rename(former)
    try:
        partial.rename(people)
        yield
    except BaseException:
        shutil.rmtree(people, ignore_errors=True)
        if was_there:
            former.rename(people)
        raise
    shutil.rmtree(former, ignore_errors=True)


def _settle_people(place: Path) -> None:
    """Bring back the people of an old world, whom a killed run could not replace."""
    people, former = place / PEOPLE, place / _FORMER
    if former.is_dir():
        shutil.rmtree(people, ignore_errors=True)
        former.rename(people)

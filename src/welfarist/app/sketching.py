"""Sketching people: from files with a row a person to a sketch in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from welfarist.app.decisions import TableOptions
from welfarist.app.targets import check_targets
from welfarist.app.texts import listed as listed_texts
from welfarist.app.usage import RequestError, UsageError
from welfarist.base.errors import InputError
from welfarist.base.exports import Table
from welfarist.base.progress import Progress, ProgressOption
from welfarist.files import is_sketch, open_table
from welfarist.files.cells import Number, Text, listed, shown
from welfarist.files.kept_rows import read_rows
from welfarist.files.opening import FileTable, column_named, columns_named
from welfarist.files.sources import FORMATS, STANDARD_INPUT, file_and_sheet

if TYPE_CHECKING:  # which pages of help do not need
    from welfarist.people.sketch.parts import Columns, Part
    from welfarist.people.sketch.sketch import Sketch

# How long layouts call their columns, if nothing else is said.
ACTION, UTILITY = "action", "utility"
_NEGATIVE = "Correct it, or add a constant to everybody's utilities before."
_NO_ACTION = "Correct it, or leave the column out: {ignore:COLUMN}"
# More groups than these are more likely people, each with a number of their own.
_MOST_GROUPS = 10_000


@dataclass(frozen=True)
class SketchRequest:
    """Who is to be sketched, and where to.

    Attributes
    ----------
    people : str
        A Parquet file, a folder of them or a pattern; or a small table of any other format.
    out : str
        The file to write.
    groups, counts : str or None
        The columns of groups, and of how many people a row stands for.
    actions, ignore : str or None
        Columns of the actions, or those to leave out, with commas between them.
    long : bool
        Whether each row is one person in one action.
    action, utility : str or None
        The columns of that layout; None is "action" and "utility".
    table : TableOptions
        How a table that is no Parquet file is read.
    progress : bool or "auto"
    """

    people: str
    out: str
    groups: str | None = None
    counts: str | None = None
    actions: str | None = None
    ignore: str | None = None
    long: bool = False
    action: str | None = None
    utility: str | None = None
    table: TableOptions = field(default_factory=TableOptions)
    progress: ProgressOption = "auto"

    def check(self) -> None:
        """Refuse what does not go together, before anything is read."""
        if not self.long:
            for name in ("action", "utility"):
                if getattr(self, name) is not None:
                    raise UsageError(f"{{{name}}} goes with {{long}}. Give both, or leave it out.")
        if self.long and (self.actions is not None or self.ignore is not None):
            raise UsageError(
                "{columns} and {ignore} choose columns of actions, which {long} has none of. Leave "
                "them out."
            )
        if self.actions is not None and self.ignore is not None:
            raise UsageError("{columns} and {ignore} exclude each other; found both. Give one.")
        check_targets({"out": self.out}, [self.people])
        if is_sketch(self.people):
            raise RequestError(
                "people who are sketched must have a row each; found a sketch, {path}. Name the "
                "files it was made from.",
                path=self.people,
            )
        folder = Path(self.people)
        inside = Path(self.out).resolve().parent
        if folder.is_dir() and (inside == folder.resolve() or folder.resolve() in inside.parents):
            raise UsageError(
                "{out} must not stand among the people; found it in {folder}. Name another place.",
                folder=self.people,
            )


@dataclass(frozen=True)
class Sketched:
    """People in a sketch, and what was guessed on the way.

    Attributes
    ----------
    asked : SketchRequest
    sketch : Sketch
    notes : tuple of str
    """

    asked: SketchRequest
    sketch: Sketch
    notes: tuple[str, ...]

    def write(self) -> None:
        """Write the sketch, whole or not at all."""
        self.sketch.save(self.asked.out)

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        sketch = self.sketch
        mean = _means(sketch)
        return {
            "file": self.asked.out,
            "people": sketch.people,
            "groups": dict(zip(sketch.stakeholders, sketch.heads.tolist(), strict=True)),
            "actions": [
                {
                    "action": name,
                    "lowest": float(sketch.lowest[row].min()),
                    "mean": float(mean[row]),
                    "highest": float(sketch.highest[row].max()),
                    "with_nothing": float(sketch.zeros[row].sum()),
                }
                for row, name in enumerate(sketch.actions)
            ],
            "digest": sketch.digest,
            "notes": list(self.notes),
        }

    def table(self) -> Table:
        """What people read."""
        said = self.to_dict()
        rows = tuple(
            (
                a["action"],
                *(f"{a[end]:,.6g}" for end in ("lowest", "mean", "highest")),
                f"{a['with_nothing']:,.10g}",
            )
            for a in said["actions"]
        )
        groups = ", ".join(f"{name} {heads:,.10g}" for name, heads in said["groups"].items())
        many = len(said["groups"])
        return Table(
            f"{said['people']:,.12g} people in {many} group{'s' * (many != 1)}",
            ("", "lowest", "mean", "highest", "with nothing"),
            rows,
            ("left", *("right",) * 4),
            (f"people: {groups}",) if many <= 20 else (),
        )


def _means(sketch: Sketch) -> Any:
    import numpy as np

    return np.exp(sketch.log_mean(1))


def sketch(asked: SketchRequest) -> Sketched:
    """Sketch people: Parquet files a part at a time, other tables at once."""
    asked.check()
    if _is_parquet(asked.people):
        made, notes = _of_parquet(asked)
    else:
        made, notes = _of_table(asked)
    groups = made.shape[1]
    if groups > _MOST_GROUPS:
        raise RequestError(
            "{groups} must be a column of at most {most} groups; found {found} in {column}. Name "
            "another column.",
            most=_MOST_GROUPS,
            found=groups,
            column=shown(asked.groups or ""),
        )
    return Sketched(asked, made, tuple(notes))


def _is_parquet(path: str) -> bool:
    """Whether people are in Parquet files: one, a folder or a pattern."""
    ending = ".csv" if path == STANDARD_INPUT else Path(file_and_sheet(path)[0]).suffix.lower()
    return FORMATS.get(ending, "parquet") == "parquet"


def _of_parquet(asked: SketchRequest) -> tuple[Sketch, list[str]]:
    from welfarist.people.sketch import arrow
    from welfarist.people.sketch.sketch import sketch_of_parts

    _refuse_reading(asked.table)
    files = arrow.parquet_files(asked.people)
    opened = [arrow.opened(file) for file in files]  # all are whole, before the first is read
    schema = opened[0].schema_arrow
    columns, notes = _columns(asked, files[0], list(schema.names), _numeric(schema))
    utilities = arrow.columns_of(schema, columns, files[0])
    total = sum(file.metadata.num_row_groups for file in opened)
    del opened
    parts = _parts(files, columns, utilities)
    tracked = Progress(asked.progress).track(parts, total, "Sketching people")
    counted = asked.counts is not None
    made = sketch_of_parts(utilities, tracked, counted=counted, long=asked.long)
    return made, notes


def _parts(files: Sequence[str], columns: Columns, utilities: Sequence[str]) -> Iterator[Part]:
    from welfarist.people.sketch import arrow

    for file in files:
        yield from arrow.of_file(file, columns, utilities)


def _refuse_reading(table: TableOptions) -> None:
    for name in ("separator", "decimal", "sheet", "encoding", "drop_missing"):
        if getattr(table, name):
            raise UsageError(f"{{{name}}} is not for Parquet files. Leave it out.")


def _numeric(schema: Any) -> list[bool]:
    from pyarrow import types

    kinds = (types.is_integer, types.is_floating, types.is_decimal)
    return [any(kind(field.type) for kind in kinds) for field in schema]


def _columns(
    asked: SketchRequest, file: str, names: Sequence[str], numeric: Sequence[bool]
) -> tuple[Columns, list[str]]:
    """What the columns of a file mean, and what is said of those that mean nothing."""
    from welfarist.people.sketch.parts import Columns

    if asked.long:
        action, worth = asked.action or ACTION, asked.utility or UTILITY
        return Columns(asked.groups, asked.counts, None, action, worth), []
    if asked.actions is not None:
        return Columns(asked.groups, asked.counts, tuple(listed_texts(asked.actions) or ())), []
    ignored = listed_texts(asked.ignore) or []
    unknown = [name for name in ignored if name not in names]
    if unknown:
        raise RequestError(
            "{file}: {ignore} must name columns; found no {found} among {names}. Check the "
            "spelling.",
            file=file,
            found=shown(unknown[0]),
            names=listed(names),
        )
    taken = {asked.groups, asked.counts, *ignored}
    texts = [n for n, is_number in zip(names, numeric, strict=True) if not is_number]
    texts = [name for name in texts if name not in taken]
    actions = [name for name in names if name not in taken and name not in texts]
    if not actions:
        raise RequestError(
            "{file}: there must be a column of numbers for each action; found only {names}.",
            file=file,
            names=listed(names),
        )
    notes = [f"{file}: left out {listed(texts, 5)}, without numbers."] if texts else []
    return Columns(asked.groups, asked.counts, tuple(actions)), notes


def _of_table(asked: SketchRequest) -> tuple[Sketch, list[str]]:
    """The sketch of people in a file that is read at once."""
    from welfarist.people.sketch.sketch import Sketch

    asked.table.check([asked.people])
    table = open_table(asked.people, **asked.table.text())
    notes = list(table.notes)
    groups, counts = (
        None if name is None else column_named(table, name, what)
        for name, what in ((asked.groups, "the group"), (asked.counts, "the count"))
    )
    worth = Number("utilities", 0.0, _NEGATIVE, table.decimal, _NO_ACTION)
    cells: dict[str, Any] = {}
    named: dict[str, Any] = {}
    if asked.long:
        named = {"action": asked.action or ACTION, "utility": asked.utility or UTILITY}
        named = {role: column_named(table, name, f"the {role}") for role, name in named.items()}
        cells |= {named["action"]: Text("an action"), named["utility"]: worth}
    else:
        named = {"actions": _table_actions(asked, table, {groups, counts}, notes)}
        cells |= dict.fromkeys(named["actions"], worth)
    if groups is not None:
        cells[groups] = Text("a group")
    if counts is not None:
        cells[counts] = Number("counts", 0.0, "Leave out that row.", table.decimal)
    read = read_rows(table, cells, asked.table.drop_missing, "people", notes)
    if not len(read):
        raise InputError(f"{table.name}: there must be people in it; found no rows.")
    try:
        return Sketch.of(read.frame, groups, counts, **named), notes
    except InputError as problem:
        raise InputError(f"{table.name}: {problem}") from None


def _table_actions(
    asked: SketchRequest, table: FileTable, taken: set[str | None], notes: list[str]
) -> list[str]:
    """The columns of the actions of a table."""
    if asked.actions is not None:
        return columns_named(table, listed_texts(asked.actions) or [], "an action")
    ignored = columns_named(table, listed_texts(asked.ignore) or [], "a column to ignore")
    left = [c for c in table.columns if c not in taken and c not in ignored]
    texts = table.texts(left)
    if texts:
        notes.append(f"{table.name}: left out {listed(texts, 5)}, without numbers.")
    actions = [column for column in left if column not in texts]
    if not actions:
        raise InputError(
            f"{table.name}, line 1: there must be a column of numbers for each action; found only "
            f"{listed(table.columns)}."
        )
    return actions

"""Finished cells on disk, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from replication.experiment import Cell, Experiment, Row
from welfarist.base.whole_files import write_whole


class Store:
    """The finished cells of one experiment: one line of JSON each, written as they come."""

    def __init__(self, folder: Path, experiment: Experiment) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = experiment.shares or experiment.name
        self._path = folder / f"{name}-{experiment.version}.jsonl"
        self._rows: dict[str, Row] = {}
        written = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        for line in written.splitlines():
            with contextlib.suppress(json.JSONDecodeError):  # see below
                row = json.loads(line)
                self._rows[_key(row["cell"])] = row["row"]
        if not written.endswith("\n") and written:
            self.forget([])  # a run was killed while its last line was being written

    def missing(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return the cells that have not been run."""
        return [cell for cell in cells if _key(cell) not in self._rows]

    def add(self, cell: Cell, row: Row) -> None:
        """Keep what a cell gave."""
        self._rows[_key(cell)] = row
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"cell": cell, "row": row}) + "\n")

    def forget(self, cells: Sequence[Cell]) -> None:
        """Run these again, and leave those of other settings as they are."""
        for cell in cells:
            self._rows.pop(_key(cell), None)
        lines = [
            json.dumps({"cell": json.loads(key), "row": row}) for key, row in self._rows.items()
        ]
        write_whole(self._path, "".join(f"{line}\n" for line in lines))

    def rows(self, cells: Sequence[Cell]) -> list[Row]:
        """Return setting and measurements of every cell, in the order of the cells."""
        return [{**cell, **self._rows[_key(cell)]} for cell in cells]


def _key(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


def csv_text(rows: Sequence[Row]) -> str:
    """Return the data behind a figure, as CSV, every digit of it; what a row lacks stays empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()

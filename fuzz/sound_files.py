"""Small files that are all right, in every format that is read: what an attack then damages."""

from __future__ import annotations

import io
import json
from datetime import datetime
from typing import Any

import numpy as np

Rng = np.random.Generator
Columns = dict[str, list[Any]]

# Encodings in which a text may be written, and what is said of it on the command line.
_ENCODINGS = {
    "utf-8": None,
    "utf-8-sig": None,
    "utf-16": "utf-16",
    "utf-16-le": None,
    "latin-1": "latin-1",
    "cp1252": None,
    "shift-jis": "shift-jis",
}
_COMPRESSIONS = ("uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd")
_OF_FEATHER = ("uncompressed", "lz4", "zstd")
# A workbook is written at this time, whatever the clock says: the same case is drawn alike.
_THEN = datetime(2024, 1, 1)

ENDINGS = ("csv", "tsv", "xlsx", "parquet", "feather", "dta")


def actions(rng: Rng, people: int, score: bool) -> Columns:
    """Return a table of actions with names, utilities and perhaps scores."""
    rows = int(rng.integers(8, 16))
    odd = rng.random() < 0.2
    names = [f"café {i}" if odd and i % 3 == 0 else f"action {i}" for i in range(rows)]
    table: Columns = {"action": names}
    for person in range(people):
        table[f"person_{person}"] = rng.uniform(1, 10, rows).round(2).tolist()
    if score:
        table["score"] = rng.uniform(1, 10, rows).round(2).tolist()
    return table


def comparisons(rng: Rng, names: list[str]) -> Columns:
    """Return decisions between some of the actions."""
    first = rng.integers(0, len(names), 25)
    second = (first + rng.integers(1, len(names), 25)) % len(names)
    table: Columns = {
        "preferred": [names[i] for i in first],
        "other": [names[i] for i in second],
    }
    if rng.random() < 0.3:
        table["count"] = rng.integers(1, 5, 25).tolist()
    if rng.random() < 0.3:
        table["by"] = [f"judge {i}" for i in rng.integers(0, 9, 25)]
    return table


def model(people: list[str]) -> bytes:
    """Return a saved model."""
    share = 1.0 / len(people)
    record = {
        "format": "welfarist.Model", "version": 1, "welfarist": "0.1.0", "kind": "comparisons",
        "p": -1.0, "weights": [{"stakeholder": name, "weight": share} for name in people],
        "tau": 10.0, "rho": None, "scale": None, "decisions": 100.0, "loss": 0.3, "accuracy": 0.9,
        "r_squared": None, "converged": True, "given": [],
        "intervals": {"level": 0.95, "p": [-2.0, "inf"]}, "caveats": ["a caveat"],
    }  # fmt: skip
    return json.dumps(record, indent=1).encode()


def encoding(rng: Rng) -> tuple[str, str | None]:
    """Return how a text is written, and what is to be said of it, if anything."""
    return list(_ENCODINGS.items())[int(rng.integers(len(_ENCODINGS)))]


def written(rng: Rng, table: Columns, ending: str, code: str = "utf-8") -> bytes:
    """Return a table as the bytes of a file."""
    import polars as pl

    file = io.BytesIO()
    if ending in ("csv", "tsv"):
        mark = "\t" if ending == "tsv" else str(rng.choice([",", ",", ";"]))
        rows = zip(*table.values(), strict=True)
        cells = (["" if cell is None else str(cell) for cell in row] for row in rows)
        lines = [mark.join(table), *map(mark.join, cells)]
        end = str(rng.choice(["\n", "\n", "\r\n"]))
        return (end.join(lines) + end).encode(code, "replace")
    if ending == "parquet":
        pl.DataFrame(table).write_parquet(file, compression=_one(rng, _COMPRESSIONS))
    elif ending == "feather":
        pl.DataFrame(table).write_ipc(file, compression=_one(rng, _OF_FEATHER))
    elif ending == "xlsx":
        _workbook(table, file)
    else:
        _stata(rng, table, file)
    return file.getvalue()


def _one(rng: Rng, among: tuple[str, ...]) -> Any:
    return among[int(rng.integers(len(among)))]


def _workbook(table: Columns, file: io.BytesIO) -> None:
    import xlsxwriter  # type: ignore[import-untyped]

    book = xlsxwriter.Workbook(file, {"in_memory": True})
    book.set_properties({"created": _THEN})
    sheet = book.add_worksheet("Table")
    sheet.write_row(0, 0, list(table))
    for number, row in enumerate(zip(*table.values(), strict=True), start=1):
        sheet.write_row(number, 0, row)
    book.add_worksheet("Other").write_row(0, 0, ["nothing"])
    book.close()


def _stata(rng: Rng, table: Columns, file: io.BytesIO) -> None:
    import pandas as pd

    frame = pd.DataFrame(table)
    version = _one(rng, (114, 117, 118))  # type: ignore[arg-type]
    frame = frame.map(lambda x: x.replace("é", "e") if isinstance(x, str) else x)
    frame.to_stata(file, write_index=False, version=version, time_stamp=_THEN)

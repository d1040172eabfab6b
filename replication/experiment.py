"""What every experiment is made of: cells to run, a picture to draw, claims to check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from replication.claims import Claim
from replication.settings import Settings

Cell = dict[str, Any]
Row = dict[str, Any]
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper.

    Attributes
    ----------
    name : str
        Of its files.
    title : str
    setting : str
        What was run, in a paragraph for the report.
    cells : callable
        ``cells(settings)``: what to run, each a small dict; a cell and nothing else determines its
        row.
    run : callable
        ``run(cell)``: the measurements of one cell, by name.
    draw : callable
        ``draw(rows, file)``: the figure, as PNG.
    check : callable
        ``check(rows)``: the paper's claims about it.
    by : tuple of str
        The columns besides n that tell its settings apart, for what is said about the methods.
    across : callable
        ``across(found)``: the claims that are about several experiments, by the rows of each.
    version : int
        Raised when `run` changes what it computes, so that stored cells are not used again.
    shares : str
        The name of the experiment whose cells these are as well, if there is one.
    """

    name: str
    title: str
    setting: str
    cells: Callable[[Settings], list[Cell]]
    run: Callable[[Cell], Row]
    draw: Callable[[Sequence[Row], IO[bytes]], None]
    check: Callable[[Sequence[Row]], list[Claim]]
    by: tuple[str, ...] = ()
    across: Callable[[Mapping[str, Sequence[Row]]], list[Claim]] | None = None
    version: int = 2
    shares: str = ""


def run_cell(run: Callable[[Cell], Row], cell: Cell) -> Row:
    """Return what a cell gives, in whatever process."""
    return run(cell)


def select(rows: Sequence[Row], **where: Any) -> list[Row]:
    """Return the rows whose columns have these values."""
    return [row for row in rows if all(row.get(name) == value for name, value in where.items())]


def values(rows: Sequence[Row], column: str) -> Array:
    """Return one column (m,) of rows."""
    return np.array([row[column] for row in rows], dtype=np.float64)


def levels(rows: Sequence[Row], column: str) -> list[Any]:
    """Return the different values of a column, in order."""
    return sorted({row[column] for row in rows})


def quartiles(rows: Sequence[Row], x: str, y: str) -> tuple[Array, Array]:
    """Return x (m,) and the quartiles of y (3, m) over repetitions, infinite ones included."""
    places = levels(rows, x)
    found = [np.percentile(values(select(rows, **{x: place}), y), [25, 50, 75]) for place in places]
    return np.array(places, dtype=np.float64), np.array(found).T


def curve(rows: Sequence[Row], x: str, y: str) -> tuple[Array, Array, Array]:
    """Return x, the mean of y over repetitions and its standard error, (m,) each.

    Infinite values are left out of the mean, and counted elsewhere.
    """
    places = levels(rows, x)
    means, errors = [], []
    for place in places:
        y_here = values(select(rows, **{x: place}), y)
        y_here = y_here[np.isfinite(y_here)]
        means.append(y_here.mean() if len(y_here) else np.nan)
        errors.append(y_here.std(ddof=1) / np.sqrt(len(y_here)) if len(y_here) > 1 else 0.0)
    return np.array(places, dtype=np.float64), np.array(means), np.array(errors)

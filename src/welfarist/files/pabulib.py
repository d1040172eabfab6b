"""Files of participatory budgets (``.pb``, as on pabulib.org): projects, costs and votes.

A file has three parts, each after a line with its name: META (``key;value``), PROJECTS and VOTES,
both tables with a header, separated by semicolons. The votes are approvals, points, or orders; what
they say of a voter's utility is for whoever reads them to choose.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.ordinary_files import open_ordinary, read_within
from welfarist.base.validation import FloatArray

Satisfaction = Literal["count", "cost", "points", "places"]
_PARTS = ("META", "PROJECTS", "VOTES")
# Commas that may be a decimal mark, or stand before thousands.
_GROUPED = re.compile(r"[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_MOST_BYTES = 200 * 10**6
# What votes of each type can be taken for.
_KNOWN: dict[str, tuple[str, ...]] = {
    "approval": ("count", "cost"),
    "choose-1": ("count", "cost"),
    "ordinal": ("count", "cost", "places"),
    "cumulative": ("count", "cost", "points"),
    "scoring": ("count", "cost", "points"),
}


@dataclass(frozen=True, eq=False)
class Election:
    """A participatory budget.

    Attributes
    ----------
    file : str
    meta : dict
        As it stands in the file.
    budget : float
    names : tuple of str
        Of the m projects: their name, or their number where names are missing or the same.
    costs : (m,) array
    vote_type : str
    votes : tuple of (m_v,) tuples
        The rows of the projects each voter voted for, in the voter's order.
    points : tuple of tuples
        What each voter gave them; empty where votes have no points.
    voters : mapping
        The other columns of the votes, by name.
    """

    file: str
    meta: dict[str, str] = field(repr=False)
    budget: float
    names: tuple[str, ...] = field(repr=False)
    costs: FloatArray = field(repr=False)
    vote_type: str
    votes: tuple[tuple[int, ...], ...] = field(repr=False)
    points: tuple[tuple[float, ...], ...] = field(repr=False)
    voters: dict[str, list[str]] = field(repr=False)

    def gains(
        self, satisfaction: Satisfaction, groups: str | None = None
    ) -> tuple[FloatArray, tuple[str, ...]]:
        """Return what each project adds to the utility of each group of voters (m, g), and names.

        Parameters
        ----------
        satisfaction : "count", "cost", "points" or "places"
            What a project that a voter voted for is worth to them: 1, its cost, the points they
            gave it, or how many places it stands from the end of an order that is as long as the
            longest one.
        groups : str, optional
            The column of the votes that says which group a voter belongs to, such as "sex"; a
            group's utility is the mean of its voters'. Left out, every voter stands alone.
        """
        known = _KNOWN.get(self.vote_type, get_args(Satisfaction))
        if satisfaction not in known:
            raise InputError(
                f"{self.file}: what {self.vote_type} votes are worth must be one of "
                f"{', '.join(known)}; found {satisfaction!r}."
            )
        if satisfaction == "points" and len(self.points) < len(self.votes):
            raise InputError(
                f"{self.file}: what votes are worth by points must stand in a column points of "
                "VOTES; found none. Choose count or cost."
            )
        worth = np.zeros((len(self.names), len(self.votes)))
        longest = max((len(vote) for vote in self.votes), default=0)
        for voter, rows in enumerate(self.votes):
            if satisfaction == "points":
                worth[list(rows), voter] = self.points[voter]
            elif satisfaction == "places":
                worth[list(rows), voter] = longest - np.arange(len(rows))
            else:
                worth[list(rows), voter] = (
                    1.0 if satisfaction == "count" else self.costs[list(rows)]
                )
        if groups is None:
            return worth, tuple(self.voters["voter_id"])
        if groups not in self.voters:
            raise InputError(
                f"{self.file}: groups must be a column of the votes, one of "
                f"{', '.join(self.voters)}; found {groups!r}."
            )
        labels = np.array([label or "unknown" for label in self.voters[groups]])
        named = tuple(sorted(set(labels.tolist())))
        return np.column_stack([worth[:, labels == name].mean(axis=1) for name in named]), named


def read_pabulib(path: str | os.PathLike[str]) -> Election:
    """Read a ``.pb`` file, or say in which line what is wrong."""
    name = os.fspath(path)
    parts = _parts(name, _text(name))
    meta = {row[0].strip(): row[1].strip() for _, row in parts["META"] if len(row) > 1}
    at_line = {row[0].strip(): line for line, row in parts["META"]}
    budget = _number(name, at_line.get("budget", 1), "budget", meta.get("budget", ""))
    projects, lines = _columns(name, "PROJECTS", parts["PROJECTS"], ("project_id", "cost"))
    ids = projects["project_id"]
    if len(set(ids)) < len(ids):
        raise InputError(f"{name}: a project_id must stand once; found one that stands twice.")
    costs = [
        _number(name, line, "cost", c) for line, c in zip(lines, projects["cost"], strict=True)
    ]
    called = projects.get("name", ids)
    names = called if len(set(called)) == len(ids) and all(called) else ids
    votes, at = _columns(name, "VOTES", parts["VOTES"], ("voter_id", "vote"))
    row_of = {project: row for row, project in enumerate(ids)}
    chosen = tuple(
        _chosen(name, line, vote, row_of) for line, vote in zip(at, votes["vote"], strict=True)
    )
    if len(set(votes["voter_id"])) < len(chosen):
        twice = next(v for v, n in Counter(votes["voter_id"]).items() if n > 1)
        raise InputError(f"{name}: a voter_id must stand once; found {twice!r:.40} twice.")
    points = _points(name, at, votes, chosen)
    others = {key: column for key, column in votes.items() if key not in ("vote", "points")}
    kind = meta.get("vote_type", "approval")
    return Election(name, meta, budget, tuple(names), np.array(costs), kind, chosen, points, others)


def _text(name: str) -> str:
    try:
        with open_ordinary(name) as file:
            text = read_within(file, _MOST_BYTES, name, "It is no participatory budget.")
        return text.decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file. Check the name.") from None
    except (UnicodeDecodeError, OSError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no text in UTF-8"
        raise InputError(f"{name}: cannot be read: {reason}. Check the file.") from None


def _parts(name: str, text: str) -> dict[str, list[tuple[int, list[str]]]]:
    """The rows of each part, with the numbers of their lines (the last, where cells have many)."""
    found: dict[str, list[tuple[int, list[str]]]] = {}
    part = None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    for row in _rows(name, reader):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if cells[0].upper() in _PARTS and not any(cells[1:]):
            part = found.setdefault(cells[0].upper(), [])
        elif part is None:
            raise InputError(
                f"{name}, line {reader.line_num}: a participatory budget must begin with META; "
                f"found {';'.join(row)[:40]!r}. Is it another file?"
            )
        else:
            part.append((reader.line_num, row))
    missing = [part for part in _PARTS if part not in found]
    if missing:
        raise InputError(
            f"{name}: a participatory budget must have the parts {', '.join(_PARTS)}; found no "
            f"{missing[0]}."
        )
    return found


def _rows(name: str, reader: Any) -> Iterator[list[str]]:
    """Rows as they come, or a sentence where a cell is no cell."""
    try:
        yield from reader
    except csv.Error as problem:
        raise InputError(
            f"{name}, line {reader.line_num}: a row must be cells between semicolons; found "
            f"something else ({problem}). Is a quotation mark left open?"
        ) from None


def _columns(
    name: str, part: str, rows: list[tuple[int, list[str]]], needed: tuple[str, ...]
) -> tuple[dict[str, list[str]], list[int]]:
    """The columns of a part by name, and the numbers of their lines."""
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    absent = [column for column in needed if column not in header]
    if absent or len(rows) < 2:
        found = f"no column {absent[0]}" if absent else "no rows"
        raise InputError(
            f"{name}: the part {part} must have the columns {', '.join(needed)}, and a row; found "
            f"{found}."
        )
    for number, row in rows[1:]:
        if len(row) > len(header):
            raise InputError(
                f"{name}, line {number}: a row of {part} must have at most {len(header)} cells; "
                f"found {len(row)}."
            )
    padded = [row + [""] * (len(header) - len(row)) for _, row in rows[1:]]
    columns = {key: [row[i].strip() for row in padded] for i, key in enumerate(header)}
    return columns, [number for number, _ in rows[1:]]


def _chosen(name: str, line: int, vote: str, row_of: dict[str, int]) -> tuple[int, ...]:
    said = [project.strip() for project in vote.split(",") if project.strip()]
    unknown = [project for project in said if project not in row_of]
    if unknown or len(set(said)) < len(said):
        what = f"the unknown {unknown[0]!r}" if unknown else "one that stands twice"
        raise InputError(
            f"{name}, line {line}: a vote must name projects of the file, each once; found {what}."
        )
    return tuple(row_of[project] for project in said)


def _points(
    name: str, lines: list[int], votes: dict[str, list[str]], chosen: tuple[tuple[int, ...], ...]
) -> tuple[tuple[float, ...], ...]:
    if "points" not in votes:
        return ()
    found = []
    for line, cell, rows in zip(lines, votes["points"], chosen, strict=True):
        given = tuple(
            _number(name, line, "points", part) for part in cell.split(",") if part.strip()
        )
        if len(given) != len(rows):
            raise InputError(
                f"{name}, line {line}: points must be as many as the projects of the vote, "
                f"{len(rows)}; found {len(given)}."
            )
        found.append(given)
    return tuple(found)


def _number(name: str, line: int, what: str, text: str) -> float:
    if _GROUPED.fullmatch(text.strip()):
        raise InputError(
            f"{name}, line {line}: it must be clear whether the comma of {what} is the decimal "
            f"mark or stands before thousands; found {text.strip()!r:.40}. Write "
            f"{text.strip().replace(',', '')}, or {text.strip().replace(',', '.')}."
        )
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = float("nan")
    if not 0 <= value < float("inf"):
        raise InputError(
            f"{name}, line {line}: {what} must be a number from 0 on; found {text!r:.40}."
        )
    return value

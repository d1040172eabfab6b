"""The summary of a fit: one record, shown as text, HTML, LaTeX, JSON and data frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.exports import (
    DECIMALS,
    Alignment,
    Table,
    as_json,
    check_decimals,
    number,
    pair,
    strict,
)
from welfarist.families.power_mean.family import POWER
from welfarist.results.stars import StarsOption, about_stars, check_stars, starred
from welfarist.results.version_0_1 import upgraded_row

# What 1 - p is called.
AVERSION = "inequality aversion"
# Figures with two decimals.
_CRITERIA = ("log-likelihood", "null log-likelihood", "AIC", "BIC")
# Names of rows as LaTeX writes them.
SPELLED = {
    "power p": "power $p$",
    AVERSION: r"inequality aversion $\varepsilon$",
    "temperature tau": r"temperature $\tau$",
    "flip probability rho": r"flip probability $\rho$",
    "R squared": "$R^2$",
    "pseudo R squared": "pseudo $R^2$",
}


@dataclass(frozen=True)
class SummaryRow:
    """One number of the rule, and how sure it is.

    Attributes
    ----------
    parameter : str
        "p", "inequality aversion", "theta[age]", "weight of staff", "tau", "rho" or "scale".
    estimate : float
    standard_error, low, high : float or None
        None where there is none.
    method : str or None
        How the interval was made: "profile", "wald", …; "ranges" where it holds the weight of
        every rule that explains all decisions.
    note : str
        The doctrine, the person's group, or that the number was given.
    words : str
        What a table calls the parameter; its name if empty.
    person : int or None
        Whose weight it is.
    reach : float or None
        How far that weight reaches, where p is so far out that weights mislead.
    determined : bool
        Whether the data say more of a weight, or of p, than that it is one of many.
    pieces : tuple of pairs
        The parts of the set of which `low` and `high` are the ends, where there are several.
    p_value : float or None
        How often an estimate is as many standard errors away from 0 where 0 is true; None where 0
        is an edge, as for weights.
    """

    parameter: str
    estimate: float
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    note: str = ""
    words: str = ""
    person: int | None = None
    reach: float | None = None
    determined: bool = True
    p_value: float | None = None
    pieces: tuple[tuple[float, float], ...] = ()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(upgraded_row(state))

    def to_dict(self) -> dict[str, Any]:
        """Return what a program reads, by name."""
        shown = ("parameter", "estimate", "standard_error", "low", "high", "method", "note")
        found = {name: getattr(self, name) for name in shown}
        if self.reach is not None:
            found["reach"] = self.reach
        if self.pieces:
            found["pieces"] = [list(piece) for piece in self.pieces]
        return found if self.determined else {**found, "determined": False}


@dataclass(frozen=True)
class SummaryRecord:
    """What a summary says, from which all its forms are made.

    Attributes
    ----------
    decisions : float
        How many decisions were observed.
    rows : tuple of SummaryRow
    figures : tuple of (str, float)
        How well the rule fits, by name: "mean loss", "log-likelihood", "accuracy" and so on.
    level : float or None
        Of the intervals; None where none were asked for.
    covariance : str
        Where standard errors come from.
    converged : bool
    lines : tuple of str
        How the fit ended, how intervals were made, and why some are missing.
    caveats : tuple of str
        What a reader must know.
    clusters : int or None
        How many people decided; None if nobody said, or intervals were not asked for.
    """

    decisions: float
    rows: tuple[SummaryRow, ...]
    figures: tuple[tuple[str, float], ...]
    level: float | None
    covariance: str
    converged: bool
    lines: tuple[str, ...]
    caveats: tuple[str, ...]
    clusters: int | None = None


class Summary(str):
    r"""The summary of a fit: a text that prints as a table, with other forms.

    Examples
    --------
    >>> from welfarist import WelfareRegressor
    >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
    >>> summary = WelfareRegressor().fit(utilities, [2.1, 2.9, 4.0, 4.1, 2.9]).result_.summary()
    >>> "power p" in summary
    True
    >>> summary.as_latex(label="tab:rule").splitlines()[3:6]
    ['\\caption{Learned from 5 decisions}', '\\label{tab:rule}', '\\begin{tabular}{lrrr}']
    >>> [row["parameter"] for row in summary.to_dict()["parameters"]]
    ['p', 'inequality aversion', 'weight of person 0', 'weight of person 1']
    """

    __slots__ = ("record",)

    record: SummaryRecord

    def __new__(cls, record: SummaryRecord) -> Summary:
        """Return the text of a record, which keeps the record."""
        made = super().__new__(cls, _table(record).as_text())
        made.record = record
        return made

    def __getnewargs__(self) -> tuple[SummaryRecord]:  # type: ignore[override]
        return (self.record,)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.as_html()

    def as_text(self) -> str:
        """Return the plain text."""
        return str(self)

    def as_html(self) -> str:
        """Return a piece of HTML, with names escaped and nothing loaded from elsewhere."""
        return _table(self.record).as_html()

    def as_latex(
        self,
        *,
        booktabs: bool = True,
        caption: str | None = None,
        label: str | None = None,
        digits: int = DECIMALS,
        stars: StarsOption = False,
    ) -> str:
        r"""Return a LaTeX table, with names escaped.

        Parameters
        ----------
        booktabs : bool
            Whether rules are those of the package booktabs, which a comment names; else the table
            needs no package.
        caption : str, optional
            In place of the title; an empty one leaves it out.
        label : str, optional
            What ``\ref`` calls the table, such as "tab:rule".
        digits : int
            Decimals of estimates, standard errors and intervals; small numbers have at least so
            many.
        stars : bool or sequence of float
            Whether to mark estimates that are far from 0: p-values below 0.1, 0.05 and 0.01, or
            below levels of your own. Only p (against 0, Nash), inequality aversion (against 0,
            utilitarian) and the thetas of attributes (against 0, no effect) have stars: for weights
            and noise 0 is where their range ends.
        """
        record = _for_paper(self.record)
        made = _table(record, check_decimals(digits), check_stars(stars))
        return made.as_latex(booktabs=booktabs, caption=caption, label=label)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts; infinities are the strings "inf" and "-inf"."""
        record = self.record
        found: dict[str, Any] = strict(
            {
                "decisions": record.decisions,
                "parameters": [row.to_dict() for row in record.rows],
                "fit": dict(record.figures),
                "level": record.level,
                "covariance": record.covariance,
                "clusters": record.clusters,
                "converged": record.converged,
                "lines": list(record.lines),
                "caveats": list(record.caveats),
            }
        )
        return found

    def as_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return as_json(self.to_dict())

    def to_frame(self) -> Any:
        """Return one row a parameter as a data frame, of pandas if installed, else of polars.

        Numbers that do not exist are NaN; infinite ends of intervals are infinite.
        """
        rows = [row.to_dict() for row in self.record.rows]
        numbers = ("estimate", "standard_error", "low", "high")
        columns: dict[str, Any] = {"parameter": [row["parameter"] for row in rows]}
        for name in numbers:
            found = [np.nan if row[name] is None else row[name] for row in rows]
            columns[name] = np.array(found, dtype=float)
        columns["method"] = [row["method"] or "" for row in rows]
        columns["note"] = [row["note"] for row in rows]
        return to_frame(columns)


def _for_paper(record: SummaryRecord) -> SummaryRecord:
    """The record with the doctrine in a line of its own: beside the numbers a page has no room."""
    first, *others = record.rows
    if not first.note or not first.determined:
        return record
    said = f"{first.words or first.parameter}: {first.note}"
    rows = (replace(first, note=""), *others)
    return replace(record, rows=rows, lines=(said, *record.lines))


def _table(record: SummaryRecord, digits: int = DECIMALS, stars: Sequence[float] = ()) -> Table:
    """The record in cells; columns in which nothing would stand are left out."""
    names = [row.words or row.parameter for row in record.rows]
    names += [name for name, _ in record.figures]
    values = [shown_estimate(row, digits) + starred(row.p_value, stars) for row in record.rows]
    values += [
        f"{round(v, 2) + 0.0:.2f}" if n in _CRITERIA else number(v, digits)
        for n, v in record.figures
    ]
    blank = [""] * len(record.figures)
    ranges = any(row.method == "ranges" for row in record.rows)
    level = "" if record.level is None else f"{100 * record.level:.6g}% interval"
    columns: list[tuple[str, list[str], Alignment]] = [
        ("", names, "left"),
        ("estimate", values, "right"),
        ("reach", [shown_reach(row.reach) for row in record.rows] + blank, "right"),
        (
            "std. error",
            [number(row.standard_error, digits) for row in record.rows] + blank,
            "right",
        ),
        ("range" if ranges else level, _intervals(record.rows, digits) + blank, "right"),
        ("", [row.note for row in record.rows] + blank, "left"),
    ]
    kept = [column for column in columns if any(column[1])]
    plural = "" if record.decisions == 1 else "s"
    return Table(
        title=f"Learned from {record.decisions:.15g} decision{plural}",
        header=tuple(header for header, _, _ in kept),
        rows=tuple(zip(*(cells for _, cells, _ in kept), strict=True)),
        alignment=tuple(side for _, _, side in kept),
        lines=(
            *about_stars(stars),
            *record.lines,
            *(f"Note: {caveat}" for caveat in record.caveats),
        ),
        breaks=(len(record.rows),) if record.figures else (),
        spelled=SPELLED,
    )


def shown_estimate(row: SummaryRow, digits: int) -> str:
    """Return the estimate with the digits that mean something.

    A p that rounds to 0 is shown as 0, which is Nash, not as 1e-9.
    """
    shown_as_zero = row.parameter == POWER.name and abs(row.estimate) <= 5e-5
    estimate = 0.0 if shown_as_zero else row.estimate
    if not row.determined or row.reach is not None:
        return f"{estimate:.1g}"
    return number(estimate, digits)


def shown_reach(reach: float | None) -> str:
    """Return a reach with two decimals."""
    return "" if reach is None else f"{reach:.2f}"


def _intervals(rows: Sequence[SummaryRow], digits: int) -> list[str]:
    """Both ends of each interval in one cell, lined up."""
    ends = [pair(row.low, row.high, digits) for row in rows]
    lows, highs = [low for low, _ in ends], [high for _, high in ends]
    left, right = max(map(len, lows)), max(map(len, highs))
    pairs = zip(lows, highs, strict=True)
    return [f"{low:>{left}} to {high:>{right}}" if low else "" for low, high in pairs]

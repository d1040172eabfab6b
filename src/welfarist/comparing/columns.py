"""Several models in columns, as papers print them: estimates with standard errors beneath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from welfarist.base.errors import InputError
from welfarist.base.exports import DECIMALS, Alignment, Table, check_decimals, number
from welfarist.base.wording import listed
from welfarist.comparing.outsiders import OutsideFit
from welfarist.comparing.panel_fits import PanelEstimate, PanelFit
from welfarist.inference.clusters import about_few
from welfarist.results.record import FitResult
from welfarist.results.stars import StarsOption, about_stars, check_stars, starred
from welfarist.results.summarising import source_of_errors
from welfarist.results.summary import (
    AVERSION,
    SPELLED,
    Summary,
    SummaryRow,
    shown_estimate,
    shown_reach,
)

Fit = FitResult | OutsideFit | PanelFit

# What stands beneath an estimate in place of a standard error.
_GIVEN, _EDGE, _ANY = "(given)", "(edge)", "(any)"
_BENEATH = {
    _GIVEN: f"{_GIVEN}: not learned",
    _EDGE: f"{_EDGE}: the estimate lies where its range ends and has no standard error",
    _ANY: f"{_ANY}: the decisions do not determine it",
}
# Below a weight that is far out.
_REACH = "[…]: how far a weight reaches where p is far out, w^(1/|p|) relative to the largest"


@dataclass(frozen=True)
class Cell:
    """An estimate, and what stands beneath it."""

    estimate: str
    beneath: str = ""


Column = dict[str, Cell]


def in_columns(
    names: Sequence[str],
    fits: Sequence[Fit],
    figures: Sequence[tuple[str, Sequence[str]]],
    title: str,
    notes: Sequence[str],
    digits: int = DECIMALS,
    stars: StarsOption = False,
) -> Table:
    """Return a table with a column for each model.

    Parameters
    ----------
    names, fits
        The models.
    figures : sequence of (str, sequence of str)
        Rows below the estimates: what they are, and a cell for each model.
    title : str
    notes : sequence of str
        What is said below the table, after what its numbers are.
    digits, stars
        See :meth:`welfarist.Summary.as_latex`.
    """
    decimals, levels = check_decimals(digits), check_stars(stars)
    columns = [_column(fit, decimals, levels) for fit in fits]
    rows: list[tuple[str, ...]] = []
    for parameter in dict.fromkeys(name for column in columns for name in column):
        cells = [column.get(parameter, Cell("")) for column in columns]
        rows.append((parameter, *(cell.estimate for cell in cells)))
        if any(cell.beneath for cell in cells):
            rows.append(("", *(cell.beneath for cell in cells)))
    said = [*_about_errors(fits), *_about_cells(columns), *about_stars(levels)]
    if levels and any(isinstance(fit, OutsideFit) and fit.errors for fit in fits):
        said.append("Stars of other packages: of 0, by their own standard errors")
    sides: list[Alignment] = ["left", *(["right"] * len(fits))]  # type: ignore[list-item]
    return Table(
        title=title,
        header=("", *names),
        rows=(*rows, *((what, *cells) for what, cells in figures)),
        alignment=tuple(sides),
        lines=(*said, *notes),
        breaks=(len(rows),) if rows else (),
        numbers=("", *(f"({i})" for i in range(1, len(fits) + 1))),
        spelled={**SPELLED, "held-out R squared": "held-out $R^2$"},
    )


def _column(fit: Fit, digits: int, levels: Sequence[float]) -> Column:
    """The estimates of a model by name."""
    if isinstance(fit, PanelFit):
        return {row.name: _of_panel(row, digits) for row in fit.rows}
    if isinstance(fit, OutsideFit):
        return {
            row.name: Cell(
                number(row.value, digits) + starred(row.p_value, levels),
                "" if row.standard_error is None else f"({number(row.standard_error, digits)})",
            )
            for row in fit.rows
        }
    summary = _summary(fit)
    learned, edge = _learned(fit)
    return {
        row.words or row.parameter: Cell(
            shown_estimate(row, digits) + starred(row.p_value, levels),
            _beneath(row, digits, learned, edge),
        )
        for row in summary.record.rows
    }


def _of_panel(row: PanelEstimate, digits: int) -> Cell:
    """A number of a type or of a population."""
    if not row.determined:
        return Cell("", _ANY)
    if row.given:
        return Cell(number(row.value, digits), _GIVEN)
    error = row.standard_error
    return Cell(number(row.value, digits), "" if error is None else f"({number(error, digits)})")


def _summary(fit: FitResult) -> Summary:
    """The numbers with standard errors, which take no time; without where there are none."""
    if fit.likelihood is None:
        return fit.summary(level=None)
    if fit.likelihood.prior is not None:
        return fit.summary()
    return fit.summary(method="bootstrap" if fit.covariance == "bootstrap" else "wald")


def _learned(fit: FitResult) -> tuple[set[str], set[str]]:
    """Names of what was learned, and of those estimates that lie on an edge."""
    if fit.likelihood is None:
        given = {"p"} & set(fit.given)
        names = {fit.family.shape.name} - given
        if "weights" not in fit.given:
            names |= {f"weight of {name}" for name in fit.stakeholders}
        return names | set(fit.extras), set()
    try:
        edge = set(fit.on_edge)
    except InputError:  # there are no standard errors at all
        edge = set()
    names = set(fit.param_names)
    if fit.theta:  # from which weights follow
        names |= {f"weight of {name}" for name in fit.stakeholders}
    return names, edge


def _beneath(row: SummaryRow, digits: int, learned: set[str], edge: set[str]) -> str:
    if row.reach is not None:
        return f"[{shown_reach(row.reach)}]"
    if not row.determined:
        return _ANY
    if row.standard_error is not None:
        return f"({number(row.standard_error, digits)})"
    turned = "p" if row.parameter == AVERSION else row.parameter
    if turned not in learned:
        return _GIVEN
    return _EDGE if turned in edge else ""


def _about_errors(fits: Sequence[Fit]) -> list[str]:
    """Where standard errors come from, one sentence if it is the same for all models."""
    by: dict[str, list[int]] = {}
    few: list[str] = []
    for i, fit in enumerate(fits, 1):
        if isinstance(fit, OutsideFit):
            if fit.errors:
                by.setdefault(f"its own package ({fit.errors})", []).append(i)
        elif isinstance(fit, PanelFit):
            if fit.errors:
                by.setdefault(fit.errors, []).append(i)
        elif fit.likelihood is not None:
            by.setdefault(source_of_errors(fit, fit.covariance), []).append(i)
            few.append(about_few(fit.likelihood, fit.covariance))
    parts = [
        how if len(by) == 1 else f"{how} in {listed([f'({i})' for i in which])}"
        for how, which in by.items()
    ]
    said = [f"Standard errors in parentheses, from {'; from '.join(parts)}"] if parts else []
    return said + [f"Note: {caveat}" for caveat in dict.fromkeys(few) if caveat]


def _about_cells(columns: Sequence[Column]) -> list[str]:
    found = {cell.beneath for column in columns for cell in column.values()}
    said = [words for mark, words in _BENEATH.items() if mark in found]
    said += [_REACH] if any(beneath.startswith("[") for beneath in found) else []
    return ["; ".join(said)] if said else []

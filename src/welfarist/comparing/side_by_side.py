"""Several fits, doctrines and rules side by side on the same decisions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import DECIMALS, Table, as_json, check_decimals, number, strict
from welfarist.comparing.columns import Fit, in_columns
from welfarist.comparing.foretold import Standing
from welfarist.comparing.panel_fits import PanelFit
from welfarist.results.stars import StarsOption

# Two scores that differ by less than this are equally good.
_ROUNDING = 1e-12
_NOTHING = "\N{EN DASH}"
_COLUMNS = {
    "name": "",
    "p": "p",
    "inequality_aversion": "aversion",
    "learned": "learned",
    "log_likelihood": "log-likelihood",
    "aic": "AIC",
    "bic": "BIC",
    "score": "",  # accuracy or R squared
    "held_out": "held out",
    "held_out_log_loss": "held-out loss",
}
# Of these columns the best are marked.
_MARKED = ("aic", "bic", "held_out", "held_out_log_loss")
# Where types or individuals compete: decisions of whom were held out, in words.
_WHOM = {"held_out_same": "same people", "held_out_new": "new people"}
_STANDING = ("log_loss", "behind", "error", "right")
_FORETOLD = ("behind", "std. error", "right")
# What is known by chance, by the measure.
_KNOWING_NOTHING = {"accuracy": "coin flips", "first choices": "every action of a menu alike"}
_CRITERIA = ("log_likelihood", "aic", "bic")


@dataclass(frozen=True)
class SideBySideRow:
    """One of those that are compared.

    Attributes
    ----------
    name : str
    p : float or None
        None for a model of another package.
    inequality_aversion : float or None
        None in another family than the power mean.
    learned : int or None
        How many numbers were learned from the decisions; None where errors were counted, and
        where a model does not say.
    log_likelihood, aic, bic : float or None
        None where there is no likelihood, or no maximum of one.
    score : float or None
        Accuracy, or R squared of scores, on the decisions that were fitted.
    held_out : float or None
        The same on decisions that were not.
    pseudo_r_squared : float or None
        McFadden's, of comparisons and choices: 1 less the log-likelihood over that of chance.
    held_out_log_loss : float or None
        Of choices from menus: minus the mean logarithm of the chance that was given to what was
        chosen, on decisions that were not fitted.
    held_out_same, held_out_new : Standing or None
        Where types or individuals compete: log loss, difference to the best and accuracy on
        decisions that were not fitted, of the same people, and of new people.
    """

    name: str
    p: float | None
    inequality_aversion: float | None
    learned: int | None
    log_likelihood: float | None
    aic: float | None
    bic: float | None
    score: float | None
    held_out: float | None
    pseudo_r_squared: float | None = None
    held_out_log_loss: float | None = None
    held_out_same: Standing | None = None
    held_out_new: Standing | None = None

    def figure(self, column: str) -> Any:
        """Return what a column has of it; of decisions that were held out twice the log loss."""
        found = getattr(self, column)
        return found.log_loss if isinstance(found, Standing) else found


@dataclass(frozen=True, eq=False, repr=False)
class SideBySide:
    """Fits, doctrines and rules on the same decisions; prints as a table.

    Attributes
    ----------
    rows : tuple of SideBySideRow
        In the order in which they were given.
    measure : str
        What `score` and `held_out` are: "accuracy", "first choices" or "R squared".
    decisions : float
        How many decisions were observed.
    notes : tuple of str
        How decisions were held out, and why something is missing.
    results : tuple of FitResult and OutsideFit
        The fits; those of other packages are of another kind.
    null_log_likelihood : float or None
        Log likelihood of knowing nothing: coin flips, every action of a menu alike, or the mean of
        all scores.
    clusters : int or None
        How many people decided; None if nobody said.
    """

    rows: tuple[SideBySideRow, ...]
    measure: str
    decisions: float
    notes: tuple[str, ...] = ()
    results: tuple[Fit, ...] = field(default=())
    null_log_likelihood: float | None = None
    clusters: int | None = None

    def __str__(self) -> str:
        return self.as_text()

    def __repr__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        return self.as_html()

    def best(self, column: str) -> tuple[str, ...]:
        """Return the names of the best by "aic", "bic" or "held_out"; several if they tie.

        Of choices from menus also by "held_out_log_loss"; where types or individuals compete, by
        "held_out_same" and "held_out_new", the log loss of the same people's decisions and of new
        people's.
        """
        if column not in (*_MARKED, *_WHOM):
            more = "".join(f'"{name}", ' for name in self._twice)
            raise InputError(
                f'the best must be by {more}"aic", "bic", "held_out" or "held_out_log_loss"; found '
                f"{column!r}."
            )
        found = {row.name: row.figure(column) for row in self.rows}
        known = [value for value in found.values() if value is not None]
        if not known:
            return ()
        top = max(known) if column == "held_out" else min(known)
        near = _ROUNDING * max(1.0, abs(top))
        return tuple(
            n for n, value in found.items() if value is not None and abs(value - top) <= near
        )

    def as_text(self) -> str:
        """Return the table as text; that of decisions held out twice is one of its own."""
        return "\n\n".join(table.as_text() for table in self._tables())

    def as_html(self) -> str:
        """Return the table as a piece of HTML."""
        return "\n".join(table.as_html() for table in self._tables())

    def in_columns(self, *, digits: int = DECIMALS, stars: StarsOption = False) -> Table:
        """Return the table that papers print: a column a model, estimates with standard errors.

        Parameters
        ----------
        digits : int
            Decimals of estimates and standard errors; small numbers have at least so many.
        stars : bool or sequence of float
            As in :meth:`Summary.as_latex`.

        Returns
        -------
        Table
            With ``as_text()``, ``as_html()`` and ``as_latex()``.
        """
        return in_columns(
            [row.name for row in self.rows],
            self.results,
            self._figures(check_decimals(digits)),
            self._title(),
            (*self._about_null(), *self.notes),
            digits,
            stars,
        )

    def as_latex(
        self,
        *,
        booktabs: bool = True,
        caption: str | None = None,
        label: str | None = None,
        digits: int = DECIMALS,
        stars: StarsOption = False,
    ) -> str:
        """Return a LaTeX table as papers print it, a column a model.

        Estimates have their standard errors in parentheses beneath; below them stand how many
        decisions and decision makers there were, log-likelihoods, pseudo-R squared or R squared,
        AIC, BIC and what was got right. The options are those of :meth:`Summary.as_latex`.
        """
        made = self.in_columns(digits=digits, stars=stars)
        return made.as_latex(booktabs=booktabs, caption=caption, label=label)

    def _figures(self, digits: int) -> list[tuple[str, list[str]]]:
        """The rows below the estimates, without those that nobody has.

        Whether models converged is said where one did not.
        """
        every = len(self.rows)
        clusters = "" if self.clusters is None else str(self.clusters)
        ended = [fit.converged for fit in self.results]
        shown: list[tuple[str, list[str]]] = [
            ("converged", ["" if all(ended) else "yes" if one else "no" for one in ended]),
            ("decisions", [f"{self.decisions:.15g}"] * every),
            ("decision makers", [clusters] * every),
            ("log-likelihood", self._cells("log_likelihood", digits)),
            (
                "null log-likelihood",
                [_cell("log_likelihood", self.null_log_likelihood)] * every,
            ),
            ("pseudo R squared", self._cells("pseudo_r_squared", digits)),
            ("AIC", self._cells("aic", digits)),
            ("BIC", self._cells("bic", digits)),
            (self.measure, self._cells("score", digits)),
            (f"held-out {self.measure}", self._cells("held_out", digits)),
            ("held-out log loss", self._cells("held_out_log_loss", digits)),
            *self._foretold_figures(digits),
        ]
        return [(what, cells) for what, cells in shown if set(cells) - {"", _NOTHING}]

    def _foretold_figures(self, digits: int) -> list[tuple[str, list[str]]]:
        """Rows of decisions held out twice: log losses, with how far they are behind beneath."""
        shown = []
        for column, whom in _WHOM.items():
            found = [getattr(row, column) for row in self.rows]
            words = (f"held-out log loss, {whom}", "behind the best", "(standard error)")
            for what, name in zip(words, _STANDING[:3], strict=True):
                values = [None if one is None else getattr(one, name) for one in found]
                cells = [_cell(name, value, digits) for value in values]
                if name == "error":
                    cells = [cell if cell == _NOTHING else f"({cell})" for cell in cells]
                shown.append((what, cells))
        same = [None if row.held_out_same is None else row.held_out_same.right for row in self.rows]
        what = f"held-out {self.measure}, same people"
        return [*shown, (what, [_cell("right", value, digits) for value in same])]

    def _about_null(self) -> list[str]:
        """What the null log-likelihood is, where it stands in the table."""
        if self.null_log_likelihood is None:
            return []
        nothing = _KNOWING_NOTHING.get(self.measure, "the mean of the scores")
        return [f"Null: {nothing}"]

    def _cells(self, column: str, digits: int) -> list[str]:
        return [_cell(column, getattr(row, column), digits) for row in self.rows]

    def _title(self) -> str:
        return f"Side by side on {self.decisions:.15g} decisions"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts; infinities are the strings "inf" and "-inf".

        Where types or individuals compete, "bic_observations" is how many decision makers BIC
        takes for observations.
        """
        found: dict[str, Any] = strict(
            {
                "decisions": self.decisions,
                "clusters": self.clusters,
                "null_log_likelihood": self.null_log_likelihood,
                "measure": self.measure,
                "rows": [self._record(row) for row in self.rows],
                "best": {name: list(self.best(name)) for name in (*_MARKED, *self._twice)},
                "notes": list(self.notes),
            }
        )
        if any(isinstance(fit, PanelFit) for fit in self.results):
            found["bic_observations"] = self.clusters
        return found

    @property
    def _twice(self) -> list[str]:
        """Columns of decisions held out twice, where there are any."""
        return [
            column for column in _WHOM if any(getattr(row, column) is not None for row in self.rows)
        ]

    def _record(self, row: SideBySideRow) -> dict[str, Any]:
        """A row as a program reads it."""
        absent = set(_WHOM) - set(self._twice)
        return {name: value for name, value in asdict(row).items() if name not in absent}

    def as_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return as_json(self.to_dict())

    def to_frame(self) -> Any:
        """Return one row for each as a data frame, of pandas if installed, else of polars.

        Numbers that do not exist are NaN.
        """
        columns: dict[str, Any] = {"name": [row.name for row in self.rows]}
        for name in [*list(_COLUMNS)[1:], "pseudo_r_squared"]:
            values = [getattr(row, name) for row in self.rows]
            found = [np.nan if value is None else value for value in values]
            columns[name] = np.array(found, dtype=float)
        for column in self._twice:
            for figure in _STANDING:
                values = [getattr(getattr(row, column), figure, None) for row in self.rows]
                found = [np.nan if value is None else value for value in values]
                called = column if figure == "log_loss" else f"{column}_{figure}"
                columns[called] = np.array(found, dtype=float)
        return to_frame(columns)

    def _tables(self) -> tuple[Table, ...]:
        """The table, and one of decisions held out twice where there are any."""
        first = self._table()
        return (first, self._foretold()) if self._twice else (first,)

    def _foretold(self) -> Table:
        """How well decisions of the same people and of new people were foretold."""
        twice = self._twice
        best = {column: self.best(column) for column in twice}
        rows = []
        for row in self.rows:
            cells = [row.name]
            for column in twice:
                one = getattr(row, column)
                for figure in _STANDING:
                    value = None if one is None else getattr(one, figure)
                    marked = figure == "log_loss"
                    mark = ("*" if row.name in best[column] else " ") if marked else ""
                    cells.append(_cell(figure, value) + mark)
            rows.append(tuple(cells))
        header = [part for column in twice for part in (f"{_WHOM[column]} ", *_FORETOLD)]
        return Table(
            title="Held-out decisions: mean log loss",
            header=("", *header),
            rows=tuple(rows),
            alignment=tuple("left" if i == 0 else "right" for i in range(len(header) + 1)),
            lines=(
                "* the lowest of its column; behind: how far above the lowest, with its standard "
                "error by decision maker; right: the share that was foretold",
            ),
        )

    def _table(self) -> Table:
        known = {
            name: any(getattr(row, name) is not None for row in self.rows)
            for name in ("held_out", "held_out_log_loss")
        }
        known["held_out"] &= not self._twice  # it is in a table of its own
        shown = [name for name in _COLUMNS if known.get(name, True)]
        best = {name: self.best(name) for name in _MARKED}
        rows = []
        for row in self.rows:
            cells = [row.name]
            for name in shown[1:]:
                mark = ("*" if row.name in best[name] else " ") if name in best else ""
                cells.append(_cell(name, getattr(row, name)) + mark)
            rows.append(tuple(cells))
        header = {**_COLUMNS, "score": self.measure}
        return Table(
            title=self._title(),
            header=tuple(header[name] + (" " if name in best else "") for name in shown),
            rows=tuple(rows),
            alignment=tuple("left" if name == "name" else "right" for name in shown),
            lines=(
                "* the best of its column; aversion: inequality aversion, 1 - p; learned: how many "
                "numbers",
                *self.notes,
            ),
        )


def _cell(column: str, value: float | None, digits: int = DECIMALS) -> str:
    if value is None:
        return _NOTHING
    if column == "learned":
        return str(value)
    if np.isinf(value):
        return number(value)
    return f"{round(value, 2) + 0.0:.2f}" if column in _CRITERIA else number(value + 0.0, digits)

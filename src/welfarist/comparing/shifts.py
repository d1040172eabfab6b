"""How the learned rule moves with a constant that is added to every utility.

A scale from 0 to 10 in a survey has no natural zero: what is learned about ratios depends on where
it is taken to be. This shows by how much.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import (
    ImpossibleDecisionsError,
    InputError,
    WelfaristWarning,
    ZerosError,
)
from welfarist.base.exports import Table, as_json, number, pair, strict
from welfarist.base.validation import as_shift
from welfarist.comparing.held_out import learn
from welfarist.comparing.rivals import rivals_of
from welfarist.decisions.folds import Decisions
from welfarist.learners import WelfareLearner
from welfarist.people.source import in_its_place, is_source
from welfarist.results.record import FitResult

# The constants that are tried, as shares of the power of ten next to the largest utility.
_SHARES = (0.0, 0.01, 0.1, 0.2, 0.5, 1.0)
_NUMBERS = ("shift", "p", "low", "high", "log_likelihood", "score")
_NOTHING = "\N{EN DASH}"


_ZEROS = (
    "* some utility is 0, so that only powers above 0 were searched, if any allows what was decided"
)


@dataclass(frozen=True)
class ShiftRow:
    """What was learned after a constant had been added to every utility.

    Attributes
    ----------
    shift : float
    p : float or None
        None where the power that was asked for is none, because some utility is 0.
    low, high : float or None
        The interval of p; None where there is none.
    log_likelihood : float or None
    score : float or None
        Accuracy, or R squared of scores.
    zeros : bool
        Whether some utility is 0 then, so that only powers above 0 were searched.
    """

    shift: float
    p: float | None
    low: float | None = None
    high: float | None = None
    log_likelihood: float | None = None
    score: float | None = None
    zeros: bool = False


@dataclass(frozen=True, repr=False)
class ShiftTable:
    """How the learned p moves with the constant that is added; prints as a table.

    Attributes
    ----------
    rows : tuple of ShiftRow
        By rising constants.
    measure : str
        What `score` is: "accuracy", "first choices" or "R squared".
    level : float
        Of the intervals.
    parameter : str
        What the family's shape is called: "p".
    """

    rows: tuple[ShiftRow, ...]
    measure: str
    level: float
    parameter: str = "p"

    def __str__(self) -> str:
        return self._table().as_text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.as_html()

    def as_html(self) -> str:
        """Return the table as a piece of HTML."""
        return self._table().as_html()

    def as_latex(self) -> str:
        """Return the table as LaTeX."""
        return self._table().as_latex()

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts; infinities are the strings "inf" and "-inf"."""
        rows = [asdict(row) for row in self.rows]
        found: dict[str, Any] = strict({"measure": self.measure, "level": self.level, "rows": rows})
        return found

    def as_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return as_json(self.to_dict())

    def to_frame(self) -> Any:
        """Return one row a constant as a data frame; numbers that do not exist are NaN."""
        columns: dict[str, Any] = {}
        for name in _NUMBERS:
            values = [getattr(row, name) for row in self.rows]
            columns[name] = np.array([np.nan if v is None else v for v in values], dtype=float)
        columns["zeros"] = [row.zeros for row in self.rows]
        return to_frame(columns)

    def _table(self) -> Table:
        interval = f"{100 * self.level:.6g}% interval"
        header = ("added", self.parameter, interval, "log-likelihood", self.measure)
        lines = ["The larger the log-likelihood, the better the decisions are explained"]
        if any(row.zeros for row in self.rows):
            lines.append(_ZEROS)
        return Table(
            "With a constant added to every utility",
            header,
            tuple(_cells(row) for row in self.rows),
            ("right",) * len(header),  # type: ignore[arg-type]
            tuple(lines),
        )


def shift_table(
    learner: WelfareLearner | FitResult,
    X: Any = None,
    y: Any = None,
    *,
    shifts: Sequence[float] | None = None,
    level: float = 0.95,
) -> ShiftTable:
    """Learn again with several constants added to every utility, and show how p moves.

    Parameters
    ----------
    learner : ComparisonClassifier, ChoiceLearner, WelfareRegressor or a fit's result_
        Whose options are used, but for `shift`.
    X, y : Comparisons or Choices; or arrays as in the learners' `fit`
        The decisions; left out, those of the fit.
    shifts : list of float, optional
        The constants; left out, six from 0 to the largest utility, and the fit's own.
    level : float
        Of the intervals of p.

    Returns
    -------
    ShiftTable
        Prints as a table; ``to_frame()``, ``as_html()``, ``as_latex()``, ``to_dict()``.

    Examples
    --------
    >>> import numpy as np
    >>> import welfarist as wf
    >>> rng = np.random.default_rng(0)
    >>> answers = rng.integers(0, 11, (200, 2)).astype(float)         # a scale from 0 to 10
    >>> scores = wf.power_mean(answers + 1, -1) - 1 + rng.normal(0, 0.2, 200)
    >>> fit = wf.WelfareRegressor(shift=1).fit(answers, scores)
    >>> print(wf.shift_table(fit, shifts=[0, 1, 5]))
    With a constant added to every utility
      added        p        95% interval  log-likelihood  R squared
         0*   0.0010 ...
          1  -1.0349 ...
          5  -3.3067 ...
    The larger the log-likelihood, the better the decisions are explained
    * some utility is 0, so that only powers above 0 were searched, if any allows what was decided
    """
    (rival,), data = rivals_of([learner], X, y)
    found = rival.learner
    if found is None:
        raise InputError(
            "a table of shifts needs the learner; found a fit that does not say how it was made, "
            "because it counted errors. Pass the learner in place of its result_."
        )
    if not isinstance(found, WelfareLearner):
        raise InputError(
            f"a table of shifts needs a learner of welfare functions; found {rival.name}."
        )
    if is_source(data.utilities):
        found_instead = in_its_place(data.utilities)
        raise InputError(f"a table of shifts needs all utilities; found {found_instead}.")
    wanted = _shifts(data, found) if shifts is None else [as_shift(c) for c in shifts]
    rows = [_row(found, data, shift, level) for shift in sorted(set(wanted))]
    return ShiftTable(tuple(rows), data.measure, level, _parameter(found))


def _parameter(learner: WelfareLearner) -> str:
    from welfarist.families.known import family_of

    return family_of(learner.family).shape.name


def _shifts(data: Decisions, learner: WelfareLearner) -> list[float]:
    """Constants that suit the utilities, which may be negative themselves, and the learner's."""
    least = max(0.0, -float(np.nanmin(data.utilities)))
    largest = float(np.nanmax(data.utilities)) + least
    size = 10.0 ** round(math.log10(largest)) if largest > 0 else 1.0
    return [*(least + float(f"{share * size:.1g}") for share in _SHARES), learner.shift]


def _row(learner: WelfareLearner, data: Decisions, shift: float, level: float) -> ShiftRow:
    """What is learned with one constant."""
    zeros = bool(np.nanmin(data.utilities) + shift == 0)
    with warnings.catch_warnings():
        # How much the caveats depend on the constant is what the table is for.
        warnings.simplefilter("ignore", WelfaristWarning)
        try:
            result = learn(clone(learner).set_params(shift=shift), data).result_
        except (ZerosError, ImpossibleDecisionsError):
            return ShiftRow(shift, None, zeros=True)
    low, high = _interval(result, level)
    return ShiftRow(
        shift,
        result.p,
        low,
        high,
        _log_likelihood(result),
        result.accuracy if result.r_squared is None else result.r_squared,
        zeros,
    )


def _interval(result: FitResult, level: float) -> tuple[float | None, float | None]:
    try:
        rows = result.estimates(level).rows
    except InputError:
        return None, None
    return next(((row.low, row.high) for row in rows if row.quantity.is_shape), (None, None))


def _log_likelihood(result: FitResult) -> float | None:
    try:
        return float(result.llf)
    except InputError:
        return None


def _cells(row: ShiftRow) -> tuple[str, ...]:
    low, high = pair(row.low, row.high)
    likelihood = row.log_likelihood
    return (
        f"{row.shift:g}{'*' if row.zeros else ''}",
        _NOTHING if row.p is None else number(row.p + 0.0),
        f"{low} to {high}" if low else _NOTHING,
        _NOTHING if likelihood is None else f"{round(likelihood, 2) + 0.0:.2f}",
        _NOTHING if row.score is None else number(row.score),
    )

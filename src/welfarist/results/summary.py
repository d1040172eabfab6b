"""The summary of a fit: one record, shown as text, HTML, LaTeX, JSON and data frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
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
from welfarist.base.wording import listed
from welfarist.families.power_mean.family import POWER
from welfarist.inference.clusters import INSTEAD, about_few, about_too_few, number_of_clusters
from welfarist.inference.covariance import CovarianceName, flat_weights, has_flat_shape
from welfarist.inference.estimates import Estimate, Estimates
from welfarist.inference.intervals import MethodName, checked, kind_for
from welfarist.inference.likelihood import weight_name
from welfarist.results.learned import Learned
from welfarist.results.stars import StarsOption, about_stars, check_stars, starred
from welfarist.results.version_0_1 import upgraded_row

# A share of errors that is proven up to this is proven.
_ROUNDING = 1e-12

_AVERSION = "inequality aversion"
_NOT_DETERMINED = "not determined"
# Figures with two decimals.
_CRITERIA = ("log-likelihood", "null log-likelihood", "AIC", "BIC")
# Names of rows as LaTeX writes them.
SPELLED = {
    "power p": "power $p$",
    _AVERSION: r"inequality aversion $\varepsilon$",
    "temperature tau": r"temperature $\tau$",
    "flip probability rho": r"flip probability $\rho$",
    "R squared": "$R^2$",
    "pseudo R squared": "pseudo $R^2$",
}
Estimated = Callable[[float | None, MethodName | None, CovarianceName | None], Estimates]
_METHODS = {
    "profile": "profile likelihood",
    "wald": "standard errors (Wald)",
    "bootstrap": "bootstrap",
    "posterior": "the posterior's mode and curvature",
    "ranges": "all rules that explain every decision",
}
COVARIANCES = {
    "fisher": "the likelihood's curvature",
    "robust": "the robust covariance (sandwich)",
    "clustered": "the covariance clustered by who decided",
    "bootstrap": "the bootstrap",
}


@dataclass(frozen=True)
class SummaryRow:
    """One number of the rule, and how sure it is.

    Attributes
    ----------
    parameter : str
        "p", "inequality aversion", "weight of staff", "tau", "rho" or "scale".
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

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(upgraded_row(state))

    def to_dict(self) -> dict[str, Any]:
        """Return what a program reads, by name."""
        shown = ("parameter", "estimate", "standard_error", "low", "high", "method", "note")
        found = {name: getattr(self, name) for name in shown}
        if self.reach is not None:
            found["reach"] = self.reach
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
            below levels of your own. Only p (against 0, Nash) and inequality aversion (against 0,
            utilitarian) have stars: for weights and noise 0 is where their range ends.
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


def summarise(
    result: Learned,
    estimated: Estimated,
    criteria: Mapping[str, Callable[[], float]],
    level: float | None = 0.95,
    method: MethodName | None = None,
    covariance: CovarianceName | None = None,
    found_since: Sequence[str] = (),
) -> Summary:
    """Return the summary of a fit; see :meth:`FitResult.summary`.

    `estimated` gives estimates with intervals, `criteria` log likelihood, AIC and so on, where
    there are any. `found_since` are caveats that checks of the fit have added to its own.
    """
    covariance = kind_for(method, covariance, result.covariance)
    checked(0.95 if level is None else level, method, covariance)
    rows, lines = _rows_with_intervals(result, estimated, level, method, covariance)
    rows = [_as_far_as_known(row, result) for row in rows]
    lines = [*_how_it_ended(result), *lines]
    if result.reach is not None:
        lines.append(result.family.reach_in_words(result.p, number(result.p)))
    if result.shift:
        lines.append(f"{result.shift:g} was added to every utility")
    if result.first_label is not None:
        lines.append(f"Label {result.first_label!r}: the first action was preferred")
    return Summary(
        SummaryRecord(
            decisions=result.decisions,
            rows=tuple(rows),
            figures=tuple(_figures(result, criteria)),
            level=level,
            covariance=covariance,
            converged=result.converged,
            lines=tuple(lines),
            caveats=(*_caveats(result, rows, covariance), *found_since),
            clusters=_clusters(result, rows),
        )
    )


def _clusters(result: Learned, rows: Sequence[SummaryRow]) -> int | None:
    """How many people decided, where standard errors say so."""
    if result.likelihood is None or all(row.standard_error is None for row in rows):
        return None
    return number_of_clusters(result.likelihood)


def _caveats(result: Learned, rows: Sequence[SummaryRow], covariance: CovarianceName) -> list[str]:
    """What must be known of the fit, and of its standard errors."""
    said = [caveat.message for caveat in result.caveats]
    if _clusters(result, rows) is not None and result.likelihood is not None:
        few = about_few(result.likelihood, covariance)
        said += [f"{few} {INSTEAD}"] if few else []
    return said


def _rows_with_intervals(
    result: Learned,
    estimated: Estimated,
    level: float | None,
    method: MethodName | None,
    covariance: CovarianceName,
) -> tuple[list[SummaryRow], list[str]]:
    """The numbers of the rule, and lines that say how their intervals were made."""
    rows = _plain_rows(result)
    if level is None:
        return rows, []
    if result.exact is not None:
        return _with_ranges(rows, result), []
    if result.likelihood is None:
        return rows, []
    found = estimated(level, method, covariance)
    by_name = {estimate.name: estimate for estimate in found.rows}
    rows = [_tested(_sure(row, by_name, result.family.shape.name), result) for row in rows]
    lines = _how_intervals_were_made(result, found.rows, level, covariance)
    return rows, [*lines, *found.refusals]


def _plain_rows(result: Learned) -> list[SummaryRow]:
    """The rule in numbers, without any doubt."""
    shape = result.family.shape
    rows = [SummaryRow(shape.name, result.p, note=_doctrine(result), words=shape.words)]
    aversion = result.inequality_aversion
    if aversion is not None:
        rows.append(SummaryRow(_AVERSION, aversion))
    notes = result.weight_notes
    people = zip(result.stakeholders, result.weights, notes, strict=True)
    for person, (name, weight, note) in enumerate(people):
        rows.append(SummaryRow(weight_name(name), float(weight), note=note, person=person))
    words = {parameter.name: parameter.words for parameter in result.noise_parameters}
    extras = result.extras.items()
    return rows + [SummaryRow(name, value, words=words[name]) for name, value in extras]


def _sure(row: SummaryRow, found: dict[str, Estimate], shape: str) -> SummaryRow:
    """The row with its standard error and interval; those of 1 - p are those of p, turned."""
    turned = row.parameter == _AVERSION
    estimate = found.get(shape if turned else row.parameter)
    if estimate is None:
        return row
    low, high = estimate.low, estimate.high
    if turned and low is not None and high is not None:
        low, high = 1.0 - high, 1.0 - low
    return replace(
        row,
        standard_error=estimate.standard_error,
        low=low,
        high=high,
        method=estimate.method,
    )


def _tested(row: SummaryRow, result: Learned) -> SummaryRow:
    """The row with how far it is from 0, where 0 lies inside its range."""
    likelihood, shape = result.likelihood, result.family.shape
    inside = row.parameter == _AVERSION
    if row.parameter == shape.name and likelihood is not None:
        inside = shape.lowest < 0 < shape.highest and not likelihood.loss.has_zeros
    if not inside or not row.standard_error:
        return row
    return replace(row, p_value=float(2.0 * norm.sf(abs(row.estimate) / row.standard_error)))


def _with_ranges(rows: list[SummaryRow], result: Learned) -> list[SummaryRow]:
    """The rows with the range of each weight over all rules that explain every decision."""
    ranges = None if result.exact is None else result.exact.quick_ranges(result.decisions)
    if ranges is None:
        return rows
    people = iter(zip(*(ends.tolist() for ends in ranges), strict=True))
    found = []
    for row in rows:
        if row.person is not None:
            low, high = next(people)
            row = replace(row, low=low, high=high, method="ranges")
        found.append(row)
    return found


def _as_far_as_known(row: SummaryRow, result: Learned) -> SummaryRow:
    """The row of a weight with its reach where that is what acts, and marked where it is flat.

    So is that of p, without a doctrine, which would be one of many.
    """
    if row.parameter in (result.family.shape.name, _AVERSION) and row.person is None:
        if result.likelihood is None or not has_flat_shape(result.likelihood):
            return row
        return replace(row, determined=False, note=_NOT_DETERMINED)
    if row.person is None:
        return row
    reach = None if result.reach is None else float(result.reach[row.person])
    flat = result.likelihood is not None and row.person in flat_weights(result.likelihood)
    if not flat:
        return replace(row, reach=reach)
    note = ", ".join(part for part in (row.note, _NOT_DETERMINED) if part)
    return replace(row, reach=reach, determined=False, note=note, standard_error=None)


def _doctrine(result: Learned) -> str:
    """The doctrine of p as it is printed, so that 0.0000 is called Nash."""
    name = result.family.describe_closely(result.p, 4)
    return f"{name} (given)" if "p" in result.given else name


def _figures(
    result: Learned, criteria: Mapping[str, Callable[[], float]]
) -> list[tuple[str, float]]:
    """How well the rule fits."""
    exact = result.exact
    found: list[tuple[str, float | None]] = [
        ("mean loss" if exact is None else "share of errors", result.loss),
        ("corrected for flips", None if exact is None else exact.shown_correction),
        ("accuracy", result.accuracy),
        ("R squared", result.r_squared),
    ]
    for name, criterion in criteria.items():
        try:
            found.append((name, criterion()))
        except InputError:  # there is none; the lines below the table say why
            continue
    return [(name, float(value)) for name, value in found if value is not None]


def _how_it_ended(result: Learned) -> list[str]:
    """Convergence, and how far the fit is proven if that is known."""
    proof = vars(result).get("certificate")  # of a smooth fit it takes longer than the fit
    if result.exact is None:
        state = "Converged" if result.converged else "Did not converge"
        starts = f"{result.agreeing} of {len(result.start_values)} starts found this optimum"
        ends = [f"{state}: {result.reason} ({result.n_iter} steps; {starts})"]
        if proof is not None:
            bound = f"no rule has a mean loss below {proof.lower_bound:.6g}"
            ends.append(f"Proven: {bound} ({proof.method})")
        return ends
    proof = result.certificate
    if proof is None:
        return result.exact.lines()
    if proof.gap <= _ROUNDING:
        ends = [f"Proven optimal: {proof.method}"]
    else:
        ends = [
            f"Not proven optimal: {result.reason}",
            f"Proven: no rule is wrong in less than {proof.lower_bound:.2%} ({proof.method})",
        ]
    return ends + result.exact.lines()


def _how_intervals_were_made(
    result: Learned, rows: Sequence[Estimate], level: float, covariance: CovarianceName
) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for row in rows:
        if row.method is not None:
            kinds.setdefault(row.method, []).append(_kind_in_words(row))
    parts = [_METHODS.get(method, method) for method in kinds]
    if len(kinds) > 1:
        each = zip(parts, kinds.values(), strict=True)
        parts = [f"{how} for {listed(list(dict.fromkeys(what)))}" for how, what in each]
    if _holds_power(result) and "weights" in kinds.get("wald", []):
        parts[-1] += " with p held where it is"
    lines = [f"{100 * level:.6g}% intervals by {', by '.join(parts)}"] if parts else []
    clusters = None if result.likelihood is None else number_of_clusters(result.likelihood)
    if any(row.standard_error is not None for row in rows):
        by = f" ({clusters} decision makers)" if covariance == "clustered" else ""
        lines.append(f"Standard errors from {source_of_errors(result, covariance)}{by}")
        if result.likelihood is not None and result.likelihood.prior is not None:
            lines.append("No tests, checks, AIC or BIC: the estimates are drawn to the prior")
    if "profile" in kinds and covariance == "robust":
        lines.append("Profile likelihoods take the noise model at its word")
    if not lines or result.likelihood is None or clusters is None:
        return lines
    if result.likelihood.prior is not None:
        lines.append("Decisions were taken as independent, though it is known who decided")
    elif covariance not in ("clustered", "bootstrap"):
        wider = 'summary(covariance="clustered") is wider where people differ'
        why = about_too_few(result.likelihood) or wider
        lines.append(f"Decisions were taken as independent, though it is known who decided: {why}")
    elif "profile" in kinds:
        lines.append("Profile likelihoods take the decisions of one person as independent")
    return lines


def source_of_errors(result: Learned, covariance: CovarianceName) -> str:
    """Return where standard errors come from, in words."""
    if result.likelihood is not None and result.likelihood.prior is not None:
        return "the posterior's curvature"
    return COVARIANCES.get(covariance, covariance)


def _holds_power(result: Learned) -> bool:
    """Whether standard errors of weights hold a learned p: near 0, where some utility is 0."""
    likelihood = result.likelihood
    if likelihood is None or "p" in result.given:
        return False
    return likelihood.power_on_edge and not likelihood.only_who_counts


def _kind_in_words(row: Estimate) -> str:
    """What an estimate is one of; weights of 0 may be treated apart from the others."""
    zero = row.quantity.is_weight and row.value == 0.0
    return "weights of 0" if zero else row.quantity.parameter.name


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

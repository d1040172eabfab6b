"""Several fits, doctrines and rules side by side on the same decisions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError, WelfaristWarning, ZerosError
from welfarist.base.exports import DECIMALS, Table, as_json, check_decimals, number, strict
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import generator_of
from welfarist.base.wording import listed
from welfarist.comparing.columns import Fit, in_columns
from welfarist.comparing.held_out import gain_on
from welfarist.comparing.outsiders import OutsideFit, Outsider
from welfarist.comparing.presented import FeaturesOption
from welfarist.comparing.rivals import Item, Rival, rivals_of
from welfarist.decisions.folds import folds_of
from welfarist.decisions.labels import numbered
from welfarist.people.weighting import sole_person
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
}
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
        McFadden's, of comparisons: 1 less the log-likelihood over that of coin flips.
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


@dataclass(frozen=True, eq=False, repr=False)
class SideBySide:
    """Fits, doctrines and rules on the same decisions; prints as a table.

    Attributes
    ----------
    rows : tuple of SideBySideRow
        In the order in which they were given.
    measure : str
        What `score` and `held_out` are: "accuracy" or "R squared".
    decisions : float
        How many decisions were observed.
    notes : tuple of str
        How decisions were held out, and why something is missing.
    results : tuple of FitResult and OutsideFit
        The fits; those of other packages are of another kind.
    null_log_likelihood : float or None
        Log likelihood of knowing nothing: coin flips, or the mean of all scores.
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
        """Return the names of the best by "aic", "bic" or "held_out"; several if they tie."""
        if column not in ("aic", "bic", "held_out"):
            raise InputError(f'the best must be by "aic", "bic" or "held_out"; found {column!r}.')
        found = {row.name: getattr(row, column) for row in self.rows}
        known = [value for value in found.values() if value is not None]
        if not known:
            return ()
        top = max(known) if column == "held_out" else min(known)
        near = _ROUNDING * max(1.0, abs(top))
        return tuple(
            n for n, value in found.items() if value is not None and abs(value - top) <= near
        )

    def as_text(self) -> str:
        """Return the table as text."""
        return self._table().as_text()

    def as_html(self) -> str:
        """Return the table as a piece of HTML."""
        return self._table().as_html()

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
        ]
        return [(what, cells) for what, cells in shown if set(cells) - {"", _NOTHING}]

    def _about_null(self) -> list[str]:
        """What the null log-likelihood is, where it stands in the table."""
        if self.null_log_likelihood is None:
            return []
        of_choices = self.measure == "accuracy"
        return [f"Null: {'coin flips' if of_choices else 'the mean of the scores'}"]

    def _cells(self, column: str, digits: int) -> list[str]:
        return [_cell(column, getattr(row, column), digits) for row in self.rows]

    def _title(self) -> str:
        return f"Side by side on {self.decisions:.15g} decisions"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts; infinities are the strings "inf" and "-inf"."""
        found: dict[str, Any] = strict(
            {
                "decisions": self.decisions,
                "clusters": self.clusters,
                "null_log_likelihood": self.null_log_likelihood,
                "measure": self.measure,
                "rows": [asdict(row) for row in self.rows],
                "best": {name: list(self.best(name)) for name in ("aic", "bic", "held_out")},
                "notes": list(self.notes),
            }
        )
        return found

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
        return to_frame(columns)

    def _table(self) -> Table:
        held_out = any(row.held_out is not None for row in self.rows)
        shown = [name for name in _COLUMNS if held_out or name != "held_out"]
        best = {name: self.best(name) for name in ("aic", "bic", "held_out")}
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


def compare(
    items: Sequence[Item] | Mapping[str, Item],
    X: Any = None,
    y: Any = None,
    *,
    folds: int | None = 5,
    features: FeaturesOption = "differences",
    random_state: Any = 0,
    progress: ProgressOption = "auto",
) -> SideBySide:
    """Put fits, doctrines, rules and models of other packages side by side on the same decisions.

    Parameters
    ----------
    items : list, or mapping of names, of learners, fits, doctrines, rules and other models
        A learner is fitted unless it was fitted to these decisions before. A fit is the `result_`
        of a learner. A doctrine's name ("Nash") fixes p and takes all else but a prior from the
        first learner or fit in the list, or from a learner without options. A WelfareFunction
        fixes p and weights, so that only tau, rho or scale is learned. A scikit-learn estimator
        (one with ``predict_proba`` for comparisons) is cloned and fitted to the decisions; a
        result of statsmodels must be of these decisions, in this order.
    X, y : Comparisons; or arrays as in the learners' `fit`
        The decisions; left out, those of the fits.
    folds : int, optional
        In how many parts decisions are held out, each predicted from the others; None leaves that
        out.
    features : "differences", "both" or callable
        What scikit-learn estimators see of the two actions of a comparison: the differences of
        utilities u - v (n, d), a column a person, so that ``LogisticRegression`` is the linear
        logit; both, side by side (n, 2d), as our own learners take them; or what a function of u
        and v (n, d) gives. Their y is 1 where the first action was preferred, else 0. Of scores
        they see utilities and scores.
    random_state : int, Generator or RandomState
        Draws the parts, the same for all.
    progress : bool or "auto"
        Whether to show a progress bar; "auto" does in a terminal.

    Returns
    -------
    SideBySide
        Prints as a table; ``to_frame()``, ``as_html()``, ``to_dict()``; ``as_latex()`` has the
        models in columns.

    Notes
    -----
    The lower AIC and BIC, the better: they weigh the likelihood against how many numbers were
    learned. A WelfareFunction that was learned from these very decisions counts as learning
    nothing, which flatters it, held out as well. Where it is known who decided (``by``) whole
    decision makers are held out, otherwise all decisions on the same two actions; standard errors
    are then clustered. Held-out R squared is about the mean of all scores.

    Models of other packages have AIC and BIC where it is known how many numbers they learned to
    maximise the likelihood: results of statsmodels whose own ``llf`` is that of their
    probabilities, and linear models of scikit-learn without a penalty
    (``LogisticRegression(C=np.inf)``). Counts, and ties as half a row of each label, go to
    them as ``sample_weight``. Where the first action of every comparison was the preferred one,
    every second comparison is turned round for them. Results of statsmodels are made anew for each
    part from their own columns; where that cannot be, as with an offset, a note says so.

    Doctrines that have nothing to say where a utility is 0 are left out, and a line says so; a
    learner's `shift` brings them back.

    Examples
    --------
    >>> import numpy as np
    >>> import welfarist as wf
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (200, 2))
    >>> scores = wf.power_mean(utilities, -1, [0.6, 0.4]) + rng.normal(0, 0.3, 200)
    >>> learned = wf.WelfareRegressor().fit(utilities, scores)
    >>> print(wf.compare({"learned": learned, "Nash": "Nash", "sum": "utilitarian"}))
    Side by side on 200 decisions
                   p  aversion  learned  log-likelihood ...
      learned ...
      Nash ...
      sum ...
    * the best of its column; ...
    Held-out R squared: in 5 parts, by actions
    """
    rivals, found = rivals_of(items, X, y, features)
    data: Any = found
    with warnings.catch_warnings():
        # Doctrines that do not fit are what a comparison is for; result_.caveats has the reasons.
        warnings.simplefilter("ignore", WelfaristWarning)
        rivals, results, excluded = _fitted(rivals, data)
    notes: dict[str, list[str]] = {}
    held_out: list[float | None] = [None] * len(rivals)
    if folds is not None:
        held_out = _held_out(rivals, data, folds, random_state, progress, notes)
    measure, nothing = data.measure, _null(results)
    rows = [
        _row(rival.name, result, score, nothing if measure == "accuracy" else None, notes)
        for rival, result, score in zip(rivals, results, held_out, strict=True)
    ]
    lines = [f"No {what.replace('NAMES', listed(names))}" for what, names in notes.items()]
    stopped = [rival.name for rival, fit in zip(rivals, results, strict=True) if not fit.converged]
    lines += [f"Did not converge: {listed(stopped)}"] if stopped else []
    lines += _about_sole_people([rival.name for rival in rivals], results)
    lines += _about_outsiders(rivals, results, folds)
    if folds is not None:
        lines.insert(0, f"Held-out {measure}: in {folds} parts, by {data.unit}")
    if excluded:
        have = "has" if len(excluded) == 1 else "have"
        lines.append(_EXCLUDED.format(names=listed(excluded), have=have))
    return SideBySide(
        tuple(rows),
        measure,
        float(data.counts.sum()),
        tuple(lines),
        results,
        nothing,
        None if data.by is None else int(numbered(data.by).max()) + 1,
    )


def _null(results: Sequence[Fit]) -> float | None:
    """Log likelihood of knowing nothing; None where no model has a likelihood."""
    for result in results:
        try:
            return float(result.llnull)
        except InputError:  # errors were counted, or scores do not vary
            continue
    return None


def _about_sole_people(names: Sequence[str], results: Sequence[Fit]) -> list[str]:
    """Say whose learned weights leave one person alone, so that p, or a doctrine, means nothing."""
    alone: dict[tuple[str, str], list[str]] = {}
    for name, result in zip(names, results, strict=True):
        if isinstance(result, OutsideFit) or "weights" in result.given:
            continue
        person = sole_person(result.weights)
        if person is not None:
            who = (result.stakeholders[person], result.family.shape.name)
            alone.setdefault(who, []).append(name)
    return [
        f"{listed(which)}: with learned weights nobody but {person} counts, so that "
        f"{'it is' if len(which) == 1 else 'each is'} the same rule at every {shape}; "
        'weights="equal" asks about everybody'
        for (person, shape), which in alone.items()
    ]


def _about_outsiders(
    rivals: Sequence[Rival], results: Sequence[Fit], folds: int | None
) -> list[str]:
    """What must be said of models of other packages."""
    outside = [rival for rival in rivals if isinstance(rival.learner, Outsider)]
    said = []
    as_they_are = [
        r.name for r in outside if isinstance(r.learner, Outsider) and r.learner.again == "as it is"
    ]
    if as_they_are and folds is not None:
        said.append(
            f"Not fitted again but taken as it is: {listed(as_they_are)}, whose held-out decisions "
            "may be those that it was fitted to"
        )
    impossible = [
        rival.name
        for rival, result in zip(rivals, results, strict=True)
        if isinstance(result, OutsideFit) and np.isneginf(result.llf)
    ]
    if impossible:
        said.append(
            f"A log-likelihood of -inf: {listed(impossible)} gave no chance at all to something "
            "that happened"
        )
    turned = [r.name for r in outside if isinstance(r.learner, Outsider) and r.learner.seen.turned]
    if turned:
        said.append(
            f"For {listed(turned)} every second comparison was turned round, because the first "
            "action was always the preferred one"
        )
    return said


_EXCLUDED = (
    "Left out {names}, which {have} nothing to say where a utility is 0: such actions would all be "
    "worth 0. To compare all, add a constant to every utility (such as shift=1), or leave those "
    "actions out"
)


def _fitted(
    rivals: Sequence[Rival], data: Any
) -> tuple[tuple[Rival, ...], tuple[Fit, ...], list[str]]:
    """Those that can be fitted, their fits, and the names of those that zeros exclude."""
    kept: list[Rival] = []
    results: list[Fit] = []
    excluded: list[str] = []
    for rival in rivals:
        try:
            results.append(rival.fitted(data))
        except ZerosError:
            if len(excluded) == len(rivals) - 1:
                raise  # there is nothing to compare
            excluded.append(rival.name)
        else:
            kept.append(rival)
    return tuple(kept), tuple(results), excluded


def _held_out(
    rivals: Sequence[Rival],
    data: Any,
    folds: int,
    random_state: Any,
    progress: ProgressOption,
    notes: dict[str, list[str]],
) -> list[float | None]:
    """What each learner gets right of the decisions it has not seen."""
    fold = folds_of(data, folds, generator_of(random_state))
    gains = np.zeros(len(rivals))
    work = [
        (i, rival.learner, part)
        for i, rival in enumerate(rivals)
        if rival.learner is not None and _can_be_held_out(rival)
        for part in range(folds)
    ]
    for i, learner, part in Progress(progress).track(work, len(work), "Held-out decisions"):
        gains[i] += gain_on(learner, data, fold == part)
    found: list[float | None] = []
    for rival, gain in zip(rivals, gains.tolist(), strict=True):
        fair = _can_be_held_out(rival)
        if not fair:
            why = _UNKNOWN if rival.learner is None else _FOREIGN
            notes.setdefault(why, []).append(rival.name)
        found.append(data.share_right(gain) if fair else None)
    return found


def _can_be_held_out(rival: Rival) -> bool:
    """Whether a rival can be fitted to a part of the decisions."""
    learner = rival.learner
    return learner is not None and not (
        isinstance(learner, Outsider) and learner.again == "not at all"
    )


_UNKNOWN = (
    "held-out score of NAMES: a fit that counts errors does not say how it was made. Pass the "
    "learner itself."
)


_FOREIGN = (
    "held-out score of NAMES: this result of another package cannot be made again from some of its "
    "rows. Pass an estimator that scikit-learn can clone."
)


def _row(
    name: str,
    result: Fit,
    held_out: float | None,
    nothing: float | None,
    notes: dict[str, list[str]],
) -> SideBySideRow:
    criteria: dict[str, float | None] = {}
    missing: dict[str, list[str]] = {}
    for what, attribute in (("log-likelihood", "llf"), ("AIC", "aic"), ("BIC", "bic")):
        try:
            criteria[what] = float(getattr(result, attribute))
        except InputError as refusal:
            criteria[what] = None
            missing.setdefault(str(refusal), []).append(what)
    for refusal_text, absent in missing.items():
        notes.setdefault(f"{listed(absent)} of NAMES: {refusal_text}", []).append(name)
    reached = criteria["log-likelihood"]
    return SideBySideRow(
        name,
        result.p,
        result.inequality_aversion,
        _learned(result),
        criteria["log-likelihood"],
        criteria["AIC"],
        criteria["BIC"],
        result.accuracy if result.r_squared is None else result.r_squared,
        held_out,
        None if reached is None or nothing is None else 1.0 - reached / nothing,
    )


def _learned(result: Fit) -> int | None:
    """How many numbers were learned."""
    if isinstance(result, OutsideFit):
        return result.learned
    return None if result.likelihood is None else result.likelihood.parameters


def _cell(column: str, value: float | None, digits: int = DECIMALS) -> str:
    if value is None:
        return _NOTHING
    if column == "learned":
        return str(value)
    if np.isinf(value):
        return number(value)
    return f"{round(value, 2) + 0.0:.2f}" if column in _CRITERIA else number(value + 0.0, digits)

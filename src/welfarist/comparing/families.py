"""Which family of welfare functions describes decisions best, and whether they can tell."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError, WelfaristWarning
from welfarist.base.exports import Table, as_json, number, strict
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import generator_of
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.comparing.chances import how_often
from welfarist.comparing.choquet import Interactions
from welfarist.comparing.contenders import Contender, contenders
from welfarist.comparing.kinship import kin_that_fit_alike
from welfarist.comparing.rivals import rivals_of
from welfarist.decisions import Scores
from welfarist.decisions.folds import counted_part, folds_of
from welfarist.decisions.labels import numbered
from welfarist.families.base import Family
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.learners import WelfareLearner, learner_for
from welfarist.results.record import FitResult

Fitted = FitResult | Interactions
# A held-out loss, how far it is above the lowest, and the standard error of that.
Outside = tuple[float | None, float | None, float | None]

# Differences in BIC that say nothing: the evidence is at most e to one.
TIED = 2.0
# Standard errors by which a held-out loss must be behind to count as higher.
_FAR_BEHIND = 2.0


@dataclass(frozen=True)
class FamilyRow:
    """One of the families that are compared.

    Attributes
    ----------
    name : str
    learned : int
        How many numbers were learned.
    log_likelihood, bic : float
    behind : float
        The BIC less the lowest.
    held_out : float or None
        The mean loss of decisions that were not fitted: minus the log of the chance of what was
        decided, or the squared error of scores.
    held_out_behind, held_out_error : float or None
        That less the lowest, and its standard error, by decision maker where these are known; None
        of the lowest.
    shape : str
        The family's own parameters as they were learned.
    """

    name: str
    learned: int
    log_likelihood: float
    bic: float
    behind: float
    held_out: float | None
    held_out_behind: float | None
    held_out_error: float | None
    shape: str


@dataclass(frozen=True, eq=False, repr=False)
class FamilyTable:
    """Families side by side on the same decisions; prints as a table with a sentence.

    Attributes
    ----------
    rows : tuple of FamilyRow
        In the order in which they were given.
    decisions : float
    folds : int or None
    results : tuple of FitResult
        Of the rows; Interactions in that of "choquet".
    left_out : mapping
        Why a family has nothing to say of these decisions, by its name.
    """

    rows: tuple[FamilyRow, ...]
    decisions: float
    folds: int | None = None
    results: tuple[Fitted, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str:
        """The name of the family with the lowest BIC."""
        return min(self.rows, key=lambda row: row.bic).name

    @property
    def tied(self) -> tuple[str, ...]:
        """The names of all families whose BIC is as good as the lowest, up to 2."""
        near = [row for row in self.rows if row.behind <= TIED]
        return tuple(row.name for row in sorted(near, key=lambda row: row.bic))

    @property
    def recommended(self) -> str:
        """The power mean where nothing speaks against it, else the family with the lowest BIC."""
        return POWER_MEAN.name if POWER_MEAN.name in self.tied else self.best

    @property
    def interactions(self) -> Interactions | None:
        """Who complements whom, if "choquet" is among them."""
        found = [one for one in self.results if isinstance(one, Interactions)]
        return found[0] if found else None

    @property
    def alike(self) -> tuple[str, ...]:
        """Which families contain others of them and fit no better, in sentences."""
        return kin_that_fit_alike({row.name: row.log_likelihood for row in self.rows})

    @property
    def verdict(self) -> str:
        """What all of it comes to, in a sentence or two."""
        by_name = {row.name: row for row in self.rows}
        if len(self.rows) == 1:
            return f"Only {self.best} has anything to say of these decisions."
        if len(self.tied) > 1:
            said = f"These decisions cannot tell {listed(self.tied)} apart"
            said += f" (BIC within {TIED:g})"
            said += f": take {self.recommended}." if POWER_MEAN.name in self.tied else "."
        else:
            others = [row for row in self.rows if row.name != self.best]
            next_best = min(others, key=lambda row: row.bic)
            said = (
                f"{self.best} describes these decisions best: the BIC of {next_best.name}, the "
                f"next, is higher by {next_best.behind:.1f}."
            )
        chosen = by_name[self.recommended]
        behind, error = chosen.held_out_behind, chosen.held_out_error
        if behind and error and behind > _FAR_BEHIND * error:
            heard = [row for row in self.rows if row.held_out is not None]
            lowest = min(heard, key=lambda row: row.held_out or 0.0)
            said += f" Yet held-out decisions are foretold better by {lowest.name}."
        elif self.folds is not None and self._is_close_outside():
            said += " Held-out decisions alone could not say so."
        return said

    def _is_close_outside(self) -> bool:
        """Whether a family that BIC puts behind foretells held-out decisions as well."""
        heard = [row for row in self.rows if row.held_out is not None]
        return any(
            row.held_out_behind is None
            or row.held_out_behind <= _FAR_BEHIND * (row.held_out_error or 0.0)
            for row in heard
            if row.name not in self.tied
        )

    def as_text(self) -> str:
        """Return the table as text."""
        return self._table().as_text()

    def as_html(self) -> str:
        """Return the table as a piece of HTML."""
        return self._table().as_html()

    def __str__(self) -> str:
        return self.as_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.as_html()

    def _table(self) -> Table:
        outside = self.folds is not None
        header = ["", "learned", "log-likelihood", "BIC ", "behind"]
        header += ["held-out loss", "behind", "std. error"] if outside else []
        rows = []
        for row in self.rows:
            mark = "*" if row.behind <= TIED else " "
            cells = [
                row.name, str(row.learned), f"{row.log_likelihood:.2f}", f"{row.bic:.2f}{mark}",
                f"{row.behind:.2f}",
            ]  # fmt: skip
            if outside:
                cells += [_shown(row.held_out), _shown(row.held_out_behind)]
                cells.append(_shown(row.held_out_error))
            rows.append((*cells, row.shape))
        header.append("learned shape")
        lines = [self.verdict, f"* within {TIED:g} of the lowest BIC"]
        if outside:
            lines.append(
                f"held-out loss: mean in {self.folds} parts, the lower the better; behind: how far "
                "above the lowest"
            )
        lines += self.alike
        if any(row.held_out is None for row in self.rows) and outside:
            lines.append("no held-out loss: the rule has nothing to say of some decisions")
        lines += [f"Left out {name}: {why}" for name, why in self.left_out.items()]
        right = ("right",) * (len(header) - 2)
        return Table(
            f"Families side by side on {self.decisions:.15g} decisions",
            tuple(header),
            tuple(rows),
            ("left", *right, "left"),  # type: ignore[arg-type]
            tuple(lines),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts."""
        found: dict[str, Any] = strict(
            {
                "decisions": self.decisions,
                "folds": self.folds,
                "rows": [asdict(row) for row in self.rows],
                "best": self.best,
                "tied": list(self.tied),
                "recommended": self.recommended,
                "verdict": self.verdict,
                "alike": list(self.alike),
                "left_out": dict(self.left_out),
                **({"interactions": seen.to_dict()} if (seen := self.interactions) else {}),
            }
        )
        return found

    def as_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return as_json(self.to_dict())

    def to_frame(self) -> Any:
        """Return one row a family as a data frame; numbers that do not exist are NaN."""
        records = [asdict(row) for row in self.rows]
        names = list(records[0])
        return to_frame(
            {name: [np.nan if r[name] is None else r[name] for r in records] for name in names}
        )


def compare_families(
    families: Any,
    base: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    folds: int | None = 5,
    random_state: Any = 0,
    progress: ProgressOption = "auto",
) -> FamilyTable:
    """Fit rules of several families to the same decisions; see :func:`welfarist.compare`."""
    learner, data = _learner_and_data(base, X, y)
    asked = contenders(families, learner)
    fits: list[tuple[Contender, Fitted]] = []
    left_out: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WelfaristWarning)
        for contender in asked:
            try:
                fits.append((contender, contender.fitted(data)))
            except InputError as problem:
                if len(left_out) == len(asked) - 1:
                    raise
                left_out[contender.name] = str(problem)
        losses = None
        if folds is not None:
            losses = _held_out([one for one, _ in fits], data, folds, random_state, progress)
    return FamilyTable(
        _rows([(one.name, fit) for one, fit in fits], losses, data),
        data.total,
        folds,
        tuple(fit for _, fit in fits),
        left_out,
    )


def _learner_and_data(base: Any, X: Any, y: Any) -> tuple[WelfareLearner, Any]:
    """The learner whose options all families share, and the decisions."""
    if isinstance(base, list | tuple | dict | str):
        raise InputError(
            "with families compare takes one learner or fit, whose options all share, or none; "
            f"found {type(base).__name__}."
        )
    if base is None:
        kinds = [Scores] if y is not None else []
        if X is None or kinds:
            raise InputError(
                "families are compared on decisions: pass Comparisons or Choices as X, or a "
                "learner, and utilities and scores after it."
            )
        base = learner_for(counted_part(X).kind)()
    rivals, data = rivals_of([base], X, y)
    learner = rivals[0].learner
    if not isinstance(learner, WelfareLearner):
        raise InputError(
            "families are compared by a likelihood; found a fit that does not say how it was "
            "made. Pass its learner."
        )
    return learner, data


def _held_out(
    asked: list[Contender], data: Any, folds: int, random_state: Any, progress: ProgressOption
) -> FloatArray:
    """The loss (families, n) of each decision, by rules that have not seen it."""
    fold = folds_of(data, folds, generator_of(random_state))
    losses = np.zeros((len(asked), len(data)))
    work = [(i, part) for i in range(len(asked)) for part in range(folds)]
    for i, part in Progress(progress).track(work, len(work), "Held-out decisions"):
        chosen = fold == part
        losses[i, chosen] = asked[i].held_out(data[~chosen], data[chosen])
    return losses


def _rows(
    fits: list[tuple[str, Fitted]], losses: FloatArray | None, data: Any
) -> tuple[FamilyRow, ...]:
    lowest = min(fit.bic for _, fit in fits)
    unknown: Outside = (None, None, None)
    outside = [unknown] * len(fits) if losses is None else _outside(losses, data)
    return tuple(
        FamilyRow(
            name,
            fit.learned if isinstance(fit, Interactions) else _numbers(fit),
            float(_log_likelihood(fit)),
            float(fit.bic),
            float(fit.bic - lowest),
            *held,
            _shape(fit),
        )
        for (name, fit), held in zip(fits, outside, strict=True)
    )


def _outside(losses: FloatArray, data: Any) -> list[Outside]:
    """Mean held-out losses, how far they are above the lowest, and with which standard error.

    None where a rule had nothing to say of a decision.
    """
    often = data.counts if isinstance(data, Scores) else how_often(data)
    silent = np.logical_not(np.isfinite(losses[:, often > 0]).all(axis=1))
    known = np.where(silent[:, None], 0.0, losses)
    means = np.where(silent, np.inf, known @ often / often.sum())
    best = int(np.argmin(means))
    by = getattr(data, "by", None)
    groups = data.units() if by is None else numbered(by)
    found: list[Outside] = []
    for i, mean in enumerate(means.tolist()):
        if silent[i]:
            found.append((None, None, None))
        elif i == best:
            found.append((mean, None, None))
        else:
            error = _error(known[i] - known[best], often, groups)
            found.append((mean, mean - float(means[best]), error))
    return found


def _numbers(fit: FitResult) -> int:
    assert fit.likelihood is not None
    return fit.likelihood.parameters


def _log_likelihood(fit: Fitted) -> float:
    return float(fit.log_likelihood if isinstance(fit, Interactions) else fit.llf)


def _error(apart: FloatArray, often: FloatArray, groups: Any) -> float:
    """The standard error of a mean difference, whose units (n,) are independent."""
    total = float(often.sum())
    sums = np.bincount(groups, often * (apart - float(often @ apart) / total))
    units = int((np.bincount(groups, often) > 0).sum())
    if units < 2:
        return float("inf")
    return float(np.sqrt(units / (units - 1) * np.square(sums).sum()) / total)


def _shape(result: Fitted) -> str:
    """A family's own numbers as they were learned."""
    if isinstance(result, Interactions):
        return result.strongest
    family: Family = result.family
    given = " (given)" if "p" in result.given else ""
    own = [f"{name} = {value:.4g}" for name, value in family.own_values().items()]
    return ", ".join([f"{family.shape.name} = {result.p:.4g}{given}", *own])


def _shown(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else number(value)

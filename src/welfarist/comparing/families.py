"""Which family of welfare functions describes decisions best, and whether they can tell."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError, WelfaristWarning
from welfarist.base.exports import Table, as_json, number, strict
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import generator_of
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.comparing.chances import how_often, losses_of
from welfarist.comparing.held_out import fitted_to, learn
from welfarist.comparing.rivals import rivals_of
from welfarist.decisions import Scores
from welfarist.decisions.folds import counted_part, folds_of
from welfarist.decisions.labels import numbered
from welfarist.families.base import Family
from welfarist.families.known import FAMILIES, family_of
from welfarist.families.nested.family import NestedFamily
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rank_dependent.family import RANK_DEPENDENT
from welfarist.learners import WelfareLearner, learner_for
from welfarist.results.record import FitResult

# Differences in BIC that say nothing: the evidence is at most e to one.
TIED = 2.0
# Standard errors by which a held-out loss must be behind to count as higher.
_FAR_BEHIND = 2.0
# A rank dependent mean is compared with weights of places alone, and under this name with p.
RANK_POWER = "rank power"
DEFAULT = ("power", "kolm", "rank")


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
    left_out : mapping
        Why a family has nothing to say of these decisions, by its name.
    """

    rows: tuple[FamilyRow, ...]
    decisions: float
    folds: int | None = None
    results: tuple[FitResult, ...] = ()
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
            lowest = min(self.rows, key=lambda row: row.held_out or 0.0)
            said += f" Yet held-out decisions are foretold better by {lowest.name}."
        elif self.folds is not None and self._is_close_outside():
            said += " Held-out decisions alone could not say so."
        return said

    def _is_close_outside(self) -> bool:
        """Whether a family that BIC puts behind foretells held-out decisions as well."""
        ruled_out = [row for row in self.rows if row.name not in self.tied]
        return bool(ruled_out) and any(
            row.held_out_behind is None
            or row.held_out_behind <= _FAR_BEHIND * (row.held_out_error or 0.0)
            for row in ruled_out
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
                "left_out": dict(self.left_out),
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
    named = _candidates(families, learner)
    rows: list[tuple[str, Any, FitResult]] = []
    left_out: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WelfaristWarning)
        for name, candidate in named.items():
            try:
                found = learn(candidate, data).result_
                _ = found.bic
            except InputError as problem:
                if len(left_out) == len(named) - 1:
                    raise
                left_out[name] = str(problem)
            else:
                rows.append((name, candidate, found))
        losses = None
        if folds is not None:
            losses = _held_out([one for _, one, _ in rows], data, folds, random_state, progress)
    return FamilyTable(
        _rows([(name, result) for name, _, result in rows], losses, data),
        data.total,
        folds,
        tuple(result for _, _, result in rows),
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


def _candidates(families: Any, learner: WelfareLearner) -> dict[str, Any]:
    """A learner for each family, by its name."""
    if families in ("all", True):
        own = family_of(learner.family)
        grouped = learner.groups is not None or isinstance(own, NestedFamily)
        families = [*DEFAULT, *(["nested"] if grouped else [])]
    if isinstance(families, str) or not isinstance(families, Sequence) or not len(families):
        known = ", ".join(f'"{name}"' for name in (*FAMILIES, RANK_POWER))
        raise InputError(
            f'families must be "all" or a list of {known} and families of your own; found '
            f"{families!r}."
        )
    found = [_candidate(one, learner) for one in families]
    names = [name for name, _ in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"families must be different ones; found {name!r} twice.")
    return dict(found)


def _candidate(family: Any, learner: WelfareLearner) -> tuple[str, Any]:
    """The name of a family, and a learner of its rules with the options of another."""
    given = learner.get_params()
    wanted = "rank" if family == RANK_POWER else family
    found = family_of(wanted)
    held: dict[str, Any] = {"family": wanted, "p": None}
    name = family if isinstance(family, str) else found.label
    if found == RANK_DEPENDENT and family != RANK_POWER:
        held["p"] = 1.0
    if isinstance(family_of(given["family"]), type(found)):
        held |= {"family": given["family"]}
    own = family_of(given["family"])
    nests = own.groups if isinstance(own, NestedFamily) else None
    if isinstance(found, NestedFamily) and found.groups is None:
        held["groups"] = nests if given["groups"] is None else given["groups"]
    else:
        held["groups"] = None
    return name, clone(learner).set_params(**held)


def _held_out(
    learners: list[Any], data: Any, folds: int, random_state: Any, progress: ProgressOption
) -> FloatArray:
    """The loss (families, n) of each decision, by rules that have not seen it."""
    fold = folds_of(data, folds, generator_of(random_state))
    losses = np.zeros((len(learners), len(data)))
    work = [(i, part) for i in range(len(learners)) for part in range(folds)]
    for i, part in Progress(progress).track(work, len(work), "Held-out decisions"):
        chosen = fold == part
        fitted = fitted_to(learners[i], data[~chosen])
        losses[i, chosen] = _losses(fitted, data[chosen])
    return losses


def _losses(fitted: Any, part: Any) -> FloatArray:
    if isinstance(part, Scores):
        return np.asarray(np.square(part.values - fitted.predict(part.utilities)))
    return losses_of(fitted.predict_proba(part), part)


def _rows(
    fits: list[tuple[str, FitResult]], losses: FloatArray | None, data: Any
) -> tuple[FamilyRow, ...]:
    lowest = min(result.bic for _, result in fits)
    means, errors, best = None, None, 0
    if losses is not None:
        often = data.counts if isinstance(data, Scores) else how_often(data)
        means = losses @ often / often.sum()
        best = int(np.argmin(means))
        by = getattr(data, "by", None)
        groups = data.units() if by is None else numbered(by)
        errors = [_error(one - losses[best], often, groups) for one in losses]
    found = []
    for i, (name, result) in enumerate(fits):
        assert result.likelihood is not None
        held = means is not None and errors is not None
        away = None if means is None or i == best else float(means[i] - means[best])
        found.append(
            FamilyRow(
                name,
                result.likelihood.parameters,
                float(result.llf),
                float(result.bic),
                float(result.bic - lowest),
                None if means is None else float(means[i]),
                away,
                errors[i] if held and errors is not None and i != best else None,
                _shape(result),
            )
        )
    return tuple(found)


def _error(apart: FloatArray, often: FloatArray, groups: Any) -> float:
    """The standard error of a mean difference, whose units (n,) are independent."""
    total = float(often.sum())
    sums = np.bincount(groups, often * (apart - float(often @ apart) / total))
    units = int((np.bincount(groups, often) > 0).sum())
    if units < 2:
        return float("inf")
    return float(np.sqrt(units / (units - 1) * np.square(sums).sum()) / total)


def _shape(result: FitResult) -> str:
    """A family's own numbers as they were learned."""
    family: Family = result.family
    given = " (given)" if "p" in result.given else ""
    own = [f"{name} = {value:.4g}" for name, value in family.own_values().items()]
    return ", ".join([f"{family.shape.name} = {result.p:.4g}{given}", *own])


def _shown(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else number(value)

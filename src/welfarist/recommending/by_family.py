"""What the rules of other families would take, of those that fit the same decisions as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.exports import strict
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.comparing.contenders import DEFAULT
from welfarist.comparing.families import TIED, compare_families
from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.families.rule import WelfareFunction
from welfarist.people.present_rule import PresentRule
from welfarist.people.source import is_source
from welfarist.results.family_fits import FamilyFit
from welfarist.results.record import FitResult

# Values this close are equal up to rounding.
_TIE = 1e-12


@dataclass(frozen=True)
class FamilyChoice:
    """What the rule of one family takes.

    Attributes
    ----------
    family : str
    behind : float
        Its BIC less the lowest.
    best : tuple of str
        The action it takes, or several that are equally good.
    place : int
        Where it puts what is recommended, from 1.
    """

    family: str
    behind: float
    best: tuple[str, ...]
    place: int


@dataclass(frozen=True)
class ByFamily:
    """Whether a recommendation depends on the family of rules.

    Attributes
    ----------
    recommended : str
    own : FamilyChoice
        Of the family that was fitted.
    others : tuple of FamilyChoice
        Of the others that fit as well as the best: whose BIC is within 2.
    worse : tuple of str
        Families that fit less well.
    left_out : mapping
        Why a family has nothing to say of these actions, by its name.
    """

    recommended: str
    own: FamilyChoice
    others: tuple[FamilyChoice, ...]
    worse: tuple[str, ...]
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def agree(self) -> bool:
        """Whether all that fit as well take what is recommended, perhaps beside equals."""
        return all(choice.place == 1 for choice in self.others)

    @property
    def sentence(self) -> str:
        """What it comes to; empty if no other family has anything to say."""
        if not self.others:
            none = f"No other family of rules fits as well: the BIC of {listed(self.worse)} is"
            return f"{none} higher by more than {TIED:g}" if self.worse else ""
        takes: dict[tuple[str, ...], list[str]] = {}
        for choice in sorted(self.others, key=lambda choice: choice.place > 1):
            best = (self.recommended,) if choice.place == 1 else choice.best
            takes.setdefault(best, []).append(choice.family)
        said = "; ".join(
            f"{listed(names)} would take {' or '.join(best)}"
            + " too" * (best == (self.recommended,))
            for best, names in takes.items()
        )
        if self.own.behind > TIED:
            return (
                f"Of families of rules that fit better than {self.own.family} (whose BIC is higher "
                f"by {self.own.behind:.1f}), {said}"
            )
        return f"Of other families of rules that fit as well (BIC within {TIED:g}), {said}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, which strict JSON can hold."""
        rows = [
            {**vars(choice), "best": list(choice.best), "own": choice is self.own}
            for choice in (self.own, *self.others)
        ]
        found: dict[str, Any] = strict(
            {
                "fit_as_well": rows,
                "fit_less_well": list(self.worse),
                "left_out": dict(self.left_out),
                "agree": self.agree,
                "sentence": self.sentence,
            }
        )
        return found


def family_fits(learned: Any) -> tuple[FamilyFit, ...]:
    """Return rules of other families that were fitted to the same decisions, its own first.

    Nothing where that cannot be: errors were counted, or decisions or people are not in memory; and
    where weights belong to places, because other families need to know who is who.

    Parameters
    ----------
    learned : fitted estimator or its result_

    Returns
    -------
    tuple of FamilyFit
        Each with its BIC less the lowest, as in :func:`compare` with families.

    Examples
    --------
    >>> import welfarist as wf
    >>> world = wf.simulate.individuals(20, 2, p=0, random_state=1)
    >>> pairs = wf.simulate.random_pairs(20, 30, random_state=1)
    >>> decided = wf.simulate.comparisons(world, pairs, tau=20, random_state=1)
    >>> [fit.name for fit in family_fits(wf.ComparisonClassifier().fit(decided))]
    ['power', 'kolm', 'rank']
    """
    result = getattr(learned, "result_", learned)
    if not _can_be_fitted_again(result):
        return ()
    wanted = [name for name in DEFAULT if name != result.family.label]
    try:
        table = compare_families(wanted, result, folds=None)
    except InputError:  # none of them has anything to say of these decisions
        return ()
    rows = [(row.name, row.bic, fit) for row, fit in zip(table.rows, table.results, strict=True)]
    rows = [(result.family.label, float(result.bic), result), *rows]
    lowest = min(bic for _, bic, _ in rows)
    return tuple(
        FamilyFit(name, bic - lowest, fit.welfare)
        for name, bic, fit in rows
        if isinstance(fit, FitResult)
    )


def _can_be_fitted_again(result: Any) -> bool:
    """Whether other families can be fitted to the decisions of a fit, and know who is who."""
    if not isinstance(result, FitResult) or result.likelihood is None or result.family.by_place:
        return False
    decided = result.decided
    in_memory = isinstance(decided, Comparisons | Choices | Scores)
    return in_memory and not is_source(decided.utilities)


def choices_by_family(
    fits: Sequence[FamilyFit], table: FloatArray, names: Sequence[str], recommended: int
) -> ByFamily | None:
    """Return what each family takes that fits as well as the best; None without fits.

    Parameters
    ----------
    fits : sequence of FamilyFit
        That of the family that was fitted comes first.
    table : (N, d) array
        The actions, the shift not yet added.
    names : sequence of str
    recommended : int
        The row of what is recommended.
    """
    if len(fits) < 2:
        return None
    own, *rest = fits
    others, left_out = [], {}
    for fit in rest:
        if fit.behind <= TIED:
            try:
                others.append(_choice(fit, table, names, recommended))
            except InputError as problem:
                left_out[fit.name] = str(problem)
    worse = tuple(fit.name for fit in rest if fit.behind > TIED)
    return ByFamily(
        names[recommended], _choice(own, table, names, recommended), tuple(others), worse, left_out
    )


def _choice(
    fit: FamilyFit, table: FloatArray, names: Sequence[str], recommended: int
) -> FamilyChoice:
    """What a rule takes of a table (N, d)."""
    absent = bool(np.isnan(table).any())
    if absent and not isinstance(fit.welfare, WelfareFunction):
        raise InputError("actions must affect the same people; found somebody who is absent.")
    judge = PresentRule(fit.welfare) if absent else fit.welfare
    with np.errstate(over="ignore", invalid="ignore"):  # of derivatives, which nobody asks for
        values = np.asarray(judge.value(table), dtype=np.float64)
    sizes = 1.0 + np.abs(np.where(np.isfinite(values), values, 0.0))
    best = values >= values.max() - _TIE * sizes
    ahead = values > values[recommended] + _TIE * sizes
    return FamilyChoice(
        fit.name,
        float(fit.behind),
        tuple(names[row] for row in np.flatnonzero(best).tolist()),
        int(ahead.sum()) + 1,
    )

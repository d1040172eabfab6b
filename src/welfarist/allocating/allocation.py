"""A budget that is allocated to projects so that welfare is largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from welfarist.allocating.convex import best_corner
from welfarist.allocating.in_parts import best_shares
from welfarist.allocating.judged import Judged
from welfarist.allocating.projects import Projects, checked_projects
from welfarist.allocating.whole import best_whole, for_everybody
from welfarist.base.data_frames import split_names, to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import Alignment, Table, number, strict
from welfarist.base.validation import FloatArray, is_real
from welfarist.families.differences.family import without_margin
from welfarist.families.power_mean.doctrines import power_of
from welfarist.families.rule import WelfareFunction

# Boards that are put beside the learned one.
BOARDS = ("utilitarian", "Nash", "egalitarian")
# Shares smaller than this are not worth a payment.
_NOTHING = 1e-6
# Why welfare may be 0 whatever is funded, for p of at most 0.
_UNREACHED = (
    "with p of at most 0 everybody must have something for welfare to be above 0; found somebody "
    "to whom no project gives anything"
)
_TOO_LITTLE = (
    "with p of at most 0 everybody must have something for welfare to be above 0; found that the "
    "budget pays for no projects that give everybody something"
)
# People who have a row each, and gaps that are rounding.
_PEOPLE, _ROUNDING = 30, 1e-12
# A gap from which on a table says what it means.
_WIDE = 1e-3


@dataclass(frozen=True, eq=False)
class Allocation:
    """Which projects a rule would fund.

    Attributes
    ----------
    projects : Projects
    rule : WelfareFunction
    funded : (m,) array
        The share of each project that is funded: 0 or 1 for whole ones.
    utilities : (d,) array
        What everybody has then.
    welfare : float
    bound : float
        No allocation within the budget has more welfare than this.
    whole : bool
    gap_asked, seconds : float
        How close whole projects were to come, and how long they could take.
    reason : str
        Why welfare is 0 whatever is funded; empty where it is not.
    called : str
        What the rule is called beside others: "learned" where it was.
    """

    projects: Projects = field(repr=False)
    rule: WelfareFunction
    funded: FloatArray = field(repr=False)
    utilities: FloatArray = field(repr=False)
    welfare: float
    bound: float
    whole: bool
    gap_asked: float = 1e-6
    seconds: float = 60.0
    reason: str = ""
    called: str = "this rule"

    @property
    def spent(self) -> float:
        """What it costs."""
        return float(self.funded @ self.projects.costs)

    @property
    def gap(self) -> float:
        """By how much, as a share of the bound, welfare may be below the largest there is."""
        return max(0.0, (self.bound - self.welfare) / self.bound) if self.bound > 0 else 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The projects that are funded, at least in part."""
        rows = np.flatnonzero(self.funded > _NOTHING)
        return tuple(self.projects.names[row] for row in rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be known to read it."""
        if self.reason:
            return (self.reason,)
        if self.gap <= _WIDE:
            return ()
        return (
            f"something may be better by up to {self.gap:.2g} of the bound: what is funded is the "
            "best that was found, and not proven",
        )

    def to_frame(self) -> Any:
        """Return a data frame with a row for each project: project, cost, funded and spent."""
        return to_frame(
            {
                "project": list(self.projects.names),
                "cost": self.projects.costs.tolist(),
                "funded": self.funded.tolist(),
                "spent": (self.funded * self.projects.costs).tolist(),
            }
        )

    def boards(self, doctrines: Sequence[str] = BOARDS) -> Boards:
        """Return what boards of other doctrines would fund, with the same weights.

        A board by whose doctrine welfare is 0 whatever is funded funds nothing, and says why.

        Parameters
        ----------
        doctrines : sequence of str
        """
        rule = self.rule
        others = {
            name: _allocated(
                WelfareFunction(power_of(name), rule.weights, rule.stakeholders, rule.shift),
                self.projects, self.whole, self.gap_asked, self.seconds,
            )
            for name in doctrines
        }  # fmt: skip
        return Boards({self.called: self, **others})

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, which strict JSON can hold."""
        people = self.rule.stakeholders or tuple(f"person {i}" for i in range(len(self.utilities)))
        found: dict[str, Any] = strict(
            {
                "p": self.rule.p,
                "budget": self.projects.budget,
                "spent": self.spent,
                "welfare": self.welfare,
                "bound": self.bound,
                "gap": self.gap,
                "whole": self.whole,
                "projects": [
                    {"project": name, "cost": cost, "funded": share}
                    for name, cost, share in zip(
                        self.projects.names, self.projects.costs.tolist(), self.funded.tolist(),
                        strict=True,
                    )
                ],
                "utilities": dict(zip(people, self.utilities.tolist(), strict=True)),
                "notes": list(self.notes),
            }
        )  # fmt: skip
        return found

    def __str__(self) -> str:
        return Boards({"funded": self}).table().as_text()


@dataclass(frozen=True, eq=False)
class Boards:
    """What boards of several doctrines would fund, side by side.

    Attributes
    ----------
    by : mapping of str to Allocation
    """

    by: dict[str, Allocation]

    def to_frame(self) -> Any:
        """Return a data frame with a row for each project and a column for each board."""
        first = next(iter(self.by.values()))
        columns: dict[str, Any] = {
            "project": list(first.projects.names), "cost": first.projects.costs.tolist()
        }  # fmt: skip
        return to_frame(columns | {name: found.funded.tolist() for name, found in self.by.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, which strict JSON can hold."""
        return {name: found.to_dict() for name, found in self.by.items()}

    def table(self) -> Table:
        """Return what people read: projects that somebody funds, totals, and who has what."""
        boards = list(self.by.values())
        first = boards[0]
        some = np.flatnonzero(np.max([b.funded for b in boards], axis=0) > _NOTHING)
        rows = [
            (first.projects.names[row], _money(float(first.projects.costs[row])),
             *(_share(float(b.funded[row])) for b in boards))
            for row in some
        ]  # fmt: skip
        breaks = (len(rows),)
        rows.append(("spent", _money(first.projects.budget), *(_money(b.spent) for b in boards)))
        rows.append(("welfare by its own rule", "", *(number(b.welfare) for b in boards)))
        rows.append(("gap at most", "", *(_gap(b.gap) for b in boards)))
        people = first.rule.stakeholders or tuple(
            f"person {i}" for i in range(len(first.utilities))
        )
        if len(people) > _PEOPLE:
            rows += [(n, "", *(number(float(v)) for v in row)) for n, row in _spread(boards)]
        else:
            for i, person in enumerate(people):
                rows.append((person, "", *(number(float(b.utilities[i])) for b in boards)))
        sides = cast("tuple[Alignment, ...]", ("left", *("right",) * (1 + len(boards))))
        lines = ["below the projects: what everybody has then"]
        if len(people) > _PEOPLE:
            lines = [f"below the projects: what the {len(people)} people have then"]
        lines += [f"{name}: {note}" for name, b in self.by.items() for note in b.notes]
        title = f"{len(some)} of {len(first.projects)} projects funded"
        if len(boards) > 1:
            title += ", each by one of these rules at least"
        return Table(title, ("", "cost", *self.by), tuple(rows), sides, tuple(lines), breaks)

    def __str__(self) -> str:
        return self.table().as_text()


def _money(amount: float) -> str:
    """An amount without digits that it does not have."""
    return f"{amount:.10g}"


def _gap(gap: float) -> str:
    """A gap in percent; what is left of rounding is none."""
    return f"{100 * gap:.2g}%" if gap > _ROUNDING else "0%"


def _spread(boards: Sequence[Allocation]) -> list[tuple[str, list[float]]]:
    """What people have under each board, where they are too many for a row each."""
    ends = {
        "the worst off": 0.0,
        "a tenth have less": 0.1,
        "half have less": 0.5,
        "the best off": 1.0,
    }
    return [
        (name, [float(np.quantile(b.utilities, end)) for b in boards]) for name, end in ends.items()
    ]


def _share(funded: float) -> str:
    """A share as tables show it: nothing where nothing is funded."""
    if funded <= _NOTHING:
        return ""
    return "yes" if funded >= 1.0 - _NOTHING else f"{funded:.0%}"


def allocate(
    learned: Any,
    gains: Any,
    costs: Any,
    budget: float,
    *,
    baseline: Any = None,
    whole: bool = False,
    names: Sequence[str] | None = None,
    gap: float = 1e-6,
    seconds: float = 60.0,
) -> Allocation:
    """Allocate a budget over projects so that welfare is largest.

    Parameters
    ----------
    learned : fitted estimator, its result_, saved Model, WelfareFunction, doctrine or power
        Whose power mean judges; a doctrine or a power finds everybody's weight the same.
    gains : (m, d) array-like or data frame
        What each project adds to everybody's utility, from 0 on; columns of a data frame are
        matched to people by name.
    costs : (m,) array-like, or mapping or series by name of the projects
    budget : float
    baseline : float, (d,) array-like, or mapping or series by name of the people, optional
        What people have without any project; 0 if left out.
    whole : bool
        Whether projects are funded whole or not at all; else any share of them.
    names : sequence of str, optional
        Of the projects; left out, a data frame's index.
    gap : float
        How close to the largest welfare whole projects must come, as a share of it; for dozens of
        people no closer than 2e-5.
    seconds : float
        After about which whole projects are returned with the gap that is proven by then.

    Notes
    -----
    For p <= 1 welfare is concave. Shares are found by Newton's method, whose steps Clarabel finds
    (extra ``allocate``), whole projects by branch and bound on tangents (HiGHS). `bound` is proven
    by tangents either way, whatever solvers say of themselves. For p > 1 only few projects are
    taken, and all sets of them looked at.

    Examples
    --------
    >>> found = allocate("utilitarian", [[4.0, 0.0], [0.0, 3.0], [1.0, 1.0]], [2.0, 2.0, 1.0], 3.0,
    ...                  baseline=1.0, whole=True, names=["road", "park", "bench"])
    >>> found.names, found.spent
    (('road', 'bench'), 3.0)
    """
    require_limits(gap, seconds)
    rule = _rule(learned)
    count = None if rule.weights is None else len(rule.weights)
    projects = checked_projects(gains, costs, budget, baseline, names, rule.stakeholders, count)
    if rule.weights is None:
        count = projects.gains.shape[1]
        people = rule.stakeholders or split_names(gains)[1]
        rule = WelfareFunction(rule.p, np.full(count, 1.0 / count), people, rule.shift)
    if (projects.baseline + rule.shift < 0).any():
        raise InputError(
            f"what people have must be at least {-rule.shift:g} by this rule; found less."
        )
    found = _allocated(rule, projects, whole, gap, seconds)
    if found.reason:
        raise InputError(f"{found.reason}. Say what people have without projects.")
    named = isinstance(learned, str | int | float | np.number | WelfareFunction)
    return found if named else replace(found, called="learned")


def _allocated(
    rule: WelfareFunction, projects: Projects, whole: bool, gap: float, seconds: float
) -> Allocation:
    cheapest = float(projects.costs.min())
    if whole and cheapest > projects.budget:
        raise InputError(
            f"the budget must pay for at least one project; found {projects.budget:g}, and the "
            f"cheapest costs {cheapest:g}."
        )
    judged = Judged.of(rule, projects)
    if judged is None or (rule.p <= 0 and judged.left_out):
        return _of_nothing(rule, projects, whole, _UNREACHED if rule.p <= 0 else "")
    bound = None
    if rule.p > 1:
        funded = best_corner(judged.rule, judged.projects, whole)
    elif whole:
        start = for_everybody(judged.rule, judged.projects, seconds)
        if start is None:
            return _of_nothing(rule, projects, whole, _TOO_LITTLE)
        funded, bound = best_whole(judged.rule, judged.projects, start, gap, seconds)
    else:
        funded, bound = best_shares(judged.rule, judged.projects)
    utilities = projects.utilities(funded)
    welfare = float(rule(utilities))
    proven = welfare if bound is None else max(bound * judged.factor, welfare)
    return Allocation(projects, rule, funded, utilities, welfare, proven, whole, gap, seconds)


def _of_nothing(rule: WelfareFunction, projects: Projects, whole: bool, reason: str) -> Allocation:
    """Nothing funded, as welfare is 0 whatever is."""
    funded = np.zeros(len(projects))
    return Allocation(projects, rule, funded, projects.baseline, 0.0, 0.0, whole, reason=reason)


def require_limits(gap: object, seconds: object) -> None:
    """Refuse gaps and times that mean nothing."""
    if not is_real(gap) or not 0 <= float(gap) < 1:  # type: ignore[arg-type]
        raise InputError(f"gap must be a share from 0 to 1; found {gap!r}.")
    if not is_real(seconds) or not float(seconds) > 0:  # type: ignore[arg-type]
        raise InputError(f"seconds must be positive; found {seconds!r}.")


def _rule(learned: Any) -> WelfareFunction:
    """The power mean that judges."""
    if isinstance(learned, str | int | float | np.number):
        power = power_of(learned) if isinstance(learned, str) else float(learned)
        return WelfareFunction(power)
    found = without_margin(getattr(getattr(learned, "result_", learned), "welfare", learned))
    if not isinstance(found, WelfareFunction):
        raise InputError(
            "a budget is allocated by a power mean: one that was learned, a WelfareFunction, a "
            f"doctrine or a power; found {type(found).__name__}."
        )
    return found

"""A budget that is allocated to projects so that welfare is largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from welfarist.allocating.convex import best_corner
from welfarist.allocating.in_parts import best_shares
from welfarist.allocating.projects import Projects, checked_projects
from welfarist.allocating.tangents import bound_by
from welfarist.allocating.whole import best_whole
from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import Alignment, Table, number, strict
from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.doctrines import power_of
from welfarist.families.rule import WelfareFunction

# Boards that are put beside the learned one.
BOARDS = ("utilitarian", "Nash", "egalitarian")
# Shares smaller than this are not worth a payment.
_NOTHING = 1e-6


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
    """

    projects: Projects = field(repr=False)
    rule: WelfareFunction
    funded: FloatArray = field(repr=False)
    utilities: FloatArray = field(repr=False)
    welfare: float
    bound: float
    whole: bool

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

    def boards(self, doctrines: Sequence[str] = BOARDS, **options: Any) -> Boards:
        """Return what boards of other doctrines would fund, with the same weights.

        Parameters
        ----------
        doctrines : sequence of str
        **options
            `gap` and `seconds`, as in :func:`allocate`.
        """
        others = {
            name: _allocated(
                WelfareFunction(power_of(name), self.rule.weights, self.rule.stakeholders),
                self.projects, self.whole, **options,
            )
            for name in doctrines
        }  # fmt: skip
        return Boards({"learned": self, **others})

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
            (first.projects.names[row], number(float(first.projects.costs[row])),
             *(_share(float(b.funded[row])) for b in boards))
            for row in some
        ]  # fmt: skip
        breaks = (len(rows),)
        rows.append(("spent", number(first.projects.budget), *(number(b.spent) for b in boards)))
        rows.append(("welfare by its own rule", "", *(number(b.welfare) for b in boards)))
        rows.append(("gap at most", "", *(f"{100 * b.gap:.2g}%" for b in boards)))
        people = first.rule.stakeholders or tuple(
            f"person {i}" for i in range(len(first.utilities))
        )
        for i, person in enumerate(people):
            rows.append((person, "", *(number(float(b.utilities[i])) for b in boards)))
        sides = cast("tuple[Alignment, ...]", ("left", *("right",) * (1 + len(boards))))
        lines = ("below the projects: what everybody has then",)
        title = f"{len(some)} of {len(first.projects)} projects funded"
        return Table(title, ("", "cost", *self.by), tuple(rows), sides, lines, breaks)

    def __str__(self) -> str:
        return self.table().as_text()


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
    costs : (m,) array-like
    budget : float
    baseline : float, (d,) array-like or mapping, optional
        What people have without any project; 0 if left out.
    whole : bool
        Whether projects are funded whole or not at all; else any share of them.
    names : sequence of str, optional
        Of the projects; left out, a data frame's index.
    gap : float
        How close to the largest welfare whole projects must come, as a share of it.
    seconds : float
        After which whole projects are returned with the gap that is proven by then.

    Notes
    -----
    For p <= 1 welfare is concave. Shares are found by Clarabel (extra ``allocate``), whole projects
    by branch and bound on tangents (HiGHS). `bound` is proven by tangents either way. For p > 1
    only few projects are taken, and all sets of them looked at.

    Examples
    --------
    >>> found = allocate("utilitarian", [[4.0, 0.0], [0.0, 3.0], [1.0, 1.0]], [2.0, 2.0, 1.0], 3.0,
    ...                  baseline=1.0, whole=True, names=["road", "park", "bench"])
    >>> found.names, found.spent
    (('road', 'bench'), 3.0)
    """
    rule = _rule(learned)
    count = None if rule.weights is None else len(rule.weights)
    projects = checked_projects(gains, costs, budget, baseline, names, rule.stakeholders, count)
    if rule.weights is None:
        count = projects.gains.shape[1]
        rule = WelfareFunction(rule.p, np.full(count, 1.0 / count), rule.stakeholders, rule.shift)
    if rule.shift:
        moved = projects.baseline + rule.shift
        if (moved < 0).any():
            raise InputError(
                f"what people have must be at least {-rule.shift:g} by this rule; found less."
            )
        projects = Projects(projects.names, projects.costs, projects.gains, moved, projects.budget)
    return _allocated(rule.shifted(0.0), projects, whole, gap=gap, seconds=seconds)


def _allocated(
    rule: WelfareFunction,
    projects: Projects,
    whole: bool,
    *,
    gap: float = 1e-6,
    seconds: float = 60.0,
) -> Allocation:
    cheapest = float(projects.costs.min())
    if whole and cheapest > projects.budget:
        raise InputError(
            f"the budget must pay for at least one project; found {projects.budget:g}, and the "
            f"cheapest costs {cheapest:g}."
        )
    assert rule.weights is not None
    most = projects.utilities(np.ones(len(projects)))[rule.weights > 0]
    if rule.p <= 0 and not most.all():
        raise InputError(
            "with p of at most 0 everybody must have something for welfare to be above 0; found "
            "somebody to whom no project gives anything. Say what people have without projects."
        )
    bound = None
    if rule.p > 1:
        funded = best_corner(rule, projects, whole)
    elif whole:
        funded, bound = best_whole(rule, projects, gap, seconds)
    else:
        funded, gradients = best_shares(rule, projects)
        bound = min(bound_by(gradient, projects) for gradient in gradients)
    utilities = projects.utilities(funded)
    welfare = float(rule(utilities))
    proven = welfare if bound is None else max(bound, welfare)
    return Allocation(projects, rule, funded, utilities, welfare, proven, whole)


def _rule(learned: Any) -> WelfareFunction:
    """The power mean that judges."""
    if isinstance(learned, str | int | float):
        power = power_of(learned) if isinstance(learned, str) else learned
        return WelfareFunction(power)
    found = getattr(getattr(learned, "result_", learned), "welfare", learned)
    if not isinstance(found, WelfareFunction):
        raise InputError(
            "a budget is allocated by a power mean: one that was learned, a WelfareFunction, a "
            f"doctrine or a power; found {type(found).__name__}."
        )
    return found

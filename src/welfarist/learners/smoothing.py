"""How much a curve bends: the member of a family with the lowest BIC.

A family without a formula has members with more and with fewer pieces. Those that it names are
fitted one after the other, from the stiffest on, and the BIC says which of them is worth its
numbers. What follows from the fit takes the choice as known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from welfarist.families.base import Family
from welfarist.learners.assembly import Setup
from welfarist.learners.small_samples import SampleSize
from welfarist.losses import DecisionLoss
from welfarist.solvers.base import Optimum

# So many members in a row whose BIC is no lower end the search.
_ENOUGH = 2

Minimise = Callable[[Setup, DecisionLoss], tuple[DecisionLoss, Optimum]]


def smoothed(
    setup: Setup, loss: DecisionLoss, candidates: tuple[Family, ...], minimise: Minimise
) -> tuple[Setup, DecisionLoss, Optimum]:
    """Return the fit of the candidate with the lowest BIC.

    Parameters
    ----------
    setup : Setup
    loss : DecisionLoss
        That of some member of the family, whose people are all in memory.
    candidates : tuple of Family
        From the stiffest on.
    minimise : callable
        Finds the best rule of a loss.
    """
    table = loss.people.table
    assert table is not None
    best: tuple[Setup, DecisionLoss, Optimum] | None = None
    lowest, since, seen = np.inf, 0, set()
    for candidate in candidates:
        member = candidate.suited_to(np.ascontiguousarray(table.T))
        size = len(member.own)
        if size in seen:  # few different utilities allow no more pieces
            continue
        seen.add(size)
        people = member.columns(np.array(table))
        own = replace(setup, family=member)
        posed, found = minimise(own, replace(loss, family=member, people=people))
        bic = _bic(posed, found)
        since = 0 if bic < lowest else since + 1
        if best is None or bic < lowest:
            best, lowest = (own, posed, found), bic
        if since == _ENOUGH:
            break
    assert best is not None
    return best


def _bic(loss: DecisionLoss, found: Optimum) -> float:
    """The BIC of the best rule, without what is charged for certainty."""
    plain = loss.unrestrained().holding(found.weights)
    value = plain.evaluate(loss.held_at(found.point)).value
    numbers = SampleSize.of(loss).numbers
    total = loss.observed.total
    return float(numbers * np.log(total) - 2.0 * loss.observed.log_likelihood(value))

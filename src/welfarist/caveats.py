"""What a reader of the estimates must be told: identification, separation, edges."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from welfarist.errors import (
    NotConvergedWarning,
    NotIdentifiedWarning,
    SearchRangeWarning,
    SeparationWarning,
)
from welfarist.fit import Caveat
from welfarist.noise import SMALLEST_TAU
from welfarist.solvers.base import Optimum
from welfarist.validation import FloatArray
from welfarist.weighting import Weighting

_MOST_NAMES = 5


def convergence_caveats(optimum: Optimum) -> list[Caveat]:
    """Say when the solver stopped too early."""
    if optimum.converged:
        return []
    message = (
        f"the fit did not converge: {optimum.reason}. The estimates are the best found; raise "
        "max_iter or n_starts."
    )
    return [Caveat(NotConvergedWarning, message)]


def power_caveats(
    optimum: Optimum, learned: bool, has_zeros: bool, largest: float, certain: bool = False
) -> list[Caveat]:
    """Say when the search over p was limited, or ended at an edge.

    Where every choice is `certain`, many powers are equally good and none is an edge.
    """
    if not learned:
        return []
    found = []
    if has_zeros:
        message = (
            "some utility is 0, so that p <= 0 would make welfare 0: p was searched above 0 only. "
            "Leave those actions out to search all powers."
        )
        found.append(Caveat(SearchRangeWarning, message))
    at_edge = 0.999 * largest <= abs(optimum.point.p) < np.inf
    if at_edge and not certain:
        message = (
            f"p reached the edge of the searched range, {optimum.point.p:g}: the loss still falls "
            "as p grows and small weights shrink, which is how noise is overfitted by a rule that "
            "looks at one person at a time. Fix p, use groups, or add a prior."
        )
        found.append(Caveat(SearchRangeWarning, message))
    return found


def identification_caveats(
    logs: FloatArray,
    weighting: Weighting,
    learn_power: bool,
    optimum: Optimum,
    names: Sequence[str],
    compared: bool,
) -> list[Caveat]:
    """Say when the data cannot determine p or somebody's weight.

    `logs` (d, N) are the log utilities of the actions that were judged. `compared` tells
    comparisons from scores: a person whose utility never changes cannot sway a comparison, but
    does set the level of a score.
    """
    found = []
    learn_weights = weighting.free > 1
    if (logs == logs[0]).all():
        if learn_power or learn_weights:
            what = " and ".join(
                part for part, on in (("p", learn_power), ("the weights", learn_weights)) if on
            )
            message = (
                f"{what} cannot be determined: everybody has the same utility in every action, so "
                "that all rules agree. Add actions that treat people differently."
            )
            found.append(Caveat(NotIdentifiedWarning, message))
        return found
    if not learn_weights:
        return found
    if np.isinf(optimum.point.p):
        message = (
            f"at p = {optimum.point.p:g} weights only say who counts: those who do are given "
            "equal weights."
        )
        found.append(Caveat(NotIdentifiedWarning, message))
    if compared:
        same = np.flatnonzero((logs == logs[:, :1]).all(axis=1))
        if len(same):
            message = (
                f"the weight of {_named(same, names)} cannot be told from the noise: their utility "
                "is the same in every action."
            )
            found.append(Caveat(NotIdentifiedWarning, message))
    if weighting.group_of is None:
        found.extend(_twins(logs, names))
    return found


def noise_caveats(tau: float, tau_max: float, loss: float, accuracy: float) -> list[Caveat]:
    """Say when choices are noise-free under some rule, or look random."""
    if tau >= 0.999 * tau_max:
        certain = accuracy == 1.0
        message = (
            f"tau is at its cap, {tau_max:g}: "
            + (
                "the choices are noise-free under this rule"
                if certain
                else "larger would fit better"
            )
            + ", so that many rules explain them equally well. "
            + ('noise="none" gives the whole set.' if certain else "Raise tau_max.")
        )
        return [Caveat(SeparationWarning, message)]
    if tau <= 1.001 * SMALLEST_TAU or loss > np.log(2.0) - 1e-12:
        message = (
            "the choices look random: no rule of this family explains them better than chance."
        )
        return [Caveat(NotIdentifiedWarning, message)]
    return []


def give(caveats: Sequence[Caveat]) -> None:
    """Warn of each caveat, at the line of the user who called fit."""
    for caveat in caveats:
        warnings.warn(caveat.message, caveat.kind, stacklevel=4)


def _twins(logs: FloatArray, names: Sequence[str]) -> list[Caveat]:
    """People whose utilities are the same in every action share one identified weight."""
    seen: dict[bytes, int] = {}
    pairs = []
    for person, row in enumerate(logs):
        # A few entries tell almost everybody apart without a look at the rest.
        first = seen.setdefault(row[:64].tobytes(), person)
        if first != person and np.array_equal(row, logs[first]):
            pairs.append((first, person))
    if not pairs:
        return []
    shown = "; ".join(f"{names[a]} and {names[b]}" for a, b in pairs[:_MOST_NAMES])
    message = (
        f"only the sum of some weights is determined, because the utilities are the same in every "
        f"action: {shown}. Put them in one group."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def _named(people: npt.NDArray[np.intp], names: Sequence[str]) -> str:
    shown = ", ".join(names[i] for i in people[:_MOST_NAMES])
    more = len(people) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown

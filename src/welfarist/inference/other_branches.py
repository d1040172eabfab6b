"""Other branches of a profile: rules that explain as much and that no path from the fit finds.

Where the power is in doubt, rules with a moderate one and rules far out explain decisions alike,
with weights that have nothing in common: along a ridge to an infinite power they go to 0 or to 1.
A profile that follows one branch takes its end for that of the interval. So wherever one may end,
many rules are judged at a glance, as they are before a fit is called the best.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.errors import InputError
from welfarist.inference.covariance import covariance_of
from welfarist.inference.likelihood import Likelihood
from welfarist.losses import DecisionLoss, Point
from welfarist.solvers.scouts import can_be_scouted, scouted_starts

# Beyond this |p|, or this standard error of asinh(p), other powers may do as well.
_FAR, _VAGUE = 5.0, 0.3
# Rows of data beyond which a likelihood has one branch.
_MOST_ROWS = 10_000
# Rules that are looked at where the power is held and where it is not, and starts made of them.
_RULES_AT_ONE_POWER, _RULES = 200, 600
_STARTS = 3


def power_in_doubt(likelihood: Likelihood) -> bool:
    """Whether rules with quite another power may explain the decisions as well."""
    return likelihood.once("power in doubt", lambda: _in_doubt(likelihood))


def _in_doubt(likelihood: Likelihood) -> bool:
    loss, p = likelihood.loss, likelihood.point.p
    if not loss.learn_power or not can_be_scouted(loss) or loss.decisions > _MOST_ROWS:
        return False
    if abs(p) > _FAR:
        return True
    try:
        error = float(np.sqrt(covariance_of(likelihood, "fisher")[0, 0]))
    except InputError:  # the likelihood is flat in some direction
        return True
    return not error / np.hypot(1.0, p) <= _VAGUE


def other_starts(likelihood: Likelihood, held: DecisionLoss, p: float | None) -> list[Point]:
    """Return starts of a loss in which something is held, the best of many rules; none if plain.

    `p` is the power at which it is held, if it is.
    """
    if held.weighting.free + held.learn_power == 0 or not power_in_doubt(likelihood):
        return []
    rules = _RULES if held.learn_power else _RULES_AT_ONE_POWER
    return scouted_starts(held, np.random.default_rng(0), p, _STARTS, rules)

"""The rule with the fewest errors, as a place to begin where decision makers may slip.

With slips of probability rho and the temperature at its end the likelihood of a rule depends on
its share of errors alone: the fewest errors are an optimum of the lapse model, or near one.
"""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.counting.exact_solver import sweep_powers
from welfarist.counting.fewest_errors import improve
from welfarist.counting.zero_one import ZeroOneLoss
from welfarist.families.columns import Columns
from welfarist.losses import DecisionLoss, Loss, Point
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.noise.choices import LAPSE

# Beyond so many pairs errors are too many to be an optimum each.
_MOST_PAIRS = 2000
_KICKS = 20
# Temperatures at which the rule is a start: steps in log tau from that of a mean margin of one.
_STEPS = (1.5, 3.5, 7.0)
_FEWEST_SLIPS = 1e-3


def fewest_errors(loss: Loss, rng: np.random.Generator, p: float | None) -> list[Point]:
    """Return the rule with the fewest errors at several temperatures; none for other noise."""
    data, observed = loss.data, loss.data.observed
    if not isinstance(observed, ObservedPairs) or observed.noise != LAPSE:
        return []
    if not data.can_be_counted or data.decisions > _MOST_PAIRS:
        return []
    weights, power, share = _search(data, rng, p)
    low, high = loss.search_range
    power = min(max(power, low), high) if p is None else p
    free = data.weighting.gather(weights)
    if loss.interior:
        free = 0.99 * free + 0.01 / max(len(free), 1)
    judged = data.judge(Point(free, power, np.empty(0)))
    margins = observed.graph.differences(judged.values, data.has_zeros)
    margins = np.abs(margins[np.isfinite(margins)])
    size = max(float(np.mean(margins)), 1e-300) if len(margins) else 1.0
    slips = max(share, _FEWEST_SLIPS)
    places = [np.array([step - np.log(size), slips]) for step in _STEPS]
    return [Point(free, power, np.clip(place, *loss.extra_bounds)) for place in places]


def _search(
    data: DecisionLoss, rng: np.random.Generator, p: float | None
) -> tuple[FloatArray, float, float]:
    """Weights (d,), power and share of errors of a rule with few of them."""
    people, weighting, observed = data.people, data.weighting, data.observed
    assert isinstance(people, Columns)
    assert isinstance(observed, ObservedPairs)
    loss = ZeroOneLoss(people, observed.graph.pairs, weighting)

    def best_power(weights: FloatArray) -> tuple[float, float]:
        sweep = sweep_powers(loss, weights)
        return sweep.p, sweep.steps.minimum

    start = weighting.to_people(weighting.start())
    if weighting.free > 1:
        found = improve(loss, start, 1.0, best_power, rng, p_fixed=p, kicks=_KICKS)
        return found.weights, found.p, found.value
    power, share = best_power(start) if p is None else (p, loss.value(start, p))
    return start, power, share

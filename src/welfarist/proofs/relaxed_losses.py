"""The losses of scores and comparisons, relaxed to convex problems on an interval of powers.

On an interval of powers every prediction is ``s ((1 - t) a_k + t b_k + e_k)``: a scale s (the
temperature, or the scale of the scores) times a point between the predictions a_k and b_k at both
ends, and an error e_k within the bounds of :mod:`welfarist.proofs.enclosures`. In
``x = (s (1 - t), s t)`` this is linear but for the error, and each decision may have the error that
suits it best. A convex loss of something linear in x is convex in x, so that its minimum can be
proven: see :mod:`welfarist.proofs.relaxation`.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.losses.observed_scores import ObservedScores
from welfarist.noise.base import SMALLEST_TAU
from welfarist.proofs.enclosures import Interval, PowerLine
from welfarist.proofs.relaxation import Excess, Relaxation, Surprise, entropy

# exp of a rounded logarithm is good to this many units in the last place, times the logarithm.
_ULPS = 16.0 * float(np.finfo(np.float64).eps)


class RelaxedChoices:
    """Relaxations of the logistic loss of comparisons; the scale is tau."""

    def __init__(self, loss: DecisionLoss, weights: FloatArray) -> None:
        self._loss = loss
        self._observed = cast(ObservedPairs, loss.observed)
        self.line = PowerLine(loss.people, weights, lowest=max(loss.search_range[0], 0.0))
        pairs, total = self._observed.graph.pairs, self._observed.total
        ahead = (pairs.count + pairs.lead) / (2.0 * total)
        behind = (pairs.count - pairs.lead) / (2.0 * total)
        if loss.has_zeros:  # something against nothing: it was chosen, and costs nothing
            alive = self.line.alive
            doubtful = alive[pairs.first] == alive[pairs.second]
            ahead, behind = ahead * doubtful, behind * doubtful
        self._ahead, self._behind = ahead > 0, behind > 0
        self._surprise = Surprise(
            np.concatenate([ahead[self._ahead], behind[self._behind]]),
            np.concatenate([behind[self._ahead], ahead[self._behind]]),
            float(entropy(ahead, behind).sum()),
        )

    def on(self, interval: Interval) -> Relaxation:
        """Let the difference in log M be what suits the outcomes best, within its bounds."""
        graph = self._observed.graph
        pairs = graph.pairs
        ends = np.stack([graph.differences(e.log_mean) for e in (interval.low, interval.high)])
        most = interval.above[pairs.first] + interval.below[pairs.second]
        least = interval.below[pairs.first] + interval.above[pairs.second]
        ahead = -(ends + most)[:, self._ahead]
        behind = (ends - least)[:, self._behind]
        forms = np.concatenate([ahead, behind], axis=1)
        nothing = np.zeros(forms.shape[1])
        return Relaxation(forms, nothing, self._surprise, SMALLEST_TAU, self._observed.tau_max)

    def start(self, interval: Interval, near: float | None) -> float:
        """A temperature to begin with: one that was found nearby, if there is one."""
        if near is not None:
            return near
        p = interval.power_at(0.5)
        return float(np.exp(self._loss.starting_extras(np.empty(0), p)[0]))

    def extras(self, scale: float, p: float) -> FloatArray:  # noqa: ARG002 - scores need it
        """The loss's own parameters at a temperature."""
        return np.array([np.log(scale)])


class RelaxedScores:
    """Relaxations of the squared loss of scores; the scale is the scores', or 1."""

    def __init__(self, loss: DecisionLoss, weights: FloatArray) -> None:
        observed = cast(ObservedScores, loss.observed)
        self._observed = observed
        self.line = PowerLine(loss.people, weights, relative=observed.scale)
        assert loss.people.table is not None
        # A learned scale takes care of the unit of utility: the largest is as good as any.
        unit = -float(loss.people.table.max())
        self._shift = unit if observed.scale else observed.offset
        self._excess = Excess(np.concatenate([observed.sample_weight, observed.sample_weight]))
        self._offsets = np.concatenate([-observed.scores, observed.scores])

    def on(self, interval: Interval) -> Relaxation:
        """Count how far a score lies outside of what welfare can be."""
        logs = np.stack([interval.low.log_mean, interval.high.log_mean]) + self._shift
        low, high = np.exp(logs)
        rise = logs[1] - logs[0]
        # exp of a chord is below the chord of exp, by at most this; and all lies between the ends.
        sag = high * np.minimum(rise * rise / 8.0, 1.0)
        gain = high - low
        rounding = high * (interval.rounding + _ULPS * (1.0 + np.abs(logs).max(axis=0)))
        above = np.minimum(high * np.expm1(np.minimum(interval.above, 1.0)), gain) + rounding
        below = np.minimum(high * -np.expm1(-interval.below) + sag, gain) + rounding
        welfare = np.stack([low, high])
        forms = np.concatenate([welfare - below, -(welfare + above)], axis=1)
        smallest, largest = (0.0, np.inf) if self._observed.scale else (1.0, 1.0)
        return Relaxation(forms, self._offsets, self._excess, smallest, largest)

    def start(self, interval: Interval, near: float | None) -> float:  # noqa: ARG002
        """A scale to begin with: the best in the middle of the chords."""
        observed = self._observed
        if not observed.scale:
            return 1.0
        welfare = np.exp(interval.low.log_mean + self._shift)
        welfare += np.exp(interval.high.log_mean + self._shift)
        weighted = observed.sample_weight * welfare
        size = float(weighted @ welfare)
        return 2.0 * max(float(weighted @ observed.scores), 0.0) / size if size > 0 else 1.0

    def extras(self, scale: float, p: float) -> FloatArray:
        """The loss's own parameters at a scale."""
        if not self._observed.scale:
            return np.empty(0)
        log_kept = self.line.log_kept
        unit = self._shift - self._observed.offset - (log_kept / p if log_kept else 0.0)
        return np.array([np.log(scale) + unit])

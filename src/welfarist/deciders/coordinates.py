"""One decision maker's rule as a row of numbers on the line, in which a population is normal.

They are the coordinate of the shape (asinh p of a power mean), the logarithms of the weights over
that of the last person, slopes of weights by attributes, and log tau.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.deciders.beliefs import Rules
from welfarist.losses import DecisionLoss, Point

# A weight below this counts as this much: its logarithm is a number.
_LEAST = 1e-6
# Shapes beyond this coordinate are as good as infinite: asinh(p) of a p of 10^5.
_FARTHEST = 12.2


@dataclass(frozen=True, eq=False)
class RuleCoordinates:
    """How a rule and its temperature become numbers on the line, and back.

    Attributes
    ----------
    loss : DecisionLoss
        Which says what is learned.
    p : float or None
        The shape, if it is given.
    stakeholders : tuple of str
        Names of the free weights.
    """

    loss: DecisionLoss
    p: float | None
    stakeholders: tuple[str, ...]

    @property
    def ratios(self) -> int:
        """How many ratios of weights there are."""
        return max(self.loss.weighting.free - 1, 0)

    @property
    def size(self) -> int:
        """How many numbers vary between decision makers."""
        return int(self.loss.learn_power) + self.ratios + self.loss.slopes + 1

    @property
    def names(self) -> tuple[str, ...]:
        """What each number is called."""
        loss, last = self.loss, self.stakeholders[-1]
        shape = loss.family.shape
        found = [f"{shape.coordinate.name} {shape.name}"] if loss.learn_power else []
        found += [f"log weight of {name} over {last}" for name in self.stakeholders[:-1]][
            : self.ratios
        ]
        found += [parameter.name for parameter in loss.weighting.parameters]
        return (*found, "log tau")

    @property
    def common(self) -> int:
        """How many further numbers all decision makers share: slips, sizes and the like."""
        return len(self.loss.observed.parameters) - 1

    def point(self, x: FloatArray, common: FloatArray) -> Point:
        """Return numbers (size,), and those that all share, as a point of the loss."""
        loss, i = self.loss, int(self.loss.learn_power)
        p = self.p
        if p is None:
            t = float(np.clip(x[0], -_FARTHEST, _FARTHEST))
            p = loss.family.shape.coordinate.back(t) if i else loss.family.plain or 0.0
        weights = loss.weighting.start()
        if self.ratios:
            logs = np.append(x[i : i + self.ratios], 0.0)
            grown = np.exp(logs - logs.max())
            weights = grown / grown.sum()
        slopes = x[i + self.ratios : i + self.ratios + loss.slopes]
        lower, upper = loss.observed.bounds
        log_tau = float(np.clip(x[-1], lower[0], upper[0]))
        return Point(weights, p, np.concatenate([slopes, [log_tau], common]))

    def numbers(self, point: Point) -> FloatArray:
        """Return a point of the loss as numbers (size,); an edge becomes a number near it."""
        loss = self.loss
        found = []
        if loss.learn_power:
            low, high = loss.search_range
            p = loss.allowed(min(max(point.p, low), high))
            t = loss.family.shape.coordinate.into(p)
            found.append(float(np.clip(t, -_FARTHEST, _FARTHEST)))
        if self.ratios:
            logs = np.log(np.maximum(point.weights, _LEAST))
            found += (logs[:-1] - logs[-1]).tolist()
        found += point.extras[: loss.slopes + 1].tolist()
        return np.array(found)

    def powers(self, nodes: FloatArray) -> FloatArray | None:
        """The shape (S,) at each row of numbers (S, size); None if it is given."""
        if not self.loss.learn_power:
            return None
        back = self.loss.family.shape.coordinate.back
        return np.array([back(float(t)) for t in np.clip(nodes[:, 0], -_FARTHEST, _FARTHEST)])

    def weights(self, nodes: FloatArray) -> FloatArray:
        """One weight per person (S, d) at each row of numbers (S, size)."""
        if self.loss.slopes or not self.ratios:
            nothing = np.zeros(self.common)
            return np.array([self.loss.weights_at(self.point(row, nothing)) for row in nodes])
        first = int(self.loss.learn_power)
        logs = np.column_stack([nodes[:, first : first + self.ratios], np.zeros(len(nodes))])
        grown = np.exp(logs - logs.max(axis=1, keepdims=True))
        return self.loss.weighting.many_to_people(grown / grown.sum(axis=1, keepdims=True))

    def taus(self, nodes: FloatArray) -> FloatArray:
        """The temperature (S,) at each row of numbers (S, size)."""
        lower, upper = self.loss.observed.bounds
        return np.exp(np.clip(nodes[:, -1], lower[0], upper[0]))

    def rules(self, nodes: FloatArray, common: FloatArray) -> Rules:
        """The rules at rows of numbers (S, size), with what all share (r,)."""
        powers = self.powers(nodes)
        if powers is None:
            powers = np.full(len(nodes), self.point(nodes[0], common).p)
        shared = np.broadcast_to(common, (len(nodes), self.common))
        lower, upper = self.loss.observed.bounds
        log_taus = np.clip(nodes[:, -1], lower[0], upper[0])
        return Rules(powers, self.weights(nodes), np.column_stack([log_taus, shared]))

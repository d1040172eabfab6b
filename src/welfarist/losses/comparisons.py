"""Negative log likelihood of comparisons under logistic and lapse noise."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from welfarist.derivatives import LogMean, log_mean_of_logs
from welfarist.losses.base import Point, QuadraticModel, Utilities, action_rows, bending
from welfarist.merged_pairs import MergedPairs
from welfarist.noise import (
    LARGEST_RHO,
    SMALLEST_TAU,
    Choice,
    lapse_choice,
    logistic_choice,
)
from welfarist.validation import FloatArray
from welfarist.weighting import Weighting

# A mean loss below this means that every outcome has probability 1 up to rounding.
_ROUNDING = 1e-13
# Actions whose edges are worked on at a time.
_BLOCK = 2**14
# Drawing actions keeps more comparisons per action than drawing comparisons, if each action
# takes part in at least this many.
_DENSE = 4.0


# Flip rates tried for a start of the lapse model.
_FLIP_RATES = (0.01, 0.05, 0.15, 0.3)
# log of the smallest double: where welfare is 0, its logarithm is taken to be this.
NOTHING = -745.0


def above_nothing(log_mean: FloatArray, has_zeros: bool) -> FloatArray:
    """Log M with 0 read as the smallest positive number, so that differences are numbers."""
    return np.maximum(log_mean, NOTHING) if has_zeros else log_mean


class ComparisonGraph:
    """Actions as nodes, compared pairs as edges.

    Sums over pairs of anything that is a difference between two actions become products with the
    graph's Laplacian: their cost is that of the pairs plus that of the actions, and no array with
    one row per pair and one column per person exists.
    """

    def __init__(self, pairs: MergedPairs, actions: int) -> None:
        self.pairs = pairs
        self.actions = actions
        starts = np.zeros(actions + 1, dtype=np.int32)
        np.cumsum(np.bincount(pairs.first, minlength=actions), out=starts[1:])
        pattern = (np.ones(len(pairs)), pairs.second, starts)
        self._adjacency = csr_array(pattern, shape=(actions, actions))

    def with_counts(self, count: FloatArray, lead: FloatArray) -> ComparisonGraph:
        """Return the same graph, with its pairs (n,) compared another number of times."""
        other = copy(self)  # which pairs there are need not be worked out again
        other.pairs = replace(self.pairs, count=count, lead=lead)
        return other

    def differences(self, values: FloatArray) -> FloatArray:
        """Return first less second for every pair (n,), from values of the actions (N,)."""
        margins = values[self.pairs.first]
        margins -= values[self.pairs.second]
        return np.asarray(margins)

    def scatter(self, values: FloatArray) -> FloatArray:
        """Return the transpose of :meth:`differences`: values of pairs (n,) to actions (N,)."""
        at_first, at_second = self._ends(values)
        return at_first - at_second

    def laplacian_form(self, rows: FloatArray, edge_weights: FloatArray) -> FloatArray:
        """Return rows @ Laplacian @ rows.T (q, q) for rows (q, N) and weights of the pairs (n,).

        Equals the sum over pairs of weight times the outer square of the difference of their
        columns. Rows should be centred: what is common to all actions cancels in the
        differences, but only up to rounding in the products.
        """
        at_first, at_second = self._ends(edge_weights)
        at_first += at_second
        self._adjacency.data = edge_weights
        columns = np.ascontiguousarray(rows.T)
        form = np.zeros((len(rows), len(rows)))
        for start in range(0, self.actions, _BLOCK):  # one pass, and no second copy of the rows
            part = slice(start, start + _BLOCK)
            nearby = self._adjacency if self.actions <= _BLOCK else self._adjacency[part]
            joined = rows[:, part] @ (nearby @ columns)
            form += (rows[:, part] * at_first[part]) @ columns[part]
            form -= joined
            form -= joined.T
        return form

    def _ends(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        at_first = np.bincount(self.pairs.first, values, minlength=self.actions)
        at_second = np.bincount(self.pairs.second, values, minlength=self.actions)
        return np.asarray(at_first, dtype=np.float64), np.asarray(at_second, dtype=np.float64)


@dataclass(frozen=True)
class ComparisonLoss:
    """Mean negative log likelihood of comparisons.

    Domain: tau in (0, tau_max], rho in [0, 1/2).

    Formula: see :mod:`welfarist.noise`, with margins ``z = tau (log M(first) - log M(second))``.
    """

    utilities: Utilities
    graph: ComparisonGraph
    total: float
    weighting: Weighting
    learn_power: bool
    lapse: bool
    tau_max: float
    extra_limits: tuple[FloatArray, FloatArray] | None = None
    interior: bool = False
    squared: bool = False

    @classmethod
    def of(
        cls,
        utilities: FloatArray,
        pairs: MergedPairs,
        weighting: Weighting,
        learn_power: bool,
        lapse: bool,
        tau_max: float,
    ) -> ComparisonLoss:
        """Build the loss of merged comparisons; actions never compared are left out."""
        pairs, used = pairs.renumbered(len(utilities))
        table = utilities if len(used) == len(utilities) else utilities[used]
        graph = ComparisonGraph(pairs, len(used))
        return cls(
            Utilities.of(table, weighting),
            graph,
            pairs.total,
            weighting,
            learn_power,
            lapse,
            tau_max,
        )

    @property
    def has_zeros(self) -> bool:
        """Whether some utility is 0."""
        return self.utilities.has_zeros

    @property
    def largest_power(self) -> float:
        """The largest |p| that is searched."""
        return self.utilities.largest_power

    @property
    def decisions(self) -> int:
        """How many distinct pairs were compared."""
        return len(self.graph.pairs)

    @property
    def extra_names(self) -> tuple[str, ...]:
        """The logarithm of the temperature, and the flip probability if it is learned."""
        return ("log_tau", "rho") if self.lapse else ("log_tau",)

    @cached_property
    def extra_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest log tau and rho; `extra_limits` if those were narrowed."""
        if self.extra_limits is not None:
            return self.extra_limits
        lower, upper = [np.log(SMALLEST_TAU), 0.0], [np.log(self.tau_max), LARGEST_RHO]
        size = len(self.extra_names)
        return np.array(lower[:size]), np.array(upper[:size])

    @property
    def resolution(self) -> float:
        """Below this every outcome is certain."""
        return _ROUNDING

    def is_perfect(self, value: float) -> bool:
        """Whether a loss says that every outcome is certain."""
        return value <= self.resolution

    def evaluate(self, point: Point) -> ComparisonEvaluation:
        """Return the mean negative log likelihood at a point."""
        weights = self.weighting.to_people(point.weights)
        mean = log_mean_of_logs(self.utilities.logs, weights, point.p, self.has_zeros)
        margins = self.graph.differences(above_nothing(mean.value, self.has_zeros))
        margins *= np.exp(point.extras[0])
        pairs = self.graph.pairs
        if self.lapse:
            rho = float(point.extras[1])
            choice = lapse_choice(margins, rho, pairs.count, pairs.lead)
        else:
            choice = logistic_choice(margins, pairs.count, pairs.lead)
        return ComparisonEvaluation(choice.loss / self.total, self, point, mean, margins, choice)

    def with_counts(self, count: FloatArray, lead: FloatArray) -> ComparisonLoss:
        """Return the loss of the same pairs (n,), compared another number of times.

        A pair may have been compared no times.
        """
        total = float(count.sum())
        return replace(self, graph=self.graph.with_counts(count, lead), total=total)

    def starting_extras(self, weights: FloatArray, p: float) -> FloatArray:
        """Return a temperature at which the typical margin is one, and a small flip rate."""
        log_mean = log_mean_of_logs(
            self.utilities.logs, self.weighting.to_people(weights), p, self.has_zeros
        ).value
        margins = self.graph.differences(above_nothing(log_mean, self.has_zeros))
        log_tau = -np.log(max(float(np.mean(np.abs(margins))), 1e-300))
        extras = self._best_lapse(margins, log_tau) if self.lapse else np.array([log_tau])
        return np.asarray(np.clip(extras, *self.extra_bounds))

    def _best_lapse(self, margins: FloatArray, log_tau: float) -> FloatArray:
        """The best of a few temperatures and flip rates: their loss has several local optima."""
        pairs = self.graph.pairs
        grid = [(log_tau + step, rho) for step in (-1.0, 0.5, 2.0, 4.0) for rho in _FLIP_RATES]
        losses = [
            lapse_choice(margins * np.exp(x), rho, pairs.count, pairs.lead).loss for x, rho in grid
        ]
        return np.array(grid[int(np.argmin(losses))])

    def share(self, fraction: float, rng: np.random.Generator) -> ComparisonLoss:
        """Return the loss of about this share of the comparisons, chosen at random."""
        pairs, actions = self.graph.pairs, self.graph.actions
        if len(pairs) >= _DENSE * actions:
            kept = rng.random(actions) < np.sqrt(fraction)
            chosen = kept[pairs.first] & kept[pairs.second]
        else:
            chosen = rng.random(len(pairs)) < fraction
        part, used = pairs.take(chosen).renumbered(actions)
        return replace(
            self,
            utilities=self.utilities.take(used),
            graph=ComparisonGraph(part, len(used)),
            total=part.total,
        )


@dataclass(frozen=True)
class ComparisonEvaluation:
    """The negative log likelihood at a point.

    Attributes
    ----------
    value : float
    mean : LogMean
        log M of the actions, less the utilities' shift, with derivatives.
    margins : (n,) array
        tau times the difference in log M, for every pair.
    choice : Choice
        Derivatives of each pair's loss.
    """

    value: float
    loss: ComparisonLoss
    point: Point
    mean: LogMean
    margins: FloatArray
    choice: Choice

    def gradient(self) -> FloatArray:
        """Return the gradient."""
        rows = self._rows()
        return self._gradient(rows - np.add.reduce(rows, axis=1, keepdims=True) / rows.shape[1])

    def model(self) -> QuadraticModel:
        """Return gradient and Fisher matrix."""
        loss, choice, z = self.loss, self.choice, self.margins
        per = 1.0 / loss.total
        tau = float(np.exp(self.point.extras[0]))
        rows = self._rows()
        rows -= np.add.reduce(rows, axis=1, keepdims=True) / rows.shape[1]
        q = len(rows)
        size = q + len(loss.extra_names)
        curvature = np.empty((size, size))
        scatter = loss.graph.scatter
        spread = choice.information
        curvature[:q, :q] = loss.graph.laplacian_form(rows, spread * (tau * tau * per))
        curvature[:q, q] = rows @ scatter(spread * z * (tau * per))
        curvature[q, q] = (spread @ np.square(z)) * per
        if choice.rho is not None:
            curvature[:q, q + 1] = rows @ scatter(choice.rho.cross * (tau * per))
            curvature[q, q + 1] = curvature[q + 1, q] = (choice.rho.cross @ z) * per
            curvature[q + 1, q + 1] = choice.rho.information.sum() * per
        curvature[q:, :q] = curvature[:q, q:].T
        return QuadraticModel(self._gradient(rows), curvature)

    def remainder(self) -> FloatArray:
        """Return the bending of log M and of tau, which the Fisher matrix leaves out."""
        loss = self.loss
        per_margin = self.choice.by_margin / loss.total
        pull = loss.graph.scatter(per_margin * np.exp(self.point.extras[0]))
        rows = self._rows()
        q = len(rows)
        left = np.zeros((q + len(loss.extra_names),) * 2)
        left[:q, :q] = bending(loss, loss.utilities, self.point, self.mean, rows, pull)
        left[:q, q] = left[q, :q] = rows @ pull
        left[q, q] = per_margin @ self.margins
        return left

    def _gradient(self, rows: FloatArray) -> FloatArray:
        """The gradient (q,) from centred derivatives of log M (k + 1, N)."""
        loss, choice = self.loss, self.choice
        per = 1.0 / loss.total
        q = len(rows)
        gradient = np.empty(q + len(loss.extra_names))
        pull = loss.graph.scatter(choice.by_margin * (np.exp(self.point.extras[0]) * per))
        gradient[:q] = rows @ pull
        gradient[q] = (choice.by_margin @ self.margins) * per
        if choice.rho is not None:
            gradient[q + 1] = choice.rho.by_rho.sum() * per
        return gradient

    def _rows(self) -> FloatArray:
        loss = self.loss
        return action_rows(self.mean, self.point, loss.weighting, loss.learn_power)

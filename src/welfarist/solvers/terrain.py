"""Losses of many rules at once, with gradients and Gauss-Newton matrices: roughly, for a flock.

One step of one start spends most of its time between array operations. Where dozens of starts are
made anyway they go together: every operation serves all of them.

Domain: weighted power means of a dense table without zeros, scores or comparisons under logistic
noise, nothing charged for certainty. Log weights may be as low as -600.

Formula: with ``lambda`` the logarithms of relative weights, ``w`` the weights and ``s_i ~ w_i
u_i^p`` the shares of welfare, ``d log M / d lambda_i = (s_i - w_i) / p`` and ``d log M / dp =
(sum s_i log u_i - log M) / p``; p = 0 is replaced by a small power.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.families.columns import Columns
from welfarist.losses import DecisionLoss, Loss
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.losses.observed_scores import ObservedScores
from welfarist.noise.choices import LOGISTIC
from welfarist.people.weighting import Weighting

# A power nearer to 0 is taken for this one: the loss changes by a millionth or so.
_SMALLEST_POWER = 1e-4
# Entries of the largest array that is made at a time: what fits into a processor's cache.
_BLOCK = 60_000
_TINY = 1e-300
_NOISE_STEPS = 8  # by which the temperature of choices at a limit is found roughly


@dataclass
class Look:
    """What B rules make of the decisions.

    Attributes
    ----------
    losses : (B,) array
    values : (B, N) array
        Log welfare of every action.
    gradients : (B, q) array
        By log weights, t and the noise model's parameters; empty if it was not asked for.
    curvatures : (B, q, q) array
        Gauss-Newton or Fisher matrices, likewise.
    """

    losses: FloatArray
    values: FloatArray
    gradients: FloatArray
    curvatures: FloatArray


def can_be_roamed(loss: Loss) -> bool:
    """Whether the losses of many rules, and their derivatives, can be had at once."""
    data = loss.data
    observed, people = data.observed, data.people
    if data.in_parts or data.leading or not isinstance(people, Columns) or people.has_zeros:
        return False
    if not data.family.ratios or type(data.weighting) is not Weighting:
        return False
    if data.weighting.free <= 1 or data.weighting.heads is not None:
        return False
    if isinstance(observed, ObservedScores):
        return observed.level.is_ratio and observed.limits is None
    if not isinstance(observed, ObservedPairs) or observed.noise != LOGISTIC:
        return False
    return observed.restraint is None and observed.limits is None


class Terrain:
    """A loss as many walkers see it.

    Attributes
    ----------
    weights, extras : int
        How many free weights there are, and parameters of the noise model.
    """

    def __init__(self, loss: DecisionLoss) -> None:
        assert isinstance(loss.people, Columns)
        self._logs = loss.people.logs
        self._observed = loss.observed
        weighting = loss.weighting
        self.weights, self.extras = weighting.free, len(loss.parameters)
        self.learn_power = loss.learn_power
        self._group_of = weighting.group_of
        if weighting.group_of is not None:
            self._log_sizes = np.log(weighting.sizes())[weighting.group_of]
            self._members = (weighting.group_of == np.arange(self.weights)[:, None]).astype(float)
        if isinstance(self._observed, ObservedPairs):
            pairs = self._observed.graph.pairs
            self._first, self._second = pairs.first, pairs.second
            self._count = pairs.count / pairs.total
            self._votes = (pairs.count + pairs.lead) / (2.0 * pairs.total)
            n = self._logs.shape[1]
            ends = ((self._first, self._second), (self._second, self._first))
            self._cells = np.concatenate([a * n + b for a, b in ends])

    @property
    def numbers(self) -> float:
        """How many operations, roughly, one look with derivatives takes."""
        (d, n), q = self._logs.shape, self.weights + 1 + self.extras
        if not isinstance(self._observed, ObservedPairs):
            return float(10.0 * d * n + 0.5 * q * n + 0.5 * q * q * n)
        pairs = len(self._count)
        return float(10.0 * (d * n + pairs) + 0.5 * q * min(n * (n + q), (q + 4) * pairs))

    def losses(self, logits: FloatArray, powers: FloatArray, extras: FloatArray) -> FloatArray:
        """Return the losses (B,) of rules, without derivatives."""
        return self._look(logits, powers, extras, np.zeros(0, dtype=bool)).losses

    def scales(self, logits: FloatArray, powers: FloatArray) -> FloatArray:
        """Return the scales (B, m) of scores that fit best, in their coordinate."""
        seen = self._observed
        if not (self.extras and isinstance(seen, ObservedScores)):
            return np.zeros((len(powers), self.extras))
        look = self._look(logits, powers, np.zeros((len(powers), 1)), np.zeros(0, dtype=bool))
        return self._best_scales(look.values)

    def _best_scales(self, values: FloatArray) -> FloatArray:
        """The scales (B, m) of scores that fit values (B, N) best, in their coordinate."""
        seen = self._observed
        if not (self.extras and isinstance(seen, ObservedScores)):
            return np.zeros((len(values), self.extras))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            welfare = np.exp(values + seen.offset)
            both = (welfare * seen.scores) @ seen.sample_weight
            ratio = both / (np.square(welfare) @ seen.sample_weight)
        usable = np.isfinite(ratio) & (ratio > 0)
        return np.asarray(np.log(np.where(usable, ratio, 1.0))[:, None])

    def with_one_changed(
        self, logits: FloatArray, p: float, extras: FloatArray, values: FloatArray
    ) -> FloatArray:
        """Return losses (k, V) of a rule in which one log weight (k,) is another value (V,)."""
        own, rest = self._own_and_rest(logits, p)
        welfare = np.logaddexp(own[:, None, :] + values[:, None], rest[:, None, :])
        weights = np.exp(logits)
        others = np.maximum(weights.sum() - weights, np.finfo(np.float64).tiny)
        total = np.logaddexp(np.log(others)[:, None], values)
        welfare -= total[:, :, None]
        welfare /= p
        changed = welfare.reshape(-1, welfare.shape[2])
        with np.errstate(over="ignore", invalid="ignore"):
            losses = self._respond(changed, np.tile(extras, (len(changed), 1)))[0]
        return np.where(np.isfinite(losses), losses, np.inf).reshape(welfare.shape[:2])

    def _own_and_rest(self, logits: FloatArray, p: float) -> tuple[FloatArray, FloatArray]:
        """Log sums (k, N) of u^p: of those behind one weight of 1, and of all others."""
        k = self.weights
        groups = np.arange(k) if self._group_of is None else self._group_of
        inside = p * self._logs
        if self._group_of is not None:
            inside = inside - self._log_sizes[:, None]
        top = inside.max(axis=0)
        own = np.full((k, self._logs.shape[1]), -np.inf)
        for person, group in enumerate(groups.tolist()):
            own[group] = np.logaddexp(own[group], inside[person] - top)
        terms = own + logits[:, None]
        # From both ends towards the one that is left out: no difference of large numbers.
        rest = np.full_like(terms, -np.inf)
        before = after = np.full(terms.shape[1], -np.inf)
        for i in range(k):
            rest[i] = np.logaddexp(rest[i], before)
            before = np.logaddexp(before, terms[i])
            rest[k - 1 - i] = np.logaddexp(rest[k - 1 - i], after)
            after = np.logaddexp(after, terms[k - 1 - i])
        return own + top, rest + top

    def look(
        self,
        logits: FloatArray,
        powers: FloatArray,
        extras: FloatArray,
        ratios: npt.NDArray[np.bool_],
    ) -> Look:
        """Look at rules with log weights (B, k), powers (B,) and noise (B, m).

        Where `ratios` (B,) is true the coordinates are log weights over p, which p leaves as they
        are.
        """
        return self._look(logits, powers, extras, ratios)

    def _look(
        self,
        logits: FloatArray,
        powers: FloatArray,
        extras: FloatArray,
        ratios: npt.NDArray[np.bool_],
    ) -> Look:
        count, q = len(powers), self.weights + int(self.learn_power) + self.extras
        derivatives = bool(len(ratios))
        found = Look(
            np.empty(count),
            np.empty((count, self._logs.shape[1])),
            np.empty((count if derivatives else 0, q)),
            np.empty((count if derivatives else 0, q, q)),
        )
        rows = max(1, _BLOCK // self._logs.size)
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, count, rows):
                part = slice(start, start + rows)
                self._fill(found, part, logits[part], powers[part], extras[part], ratios[part])
        found.losses[~np.isfinite(found.losses)] = np.inf
        return found

    def _fill(
        self,
        found: Look,
        part: slice,
        logits: FloatArray,
        powers: FloatArray,
        extras: FloatArray,
        ratios: npt.NDArray[np.bool_],
    ) -> None:
        """Look at some of the rules."""
        p = np.where(np.abs(powers) < _SMALLEST_POWER, _SMALLEST_POWER, powers)
        logits = logits - logits.max(axis=1, keepdims=True)
        logits = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        each = logits
        if self._group_of is not None:
            each = logits[:, self._group_of] - self._log_sizes
        shares = p[:, None, None] * self._logs
        shares += each[:, :, None]
        top = shares.max(axis=1, keepdims=True)
        shares -= top
        np.exp(shares, out=shares)
        total = shares.sum(axis=1, keepdims=True)
        values = (np.log(total) + top)[:, 0] / p[:, None]
        found.values[part] = values
        response = self._respond(values, extras)
        found.losses[part] = response[0]
        if not len(ratios):
            return
        shares /= total
        by_power = (np.einsum("bdn,dn->bn", shares, self._logs) - values) / p[:, None]
        if self._group_of is not None:
            shares = self._members @ shares
        k, at = self.weights, np.arange(len(p))
        shares -= np.exp(logits)[:, :, None]
        rows = np.empty((len(p), found.gradients.shape[1], values.shape[1]))
        rows[:, :k] = shares
        rows[~ratios, :k] /= p[~ratios, None, None]
        if self.learn_power:
            moving = np.where(ratios[:, None], logits / np.square(p)[:, None], 0.0)
            by_power += (moving[:, None, :] @ shares)[:, 0]
            rows[:, k] = np.hypot(1.0, p)[:, None] * by_power
        found.gradients[part], found.curvatures[part] = self._model(rows, response, at)

    def _respond(self, values: FloatArray, extras: FloatArray) -> tuple[FloatArray, ...]:
        """Losses (B,), and what derivatives are made of."""
        seen = self._observed
        if isinstance(seen, ObservedScores):
            level = extras if self.extras else 0.0
            predicted = np.exp(values + seen.offset + level)
            residual = predicted - seen.scores
            return np.square(residual) @ seen.sample_weight, predicted, residual
        tau = np.exp(extras[:, :1])
        z = tau * (values[:, self._first] - values[:, self._second])
        near = np.exp(-np.abs(z))
        losses = (np.maximum(z, 0.0) + np.log1p(near)) @ self._count - z @ self._votes
        return losses, tau, z, near

    def _model(
        self, rows: FloatArray, response: tuple[FloatArray, ...], at: npt.NDArray[np.intp]
    ) -> tuple[FloatArray, FloatArray]:
        """Gradients (B, q) and curvatures (B, q, q) from rows (B, q, N) of derivatives."""
        seen = self._observed
        if isinstance(seen, ObservedScores):
            _, predicted, residual = response
            if self.extras:
                rows[:, -1] = 1.0
            scaled = np.sqrt(2.0 * seen.sample_weight)
            rows *= (predicted * scaled)[:, None, :]
            gradient = (rows @ (residual * scaled)[:, :, None])[:, :, 0]
            return gradient, rows @ rows.swapaxes(1, 2)
        _, tau, z, near = response
        up = np.where(z >= 0, 1.0, near) / (1.0 + near)
        pull = self._count * up - self._votes
        information = self._count * near / np.square(1.0 + near)
        others = rows[:, :-1]
        others *= tau[:, :, None]
        batch, n = len(at), others.shape[2]
        gradients = np.empty(rows.shape[:2])
        curvatures = np.empty((batch, rows.shape[1], rows.shape[1]))
        thin = n * n > (rows.shape[1] + 4) * len(self._count)
        for b in range(batch):
            if thin:  # few pairs among many actions
                apart = others[b][:, self._first] - others[b][:, self._second]
                apart = np.vstack([apart, z[b]])
                gradients[b] = apart @ pull[b]
                curvatures[b] = (apart * information[b]) @ apart.T
                continue
            flow = np.bincount(self._first, pull[b], n) - np.bincount(self._second, pull[b], n)
            twice = np.concatenate([information[b], information[b]])
            graph = -np.bincount(self._cells, twice, n * n).reshape(n, n)
            graph.flat[:: n + 1] = -graph.sum(axis=1) + graph.flat[:: n + 1]
            gradients[b, :-1] = others[b] @ flow
            gradients[b, -1] = pull[b] @ z[b]
            curvatures[b, :-1, :-1] = others[b] @ graph @ others[b].T
            leaning = information[b] * z[b]
            lean = np.bincount(self._first, leaning, n) - np.bincount(self._second, leaning, n)
            curvatures[b, -1, :-1] = curvatures[b, :-1, -1] = others[b] @ lean
            curvatures[b, -1, -1] = leaning @ z[b]
        return gradients, curvatures

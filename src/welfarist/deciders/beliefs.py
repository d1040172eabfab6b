"""What is believed of decision makers: rules, and how likely each of them is whose.

Types are a few rules, a normal population is thousands of nodes; what is said of single people,
and predicted of them, is the same for both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.deciders.panel import Panel
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.power_mean.many_means import close_log_means
from welfarist.losses import DecisionLoss, Point

# People whose chances are put in order at a time.
_BLOCK = 64
# Rules whose likelihoods are worked out at a time.
_RULES = 256


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules that decision makers may follow, with their noise.

    Attributes
    ----------
    powers : (S,) array
        The shape of each.
    weights : (S, d) array
    noise : (S, m) array
        The noise model's parameters, in their coordinates; the first is log tau.
    """

    powers: FloatArray
    weights: FloatArray
    noise: FloatArray

    @classmethod
    def of(cls, losses: list[DecisionLoss], points: list[Point]) -> Rules:
        """Return points of losses, one each, as rules."""
        pairs = list(zip(losses, points, strict=True))
        return cls(
            np.array([point.p for point in points]),
            np.array([loss.weights_at(point) for loss, point in pairs]),
            np.array([loss.noise_at(point) for loss, point in pairs]),
        )

    def __len__(self) -> int:
        return len(self.powers)

    @property
    def taus(self) -> FloatArray:
        """The temperature (S,) of each."""
        return np.exp(self.noise[:, 0])

    def take(self, which: npt.NDArray[Any]) -> Rules:
        """Return some of them."""
        return Rules(self.powers[which], self.weights[which], self.noise[which])


@dataclass(frozen=True, eq=False)
class Beliefs:
    """How likely each rule is whose.

    Attributes
    ----------
    rules : Rules
    names : (G,) array
        The decision makers.
    each : (G, S) array
        How likely each rule is theirs, after what they decided.
    anybody : (S,) array
        How likely it is somebody's of whom nothing is known.
    """

    rules: Rules
    names: npt.NDArray[Any]
    each: FloatArray
    anybody: FloatArray

    def rows_of(self, names: npt.NDArray[Any] | None, size: int) -> npt.NDArray[np.intp]:
        """Return the row (n,) of :attr:`table` for each name; the last for whoever is not known."""
        if names is None:
            return np.full(size, len(self.names), dtype=np.intp)
        place = {str(name): i for i, name in enumerate(self.names.tolist())}
        found = [place.get(str(name), len(self.names)) for name in np.asarray(names).tolist()]
        return np.array(found, dtype=np.intp)

    @property
    def table(self) -> FloatArray:
        """The chances (G + 1, S) of everybody, and at last of anybody else."""
        return np.vstack([self.each, self.anybody])

    def given(self, names: npt.NDArray[Any], logs: FloatArray) -> Beliefs:
        """Return what is believed of people (H,) after further decisions with likelihoods (H, S).

        Who is not known yet was anybody before.
        """
        before = self.table[self.rows_of(names, len(names))]
        with np.errstate(divide="ignore"):  # what was impossible stays so
            joint = np.log(before) + logs
        impossible = np.isneginf(joint).all(axis=1)
        if impossible.any():
            raise InputError(
                "everybody's decisions must be possible under some rule; found none for "
                f"{np.asarray(names)[int(np.argmax(impossible))]!s}, who chose something that "
                "gives nothing."
            )
        joint -= joint.max(axis=1, keepdims=True)
        after = np.exp(joint)
        after /= after.sum(axis=1, keepdims=True)
        return self._knowing(np.asarray(names), after)

    def _knowing(self, names: npt.NDArray[Any], chances: FloatArray) -> Beliefs:
        """Return the same with what is believed of some people (H, S) told anew."""
        told = names.astype(str)
        kept = ~np.isin(self.names.astype(str), told)
        everybody = np.concatenate([self.names.astype(str)[kept], told])
        return replace(self, names=everybody, each=np.vstack([self.each[kept], chances]))

    def joined(self, names: npt.NDArray[Any], logs: FloatArray) -> Beliefs:
        """Return the same with new people (H,), of whom log chances (H, S) are known so far."""
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        new = ~np.isin(names.astype(str), self.names.astype(str))
        return self._knowing(names[new], chances[new])

    def quantiles(self, values: FloatArray, levels: tuple[float, ...]) -> FloatArray:
        """Return quantiles (G, l) of a number (S,) that each rule has, for everybody."""
        order = np.argsort(values, kind="stable")
        found = np.empty((len(self.each), len(levels)))
        for start in range(0, len(self.each), _BLOCK):
            part = slice(start, start + _BLOCK)
            below = np.cumsum(self.each[part][:, order], axis=1)
            below /= below[:, -1:]
            for j, level in enumerate(levels):
                found[part, j] = values[order][(below >= level - 1e-12).argmax(axis=1)]
        return found

    def means(self, values: FloatArray) -> FloatArray:
        """Return everybody's mean (G, …) of numbers (S, …) that each rule has."""
        return np.asarray(self.each @ values)


def likelihoods_of(panel: Panel, rules: Rules) -> FloatArray:
    """Return each decision maker's log likelihood (G, S) under rules."""
    loss = panel.loss
    found = np.empty((panel.people, len(rules)))
    for start in range(0, len(rules), _RULES):
        part = slice(start, start + _RULES)
        values = _values(loss, rules.weights[part], rules.powers[part])
        found[:, part] = panel.apart.log_likelihoods(values, rules.noise[part], loss.has_zeros)
    return found


def _values(loss: DecisionLoss, weights: FloatArray, powers: FloatArray) -> FloatArray:
    """What rules with weights (B, d) and powers (B,) make of the actions (B, N)."""
    table = loss.people.table
    if loss.family == POWER_MEAN and table is not None and not loss.has_zeros:
        return close_log_means(table, weights, powers)
    pairs = zip(weights, powers.tolist(), strict=True)
    return np.array([loss.family.welfare(loss.people, w, p).value for w, p in pairs])

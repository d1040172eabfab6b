"""How each action stands under many rules: its welfare, its chances, and what taking it costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.asking.welfares import Outcomes
from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.present_rule import PresentRule
from welfarist.results.rule_draws import RuleDraws

# Values this close are equal up to rounding.
_TIE = 1e-12
# Entries of the largest array that is made at a time.
_BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class Standing:
    """What many equally likely rules say of N actions.

    Attributes
    ----------
    values : (S, N) array
        What choices depend on differences of: log welfare of power means.
    regrets : (S, N) array
        How much welfare is lost by taking an action in place of the best, as a share of the
        best one's; 0 where all are worth nothing. Where welfare has no natural zero that a share
        could be of, in its own units.
    is_ratio : bool
        Whether values are logarithms of welfare.
    """

    values: FloatArray
    regrets: FloatArray
    is_ratio: bool

    @classmethod
    def of(
        cls, draws: RuleDraws, table: FloatArray, tables: Iterable[FloatArray] | None = None
    ) -> Standing:
        """Judge actions (N, d), the shift not yet added, by all rules.

        Where utilities are estimates each rule judges a table of its own, of as many `tables`.
        """
        values = values_of(draws, table) if tables is None else _each_by_its_own(draws, tables)
        return cls.of_values(values, draws.family.level.is_ratio)

    @classmethod
    def of_values(cls, values: FloatArray, ratio: bool) -> Standing:
        """Compare values (S, N) that rules give to actions: logarithms of welfare, if `ratio`."""
        best = values.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            lost = -np.expm1(values - best) if ratio else best - values
        return cls(values, np.where(values == best, 0.0, lost), ratio)

    @property
    def regret(self) -> FloatArray:
        """Expected regret (N,), as a share of the best welfare or in units of welfare."""
        return np.asarray(self.regrets.mean(axis=0))

    def regret_errors(self) -> FloatArray:
        """Return how far sampling the rules may have moved expected regret: standard errors."""
        return np.asarray(self.regrets.std(axis=0, ddof=1) / np.sqrt(len(self.regrets)))

    def among_best(self, k: int) -> FloatArray:
        """Return how likely each action is among the best k (N,); ties share the last places."""
        found = np.zeros(self.values.shape[1])
        step = max(1, _BLOCK // self.values.shape[1])
        for start in range(0, len(self.values), step):
            found += _places(self.values[start : start + step], k).sum(axis=0)
        return np.minimum(found / len(self.values), 1.0)

    def best_sometimes(self) -> npt.NDArray[np.bool_]:
        """Return which actions (N,) some rule finds best, alone or with others."""
        best = self.values.max(axis=1, keepdims=True)
        return np.asarray((self.values >= best - _TIE * _size(best)).any(axis=0))

    def welfare(self, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the median welfare of each action (N,) and both ends of its interval."""
        ends = (1.0 - level) / 2.0
        # Quantiles of what was drawn, nothing between: infinite logarithms are no numbers.
        found = np.quantile(self.values, [0.5, ends, 1.0 - ends], axis=0, method="nearest")
        middle, low, high = np.exp(found) if self.is_ratio else found
        return middle, low, high


def values_of(draws: RuleDraws, table: FloatArray) -> FloatArray:
    """Return the value (S, N) of actions (N, d) under every rule; NaN stands for who is absent."""
    seen = table + draws.shift
    plain = draws.family == POWER_MEAN and bool((draws.weights > 0).all())
    if plain and bool(np.isfinite(draws.powers).all()):
        return Outcomes(seen).log_welfare(draws.weights, draws.powers)
    absent = bool(np.isnan(seen).any())
    found = np.empty((len(draws), len(seen)))
    for row, (power, weights) in enumerate(zip(draws.powers, draws.weights, strict=True)):
        rule = draws.family.rule(float(power), weights)
        found[row] = (PresentRule(rule) if absent else rule).value(seen)
    return found


def _each_by_its_own(draws: RuleDraws, tables: Iterable[FloatArray]) -> FloatArray:
    """The value (S, N) of actions under every rule, with a table of utilities (N, d) for each."""
    rules = zip(draws.powers, draws.weights, tables, strict=True)
    return np.array(
        [draws.family.rule(float(power), weights).value(table) for power, weights, table in rules]
    )


def _places(values: FloatArray, k: int) -> FloatArray:
    """The share (S, N) each action has in the first k places under each rule."""
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    with np.errstate(invalid="ignore"):  # nothing beside nothing: a tie
        falls = ordered[:, :-1] - ordered[:, 1:] > _TIE * _size(ordered[:, :-1])
    count = values.shape[1]
    begins = np.zeros(values.shape, dtype=np.intp)
    begins[:, 1:] = np.where(falls, np.arange(1, count), 0)
    first = np.maximum.accumulate(begins, axis=1)
    ends = np.full(values.shape, count, dtype=np.intp)
    ends[:, :-1] = np.where(falls, np.arange(1, count), count)
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    share = np.clip((k - first) / (last - first), 0.0, 1.0)
    found = np.empty(values.shape)
    np.put_along_axis(found, order, share, axis=1)
    return found


def _size(values: FloatArray) -> FloatArray:
    return 1.0 + np.abs(np.where(np.isfinite(values), values, 0.0))

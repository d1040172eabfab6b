"""Welfare of actions under many rules at once, as quickly as NumPy can."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray

IntArray = npt.NDArray[np.intp]
# Entries worked on at a time: what fits into the cache of one core.
_BLOCK = 60_000
# Powers nearer to 0 are taken for this: log M moves by less than a millionth of the spread of logs.
_NEAREST = 1e-6


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What some actions give to whom, ready for many rules.

    Attributes
    ----------
    utilities : (N, d) array
        Zeros are allowed; NaN stands for who is not affected.
    """

    utilities: FloatArray

    def __len__(self) -> int:
        return len(self.utilities)

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.utilities.shape[1])

    def plus(self, other: Outcomes) -> Outcomes:
        """Return these actions with others behind them."""
        return Outcomes(np.concatenate([self.utilities, other.utilities]))

    def take(self, rows: IntArray) -> Outcomes:
        """Return some of the actions."""
        return Outcomes(self.utilities[rows])

    def places_of(self, others: Outcomes) -> tuple[IntArray, IntArray]:
        """Return which of other actions (K,) are new, and where each is once those are behind.

        Examples
        --------
        >>> known = Outcomes(np.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> fresh, places = known.places_of(Outcomes(np.array([[5.0, 6.0], [3.0, 4.0]])))
        >>> fresh.tolist(), places.tolist()
        ([0], [2, 1])
        """
        known: dict[bytes, int] = {}
        for k, row in enumerate(self.utilities):
            known.setdefault(row.tobytes(), k)
        fresh: list[int] = []
        places = np.empty(len(others), dtype=np.intp)
        for k, row in enumerate(others.utilities):
            key = row.tobytes()
            if key not in known:
                known[key] = len(self) + len(fresh)
                fresh.append(k)
            places[k] = known[key]
        return np.array(fresh, dtype=np.intp), places

    def log_welfare(self, weights: FloatArray, powers: FloatArray) -> FloatArray:
        """Return log M (S, N) under rules with weights (S, d) and finite powers (S,).

        Formula: ``e + log(sum_i w_i (u_i / exp(e))^p / sum_i w_i) / p`` over those who are there,
        with e the largest log utility where p > 0 and the smallest where p < 0.

        Limits: -inf where welfare is 0: for p > 0 where all have nothing, for p <= 0 where somebody
        has.
        """
        present = ~np.isnan(self.utilities.T)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(present, np.log(self.utilities.T), 0.0)
        found = np.empty((len(powers), len(self)))
        everybody = None if present.all() else present
        above = powers > 0
        for sign, rows in ((1.0, np.flatnonzero(above)), (-1.0, np.flatnonzero(~above))):
            if len(rows):
                away = sign * np.maximum(np.abs(powers[rows]), _NEAREST)
                found[rows] = _one_sided(logs, everybody, weights[rows], away, sign)
        return found


def _one_sided(
    logs: FloatArray,
    present: npt.NDArray[np.bool_] | None,
    weights: FloatArray,
    powers: FloatArray,
    sign: float,
) -> FloatArray:
    """The same for logs (d, N) and powers (S,) that all have one sign."""
    there = logs if present is None else np.where(present, logs, -sign * np.inf)
    extreme = there.max(axis=0) if sign > 0 else there.min(axis=0)
    lost = np.isneginf(extreme)
    extreme = np.where(lost, 0.0, extreme)
    offsets = there - extreme
    offsets[:, lost] = 0.0
    found = np.empty((len(powers), logs.shape[1]))
    step = max(1, _BLOCK // max(logs.shape[1], 1))
    spare = np.empty((min(step, len(powers)), logs.shape[1]))
    with np.errstate(divide="ignore"):
        for start in range(0, len(powers), step):
            part = slice(start, start + step)
            power, total = powers[part, None], found[part]
            # One person after the other: in the same order whatever else is worked out with it.
            for i, row in enumerate(offsets):
                grown = spare[: len(total)] if i else total
                np.multiply(power, row, out=grown)
                np.exp(grown, out=grown)
                grown *= weights[part, i, None]
                if i:
                    total += grown
            if present is not None:
                total /= weights[part] @ present
            np.log(total, out=total)
            total /= power
            total += extreme
    found[:, lost] = -np.inf
    return found


def margins(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return by how much log welfares differ; 0 where both are nothing."""
    with np.errstate(invalid="ignore"):
        found = one - other
    if np.isnan(found).any():
        found = np.where(np.isneginf(one) & np.isneginf(other), 0.0, found)
    return np.asarray(found)

"""Rules that are equally likely after some decisions: how sure a rule is, in numbers to apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from welfarist.base.asking import RequestError
from welfarist.base.exports import strict
from welfarist.base.validation import FloatArray, check_count, normalised
from welfarist.families.base import Family
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.results.saved_records import Fields, as_number

Source = Literal["posterior", "bootstrap", "normal"]
_SOURCES = ("posterior", "bootstrap", "normal")
_ENTRIES = ("source", "seed", "people", "rules")
# What stands before the weights in a saved rule: the power, and the noise.
_BEFORE = 4


@dataclass(frozen=True, eq=False)
class RuleDraws:
    """Equally likely rules, one a row: what is believed of a decision maker's rule.

    Attributes
    ----------
    weights : (S, d) array
    powers : (S,) array
        The family's shape; powers may be infinite.
    taus, rhos, bands : (S,) arrays
        Of the noise: temperatures are 0 where none is known, as after scores.
    stakeholders : tuple of str
    source : "posterior", "bootstrap" or "normal"
        Where they come from.
    seed : int
        With which they were drawn.
    shift : float
        What the rules add to every utility.
    family : Family
        Whose rules they are.
    failed : int
        How many more resamples nothing could be learned from.
    """

    weights: FloatArray = field(repr=False)
    powers: FloatArray = field(repr=False)
    taus: FloatArray = field(repr=False)
    rhos: FloatArray = field(repr=False)
    bands: FloatArray = field(repr=False)
    stakeholders: tuple[str, ...]
    source: Source
    seed: int
    shift: float = 0.0
    family: Family = POWER_MEAN
    failed: int = 0

    def __len__(self) -> int:
        return len(self.powers)

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.weights.shape[1])

    @property
    def has_noise(self) -> bool:
        """Whether it is known how choices err."""
        return bool(np.all(self.taus > 0))

    @property
    def in_words(self) -> str:
        """Where the draws come from, for readers."""
        made = {
            "posterior": "drawn from the posterior",
            "bootstrap": "learned from resamples",
            "normal": "drawn from the estimates and their standard errors",
        }
        said = f"{len(self)} rules {made[self.source]} (seed {self.seed})"
        return said + (f"; {self.failed} resamples taught nothing" if self.failed else "")

    def take(self, rows: npt.NDArray[Any]) -> RuleDraws:
        """Return some of the rules."""
        return RuleDraws(
            self.weights[rows], self.powers[rows], self.taus[rows], self.rhos[rows],
            self.bands[rows], self.stakeholders, self.source, self.seed, self.shift, self.family,
            self.failed,
        )  # fmt: skip

    def thinned(self, count: int) -> RuleDraws:
        """Return no more than so many of them, evenly along the order of p."""
        most = check_count(count, "draws", 20)
        if most >= len(self):
            return self
        order = np.argsort(self.powers, kind="stable")
        return self.take(order[((np.arange(most) + 0.5) * len(self) / most).astype(np.intp)])

    def to_dict(self) -> dict[str, Any]:
        """Return what a saved model holds of them: p, tau, rho, band and weights, a row a rule."""
        rows = np.column_stack([self.powers, self.taus, self.rhos, self.bands, self.weights])
        return {
            "source": self.source,
            "seed": self.seed,
            "people": list(self.stakeholders),
            "rules": strict(rows.tolist()),
        }

    @classmethod
    def in_fields(
        cls, fields: Fields, people: tuple[str, ...], shift: float, family: Family = POWER_MEAN
    ) -> RuleDraws:
        """Return the draws that a saved model holds, each number checked."""
        record = fields.entry("draws")
        if not isinstance(record, Mapping) or set(record) != set(_ENTRIES):
            raise fields.wrong("draws", f"a record with the entries {', '.join(_ENTRIES)}")
        seed, source = record["seed"], record["source"]
        if source not in _SOURCES or type(seed) is not int or record["people"] != list(people):
            raise fields.wrong("draws", "about the stakeholders of the model, from a known source")
        rows = _numbers(record["rules"], _BEFORE + len(people))
        if rows is None or not _possible(rows):
            raise fields.wrong(
                "draws", "rules as rows of p, tau, rho, band and weights that sum to 1", "others"
            )
        weights = np.array([normalised(row) for row in rows[:, _BEFORE:]])
        powers, taus, rhos, bands = rows[:, :_BEFORE].T
        return cls(weights, powers, taus, rhos, bands, people, source, seed, shift, family)


def _numbers(value: Any, width: int) -> FloatArray | None:
    """Rows of so many numbers (S, width); None if it is anything else."""
    if not isinstance(value, list) or not value:
        return None
    if not all(isinstance(row, list) and len(row) == width for row in value):
        return None
    rows = [[as_number(entry) for entry in row] for row in value]
    if any(entry is None for row in rows for entry in row):
        return None
    return np.array(rows, dtype=np.float64)


def _possible(rows: FloatArray) -> bool:
    """Whether rows (S, 4 + d) are rules with noise."""
    noise, weights = rows[:, 1:_BEFORE], rows[:, _BEFORE:]
    finite = bool(np.isfinite(rows[:, 2:]).all()) and bool((noise >= 0).all())
    sums = np.abs(weights.sum(axis=1) - 1.0)
    return finite and bool((weights >= 0).all() and (rows[:, 2] < 1).all() and (sums < 1e-6).all())


def require_draws(found: RuleDraws | None, where: str) -> RuleDraws:
    """Return the draws of a saved model, or say how to save it with some."""
    if found is None:
        raise RequestError(
            "a recommendation says how sure it is, and needs to know how sure the rule is; found "
            "nothing of that in {where}. Save the model with {draws:NUMBER}, such as 400.",
            where=where,
        )
    return found

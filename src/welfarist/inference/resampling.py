"""Drawing decisions again: how often each was observed in a resample, without rebuilding data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from welfarist.decisions import Comparisons
from welfarist.errors import InputError
from welfarist.inference.fitted import DataLoss, Fitted
from welfarist.labels import numbered
from welfarist.losses import ComparisonLoss, ScoreLoss
from welfarist.validation import FloatArray

UnitName = Literal["decisions", "clusters"]


class Resampling(Protocol):
    """How resamples are drawn from what was observed."""

    def draw(self, rng: np.random.Generator) -> DataLoss:
        """Return the loss of as many decisions, or clusters, drawn with replacement."""
        ...


@dataclass(frozen=True)
class ScoreRows:
    """Scored actions, drawn one by one; each as likely as often it was observed."""

    loss: ScoreLoss
    size: int

    def draw(self, rng: np.random.Generator) -> ScoreLoss:
        """Return the loss of a resample."""
        counts = rng.multinomial(self.size, self.loss.sample_weight)
        return replace(self.loss, sample_weight=counts / self.size)


@dataclass(frozen=True)
class PairCells:
    """Single comparisons, drawn from cells of those between the same actions with one outcome.

    Attributes
    ----------
    pair : (m,) array of int
        The merged pair of each cell.
    outcome : (m,) array
        1 if its first action was preferred, -1 if the second, 0 for a tie.
    share : (m,) array
        The share of all comparisons.
    """

    loss: ComparisonLoss
    size: int
    pair: npt.NDArray[np.intp]
    outcome: FloatArray
    share: FloatArray

    def draw(self, rng: np.random.Generator) -> ComparisonLoss:
        """Return the loss of a resample."""
        counts = rng.multinomial(self.size, self.share).astype(np.float64)
        pairs = self.loss.decisions
        count = np.bincount(self.pair, counts, minlength=pairs)
        lead = np.bincount(self.pair, self.outcome * counts, minlength=pairs)
        return self.loss.with_counts(count.astype(np.float64), lead.astype(np.float64))


@dataclass(frozen=True)
class PairClusters:
    """Whole decision makers, drawn with all their comparisons.

    Attributes
    ----------
    count, lead : (n, G) sparse arrays
        What each of G clusters adds to each merged pair.
    """

    loss: ComparisonLoss
    count: Any
    lead: Any

    def draw(self, rng: np.random.Generator) -> ComparisonLoss:
        """Return the loss of a resample."""
        clusters = self.count.shape[1]
        times = rng.multinomial(clusters, np.full(clusters, 1.0 / clusters)).astype(np.float64)
        return self.loss.with_counts(self.count @ times, self.lead @ times)


def unit_of(fitted: Fitted, unit: UnitName | None) -> UnitName:
    """Return what is drawn: as asked for, or clusters where it is known who decided."""
    by = None if fitted.decided is None else fitted.decided.by
    if unit is None:
        return "decisions" if by is None else "clusters"
    if unit not in get_args(UnitName):
        raise InputError(f'unit must be "decisions" or "clusters"; found {unit!r}.')
    if unit == "clusters" and by is None:
        raise InputError(
            'unit="clusters" needs to know who decided; found decisions without names. Give '
            "Comparisons(…, by=…), or by=… to Comparisons.from_arrays, and fit to that."
        )
    return unit


def resampling_of(fitted: Fitted, unit: UnitName) -> Resampling:
    """Return how to draw resamples of the decisions a rule was fitted to."""
    loss, size = fitted.loss, max(round(fitted.observations), 1)
    if isinstance(loss, ScoreLoss):
        return ScoreRows(loss, size)
    assert fitted.decided is not None
    kept = fitted.decided.counts > 0
    counts = fitted.decided.counts[kept]
    pair, outcome = _cells(fitted.decided, kept)
    if unit == "decisions":
        keys, cell = np.unique(3 * pair + outcome.astype(np.intp) + 1, return_inverse=True)
        total = np.bincount(cell.reshape(-1), counts)
        outcomes = (keys % 3).astype(np.float64) - 1.0
        return PairCells(loss, size, keys // 3, outcomes, total / total.sum())
    assert fitted.decided.by is not None
    cluster = numbered(fitted.decided.by[kept])
    people = int(cluster.max()) + 1
    if people < 2:
        raise InputError(
            'unit="clusters" needs decisions of at least two people; found those of one. Use '
            'unit="decisions".'
        )
    place, shape = (pair, cluster), (loss.decisions, people)
    return PairClusters(
        loss,
        csr_array((counts, place), shape=shape),
        csr_array((counts * outcome, place), shape=shape),
    )


def _cells(
    decided: Comparisons, kept: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """The merged pair of every kept decision (m,), and its outcome as seen from there (m,)."""
    one, other = decided.pairs[kept].T
    merged = decided.merged
    known = merged.first.astype(np.intp) * decided.actions + merged.second
    pair = np.searchsorted(known, np.minimum(one, other) * decided.actions + np.maximum(one, other))
    outcome = np.where(one > other, -1.0, 1.0) * decided.outcomes[kept]
    return pair.astype(np.intp), outcome.astype(np.float64)

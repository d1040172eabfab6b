"""Calibration: whether a rule that is 80% sure of a decision is right in 80% of such cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.checks.predictions import Predictions
from welfarist.checks.score_test import ScoreTest, score_test, slopes_of
from welfarist.inference.likelihood import Likelihood

# Level of the intervals for the observed shares.
_LEVEL = 0.95
# The test joins bins until each expects at least so many decisions against the rule; with fewer
# their number is too skewed for a chi-squared statistic.
_EXPECTED_AGAINST = 5.0


@dataclass(frozen=True, eq=False)
class Calibration:
    """How often the more likely action was chosen, beside how often the rule says it is.

    Decisions are ordered by the probability of the more likely action, from 1/2 to 1, which is
    the same whichever action comes first, and put into bins of about equal counts.

    Attributes
    ----------
    predicted : (b,) array
        Mean probability of the more likely action in each bin.
    observed : (b,) array
        Share of decisions in which it was chosen; a tie is half of one.
    low, high : (b,) arrays
        Wilson's 95% interval for the share.
    counts : (b,) array
        How many decisions each bin holds.
    gap : float
        Mean absolute difference between both, over all decisions.
    statistic, degrees, p_value : float, int, float; or None
        Test of all gaps at once, by score: what the estimates took from the data is taken out of
        the gaps' variances, so that there is one degree of freedom per bin. Bins that expect
        fewer than 5 decisions against the rule are joined for it.
    distribution : str
        What the statistic follows if the probabilities are right, in words.
    reason : str
        Why there is no test; empty if there is one.
    from_menus : bool
        Whether there were more than two actions, of which the most likely one may have a chance
        below 1/2.

    Notes
    -----
    Where it is known who decided (``Comparisons(…, by=…)``), decisions of the same person may
    depend on each other, if there are at least 5 people per bin; otherwise the test takes
    decisions as independent. Ties make it cautious.
    """

    predicted: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    counts: FloatArray
    gap: float
    statistic: float | None
    degrees: int | None
    p_value: float | None
    distribution: str = ""
    reason: str = ""
    from_menus: bool = False

    def __len__(self) -> int:
        return len(self.counts)

    def to_frame(self) -> Any:
        """Return one row per bin as a data frame."""
        names = ("predicted", "observed", "low", "high", "counts")
        return to_frame({name: getattr(self, name) for name in names})

    def __str__(self) -> str:
        lines = ["  decisions  predicted  observed  95% interval"]
        columns = (self.counts, self.predicted, self.observed, self.low, self.high)
        for count, said, seen, low, high in zip(*columns, strict=True):
            lines.append(f"  {count:9g}  {said:9.1%}  {seen:8.1%}  {low:.1%} to {high:.1%}")
        lines.append(f"Mean gap {self.gap:.2%}")
        if self.p_value is None:
            lines.append(f"No test: {self.reason}")
        else:
            lines.append(
                f"All gaps at once: {self.statistic:.4g}, {self.distribution}; p-value "
                f"{self.p_value:.4g}"
            )
        return "\n".join(["Chosen as often as the rule says?", *lines])


def calibration_of(
    predictions: Predictions,
    bins: int,
    likelihood: Likelihood,
    spread: Callable[[FloatArray], FloatArray] | None = None,
) -> Calibration:
    """Compare predicted with observed shares in bins of about equal counts.

    `spread` turns terms of decisions (n, b) into those of the entries of their menus (E, b).
    """
    bins = _checked(bins)
    assert predictions.unlikelier is not None
    likelier = 1.0 - predictions.unlikelier
    labels = _equal_counts(-predictions.unlikelier, predictions.counts, bins)
    total = np.bincount(labels, predictions.counts).astype(np.float64)
    predicted = np.bincount(labels, predictions.counts * likelier) / total
    observed = np.bincount(labels, predictions.counts * predictions.agreement) / total
    low, high = wilson(observed, total)
    gap = float(total @ np.abs(observed - predicted) / total.sum())
    test = _tested(predictions, labels, likelihood, spread)
    shown = (predicted, observed, low, high, total, gap)
    if isinstance(test, str):
        return Calibration(*shown, None, None, None, reason=test)
    return Calibration(*shown, test.statistic, test.degrees, test.p_value, test.distribution)


def wilson(share: FloatArray, counts: FloatArray, level: float = _LEVEL) -> tuple[Any, Any]:
    """Wilson's interval for shares (b,) of counts (b,)."""
    z = float(norm.isf((1.0 - level) / 2.0))
    shrink = 1.0 + z * z / counts
    centre = (share + z * z / (2.0 * counts)) / shrink
    half = z / shrink * np.sqrt(share * (1.0 - share) / counts + np.square(z / counts) / 4.0)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def _checked(bins: object) -> int:
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise InputError(f"bins must be a whole number from 1 on; found {bins!r}.")
    return int(bins)


def _equal_counts(values: FloatArray, counts: FloatArray, bins: int) -> npt.NDArray[np.intp]:
    """The bin (n,) of each value, such that equal values share one; empty bins are left out."""
    distinct, inverse = np.unique(values, return_inverse=True)
    inverse = inverse.reshape(-1)
    held = np.bincount(inverse, counts, minlength=len(distinct))
    middle = np.cumsum(held) - 0.5 * held
    place = np.minimum((bins * middle / held.sum()).astype(np.intp), bins - 1)
    _, place = np.unique(place, return_inverse=True)
    return np.asarray(place.reshape(-1)[inverse], dtype=np.intp)


def _tested(
    predictions: Predictions,
    labels: npt.NDArray[np.intp],
    likelihood: Likelihood,
    spread: Callable[[FloatArray], FloatArray] | None,
) -> ScoreTest | str:
    """Test all gaps at once, or say why there is no test."""
    assert predictions.unlikelier is not None
    try:
        likelihood.require()
    except InputError as refusal:
        return str(refusal)
    against = np.bincount(labels, predictions.counts * predictions.unlikelier).astype(float)
    joined = _joined(against)
    if joined is None:
        return "the rule expects fewer than 5 decisions against it, which is too few for a test"
    groups, signs = joined[labels], predictions.signs
    size = int(joined.max()) + 1

    terms = (groups[:, None] == np.arange(size)) * signs[:, None]
    terms = terms if spread is None else spread(terms)

    def columns(part: slice) -> FloatArray:
        return np.asarray(terms[part])

    slopes = slopes_of(likelihood, np.empty((0, likelihood.loss.people.actions)), columns)
    found = score_test(slopes, slice(None))
    return found or "there are no more bins than estimates, so that no gap is left to test"


def _joined(against: FloatArray) -> npt.NDArray[np.intp] | None:
    """A group (b,) for each bin, joined from the surest on, that expects enough against it."""
    groups = np.zeros(len(against), dtype=np.intp)
    group, sum_, begun = 0, 0.0, False
    for place in range(len(against) - 1, -1, -1):
        if begun and sum_ >= _EXPECTED_AGAINST:
            group, sum_ = group + 1, 0.0
        groups[place] = group
        sum_ += float(against[place])
        begun = True
    if sum_ < _EXPECTED_AGAINST:  # the least sure bins join their neighbours
        if group == 0:
            return None
        groups[groups == group] = group - 1
    return groups

"""Decisions of the same people and of new people, foretold from others.

What somebody decided before tells what they will decide; how much, and whether it is worth more
than one rule for all, only decisions can say that were not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.validation import FloatArray
from welfarist.comparing.chances import how_often, losses_of, right_of
from welfarist.comparing.held_out import fitted_to
from welfarist.comparing.outsiders import Outsider
from welfarist.comparing.panel_learners import PanelLearner
from welfarist.decisions.folds import Decisions, Folds, folds_of, folds_within
from welfarist.decisions.labels import numbered


@dataclass(frozen=True)
class Standing:
    """How well somebody foretold decisions that were held out.

    Attributes
    ----------
    log_loss : float or None
        Minus the mean logarithm of the chance that was given to what was decided; None of a rule
        that never errs.
    right : float
        The share that was got right.
    behind : float or None
        The log loss less that of whoever has the lowest.
    error : float or None
        The standard error of that difference, by decision maker; None of the best.
    """

    log_loss: float | None
    right: float
    behind: float | None = None
    error: float | None = None


@dataclass(frozen=True)
class Twice:
    """How well somebody foretold decisions of the same people, and of new ones."""

    same: Standing | None = None
    new: Standing | None = None


def foretold_twice(
    learners: Sequence[Any],
    data: Any,
    folds: int,
    rng: np.random.Generator,
    progress: ProgressOption,
) -> list[Twice]:
    """Return how well each learner foretells decisions of the same people and of new people.

    Parameters
    ----------
    learners : sequence of learners, Outsiders, PanelLearners and None
        None cannot be fitted again.
    data : Comparisons or Choices
        With `by`.
    folds : int
        In how many parts decisions are held out: whole decision makers for new people; for the
        same people everybody's own decisions.
    rng : Generator
        Draws the parts.
    progress : bool or "auto"

    Notes
    -----
    Where nobody decided twice there are no other decisions of the same people.
    """
    who = numbered(data.by)
    parts = [folds_of(data, folds, rng)]
    if np.bincount(who).max() > 1:
        parts.append(folds_within(who, folds, rng))
    work = [
        (i, scheme, part)
        for i, learner in enumerate(learners)
        if learner is not None
        for scheme in range(len(parts))
        for part in range(folds)
    ]
    records = [[_Record(len(who)) for _ in parts] for _ in learners]
    for i, scheme, part in Progress(progress).track(work, len(work), "Held-out decisions"):
        held_out = parts[scheme] == part
        if held_out.any():
            records[i][scheme].note(held_out, foretold(learners[i], data, held_out))
    known = [i for i, learner in enumerate(learners) if learner is not None]
    found = [Twice()] * len(learners)
    by_scheme = [
        _standings([records[i][s] for i in known], how_often(data), who) for s in range(len(parts))
    ]
    for place, i in enumerate(known):
        new, *same = (standings[place] for standings in by_scheme)
        found[i] = Twice(same[0] if same else None, new)
    return found


class _Record:
    """What was foretold of each decision, part by part."""

    def __init__(self, size: int) -> None:
        self.right = np.zeros(size)
        self.loss: FloatArray | None = np.zeros(size)

    def note(self, held_out: npt.NDArray[np.bool_], part: tuple[FloatArray, Any]) -> None:
        """Keep what was foretold of a part."""
        self.right[held_out], loss = part
        if loss is None:
            self.loss = None
        if self.loss is not None:
            self.loss[held_out] = loss


def foretold(
    learner: Any, data: Decisions, held_out: npt.NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray | None]:
    """Fit to the rest, and foretell the decisions that were held out.

    Returns
    -------
    right : (m,) array
        How much of each was got right.
    loss : (m,) array or None
        The log loss of each; None of a rule that never errs.
    """
    if isinstance(learner, Outsider):
        seen, predicted = learner.seen.take(held_out), learner.predicted_on(held_out)
        return seen.right(predicted), seen.losses(predicted)
    part: Any = data[held_out]
    if isinstance(learner, PanelLearner):
        chances = learner.chances_of(part, data[~held_out])
    else:
        chances = fitted_to(learner.without_proof(), data[~held_out]).predict_proba(part)
    never_errs = getattr(learner, "noise", None) == "none"
    return right_of(chances, part), None if never_errs else losses_of(chances, part)


def _standings(records: Sequence[_Record], often: FloatArray, who: Folds) -> list[Standing]:
    """How everybody did, beside the one with the lowest log loss."""
    means = [None if r.loss is None else float(np.average(r.loss, weights=often)) for r in records]
    known = [mean for mean in means if mean is not None]
    best = records[means.index(min(known))].loss if known and np.isfinite(min(known)) else None
    found = []
    for record, mean in zip(records, means, strict=True):
        right = float(np.average(record.right, weights=often))
        behind, error = None, None
        if best is not None and record.loss is not None and mean is not None:
            behind = mean - min(known)
            error = None if record.loss is best else error_by(record.loss - best, often, who)
        found.append(Standing(mean, right, behind, error))
    return found


def error_by(apart: FloatArray, often: FloatArray, who: Folds) -> float | None:
    """Return the standard error of a mean of differences (n,), clustered by who decided (n,).

    None where a difference is infinite, or one person decided all.
    """
    people = int(who.max()) + 1
    if people < 2 or not np.isfinite(apart).all():
        return None
    sums = np.bincount(who, often * (apart - np.average(apart, weights=often)), minlength=people)
    return float(np.sqrt(people / (people - 1) * np.square(sums).sum()) / often.sum())

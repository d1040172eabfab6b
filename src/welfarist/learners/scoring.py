"""The scorers of scikit-learn on decisions that hold their outcomes.

Cross-validation of `Comparisons`, `Choices` or `Scores` has no y: scikit-learn then calls a scorer
with X alone, which fails and leaves a NaN. Only the scorer itself can take y from X, and
scikit-learn has no way of telling it to. So its class is taught once: called on decisions, a scorer
takes what was decided from them, and counts as weights. On anything else it does what it always
did.

Metrics take half a second to import, which nobody should wait for who does not use them: scorers
are taught where they have been imported, at the latest when a learner is fitted to decisions, as
it is before anybody scores it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.decisions.labels import Labels

_SCORERS = "sklearn.metrics._scorer"
_TAUGHT = "_welfarist_takes_decisions"


@dataclass(frozen=True)
class Observed:
    """Decisions as a metric takes them: one label or score a row.

    A tie is half of each outcome, and so stands in two rows.

    Attributes
    ----------
    rows : (m,) array of int
        The decision of each row.
    values : (m,) array
        +1 or -1 for comparisons, or the score.
    weights : (m,) array or None
        How often each was observed; None where each row counts once.
    """

    rows: npt.NDArray[np.intp]
    values: npt.NDArray[Any]
    weights: FloatArray | None

    @classmethod
    def of(cls, decided: Comparisons | Scores) -> Observed:
        """Return decisions with weights, where they are not observed once each."""
        rows = np.arange(len(decided))
        if isinstance(decided, Scores):
            values, weights = decided.values, decided.counts
        else:
            ties = np.flatnonzero(decided.outcomes == 0)
            rows = np.concatenate([rows, ties])
            values = np.concatenate([decided.outcomes, np.full(len(ties), -1)])
            weights = decided.counts[rows] * np.where(decided.outcomes[rows] == 0, 0.5, 1.0)
            values = np.where(values == 0, 1, values)
        return cls(rows, values, None if (weights == 1.0).all() else np.asarray(weights))

    def repeated(self) -> Observed:
        """Return the same without weights, for metrics that know none: rows stand repeatedly."""
        if self.weights is None:
            return self
        # A tie has two halves: everything twice leaves whole numbers.
        times = self.weights if (self.weights == np.round(self.weights)).all() else 2 * self.weights
        if not (times == np.round(times)).all():
            raise InputError(
                "a metric without sample_weight needs counts that are whole numbers; found others. "
                "Use a metric that takes sample_weight."
            )
        again = np.repeat(np.arange(len(self.rows)), times.astype(np.intp))
        return Observed(self.rows[again], self.values[again], None)


def _given_twice(decided: Comparisons | Choices | Scores, y: Any) -> bool:
    """Whether a y that was passed as well says something else than the decisions do."""
    if isinstance(decided, Choices):
        return y is not None
    own = decided.values if isinstance(decided, Scores) else decided.outcomes
    return y is not None and not np.array_equal(np.asarray(y), own)


def refuse_other_outcomes(
    decided: Comparisons | Choices | Scores, y: Any, sample_weight: Any = None
) -> None:
    """Refuse a y beside decisions that is not theirs, and weights beside their counts."""
    if sample_weight is not None or _given_twice(decided, y):
        raise InputError(
            f"{type(decided).__name__} hold their outcomes and counts; found another y or "
            "sample_weight as well. Pass them alone."
        )


def _labels_of(estimator: Any) -> Labels:
    """What labels a classifier gives, also the last step of a pipeline or the best of a search."""
    for inner in ("best_estimator_", "estimator_"):
        estimator = getattr(estimator, inner, estimator)
    steps = getattr(estimator, "steps", None)
    if steps:
        return _labels_of(steps[-1][1])
    found: Labels = getattr(estimator, "_labels", Labels(np.array([-1, 1])))
    return found


def _score_decisions(
    score: Callable[..., Any],
    scorer: Any,
    predictions: Callable[..., Any],
    estimator: Any,
    decided: Comparisons | Scores,
    y_true: Any = None,
    **options: Any,
) -> Any:
    """Score an estimator on decisions; `score` is scikit-learn's own way, given X and y."""
    refuse_other_outcomes(decided, y_true, options.pop("sample_weight", None))
    observed = Observed.of(decided)
    if scorer._accept_sample_weight():
        weighted = {} if observed.weights is None else {"sample_weight": observed.weights}
    else:
        observed, weighted = observed.repeated(), {}
    target = observed.values
    if isinstance(decided, Comparisons):
        labels = _labels_of(estimator)
        target = labels.classes[np.where(target > 0, labels.first, 1 - labels.first)]

    def predicted(*args: Any, **how: Any) -> Any:
        return np.asarray(predictions(*args, **how))[observed.rows]

    return score(scorer, predicted, estimator, decided, target, **options, **weighted)


def _score_choices(scorer: Any, estimator: Any, choices: Choices, y: Any, weights: Any) -> float:
    """Score an estimator on choices, by the two metrics that menus of any size have."""
    refuse_other_outcomes(choices, y, weights)
    metric = getattr(scorer._score_func, "__name__", "")
    if metric == "accuracy_score":
        return float(estimator.score(choices))
    if metric == "log_loss":
        return float(scorer._sign * estimator.log_loss(choices))
    raise InputError(
        'choices from menus are scored by "accuracy", the share of first choices that are '
        f'predicted, or "neg_log_loss"; found {metric or scorer!r}, which needs the same classes '
        "in every row."
    )


def teach_scorers() -> None:
    """Let scorers of scikit-learn, if there are any, take what was decided from decisions."""
    module: Any = sys.modules.get(_SCORERS)
    base, plain = (getattr(module, name, None) for name in ("_BaseScorer", "_Scorer"))
    if base is None or plain is None or getattr(base, _TAUGHT, False):
        return
    call, score = base.__call__, plain._score

    @wraps(call)
    def called(self: Any, estimator: Any, X: Any, *args: Any, **options: Any) -> Any:
        if isinstance(X, Comparisons | Choices | Scores) and not args and "y_true" not in options:
            args = (None,)
        return call(self, estimator, X, *args, **options)

    @wraps(score)
    def scored(self: Any, predictions: Any, estimator: Any, X: Any, *args: Any, **how: Any) -> Any:
        if isinstance(X, Choices):
            y_true = args[0] if args else how.get("y_true")
            return _score_choices(self, estimator, X, y_true, how.get("sample_weight"))
        if isinstance(X, Comparisons | Scores):
            return _score_decisions(score, self, predictions, estimator, X, *args, **how)
        return score(self, predictions, estimator, X, *args, **how)

    base.__call__, plain._score = called, scored
    setattr(base, _TAUGHT, True)

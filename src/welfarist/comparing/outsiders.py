"""Models of other packages beside ours: scikit-learn estimators and results of statsmodels.

They need to give probabilities of comparisons, or predictions of scores; nothing else is asked of
them, and statsmodels is not imported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.comparing.presented import FeaturesOption, Presented, presented
from welfarist.decisions.folds import Decisions

HowAgain = Literal["fitted", "as it is", "not at all"]
Rows = npt.NDArray[np.bool_]

# What statsmodels keeps for each row that its predictions do not need.
_ROW_WEIGHTS = ("freq_weights", "var_weights", "n_trials")
# A result's own log likelihood, and that of its probabilities: the same sum, taken in two ways.
_AGREE = 1e-6
# What a formula leaves behind, which the columns it made no longer need.
_OF_FORMULAS = ("formula", "model_spec", "design_info", "missing_idx", "data")


@dataclass(frozen=True)
class OutsideEstimate:
    """A number that another package has learned: its name, value, standard error and p-value."""

    name: str
    value: float
    standard_error: float | None = None
    p_value: float | None = None


@dataclass(frozen=True, eq=False)
class OutsideFit:
    """How a model of another package explains the decisions.

    Attributes
    ----------
    model : object
        The fitted model.
    llf, llnull : float
        Log likelihood of the decisions; -inf where the model gave no chance to what happened. That
        of knowing nothing: coin flips, or the mean of all scores.
    nobs : float
        How many decisions were observed.
    learned : int or None
        How many numbers it learned to maximise the likelihood; None where it does not say.
    accuracy, r_squared : float or None
    rows : tuple of OutsideEstimate
        What it learned, as far as it says.
    errors : str
        Where standard errors come from, in the words of its package; empty if there are none.
    """

    model: Any
    llf: float
    llnull: float
    nobs: float
    learned: int | None
    accuracy: float | None
    r_squared: float | None
    rows: tuple[OutsideEstimate, ...] = ()
    errors: str = ""

    p = None
    inequality_aversion = None

    @property
    def converged(self) -> bool:
        """Whether its search ended well, as far as a result of statsmodels says so."""
        told = getattr(self.model, "mle_retvals", None)
        kept = told.get("converged", True) if isinstance(told, dict) else True
        return bool(kept) and getattr(self.model, "converged", True) is not False

    @property
    def aic(self) -> float:
        """Akaike's information criterion."""
        return 2.0 * self._numbers() - 2.0 * self.llf

    @property
    def bic(self) -> float:
        """The Bayesian information criterion."""
        return float(np.log(self.nobs)) * self._numbers() - 2.0 * self.llf

    def _numbers(self) -> int:
        if self.learned is None:
            raise InputError(
                "information criteria need to know how many numbers were learned to maximise the "
                "likelihood; found a model that does not say, that was held back by a penalty, or "
                "that maximised something else."
            )
        return self.learned


@dataclass(frozen=True, eq=False)
class Outsider:
    """A model of another package, and the decisions as it takes them.

    Attributes
    ----------
    item : object
        As it was given; it is left alone.
    seen : Presented
        All decisions, as the model takes them.
    """

    item: Any
    seen: Presented

    @property
    def name(self) -> str:
        """What it is called if nobody says: its class, without the steps before it."""
        return type(_last(self.item)).__name__

    @property
    def again(self) -> HowAgain:
        """Whether it can be fitted to parts of the decisions."""
        return "fitted" if hasattr(self.item, "fit") else "as it is"

    def fit(self) -> OutsideFit:
        """Return how it explains all decisions."""
        model = self._fitted(np.ones(len(self.seen), dtype=bool))
        return _explained(self.seen, model, self._predicted(model, self.seen), _count(model))

    def gain_on(self, held_out: Rows) -> float:
        """Fit to the rest, and return what was got right of the decisions that were held out."""
        return self.seen.take(held_out).gain(self.predicted_on(held_out))

    def predicted_on(self, held_out: Rows) -> FloatArray:
        """Fit to the rest, and return what is predicted (m,) of those that were held out."""
        return self._predicted(self._fitted(~held_out), self.seen.take(held_out))

    def _fitted(self, rows: Rows) -> Any:
        if self.again != "fitted":
            return self.item
        try:
            model = clone(self.item)
        except TypeError as problem:
            raise InputError(
                "a model that is fitted again must be one that scikit-learn can clone; found "
                f"{type(self.item).__name__}: {problem}"
            ) from None
        X, y, weight = self.seen.take(rows).for_fitting()
        return model.fit(X, y, **_weighted(model, weight))

    def _predicted(self, model: Any, seen: Presented) -> FloatArray:
        if not seen.compared:
            return seen.checked(model.predict(seen.X), self.name)
        chances = np.asarray(model.predict_proba(seen.X), dtype=np.float64)
        classes = list(getattr(model, "classes_", (0, 1)))
        if chances.ndim == 2 and 1 in classes and chances.shape[1] == len(classes):
            chances = chances[:, classes.index(1)]
        return seen.checked(chances, self.name)


@dataclass(frozen=True, eq=False)
class ForeignResult(Outsider):
    """A result of statsmodels, fitted to these very decisions."""

    @property
    def name(self) -> str:
        """The class of its model."""
        return type(self.item.model).__name__

    @property
    def again(self) -> HowAgain:
        """Whether its model can be made again from some of its rows."""
        kept = getattr(self.item.model, "_get_init_kwds", None)
        if kept is None or np.ndim(self.item.model.exog) != 2:
            return "not at all"
        per_row = [name for name, entry in kept().items() if entry is not None and np.ndim(entry)]
        return "fitted" if set(per_row) <= set(_ROW_WEIGHTS) else "not at all"

    def fit(self) -> OutsideFit:
        """Return how it explains all decisions, with its own standard errors."""
        result, names = self.item, list(self.item.model.exog_names)
        told = (np.asarray(getattr(result, name)) for name in ("params", "bse", "pvalues"))
        columns = [column.astype(np.float64).tolist() for column in told]
        # Some models learn numbers after those of their columns, such as a variance.
        names += [f"parameter {i + 1}" for i in range(len(names), len(columns[0]))]
        rows = [OutsideEstimate(*row) for row in zip(names, *columns, strict=True)]
        predicted = self.seen.checked(result.predict(), self.name)
        reached = self.seen.log_likelihood(predicted)
        count = len(columns[0]) if _maximised(result, reached) else None
        found = _explained(self.seen, result, predicted, count)
        return replace(found, rows=tuple(rows), errors=str(getattr(result, "cov_type", "")))

    def predicted_on(self, held_out: Rows) -> FloatArray:
        """Make the model again from the rest of its rows."""
        model, part = self.item.model, self.seen.take(held_out)
        endog, exog = np.asarray(model.endog), np.asarray(model.exog)
        kept = {
            name: np.asarray(entry)[~held_out] if name in _ROW_WEIGHTS and np.ndim(entry) else entry
            for name, entry in model._get_init_kwds().items()
            if name not in _OF_FORMULAS
        }
        made = type(model)(endog[~held_out], exog[~held_out], **kept)
        silent = {"disp": 0} if self.seen.compared else {}
        return part.checked(made.fit(**silent).predict(exog[held_out]), self.name)


def _explained(
    seen: Presented, model: Any, predicted: FloatArray, learned: int | None
) -> OutsideFit:
    """How well predictions (n,) explain the decisions."""
    total = float(seen.counts.sum())
    spread = -seen.gain(seen.knowing_nothing())
    right = seen.gain(predicted)
    return OutsideFit(
        model,
        seen.log_likelihood(predicted),
        seen.log_likelihood(seen.knowing_nothing()),
        total,
        learned,
        right / total if seen.compared else None,
        1.0 + right / spread if not seen.compared and spread > 0 else None,
    )


def _maximised(result: Any, reached: float) -> bool:
    """Whether a result of statsmodels is a maximum of the likelihood that its probabilities reach.

    Estimating equations (GEE) have no likelihood, that of a mixed model is another one, and a
    penalty, which leaves a record of what it has trimmed, keeps a fit from its maximum.
    """
    try:
        own = float(result.llf)
    except (AttributeError, NotImplementedError, TypeError):
        return False
    agrees = abs(own - reached) <= _AGREE * max(1.0, abs(reached))
    return agrees and not hasattr(result, "trimmed")


def is_outsider(item: object) -> bool:
    """Whether something is a model of another package."""
    return not isinstance(item, type) and (
        hasattr(item, "predict_proba") or hasattr(item, "predict")
    )


def outsider_of(item: Any, data: Decisions, features: FeaturesOption) -> Outsider:
    """Return a model as it takes these decisions, or say what it lacks."""
    seen = presented(data, features)
    foreign = hasattr(getattr(item, "model", None), "endog")
    if foreign:
        _refuse_other_decisions(item, seen)
        return ForeignResult(item, seen)
    if seen.compared and not hasattr(item, "predict_proba"):
        raise InputError(
            "a model of comparisons must give probabilities (predict_proba, or a result of "
            f"statsmodels); found {type(item).__name__}, which does not."
        )
    return Outsider(item, seen)


def _refuse_other_decisions(result: Any, seen: Presented) -> None:
    """A result of statsmodels is not fitted again: it must be of these decisions, in this order."""
    found, wanted = np.asarray(result.model.endog, dtype=np.float64), seen.endog
    if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=1e-9, atol=1e-12):
        what = "1 where the first action was preferred and 0 where the second was"
        raise InputError(
            "a result of statsmodels must be of the decisions that are compared, in the same "
            f"order, with {what if seen.compared else 'their scores'} as endog; found others "
            f"({len(found)} rows, {len(wanted)} decisions)."
        )


def _last(model: Any) -> Any:
    return model.steps[-1][1] if _is_pipeline(model) else model


def _is_pipeline(model: Any) -> bool:
    return hasattr(model, "named_steps")


def _weighted(model: Any, weight: FloatArray | None) -> dict[str, FloatArray]:
    """How often each row counts, as the `fit` of a model takes it; nothing if each counts once."""
    if weight is None:
        return {}
    name = "sample_weight"
    if _is_pipeline(model):
        step, last = model.steps[-1]
        taken, name = has_fit_parameter(last, name), f"{step}__{name}"
    else:
        taken = has_fit_parameter(model, name)
    if not taken:
        raise InputError(
            "counts and ties need a model whose fit takes sample_weight; found "
            f"{type(_last(model)).__name__}, which does not. Leave ties out, or repeat decisions "
            "in place of counts."
        )
    return {name: weight}


def _count(model: Any) -> int | None:
    """How many numbers a linear model has learned without a penalty; None of any other."""
    from sklearn.linear_model import LinearRegression, LogisticRegression  # takes long

    last = _last(model)
    if isinstance(last, LogisticRegression):
        free = np.isinf(last.C) or last.get_params().get("penalty", "l2") is None
    else:
        free = isinstance(last, LinearRegression)
    return int(np.size(last.coef_)) + int(bool(last.fit_intercept)) if free else None

"""Learners of several decision makers, as they compete with single rules."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from welfarist.base.errors import InputError, WelfaristWarning
from welfarist.base.progress import ProgressOption
from welfarist.comparing.deciders import same_deciders
from welfarist.comparing.panel_fits import PanelFit, PanelResult, panel_of
from welfarist.deciders.answering import AnsweringLearner
from welfarist.deciders.covariates import Covariates
from welfarist.deciders.deciders import Deciders
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.panel import require_deciders
from welfarist.deciders.types import Types
from welfarist.deciders.types_result import TypesResult
from welfarist.decisions import Choices, Comparisons


@dataclass(frozen=True, eq=False)
class PanelLearner:
    """How types or individuals are fitted to all decisions, and to some of them.

    Attributes
    ----------
    learner : Types or Deciders
        It is left alone.
    deciders : mapping of columns, or None
        What is known of the decision makers.
    """

    learner: AnsweringLearner
    deciders: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """What it is called if nobody says."""
        noise = getattr(self.learner.learner, "noise", "logistic")
        extra = "" if noise == "logistic" else f", noise {getattr(noise, 'name', noise)}"
        if isinstance(self.learner, Types):
            if self.learner.types is not None:
                return f"types {', '.join(map(str, self.learner.types))}{extra}"
            number = self.learner.n_types
            return ("types" if number == "auto" else f"{number} types") + extra
        return f"individuals{extra}"

    def fit(self, data: Any, progress: ProgressOption = "auto") -> PanelFit:
        """Return the fit to all decisions."""
        made = clone(self.learner)
        if made.progress == "auto":
            made.set_params(progress=progress)
        return PanelFit(made.fit(data, deciders=self.deciders).result_)

    def chances_of(self, part: Any, rest: Any) -> Any:
        """Fit to the rest, and return the chances of what may be decided in a part.

        The normal population beside types is left out: it changes nothing that types foretell.
        """
        made = clone(self.learner).set_params(progress=False, verbose=0)
        if isinstance(made, Types):
            made.set_params(population=False)
        with warnings.catch_warnings():
            # What must be said of the fit to all decisions is said there.
            warnings.simplefilter("ignore", WelfaristWarning)
            made.fit(rest, deciders=self.deciders)
            return made.predict_proba(part, deciders=self.deciders)


def is_panel(item: object) -> bool:
    """Whether something is of several decision makers: a learner, or what came of one."""
    return isinstance(item, AnsweringLearner | TypesResult | DecidersResult)


def rule_learner_of(item: Any) -> Any:
    """Return the learner whose options say which rules types or individuals have, if any."""
    return item.learner if isinstance(item, AnsweringLearner) else panel_of(item).learner


def panel_result_of(item: Any) -> PanelResult | None:
    """Return what came of a fit, if there was one."""
    if isinstance(item, AnsweringLearner):
        found: PanelResult | None = getattr(item, "result_", None)
        return found
    result: PanelResult = item
    return result


def competing(item: Any, data: Any) -> tuple[PanelLearner, PanelFit | None]:
    """Return how an item is fitted, and its fit if it was made from these decisions."""
    require_deciders(data)
    result = panel_result_of(item)
    learner = item if isinstance(item, AnsweringLearner) else _again(item)
    if result is None:
        return PanelLearner(learner), None
    deciders = _table(result.covariates, result.names)
    if _same(panel_of(result).decided, data):
        return PanelLearner(learner, deciders), PanelFit(result)
    if isinstance(item, AnsweringLearner) and deciders is None:
        return PanelLearner(learner), None
    raise InputError(
        "a fit can only be compared on the decisions it was made from; found others. Pass a "
        "learner that was not fitted, to fit it again."
    )


def _again(result: PanelResult) -> AnsweringLearner:
    """A learner that finds as many types, or individuals, as a result has."""
    learner = panel_of(result).learner
    if isinstance(result, DecidersResult):
        if result.population.kind != "normal":
            return Deciders(learner, population="types")
        return Deciders(learner, population="normal", n_nodes=len(result.beliefs.rules))
    starts = result.best.starts or 1
    models = result.mixture.models
    if all(model.called is None for model in models):
        return Types(learner, result.n_types, n_starts=starts)
    held: list[Any] = ["learn" if model.called is None else model.p for model in models]
    return Types(learner, types=held, n_starts=starts)


def _table(covariates: Covariates, names: tuple[str, ...]) -> dict[str, Any] | None:
    """What is known of the decision makers, as `fit` takes it."""
    if not covariates.columns:
        return None
    return {"who": list(names), **{c.name: c.entries.tolist() for c in covariates.columns}}


def _same(decided: Any, data: Any) -> bool:
    """Whether a fit was made from these decisions, made by the same people."""
    if isinstance(decided, Choices) and isinstance(data, Comparisons):
        data = Choices.of_comparisons(data)
    return bool(decided.same_as(data)) and same_deciders(decided, data)

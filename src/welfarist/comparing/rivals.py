"""What can be put side by side: fits, learners, doctrines and rules, all made into learners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from welfarist.base.data_frames import order_by_name
from welfarist.base.errors import InputError
from welfarist.base.progress import ProgressOption
from welfarist.comparing.deciders import knowing, same_deciders
from welfarist.comparing.held_out import learn
from welfarist.comparing.outsiders import OutsideFit, Outsider, is_outsider, outsider_of
from welfarist.comparing.panel_fits import PanelFit, panel_of
from welfarist.comparing.panel_learners import (
    PanelLearner,
    competing,
    is_panel,
    panel_result_of,
    rule_learner_of,
)
from welfarist.comparing.presented import FeaturesOption
from welfarist.comparing.recommenders import RECOMMENDERS, recommender_of
from welfarist.decisions.folds import Decisions, counted_part
from welfarist.families.base import Family
from welfarist.families.differences.family import MARGIN, OnDifferences
from welfarist.families.known import family_of
from welfarist.families.named import Doctrine
from welfarist.families.power_mean.doctrines import power_of
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rule import WelfareFunction
from welfarist.learners import LEARNERS, WelfareLearner, learner_for, options
from welfarist.learners.scoring import refuse_other_outcomes
from welfarist.paper.grid import Grid
from welfarist.paper.two_stage import TwoStage
from welfarist.people.attribute_weighting import AttributeWeighting
from welfarist.people.attributes import ByAttributes
from welfarist.people.weighting import Weighting
from welfarist.results.caveats import give
from welfarist.results.record import FitResult

# The last: a scikit-learn estimator, or a result of statsmodels.
Item = WelfareLearner | FitResult | WelfareFunction | str | Any


@dataclass(frozen=True)
class Rival:
    """One of those that are compared.

    Attributes
    ----------
    name : str
    learner : learner, Outsider, PanelLearner or None
        How it is fitted; None where a fit does not say.
    result : FitResult, PanelFit or None
        Its fit to the decisions, if there is one already.
    """

    name: str
    learner: WelfareLearner | Outsider | PanelLearner | None
    result: FitResult | PanelFit | None = None

    def fitted(
        self, data: Decisions, progress: ProgressOption = False
    ) -> FitResult | OutsideFit | PanelFit:
        """Return the fit to the decisions."""
        if self.result is not None:
            return self.result
        assert self.learner is not None
        if isinstance(self.learner, Outsider):
            return self.learner.fit()
        if isinstance(self.learner, PanelLearner):
            return self.learner.fit(data, progress)
        found: FitResult = learn(self.learner, data).result_
        return found


def rivals_of(
    items: Any, X: Any = None, y: Any = None, features: FeaturesOption = "differences"
) -> tuple[tuple[Rival, ...], Decisions]:
    """Return who competes, and for which decisions: those given, or those of the fits.

    Decisions that were never observed are left out.
    """
    named = _named(items)
    learners = [_learner_of(item) for _, item in named]
    known = [learner for learner in learners if learner is not None]
    data = _given(X, y, known) if X is not None else _of_fits([item for _, item in named])
    _refuse_mixed(data, known)
    _refuse_silent([item for _, item in named], known)
    base = [*known, *_behind_panels(named), _default(data)][0]
    observed = counted_part(data)
    found = []
    for (_, item), learner in zip(named, learners, strict=True):
        if is_panel(item):
            found.append(_of_panel(item, data))
        elif _is_outside(item):
            found.append(_outside(item, observed, features))
        else:
            found.append(_rival(item, learner, base, data))
    names = _distinct([name or rival.name for (name, _), rival in zip(named, found, strict=True)])
    rivals = tuple(Rival(n, r.learner, r.result) for n, r in zip(names, found, strict=True))
    return rivals, observed


def _is_outside(item: Item) -> bool:
    """Whether an item is a model of another package."""
    ours = isinstance(item, WelfareLearner | FitResult | WelfareFunction | str) or is_panel(item)
    return not ours and is_outsider(item)


def _behind_panels(named: list[tuple[str | None, Item]]) -> list[WelfareLearner]:
    """The learners whose options say which rules types and individuals have."""
    found = [rule_learner_of(item) for _, item in named if is_panel(item)]
    return [learner for learner in found if isinstance(learner, WelfareLearner)]


def _of_panel(item: Any, data: Decisions) -> Rival:
    learner, fit = competing(item, data)
    return Rival(learner.name, learner, fit)


def _outside(item: Any, data: Decisions, features: FeaturesOption) -> Rival:
    found = outsider_of(item, data, features)
    return Rival(found.name, found)


def _named(items: Any) -> list[tuple[str | None, Item]]:
    """The items with the names they were given."""
    named: list[tuple[str | None, Item]]
    if isinstance(items, Mapping):
        named = [(str(name), item) for name, item in items.items()]
    elif isinstance(items, Sequence) and not isinstance(items, str):
        named = [(None, item) for item in items]
    else:
        raise InputError(
            "compare needs a list of fits, learners, doctrines or rules, or a mapping of names to "
            f"them; found {type(items).__name__}. Put it in a list."
        )
    if not named:
        raise InputError("compare needs at least one fit, learner, doctrine or rule; found none.")
    family = _family_of([item for _, item in named])
    for _, item in named:
        if isinstance(item, str):
            _refuse_unknown(item, family)
        elif not isinstance(item, WelfareLearner | FitResult | WelfareFunction):
            if _is_outside(item) or is_panel(item):
                continue
            raise InputError(
                "what is compared must be a ComparisonClassifier, a ChoiceLearner, a "
                "WelfareRegressor, Types, Deciders, a fit's result_, the name of a doctrine, a "
                "WelfareFunction, a scikit-learn estimator or a result of statsmodels; found "
                f"{item!r:.60}."
            )
    return named


def _refuse_unknown(name: str, family: Family) -> None:
    """Require the name of a doctrine, or of a rule of recommenders."""
    if recommender_of(name) is None:
        try:
            _doctrine(name, family)
        except InputError as problem:
            others = ", ".join(rule.name for rule in RECOMMENDERS)
            raise InputError(f"{problem} Recommenders' rules are {others}.") from None


def _family_of(items: list[Item]) -> Family:
    """The family of the first learner or fit, from which doctrines have their meaning."""
    for item in items:
        learner = rule_learner_of(item) if is_panel(item) else item
        if isinstance(learner, WelfareLearner | FitResult):
            return family_of(learner.family)
    return POWER_MEAN


def _doctrine(name: str, family: Family) -> Doctrine:
    """The doctrine of a family by its name."""
    shape = power_of(name) if family == POWER_MEAN else family.shape_of(name, False)
    return next(doctrine for doctrine in family.doctrines if doctrine.p == shape)


def _learner_of(item: Item) -> WelfareLearner | None:
    """The learner behind an item; None for doctrines, rules, and fits that do not say."""
    if isinstance(item, FitResult):
        return _again(item)
    return item if isinstance(item, WelfareLearner) else None


def _again(result: FitResult) -> WelfareLearner | None:
    """A learner with the options of a fit, as far as its likelihood holds them.

    A fit that counted errors does not say how it was made.
    """
    likelihood = result.likelihood
    if likelihood is None:
        return None
    loss, solver = likelihood.loss, likelihood.solver
    weighting = loss.weighting
    common: dict[str, Any] = dict(
        family=loss.family,
        p=result.p if "p" in result.given else None,
        weights=_weights_again(weighting),
        groups=weighting.group_of,
        prior=likelihood.prior,
        shift=result.shift,
        effort=solver.effort,
        n_starts=solver.n_starts,
        max_iter=solver.max_iter,
        tol=solver.tolerance,
    )
    again = learner_for(result.kind)
    made: WelfareLearner = again(**common, **again.options_of(loss.observed))
    return made


def _weights_again(weighting: Weighting) -> Any:
    """The option behind what a fit knew about weights."""
    if isinstance(weighting, AttributeWeighting):
        return ByAttributes.of(weighting)
    return "learn" if weighting.fixed is None else weighting.fixed


def _given(X: Any, y: Any, known: list[WelfareLearner]) -> Decisions:
    """The decisions that were passed, checked by the first learner that takes them."""
    if any(isinstance(X, learner.takes) for learner in LEARNERS):
        refuse_other_outcomes(X, y)
        taken: Decisions = X
        return taken
    if y is None:
        raise InputError(
            "X must come with y, the outcomes or scores, unless it is Comparisons, Choices or "
            "Scores; found X alone."
        )
    if not known:
        raise InputError(
            "arrays may be comparisons or scores, and nothing says which; found no learner among "
            "those compared. Add wf.WelfareRegressor() or wf.ComparisonClassifier() to the list."
        )
    reader = clone(known[0])
    found: Decisions = reader.read_decisions(X, y)
    give(reader.reading_caveats())
    return found


def _of_fits(items: list[Item]) -> Decisions:
    """The decisions of the fits, which must be the same ones."""
    found = [decided for decided in map(_decided_of, items) if decided is not None]
    if not found:
        raise InputError(
            "compare needs decisions: found neither X nor a fit that has some. Pass Comparisons, "
            "or utilities and scores, after the list."
        )
    for other in found[1:]:
        if not found[0].same_as(other):
            raise InputError(
                "fits can only be compared on the same decisions; found fits to different ones. "
                "Pass the decisions after the list, and learners, to fit them again."
            )
    known = [decided for decided in found if decided.by is not None]
    for other in known[1:]:
        if not same_deciders(known[0], other):
            raise InputError(
                "fits can only be compared on the same decisions; found fits that differ in who "
                "decided. Pass the decisions after the list, and learners, to fit them again."
            )
    decided: Decisions = [*known, *found][0]
    return decided


def _decided_of(item: Item) -> Any:
    """The decisions that an item was fitted to, if it was and knows them."""
    if is_panel(item):
        fitted = panel_result_of(item)
        return None if fitted is None else panel_of(fitted).decided
    result = _result_of(item)
    return None if result is None else result.decided


def _result_of(item: Item) -> FitResult | None:
    if isinstance(item, FitResult):
        return item
    return getattr(item, "result_", None)


def _refuse_mixed(data: Decisions, known: list[WelfareLearner]) -> None:
    kind = learner_for(data.kind)
    for learner in known:
        if not isinstance(learner, kind):
            raise InputError(
                f"learners must be of one kind, that of the decisions, which are {data.kind}; "
                "found a "
                f"{type(learner).__name__}. Compare the two kinds apart."
            )


def _refuse_silent(items: list[Item], known: list[WelfareLearner]) -> None:
    """Refuse doctrines beside fits that do not say how they were made."""
    silent = not known and any(isinstance(item, FitResult) for item in items)
    if silent and any(isinstance(item, str) for item in items):
        raise InputError(
            "a doctrine takes groups, weights and noise from the first learner; found only fits "
            "that do not say how they were made, because they counted errors. Pass the learner in "
            "place of its result_."
        )


def _default(data: Decisions) -> WelfareLearner:
    plain: WelfareLearner = learner_for(data.kind)()
    return plain


def _rival(
    item: Item, learner: WelfareLearner | None, base: WelfareLearner, data: Decisions
) -> Rival:
    result = _result_of(item)
    if isinstance(item, FitResult) and item.left_out is not None:
        result = item.with_data(data)
    own = None if result is None else result.decided
    if result is not None and (own is None or not own.same_as(data)):
        if isinstance(item, FitResult):
            raise InputError(
                "a fit can only be compared on the decisions it was made from; found others. Pass "
                "its learner, to fit it again, or result_.welfare, to judge its rule as it is."
            )
        result = None
    if result is not None:
        result = knowing(result, data)
    recommender = recommender_of(item) if isinstance(item, str) else None
    if recommender is not None:
        held = {**recommender.options(base.get_params()), "family": POWER_MEAN.name}
        held["solver"] = _solver_at(recommender.p, base)
        return Rival(recommender.name, clone(base).set_params(**held))
    if isinstance(item, str):
        doctrine = _doctrine(item, family_of(base.family))
        held = {"p": doctrine.p, "prior": None, "solver": _solver_at(doctrine.p, base)}
        return Rival(doctrine.name, clone(base).set_params(**held))
    if isinstance(item, WelfareFunction):
        return Rival(f"rule with p = {item.p:g}", _holding(item, base, data))
    return Rival(_in_words(learner, result), learner, result)


def _holding(rule: WelfareFunction, base: WelfareLearner, data: Decisions) -> WelfareLearner:
    """A learner that takes the rule as it is and learns only how much the decision maker errs."""
    people, weights = data.utilities.shape[1], rule.weights
    if weights is None:
        weights = np.full(people, 1.0 / people)
    elif rule.stakeholders is not None and data.stakeholders is not None:
        weights = weights[order_by_name(data.stakeholders, rule.stakeholders)]
    held: WelfareLearner = clone(base).set_params(
        family=POWER_MEAN.name,
        p=rule.p,
        weights=weights,
        groups=None,
        prior=None,
        shift=rule.shift,
        solver=_solver_at(rule.p, base),
    )
    return held


def _solver_at(p: float, base: WelfareLearner) -> Any:
    """The learner's solver; the default one in place of the paper's at an infinite power."""
    solver: Any = base.solver
    papers = isinstance(solver, Grid | TwoStage) or solver in ("grid", "two_stage")
    return "newton" if papers and np.isinf(p) else solver


def _in_words(learner: WelfareLearner | None, result: FitResult | None) -> str:
    """A name for a learner, by what it learns."""
    if learner is None:
        assert result is not None
        return f"fit with p = {result.p:.4g}"
    weights = "given weights"
    if isinstance(learner.weights, ByAttributes):
        weights = "weights by attributes"
    if isinstance(learner.weights, str):
        learned = "learned weights" if learner.groups is None else "weights by group"
        weights = "equal weights" if learner.weights == "equal" else learned
    family = family_of(learner.family)
    shape = family.shape.name
    power = f"learned {shape}" if options.is_learned(learner.p) else f"{shape} = {learner.p}"
    noise = getattr(learner, "noise", "logistic")
    extra = "" if noise == "logistic" else f", noise {getattr(noise, 'name', noise)}"
    extra += ", noise on differences" if _on_differences(learner) else ""
    extra += ", tau by stage" if getattr(learner, "tau_by_stage", False) else ""
    extra += ", size effect" if getattr(learner, "size_effect", False) else ""
    scale = ", scale" if getattr(learner, "scale", False) else ""
    other = "" if family.name == POWER_MEAN.name else f", family {family.name}"
    prior = "" if learner.prior is None else ", prior"
    shift = f", shift {learner.shift:g}" if learner.shift else ""
    return f"{power}, {weights}{extra}{scale}{other}{prior}{shift}"


def _on_differences(learner: WelfareLearner) -> bool:
    on_differences = isinstance(family_of(learner.family), OnDifferences)
    return on_differences or getattr(learner, "margin", "auto") == MARGIN


def _distinct(names: list[str]) -> list[str]:
    """The names, with numbers after those that occur again."""
    found: list[str] = []
    for name in names:
        times, shown = 1, name
        while shown in found:
            times += 1
            shown = f"{name} ({times})"
        found.append(shown)
    return found

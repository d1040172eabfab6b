"""Equally likely rules from whatever was learned: of a posterior, or from resamples."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from welfarist.asking.cloud import systematic
from welfarist.asking.posterior import Posterior
from welfarist.asking.prior import Prior
from welfarist.base.errors import InputError, WelfaristError
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.saved import DecidersModel
from welfarist.deciders.types_result import TypesResult
from welfarist.decisions import Choices, Comparisons
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.source import has_errors, in_its_place, is_source
from welfarist.recommending.around import of_standard_errors
from welfarist.results.record import FitResult
from welfarist.results.rule_draws import RuleDraws, require_draws
from welfarist.results.saved_models import Model

Uncertainty = Literal["auto", "posterior", "bootstrap", "normal"]
_WAYS = ("auto", "posterior", "bootstrap", "normal")
# Rules that stand for all: a probability is then known to about a hundredth.
DRAWS = 2000
# Decisions from which on resamples take less time than a posterior, and say nearly the same.
_MANY = 400
# Resamples, each of which is a fit.
_RESAMPLES = 400
# Spread of asinh p of a power that was given.
_GIVEN = 1e-6


def draw_rules(
    learned: Any,
    draws: int = DRAWS,
    *,
    uncertainty: Uncertainty = "auto",
    prior: Prior | None = None,
    random_state: Any = 0,
) -> RuleDraws:
    """Draw rules that are equally likely after what was decided.

    Parameters
    ----------
    learned : fitted estimator, its result_, Posterior, Interview or saved Model
        A saved model must have been saved with draws.
    draws : int
        How many at most.
    uncertainty : "auto", "posterior", "bootstrap" or "normal"
        Where they come from. Left to itself it is the posterior, where decisions are comparisons
        or choices of one decision maker, at most 400, and rules are power means with weights that
        were learned one by one; where utilities are estimates, the normal distribution of what was
        learned, as resamples take long; elsewhere the rules that are learned from resamples.
    prior : Prior, optional
        Of the posterior.
    random_state : seed

    Returns
    -------
    RuleDraws

    Examples
    --------
    >>> import welfarist as wf
    >>> world = wf.simulate.individuals(20, 2, p=0, random_state=1)
    >>> pairs = wf.simulate.random_pairs(20, 30, random_state=1)
    >>> decided = wf.simulate.comparisons(world, pairs, tau=20, random_state=1)
    >>> print(draw_rules(wf.ComparisonClassifier().fit(decided), 200).in_words)
    200 rules drawn from the posterior (seed 0)
    """
    if uncertainty not in _WAYS:
        raise InputError(f"uncertainty must be one of {', '.join(_WAYS)}; found {uncertainty!r}.")
    count, seed = check_count(draws, "draws", 20), seed_of(random_state)
    if isinstance(learned, RuleDraws):
        _require_followed(uncertainty, prior, learned.source)
        return learned.thinned(count)
    found = getattr(learned, "posterior", None) or learned
    if isinstance(found, Posterior):
        _require_followed(uncertainty, prior, "posterior")
        return _of_posterior(found, count, seed, 0.0)
    result = getattr(learned, "result_", learned)
    if isinstance(result, Model):
        kept = require_draws(result.draws, "this model")
        _require_followed(uncertainty, prior, kept.source)
        return kept.thinned(count)
    if not isinstance(result, FitResult):
        raise InputError(
            "a recommendation needs one rule that was learned: a fitted estimator, its result_, a "
            f"Posterior, or a saved model; found {type(learned).__name__}{_no_one_rule(result)}."
        )
    if _more_than_a_rule(result):
        raise InputError(
            "a recommendation knows rules only; found choices from which more was learned (a size "
            "effect, or none of these). Fit without it."
        )
    why_not = no_posterior(result)
    if uncertainty == "posterior" and why_not:
        raise InputError(f"there is no posterior of {why_not}. Use uncertainty='bootstrap'.")
    estimated = result.decided is not None and has_errors(getattr(result.decided, "utilities", 0))
    if uncertainty == "normal" or (uncertainty == "auto" and estimated):
        if prior is not None:
            raise InputError("a prior is of a posterior; found one for rules around the estimates.")
        return of_standard_errors(result, count, seed)
    if uncertainty == "bootstrap" or (uncertainty == "auto" and _resampled(result, why_not)):
        if prior is not None:
            raise InputError(
                "a prior is of a posterior; found one for rules that are learned from resamples"
                f"{f', as there is no posterior of {why_not}' if why_not else ''}."
            )
        return _of_bootstrap(result, min(count, _RESAMPLES), seed)
    return _posterior_of(result, prior, count, seed)


def _no_one_rule(result: Any) -> str:
    """Why what was learned of several decision makers recommends nothing, and what does."""
    if not isinstance(result, TypesResult | DecidersResult | DecidersModel):
        return ""
    return (
        ", whose decision makers follow rules of their own, and would not take the same action. "
        "Fit one rule to the decisions of those for whom you decide"
    )


def no_posterior(result: FitResult) -> str:
    """Return which fits have no posterior and this is one of; empty if it has one."""
    if result.decided is None:
        return "a record without its decisions"
    if not isinstance(result.decided, Comparisons | Choices):
        return "scores, or of decisions in files"
    if result.family != POWER_MEAN:
        return "other families than power means"
    if is_source(result.decided.utilities):
        return in_its_place(result.decided.utilities)
    if "weights" in result.given or result.equal or result.groups is not None or result.theta:
        return "weights that were given, shared or follow from attributes"
    if "p" in result.given and not np.isfinite(result.p):
        return "a power that was given as infinite"
    if isinstance(result.decided, Choices) and (
        result.decided.outside or "gamma" in result.extras or len(result.extras) > 2
    ):
        return "choices with more to learn than a rule, tau and rho"
    return ""


def _require_followed(uncertainty: str, prior: Prior | None, source: str) -> None:
    """Refuse what cannot be done to rules that are already drawn, or believed."""
    if prior is not None or uncertainty not in ("auto", source):
        raise InputError(
            f"rules that are known as they are must be taken so, from the {source}; found "
            f"{'a prior' if prior is not None else f'uncertainty={uncertainty!r}'}. Pass the fit, "
            "or leave it out."
        )


def _more_than_a_rule(result: FitResult) -> bool:
    outside = isinstance(result.decided, Choices) and result.decided.outside
    return bool(outside) or "gamma" in result.extras


def _resampled(result: FitResult, why_not: str) -> bool:
    """Whether rules come from resamples where nobody said how."""
    if why_not:
        return True
    many = len(result.decided) > _MANY or result.covariance == "clustered"
    return many and result.likelihood is not None


def _posterior_of(result: FitResult, prior: Prior | None, count: int, seed: int) -> RuleDraws:
    before = prior
    if before is None and "p" in result.given:
        before = Prior(
            mode=result.p, left=_GIVEN, right=_GIVEN, largest=max(1000.0, 2 * abs(result.p))
        )
    decided = result.decided.shifted(result.shift)
    belief = Posterior(decided, before, seed, particles=count)
    found = _of_posterior(belief, count, seed, result.shift)
    return _named(found, result.stakeholders)


def _of_posterior(belief: Posterior, count: int, seed: int, shift: float) -> RuleDraws:
    rules, shares = belief.rules, belief.state.cloud.shares
    rows = systematic(shares, min(count, len(shares)), np.random.default_rng([seed, 3]))
    weights = rules.weights[rows] / rules.weights[rows].sum(axis=1, keepdims=True)
    return RuleDraws(
        weights, rules.powers[rows], rules.taus[rows], rules.rhos[rows], rules.bands[rows],
        belief.stakeholders, "posterior", seed, shift,
    )  # fmt: skip


def _of_bootstrap(result: FitResult, resamples: int, seed: int) -> RuleDraws:
    """Rules learned from resamples; what was given is the same in all."""
    if result.decided is None or result.likelihood is None:
        raise InputError(
            "resamples need the decisions, and noise; found a record without "
            f"{'its decisions' if result.decided is None else 'noise'}. Fit again"
            f"{' with noise' if result.likelihood is None else ''}."
        )
    try:
        found = result.bootstrap(resamples, random_state=seed, progress=False)
    except WelfaristError as problem:
        raise InputError(f"how sure the rule is cannot be said: {problem}") from None
    columns = {quantity.name: found.draws[:, i] for i, quantity in enumerate(found.quantities)}
    size = len(found.draws)
    if 2 * size < resamples:
        raise InputError(
            "how sure the rule is needs at least half of the resamples; of "
            f"{resamples} only {size} could be learned from. Take more decisions."
        )
    shape = next((columns[q.name] for q in found.quantities if q.is_shape), None)
    weights = np.tile(result.weights, (size, 1))
    for i, quantity in enumerate(found.quantities):
        if quantity.person is not None:
            weights[:, quantity.person] = found.draws[:, i]
    if result.theta:
        raise InputError(
            "how sure the rule is cannot be said of weights that follow from attributes. Fit "
            "without attributes."
        )
    weights = weights / weights.sum(axis=1, keepdims=True)
    chosen = result.kind != "scores"
    taus, rhos = _column(columns, result, "tau", size), _column(columns, result, "rho", size)
    return RuleDraws(
        weights, np.full(size, result.p) if shape is None else shape,
        taus if chosen else np.zeros(size), rhos if chosen else np.zeros(size), np.zeros(size),
        result.stakeholders, "bootstrap", seed, result.shift, result.family, resamples - size,
    )  # fmt: skip


def _column(columns: dict[str, FloatArray], result: FitResult, name: str, size: int) -> FloatArray:
    known = result.extras.get(name) or 0.0
    return columns.get(name, np.full(size, float(known)))


def _named(found: RuleDraws, people: tuple[str, ...]) -> RuleDraws:
    """The same under the names that the fit has."""
    return RuleDraws(
        found.weights, found.powers, found.taus, found.rhos, found.bands, people, found.source,
        found.seed, found.shift, found.family,
    )  # fmt: skip

"""From an optimum to the record of a fit: one way for every learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from welfarist.base.parameters import Parameter
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import generator_of
from welfarist.base.validation import FloatArray, as_shift
from welfarist.counting.findings import ExactRecord
from welfarist.families.base import Family
from welfarist.families.differences.family import with_margin
from welfarist.families.known import family_of
from welfarist.families.nested.family import NestedFamily
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.inference.clusters import default_covariance
from welfarist.inference.likelihood import Likelihood
from welfarist.learners import options
from welfarist.losses import DecisionLoss, Loss, with_prior, within_search
from welfarist.noise.base import ChoiceNoise
from welfarist.people.source import heads_of, is_source
from welfarist.people.weighting import Weighting
from welfarist.people.weights_option import group_labels, weighting_of
from welfarist.proofs.certificate import Certificate
from welfarist.results import caveats as caveat
from welfarist.results.learned import Caveat, Remark, named_people
from welfarist.results.record import FitResult
from welfarist.solvers.base import Optimum, Solver
from welfarist.solvers.newton import Newton

Names = tuple[str, ...] | None

# Learned weights of which statistics are worked out: of 5,000 they take minutes and a gigabyte.
_MOST_WEIGHTS = 5_000


@dataclass(frozen=True)
class Setup:
    """What a learner was told, checked, and about whom.

    Attributes
    ----------
    family : Family
    wanted : object
        What was said of the shape; None or "learn" if it is to be learned.
    p : float or None
        The shape, if it is given and has been checked.
    weighting : Weighting
    groups : tuple of str or None
        The group of each person, if weights are learned by group.
    equal : bool
        Whether everybody is given the same weight.
    names : tuple of str or None
        The people's names, if they have any.
    concentration : (k,) array or None
        Of a prior on the learned weights.
    has_prior : bool
        Whether one was given, which may say nothing.
    newton : Newton
        The default solver, which also fits nulls and first guesses.
    progress : bool or "auto"
    random_state : seed
    shift : float
        What is added to every utility before.
    verbose : int
    candidates : tuple of Family
        Members of the family of which the one with the lowest BIC is taken, if there are several.
    """

    family: Family
    wanted: Any
    p: float | None
    weighting: Weighting
    groups: tuple[str, ...] | None
    equal: bool
    names: Names
    concentration: FloatArray | None
    has_prior: bool
    newton: Newton
    progress: ProgressOption
    random_state: Any
    shift: float = 0.0
    verbose: int = 0
    candidates: tuple[Family, ...] = ()

    @classmethod
    def of(cls, learner: Any, decided: Any) -> Setup:
        """Check a learner's options against decisions and each other."""
        people, names = decided.people, decided.stakeholders
        heads = heads_of(decided.utilities)
        family = family_of(learner.family)
        options.refuse_of_persons(family, learner.groups, learner.weights)
        groups, weighed = learner.groups, names
        if isinstance(family, NestedFamily):  # whose groups do not share a weight
            family, groups = options.nested(family, groups, people, names), None
        family = with_margin(family, getattr(learner, "margin", "auto"))
        seen, shift = decided.utilities, as_shift(learner.shift)
        with np.errstate(over="ignore"):  # utilities beyond numbers are refused with the loss
            shifted = seen + shift if shift and not is_source(seen) else seen
        candidates = family.candidates
        family = (candidates[0] if candidates else family).suited_to(shifted)
        if family.by_place:
            weighed = family.labels(named_people(names, people))
        weighting = weighting_of(learner.weights, groups, people, weighed, heads)
        labels = group_labels(groups, people, names)
        return cls(
            family,
            learner.p,
            None,
            weighting,
            None if labels is None else tuple(str(label) for label in labels.tolist()),
            isinstance(learner.weights, str) and learner.weights == "equal",
            names,
            options.concentration_of(learner.prior, weighting, groups, weighed),
            learner.prior is not None,
            options.newton_of(learner.n_starts, learner.max_iter, learner.tol, learner.effort),
            learner.progress,
            learner.random_state,
            as_shift(learner.shift),
            options.check_verbose(learner.verbose),
            candidates,
        )

    def knowing(self, has_zeros: bool) -> Setup:
        """Return the same with the shape that was given, checked against who has nothing."""
        return replace(self, p=options.shape_of(self.wanted, self.family, has_zeros))

    @property
    def learn_power(self) -> bool:
        """Whether the family's shape is learned."""
        return options.is_learned(self.wanted)

    @property
    def people(self) -> tuple[str, ...]:
        """What each weight is of: the people's names, or numbered ones, or places."""
        return self.family.labels(named_people(self.names, self.weighting.people))

    @property
    def given(self) -> tuple[str, ...]:
        """What the user fixed."""
        known = ("p", not self.learn_power), ("weights", self.weighting.fixed is not None)
        return tuple(name for name, is_known in known if is_known)

    def generator(self) -> np.random.Generator:
        """Where random starts come from."""
        return generator_of(self.random_state)

    def minimise(self, loss: DecisionLoss, solver: Solver) -> Optimum:
        """Find the best rule, under the prior if there is one."""
        observations = loss.observed.total
        penalised: Loss = with_prior(loss, self.concentration, observations)
        solver.check(penalised)
        return solver.minimise(
            penalised,
            self.generator(),
            p=within_search(self.p, loss),
            observations=observations,
            progress=Progress(self.progress, self.verbose),
        )


@dataclass(frozen=True)
class Description:
    """What a kind of decisions has to say about a fit.

    Attributes
    ----------
    loss : float
        The mean loss in the user's unit.
    extras : mapping
        The noise model's numbers, by name.
    caveats : tuple of Caveat
    accuracy, r_squared : float or None
    noise : ChoiceNoise or None
    parameters : tuple of Parameter
        What `extras` are.
    first_label : str or None
    exact : ExactRecord or None
    certifier : callable or None
    """

    loss: float
    extras: Mapping[str, float]
    caveats: tuple[Caveat, ...]
    accuracy: float | None = None
    r_squared: float | None = None
    noise: ChoiceNoise | None = None
    parameters: tuple[Parameter, ...] = ()
    first_label: str | None = None
    exact: ExactRecord | None = None
    certifier: Callable[[], Certificate] | None = None


def record_of(
    setup: Setup,
    decided: Any,
    optimum: Optimum,
    said: Description,
    likelihood: Likelihood | None = None,
) -> FitResult:
    """Return the record of a fit."""
    slopes = len(setup.weighting.parameters)
    own = optimum.point.extras[slopes : slopes + len(setup.family.own)]
    family = setup.family.at(own) if setup.family.own else setup.family
    return FitResult(
        p=optimum.point.p,
        weights=optimum.weights,
        stakeholders=setup.people,
        kind=decided.kind,
        extras={**family.own_values(), **said.extras},
        theta=setup.weighting.theta(optimum.point.extras),
        loss=said.loss,
        decisions=decided.total,
        accuracy=said.accuracy,
        r_squared=said.r_squared,
        converged=optimum.converged,
        reason="everything was given" if optimum.nothing_to_learn else optimum.reason,
        n_iter=optimum.n_iter,
        start_values=optimum.start_values,
        agreeing=optimum.agreeing,
        effort=optimum.effort,
        caveats=said.caveats,
        given=setup.given,
        groups=setup.groups,
        equal=setup.equal,
        first_label=said.first_label,
        family=family,
        noise=said.noise,
        noise_parameters=(*family.own, *said.parameters),
        exact=said.exact,
        certifier=said.certifier,
        likelihood=likelihood,
        decided=decided,
        covariance=default_covariance(likelihood),
        shift=setup.shift,
    )


def likelihood_of(setup: Setup, decided: Any, loss: DecisionLoss, optimum: Optimum) -> Likelihood:
    """Return the likelihood and its maximum, or why there are no statistics of this fit."""
    needs = "standard errors, intervals, tests and information criteria need"
    refusal = None
    if not optimum.converged:
        refusal = (
            f"{needs} a fit that converged; found one that did not: {optimum.reason}. "
            f"{optimum.remedy}"
        )
    elif loss.weighting.free > _MOST_WEIGHTS:
        refusal = (
            f"{needs} second derivatives by every two weights, which are worked out for up to "
            f"{_MOST_WEIGHTS:,} learned ones; found {loss.weighting.free:,}. Learn weights by "
            "group, or fix them, for a rule whose precision is known."
        )
    return Likelihood(
        loss,
        optimum.point,
        optimum.weights,
        setup.people,
        decided,
        setup.newton,
        refusal,
        setup.concentration,
    )


def _caveats_of_the_shape(
    setup: Setup, loss: DecisionLoss, optimum: Optimum, *, any_power: bool
) -> list[Caveat]:
    """What is to be said of where the search for the family's shape ended."""
    learned = setup.learn_power
    if not setup.family.ratios:
        return caveat.end_caveats(optimum, learned, setup.family)
    largest = loss.search_range[1]
    return caveat.power_caveats(
        optimum, learned, loss.has_zeros, largest, any_power, setup.has_prior
    )


def common_caveats(
    setup: Setup,
    loss: DecisionLoss,
    optimum: Optimum,
    decisions: int,
    *,
    any_power: bool = False,
) -> list[Caveat]:
    """What may have to be said of scores and of choices, of which `any_power` may be as good."""
    learned, table = setup.learn_power, loss.people.table
    identified: list[Caveat] = []
    if table is not None:
        values = None
        if setup.family != POWER_MEAN:
            values = loss.holding(optimum.weights).judge(loss.held_at(optimum.point)).values
        identified = caveat.identification_caveats(
            table,
            loss.weighting,
            learned,
            optimum,
            setup.people,
            not loss.squared,
            setup.family.shape.name,
            values,
        )
    extras: tuple[Parameter, ...] = loss.parameters
    chosen = setup.family.chosen
    return [
        *caveat.convergence_caveats(optimum),
        *caveat.far_caveats(setup.p, within_search(setup.p, loss)),
        *_caveats_of_the_shape(setup, loss, optimum, any_power=any_power),
        *identified,
        *caveat.slope_caveats(loss.weighting, optimum),
        *([Caveat(Remark, chosen)] if chosen else []),
        *caveat.count_caveats(
            decisions, loss.weighting, learned, extras, setup.has_prior, "menus" in loss.features
        ),
    ]

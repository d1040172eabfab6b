"""Tests of doctrines, which say whether the decision maker could have followed a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray, is_real
from welfarist.families.base import Family
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.profile import deviance_of
from welfarist.inference.reference import chance_beyond, in_words
from welfarist.inference.simulated_nulls import Simulation, reference_under
from welfarist.inference.slope_nulls import held_slopes, slopes_in_words, slopes_weighting
from welfarist.losses import DecisionLoss, within_search
from welfarist.people.weighting import Weighting, sole_person
from welfarist.people.weights_option import weighting_of

# Weights that differ by less than this share of themselves are the same.
_SAME = 1e-9


@dataclass(frozen=True)
class DoctrineTest:
    """A test of a rule, or a family of rules, within the one that was fitted.

    Attributes
    ----------
    null : str
        What is tested, in words.
    statistic : float
        Twice the log likelihood that the null loses; for a Wald test the square of how many
        standard errors the null is away. Infinite, with a p-value of 0, where the null makes a
        decision impossible that was made.
    distribution : str
        What the statistic follows if the null is true, in words.
    degrees : int
        How many numbers the null fixes.
    p_value : float
        How often a true null loses as much or more: a small one speaks against it.
    llf, null_llf : float
        Log likelihood of the fit, and of the best fit under the null; a Wald test needs none. With
        what is charged where the likelihood is penalised.
    note : str
        What makes the distribution less than exact; empty if nothing does.
    kind : "Likelihood ratio" or "Wald"
    smallest : float
        The smallest p-value that a simulation could have given; 0 without one. A p-value as small
        is printed as "at most": more samples could make it smaller.
    """

    null: str
    statistic: float
    distribution: str
    degrees: int
    p_value: float
    llf: float
    null_llf: float | None
    note: str = ""
    kind: str = "Likelihood ratio"
    smallest: float = 0.0

    def __str__(self) -> str:
        chance = f"{self.p_value:.4g}" if self.p_value > 0 else "below 1e-300"
        chance = "0" if np.isinf(self.statistic) else chance
        chance = f"at most {chance}" if 0 < self.p_value <= self.smallest else chance
        lines = [
            f"Null: {self.null}",
            f"{self.kind} {self.statistic:.4g}, {self.distribution}",
            f"p-value {chance}",
        ]
        return "\n".join([*lines, f"Note: {self.note}"] if self.note else lines)


@dataclass(frozen=True)
class Null:
    """A restriction: the power and the weights if it fixes them, and how many numbers it fixes.

    `edges` counts those that are held where their range ends; `theta` has the values of slopes
    that are held, by their place.
    """

    power: float | None
    weighting: Weighting
    degrees: int
    edges: int
    words: str
    theta: Mapping[int, float] = field(default_factory=dict)


def likelihood_ratio(
    likelihood: Likelihood,
    doctrine: str | None = None,
    *,
    p: float | str | None = None,
    weights: Any = None,
    groups: Any = None,
    theta: Any = None,
    simulation: Simulation | None = None,
    in_place_of: str | None = None,
) -> DoctrineTest:
    """Test a null that fixes the power, the weights, or both, against the fit.

    Parameters
    ----------
    likelihood : Likelihood
    doctrine : str, optional
        A doctrine's name, which stands for its power.
    p : float or str, optional
        The power, or a doctrine's name.
    weights : "equal", (d,) array-like or mapping, optional
        The weights.
    groups : (d,) array-like or mapping, optional
        People who share a weight.
    theta : str, list of str, mapping or 0, optional
        Attributes that do not matter; with numbers, how much they do; 0, that none of them does.
    simulation : Simulation, optional
        How samples are drawn under a null whose statistic follows no known distribution; left
        out, such nulls are refused.
    in_place_of : str, optional
        The standard errors whose Wald test does not apply.
    """
    likelihood.require()
    null = null_of(likelihood, doctrine, p, weights, groups, theta)
    irregular = _is_irregular(likelihood, null)
    if irregular and simulation is None:
        raise InputError(
            "a likelihood ratio needs a known distribution under the null; found none for "
            f"{null.words}, which lies on an edge. resamples=199 finds one by simulation."
        )
    free_power = likelihood.loss.learn_power and null.power is None
    loss = replace(likelihood.loss, weighting=null.weighting, learn_power=free_power)
    given: float | None = likelihood.point.p
    if likelihood.loss.learn_power:
        given = within_search(null.power, loss)
    found = likelihood.solver.minimise(
        loss,
        np.random.default_rng(0),
        p=given,
        observations=likelihood.observations,
        progress=Progress(False),
    )
    if not np.isfinite(found.value):
        return _impossible(likelihood, null)
    statistic, smallest = deviance_of(likelihood, found.value), 0.0
    too_far = _too_far(null, given, loss.shape.name)
    notes = [
        _gone(null, found.weights),
        _alone(likelihood, null, found.weights),
        too_far,
        _stopped_early(found.converged),
        _dependent(likelihood, null, in_place_of),
    ]
    if irregular and simulation is not None:
        reference = reference_under(likelihood, loss, found, statistic, simulation)
        distribution, p_value = str(reference), reference.p_value(statistic)
        smallest = reference.smallest
        notes[0] = _left_out(reference.failed)  # who ended at 0 did so in the samples, too
    else:
        distribution, p_value = _reference(likelihood, statistic, null)
    return DoctrineTest(
        null.words,
        statistic,
        distribution,
        null.degrees,
        p_value,
        likelihood.log_likelihood(likelihood.value),
        likelihood.log_likelihood(found.value),
        " ".join(note for note in notes if note),
        smallest=smallest,
    )


def _impossible(likelihood: Likelihood, null: Null) -> DoctrineTest:
    """What is said of a null under which a decision is impossible that was made."""
    return DoctrineTest(
        null.words,
        np.inf,
        "a decision was made that is impossible under the null",
        null.degrees,
        0.0,
        likelihood.log_likelihood(likelihood.value),
        -np.inf,
    )


def null_of(
    likelihood: Likelihood, doctrine: object, p: object, weights: Any, groups: Any, theta: Any
) -> Null:
    """Return what is tested, checked against what was learned."""
    return _null_of(likelihood, _one_power(doctrine, p), weights, groups, theta)


def power_asked(likelihood: Likelihood, doctrine: object, p: Any, epsilon: Any) -> Any:
    """Return the power that a null asks for, as p or as inequality aversion, 1 - p."""
    if epsilon is None:
        return p
    if doctrine is not None or p is not None:
        other = repr(doctrine) if p is None else f"p = {p!r}"
        raise InputError(
            f"a test takes a doctrine, p or epsilon; found {other} and epsilon = {epsilon!r}."
        )
    if not likelihood.loss.family.has_aversion:
        raise InputError(
            "epsilon is the inequality aversion 1 - p of power means; found a family without. "
            f"Test its own parameter, {likelihood.loss.shape.name}, with p=…."
        )
    if not is_real(epsilon) or np.isnan(epsilon):
        raise InputError(f"epsilon must be a number, such as 0.5; found {epsilon!r}.")
    return 1.0 - float(epsilon)


def _one_power(doctrine: object, p: object) -> object:
    if doctrine is None:
        return p
    if p is not None:
        raise InputError(f"a test takes a doctrine or p; found {doctrine!r} and p = {p!r}.")
    if not isinstance(doctrine, str):
        raise InputError(
            f"a doctrine must be given by its name; found {doctrine!r}. Write p={doctrine!r} for a "
            "power, weights=… for weights."
        )
    return doctrine


def _null_of(likelihood: Likelihood, p: object, weights: Any, groups: Any, theta: Any) -> Null:
    loss = likelihood.loss
    if p is None and weights is None and groups is None and theta is None:
        raise InputError(
            "a test needs a null: the name of a doctrine, p=…, epsilon=…, weights=…, groups=… or "
            "theta=…; found none."
        )
    power, degrees, edges, words = None, 0, 0, []
    if p is not None:
        if not loss.learn_power:
            raise InputError(
                f"only what was learned can be tested; found that {loss.shape.name} = "
                f"{likelihood.point.p:g} was given. Fit without it."
            )
        power = loss.family.shape_of(p, loss.has_zeros)
        edges = int(power in (loss.shape.lowest, loss.shape.highest))
        degrees, words = 1, [_power_in_words(power, loss.family)]
    weighting = loss.weighting
    if weights is not None or groups is not None:
        weighting = _null_weighting(likelihood, weights, groups)
        degrees += (loss.weighting.free - 1) - max(weighting.free - 1, 0)
        if weighting.fixed is not None:
            edges += int((loss.weighting.gather(weighting.fixed) == 0).sum())
        words.append(_weights_in_words(likelihood, weights, weighting))
    held: dict[int, float] = {}
    if theta is not None:
        slopes = slopes_weighting(likelihood)
        held = held_slopes(likelihood, theta)
        weighting, degrees = slopes.holding(held), degrees + len(held)
        words.append(slopes_in_words(slopes, held))
    return Null(power, weighting, degrees, edges, " and ".join(words), held)


def _null_weighting(likelihood: Likelihood, weights: Any, groups: Any) -> Weighting:
    """What the null knows about the weights; it must be a case of what was learned."""
    if likelihood.loss.weighting.parameters:
        raise InputError(
            "a null about weights by attributes is one about theta; found weights or groups. "
            "theta=0 tests that every head counts the same, theta=… that an attribute does not "
            "matter."
        )
    if not likelihood.learned_weights:
        raise InputError(
            "only what was learned can be tested; found that the weights were given. Fit with "
            'weights="learn".'
        )
    if isinstance(weights, str) and weights == "learn":
        raise InputError('weights of a null must be "equal" or numbers; found "learn".')
    names, people = likelihood.stakeholders, len(likelihood.weights)
    heads = likelihood.loss.weighting.heads
    null = weighting_of("learn" if weights is None else weights, groups, people, names, heads)
    learned = likelihood.loss.weighting.group_of
    if learned is not None:
        fixed = np.asarray(null.group_of, dtype=float)
        if null.fixed is not None:
            fixed = null.fixed if heads is None else null.fixed / heads
        for group in range(int(learned.max()) + 1):
            inside = fixed[learned == group]
            if not np.allclose(inside, inside[0], rtol=_SAME, atol=0.0):
                raise InputError(
                    "a null must be a case of what was fitted; found different weights, or groups, "
                    f"for {names[int(np.argmax(learned == group))]} and others who shared a weight "
                    "in the fit. Fit without groups."
                )
    if null.free >= likelihood.loss.weighting.free:
        raise InputError("groups of a null must join people; found as many as in the fit.")
    return null


def _power_in_words(p: float, family: Family) -> str:
    said = [doctrine.name for doctrine in family.doctrines if doctrine.p == p][:1]
    if family.has_aversion:
        said.append(f"inequality aversion {1.0 - p:g}")
    return f"{family.shape.name} = {p:g}" + (f" ({', '.join(said)})" if said else "")


def _weights_in_words(likelihood: Likelihood, weights: Any, weighting: Weighting) -> str:
    if isinstance(weights, str):
        return "equal weights"
    if weighting.fixed is None:
        groups = weighting.free
        return "weights shared within " + ("one group" if groups == 1 else f"{groups} groups")
    return "weights " + _listed(likelihood.stakeholders, weighting.fixed)


def _listed(names: tuple[str, ...], weights: FloatArray) -> str:
    pairs = [f"{name} {weight:.4g}" for name, weight in zip(names, weights, strict=True)]
    more = len(pairs) - 6
    return ", ".join(pairs[:6]) + (f" and {more} more" if more > 0 else "")


def _is_irregular(likelihood: Likelihood, null: Null) -> bool:
    """Whether the statistic follows no distribution that is known.

    It does not where a null is on an edge in several directions at once, or leaves parameters of
    the fit without meaning: at p = -inf and inf weights only say who counts, and equal weights
    leave comparisons and scaled scores as they are, however p changes near there; with one person
    who counts every p gives the same welfare. Where an infinite p was given, a null about weights
    is one about who counts.
    """
    loss, weighting = likelihood.loss, null.weighting
    if np.isinf(likelihood.point.p) and not loss.learn_power:
        return True
    fixed = weighting.fixed
    if fixed is None and weighting.free == 1:  # one group of all is as good as known weights
        fixed = weighting.to_people(weighting.start())
    if null.power is not None and np.isinf(null.power):
        learned = likelihood.learned_weights or bool(loss.weighting.parameters)
        known = fixed is not None and not learned
        return not (known and fixed is not None and _moves_with_power(loss, fixed))
    if fixed is None or not null.edges:
        return False
    alone = loss.learn_power and null.power is None and int((fixed > 0).sum()) == 1
    return alone or null.edges > 1


def _moves_with_power(loss: DecisionLoss, weights: FloatArray) -> bool:
    """Whether predictions change in proportion to 1/p near its limits.

    There log M is that of the worst or best off plus ``log(w) / p`` for that person's weight w.
    What is the same for every action drops out of comparisons, and of scores with a scale.
    """
    counted = weights[weights > 0]
    unequal = bool(np.ptp(counted) > _SAME * counted.max())
    return unequal or loss.observed.sees_level


def _reference(likelihood: Likelihood, statistic: float, null: Null) -> tuple[str, float]:
    """What the statistic follows under the null, in words, and how often it exceeds this one."""
    full = chance_beyond(likelihood, statistic, null.degrees)
    if not null.edges:
        return in_words(likelihood, null.degrees), full
    fewer = null.degrees - 1
    below = chance_beyond(likelihood, statistic, fewer)
    words = in_words(likelihood, fewer) if fewer else "0 (always 0)"
    return (
        f"half {words}, half {in_words(likelihood, null.degrees)}: the null is on an edge",
        0.5 * (below + full),
    )


def _too_far(null: Null, searched: float | None, shape: str) -> str:
    """Say when the null was fitted at a smaller power than it names."""
    if null.power is None or searched == null.power:
        return ""
    return (
        f"the null was fitted at {shape} = {searched:.6g}: with learned weights larger powers "
        "make the same rules."
    )


def _gone(null: Null, weights: FloatArray) -> str:
    """Say when weights that were free under the null ended at 0."""
    if null.weighting.fixed is not None:
        return ""
    gone = int((null.weighting.gather(weights) == 0).sum())
    if not gone:
        return ""
    return (
        f"{gone} weight{'' if gone == 1 else 's'} free under the null ended at 0, where the "
        "distribution is an approximation."
    )


def _alone(likelihood: Likelihood, null: Null, weights: FloatArray) -> str:
    """Say when the best fit under a null about p is a rule that has no p: one person counts."""
    person = sole_person(weights)
    if null.power is None or null.weighting.fixed is not None or person is None:
        return ""
    return (
        f"with learned weights nobody but {likelihood.stakeholders[person]} counts under the null, "
        f"which is the same rule at every {likelihood.loss.shape.name}: the test says nothing of "
        'the doctrine itself; weights="equal" asks about everybody.'
    )


def _stopped_early(converged: bool) -> str:
    """Say when the null may fit better than was found."""
    if converged:
        return ""
    return "the fit under the null did not converge, so that its p-value may be too small."


def _left_out(failed: int) -> str:
    """Say when fits to samples did not converge."""
    return f"{failed} more samples were left out: a fit did not converge." if failed else ""


def _dependent(likelihood: Likelihood, null: Null, in_place_of: str | None) -> str:
    """Say when it is known that decisions of one person were taken as independent."""
    stands_in = f"no Wald test with {in_place_of} standard errors applies on an edge: this "
    if likelihood.single.deciders is None:
        if in_place_of is None:
            return ""
        return f"{stands_in}likelihood ratio takes the noise model at its word."
    same = "the likelihood ratio takes the decisions of one person as independent"
    if in_place_of is not None:
        same = f"{stands_in}likelihood ratio takes the decisions of one person as independent"
        return f"{same}, which can make the p-value too small."
    if null.edges:  # where no Wald test applies
        return f"{same}, which can make the p-value too small."
    return f'{same}; test(…, covariance="clustered") does not.'

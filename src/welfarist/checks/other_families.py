"""Which family would fit better, where a fit is clearly misfit by its own."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.families.additive.family import AdditiveFamily
from welfarist.families.base import Family
from welfarist.families.choquet.columns import rank_of, widened
from welfarist.families.differences.family import OnDifferences
from welfarist.families.kolm_pollak.family import KOLM_POLLAK
from welfarist.families.needs.family import NEEDS
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rank_dependent.family import RANK_DEPENDENT
from welfarist.inference.likelihood import Likelihood
from welfarist.losses import DecisionLoss, loss_of_choices, loss_of_comparisons, loss_of_scores
from welfarist.people.source import is_source
from welfarist.people.weighting import Weighting

# Into how many pieces the scale is cut where a curve is tried.
_PIECES = 4
# Interactions are looked at among no more people.
_MOST_PEOPLE = 12
# Beyond so many rows of data nobody wants to wait for what was not asked for.
_MOST_ROWS = 20_000
# A BIC that is lower by less says nothing.
_TIED = 2.0


@dataclass(frozen=True)
class OtherFamily:
    """Another family, fitted to the same decisions.

    Attributes
    ----------
    family : Family
    gain : float
        By how much its BIC is lower.
    title : str
        What its rules are called, where the family alone does not say so.
    """

    family: Family
    gain: float
    title: str = ""

    def __str__(self) -> str:
        title = self.title or self.family.title
        return f"{title[:1].upper()}{title[1:]} describe them better (BIC lower by {self.gain:.1f})"


def better_family(likelihood: Likelihood, shift: float) -> OtherFamily | None:
    """Return the family whose BIC is lowest, if it is lower than that of a fit; None if none is.

    Power means (with noise on ratios and on differences, and beyond a zero that is learned),
    Kolm-Pollak functions, rank dependent means with p = 1, additive rules of one curve and
    2-additive Choquet integrals are tried, as far as they have something to say of the utilities.
    """
    loss, decided = likelihood.loss, likelihood.decided
    # Decisions in files are not read again for what was not asked for.
    if not isinstance(decided, Scores | Comparisons | Choices) or is_source(decided.utilities):
        return None
    if loss.decisions > _MOST_ROWS or loss.restraint is not None:
        return None
    if not loss.learn_power:  # a rule that was given need not be the best of its own family
        return None
    own = _bic(likelihood.parameters, likelihood.log_likelihood(likelihood.value), likelihood)
    found: list[OtherFamily] = []
    for family in _others(likelihood):
        try:
            bic = _fitted(likelihood, family.suited_to(decided.utilities), shift)
        except InputError:  # which has nothing to say of such utilities
            continue
        if bic is not None and own - bic > _TIED:
            found.append(OtherFamily(family, own - bic))
    bic = _choquet(likelihood)
    if bic is not None and own - bic > _TIED:
        title = "2-additive Choquet integrals, in which people complement each other,"
        found.append(OtherFamily(KOLM_POLLAK, own - bic, title))
    return max(found, key=lambda one: one.gain, default=None)


def _others(likelihood: Likelihood) -> list[Family]:
    """The families that are tried beside that of a fit."""
    own = likelihood.loss.family
    found: list[Family] = [POWER_MEAN, KOLM_POLLAK, RANK_DEPENDENT, NEEDS]
    if not likelihood.loss.squared:  # scores err on their own scale, which a curve has none of
        found += [OnDifferences(POWER_MEAN), AdditiveFamily(_PIECES)]
    return [family for family in found if type(family) is not type(own)]


def _choquet(likelihood: Likelihood) -> float | None:
    """The BIC of the best 2-additive Choquet integral; None if nobody could learn it."""
    loss, decided, weighting = likelihood.loss, likelihood.decided, likelihood.loss.weighting
    people = decided.people
    plain = type(weighting) is Weighting and weighting.fixed is None and weighting.group_of is None
    if not plain or loss.squared or np.isnan(decided.utilities).any():
        return None
    if not 2 < people <= _MOST_PEOPLE:  # two who complement each other are averse to gaps
        return None
    wide = copy(decided)
    wide.utilities = widened(decided.utilities)
    again = loss_again(replace(likelihood, decided=wide), KOLM_POLLAK, False, 0.0, people**2)
    best = likelihood.solver.minimise(
        again,
        np.random.default_rng(0),
        p=0.0,
        observations=again.observed.total,
        progress=Progress(False),
    )
    if not best.converged:
        return None
    free = rank_of(wide.utilities) - 1 + len(again.parameters)
    return _bic(free, again.observed.log_likelihood(best.value), likelihood)


def _fitted(likelihood: Likelihood, family: Family, shift: float) -> float | None:
    """The BIC of the best rule of a family; None if it was not found."""
    loss = likelihood.loss
    weighting, places = loss.weighting, family.by_place
    if places:
        if type(weighting) is not Weighting or weighting.group_of is not None:
            return None
        if weighting.fixed is not None:
            return None
    again = loss_again(likelihood, family, not places, shift)
    best = likelihood.solver.minimise(
        again,
        np.random.default_rng(0),
        p=1.0 if places else None,
        observations=again.observed.total,
        progress=Progress(False),
    )
    if not best.converged:
        return None
    free = max(again.weighting.free - 1, 0) + int(again.learn_power) + len(again.parameters)
    return _bic(free, again.observed.log_likelihood(best.value), likelihood)


def loss_again(
    likelihood: Likelihood,
    family: Family,
    learn_shape: bool,
    shift: float,
    columns: int | None = None,
) -> DecisionLoss:
    """Return the loss of the same decisions, under the same noise, for rules of another family.

    With so many `columns` in place of people weights are learned of each.
    """
    seen: Any = likelihood.loss.observed
    decided, weighting = likelihood.decided, likelihood.loss.weighting
    weighting = weighting if columns is None else Weighting(columns)
    if isinstance(decided, Scores):
        moved = decided.shifted(shift, 0.0 if seen.scale else shift, least=family.least)
        return loss_of_scores(moved, family, weighting, learn_shape, seen.scale)
    if not isinstance(decided, Choices | Comparisons):
        raise InputError("decisions stay in their files, which are not read again for that.")
    known = family, weighting, learn_shape, seen.noise, seen.tau_max
    shifted: Any = decided.shifted(shift, least=family.least)
    if isinstance(decided, Choices):
        staged, sized = (seen.options[name] for name in ("tau_by_stage", "size_effect"))
        return loss_of_choices(shifted, *known, tau_by_stage=staged, size_effect=sized)
    return loss_of_comparisons(shifted, *known)


def _bic(learned: int, log_likelihood: float, likelihood: Likelihood) -> float:
    return float(learned * np.log(likelihood.observations) - 2.0 * log_likelihood)

"""What a reader of types and populations must be told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from welfarist.base.errors import (
    MisfitWarning,
    NotConvergedWarning,
    NotIdentifiedWarning,
    SeparationWarning,
)
from welfarist.base.wording import listed
from welfarist.deciders.integrating import Integrated
from welfarist.deciders.kinds import DeciderType
from welfarist.deciders.mixture import Mixture
from welfarist.deciders.normal import LEAST_SPREAD
from welfarist.deciders.panel import Panel
from welfarist.deciders.searching import Found
from welfarist.results.learned import Caveat

# Fewer members than this, in the sum of memberships, are nobody.
_NOBODY = 0.5
# A type whose rule explains more than this of what chance leaves open never errs.
_NEVER_ERRS = 0.999
# Types whose members' chances differ by less than this on average are one.
_SAME_CHANCES = 1e-3
# A spread this near to the least that is searched is none.
_NO_SPREAD = 1.1 * LEAST_SPREAD
# A mean whose standard error is above this share of the spread, and would be noticed (in asinh p,
# log ratios of weights and log tau), is hardly known.
_HARDLY_KNOWN, _NOTICED = 0.5, 0.3
# Fewer starts than this that reach the best leave doubt that it is the best; so few say nothing.
_FEW_AGREE, _ENOUGH_STARTS = 2, 5


def panel_caveats(panel: Panel) -> list[Caveat]:
    """Say where decisions cannot tell how people differ."""
    counts = panel.counts
    one = int((counts <= 1).sum())
    if one == len(counts):
        message = (
            "one decision a person tells an average of all at most, not how people differ: what is "
            "said of differences comes from the form that was assumed. Ask everybody at least "
            "twice."
        )
        return [Caveat(NotIdentifiedWarning, message)]
    return []


def search_caveats(found: Found) -> list[Caveat]:
    """Say when a search for types stopped early, or when starts hardly agree."""
    types = found.mixture.types
    if not found.converged:
        what = "one rule for everybody" if types == 1 else f"{types} types"
        message = (
            f"the search for {what} did not converge; what is told is the best that was found. "
            "Raise n_starts, ask for fewer types, or fix what you know: p or the weights."
        )
        return [Caveat(NotConvergedWarning, message)]
    starts = len(found.values)
    if starts >= _ENOUGH_STARTS and found.agreeing < _FEW_AGREE and types > 1:
        message = (
            f"only {found.agreeing} of {starts} starts reached the best {types} types: there may "
            "be better ones. Raise n_starts, or ask for fewer types."
        )
        return [Caveat(NotConvergedWarning, message)]
    return []


def type_caveats(mixture: Mixture, types: Sequence[DeciderType]) -> list[Caveat]:
    """Say which types have nobody, are the same as another, or may follow no rule."""
    said = []
    members = mixture.belongs.sum(axis=0)
    empty = [k for k in range(mixture.types) if members[k] < _NOBODY]
    if empty:
        message = (
            f"{_numbered(empty)} {'has' if len(empty) == 1 else 'have'} no members left: fewer "
            "types describe these people as well."
        )
        said.append(Caveat(NotIdentifiedWarning, message))
    said += [Caveat(NotIdentifiedWarning, text) for text in _twins(mixture, set(empty))]
    certain = [k for k, one in enumerate(types) if one.explained > _NEVER_ERRS and k not in empty]
    if certain:
        message = (
            f"{_numbered(certain)} never {'errs' if len(certain) == 1 else 'err'}: many rules "
            "explain these people as well, and the one that is told is one of them, without "
            "standard errors."
        )
        said.append(Caveat(SeparationWarning, message))
    doubtful = [k for k, one in enumerate(types) if one.doubtful and k not in empty]
    if doubtful and mixture.types > 1:
        message = (
            f"{_numbered(doubtful)} {'errs' if len(doubtful) == 1 else 'err'} often, with a weight "
            "on an edge: people of this kind may follow no rule of the family."
        )
        said.append(Caveat(MisfitWarning, message))
    return said


def _numbered(types: Sequence[int]) -> str:
    words = "type" if len(types) == 1 else "types"
    return f"{words} {listed([str(k + 1) for k in types])}"


def _twins(mixture: Mixture, empty: set[int]) -> list[str]:
    """Pairs of types under which everybody's decisions are as likely."""
    each = mixture.each / np.maximum(mixture.panel.counts, 1.0)[:, None]
    found = []
    for a in range(mixture.types):
        for b in range(a + 1, mixture.types):
            if {a, b} & empty:
                continue
            if np.abs(each[:, a] - each[:, b]).mean() < _SAME_CHANCES:
                found.append(
                    f"types {a + 1} and {b + 1} are the same rule: fewer types describe these "
                    "people as well."
                )
    return found


def population_caveats(found: Integrated, names: Sequence[str]) -> list[Caveat]:
    """Say when a population was not found well, or does not vary in something."""
    said = []
    if not found.converged:
        message = (
            "the search for a normal population did not converge: people may be of a few types "
            "rather than differ by degree. Look for types, raise the number of nodes, or fix what "
            "you know, p or the weights."
        )
        said.append(Caveat(NotConvergedWarning, message))
    spread = np.sqrt(np.diag(found.population.covariance))
    alike = [name for name, s in zip(names, spread.tolist(), strict=True) if s < _NO_SPREAD]
    if alike:
        message = f"these decisions show no difference between people in {listed(alike)}."
        said.append(Caveat(NotIdentifiedWarning, message))
    loose = [names[j] for j in _uncertain_means(found) if names[j] not in alike]
    if loose:
        message = (
            f"the population itself is hardly known in {listed(loose)}: estimates and intervals of "
            "single people take it as found, and may be far off and far too narrow. Ask more "
            "people, or more of each, or fix what you know: p or the weights."
        )
        said.append(Caveat(NotIdentifiedWarning, message))
    return said


def _uncertain_means(found: Integrated) -> list[int]:
    """The numbers whose mean is known less well than within half of how much people differ."""
    normal, evidence = found.population, found.evidence
    scores = evidence.scores(normal)[1]
    covariance = np.linalg.pinv(scores.T @ scores, hermitian=True)
    size, columns = normal.size, evidence.design.shape[1]
    spread, middle = np.sqrt(np.diag(normal.covariance)), evidence.design.mean(axis=0)
    loose = []
    for j in range(size):
        slope = np.zeros(len(covariance))
        slope[j * columns : (j + 1) * columns] = middle
        if slope @ covariance @ slope > max(_HARDLY_KNOWN * spread[j], _NOTICED) ** 2:
            loose.append(j)
    return loose

"""Who decided: which standard errors follow from knowing it, and what few deciders do to them."""

from __future__ import annotations

from welfarist.base.errors import InputError
from welfarist.decisions.labels import are_more_than
from welfarist.inference.covariance import (
    CovarianceName,
    check_covariance,
    face_of,
    require_deciders,
)
from welfarist.inference.likelihood import Likelihood, is_estimated

# What to do about few of them.
INSTEAD = 'covariance="bootstrap" draws whole decision makers instead.'
# With fewer decision makers than about these, clustered errors tend to be too small.
FEW = 30


def number_of_clusters(likelihood: Likelihood) -> int | None:
    """Return how many people decided; None if nobody said."""

    def count() -> int | None:
        labels = likelihood.single.deciders
        return None if labels is None else int(labels.max()) + 1

    return likelihood.once("clusters", count)


def default_covariance(likelihood: Likelihood | None) -> CovarianceName:
    """Return which standard errors are a fit's own until somebody chooses others.

    Where it is known who decided they are clustered, if there are more decision makers than
    numbers to learn: with fewer some errors would seem to be 0. A posterior has only its own.
    """
    if likelihood is None or likelihood.prior is not None:
        return "fisher"
    if getattr(likelihood.decided, "by", None) is None or is_estimated(likelihood):
        return "fisher"
    return "clustered" if _are_enough(likelihood) else "fisher"


def _are_enough(likelihood: Likelihood) -> bool:
    """Whether there are more decision makers than moves of the estimates."""
    decided = likelihood.decided
    names = decided.by if decided.counts.all() else decided.by[decided.counts > 0]
    if are_more_than(names, max(likelihood.parameters, 1)):
        return True
    return are_more_than(names, max(len(face_of(likelihood).basis), 1))


def check_choice(likelihood: Likelihood | None, decided: object, kind: object) -> CovarianceName:
    """Return the name of a covariance that can be a result's own, or refuse it at once."""
    chosen = check_covariance(kind)
    if chosen != "clustered" or decided is None:
        return chosen
    if getattr(decided, "by", None) is None:
        raise InputError(
            'covariance="clustered" needs to know who decided; found decisions without names. '
            f"{getattr(decided, 'by_hint', '')}".rstrip()
        )
    if likelihood is not None:
        require_deciders(likelihood, len(face_of(likelihood).basis))
    return chosen


def about_few(likelihood: Likelihood, covariance: str) -> str:
    """Say that clustered errors are too small where few decided; empty where they are not."""
    found = number_of_clusters(likelihood) if covariance == "clustered" else None
    if found is None or found >= FEW:
        return ""
    return (
        f"standard errors clustered by {found} decision makers are probably too small, and "
        f"intervals too narrow: with fewer than about {FEW} they tend to be. Take p-values near "
        "the limits with a grain of salt."
    )


def about_too_few(likelihood: Likelihood) -> str:
    """Say why errors are not clustered though it is known who decided."""
    found, needed = number_of_clusters(likelihood), max(len(face_of(likelihood).basis), 1)
    if found is None or found > needed:
        return ""
    who = "one person" if found == 1 else f"{found} people"
    return f"clustered errors need more decision makers than learned numbers, {needed}; found {who}"

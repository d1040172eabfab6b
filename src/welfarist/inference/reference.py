"""What a deviance follows if a null is true: chi-squared, or F where that is nearer.

The variance of scores is estimated together with the rule. In a linear model a likelihood ratio of
n scores is a function of F with n - k degrees of freedom, and in small samples it is much nearer to
that than to chi-squared, which it approaches as n grows. So is, by simulation, that of choices so
few that certainty is charged for.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2, f

from welfarist.inference.likelihood import Likelihood


def allowed_deviance(likelihood: Likelihood, level: float) -> float:
    """Return the deviance within which a profile interval of one number lies."""
    n, left = likelihood.observations, _degrees_left(likelihood)
    if left is None:
        return float(chi2.ppf(level, 1))
    return n * float(np.log1p(f.ppf(level, 1, left) / left))


def chance_beyond(likelihood: Likelihood, statistic: float, degrees: int) -> float:
    """Return how often a true null that fixes so many numbers loses as much deviance or more."""
    n, left = likelihood.observations, _degrees_left(likelihood)
    if degrees == 0:
        return float(statistic <= 0.0)
    if left is None:
        return float(chi2.sf(statistic, degrees))
    with np.errstate(over="ignore"):  # where nothing is left of the chance
        ratio = float(np.expm1(statistic / n)) * left / degrees
    return float(f.sf(ratio, degrees, left))


def in_words(likelihood: Likelihood, degrees: int) -> str:
    """Say what a true null's deviance follows."""
    left = _degrees_left(likelihood)
    if left is None:
        return f"chi-squared with {freedom(degrees)}"
    return f"as F with {degrees} and {left:g} degrees of freedom"


def freedom(degrees: int) -> str:
    """Say how many degrees of freedom there are.

    Examples
    --------
    >>> freedom(1), freedom(2)
    ('1 degree of freedom', '2 degrees of freedom')
    """
    return f"{degrees} degree{'s' * (degrees != 1)} of freedom"


def _degrees_left(likelihood: Likelihood) -> float | None:
    """Decisions less what was learned from them, at least 1; None for choices that are many."""
    if not likelihood.loss.squared and likelihood.loss.restraint is None:
        return None
    return max(likelihood.observations - likelihood.parameters, 1.0)

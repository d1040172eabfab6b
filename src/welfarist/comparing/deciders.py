"""Who decided, where several fits are compared: what one of them knows holds for all."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from welfarist.decisions.labels import numbered
from welfarist.inference.clusters import default_covariance
from welfarist.results.record import FitResult


def same_deciders(one: Any, other: Any) -> bool:
    """Whether the same decisions, in the same order, have the same deciders, by whatever names."""
    if one.by is None or other.by is None:
        return bool(one.by is other.by)
    first, second = numbered(one.by), numbered(other.by)
    together = np.unique(np.column_stack([first, second]), axis=0)
    return bool(len(together) == first.max() + 1 == second.max() + 1)


def knowing(result: FitResult, data: Any) -> FitResult:
    """Return a fit that knows of its decisions who made them, as the data say.

    Its estimates stay; its standard errors are clustered where the data know who decided, unless
    others than the usual ones were chosen.
    """
    if result.likelihood is None or same_deciders(result.decided, data):
        return result
    decided = copy(result.decided)
    decided.by = data.by
    likelihood = replace(result.likelihood, decided=decided)
    usual = result.covariance in ("fisher", "clustered")
    covariance = default_covariance(likelihood) if usual else result.covariance
    return replace(result, likelihood=likelihood, decided=decided, covariance=covariance)

"""Drawing decisions again: how often each was observed in a resample, without rebuilding data."""

from __future__ import annotations

from typing import get_args

from welfarist.base.errors import InputError
from welfarist.inference.likelihood import Likelihood
from welfarist.losses.observed import Resampling, UnitName


def unit_of(likelihood: Likelihood, unit: UnitName | None) -> UnitName:
    """Return what is drawn: as asked for, or clusters where it is known who decided."""
    by = likelihood.single.deciders
    if unit is None:
        return "decisions" if by is None else "clusters"
    if unit not in get_args(UnitName):
        raise InputError(f'unit must be "decisions" or "clusters"; found {unit!r}.')
    if unit == "clusters" and by is None:
        raise InputError(
            'unit="clusters" needs to know who decided; found decisions without names. '
            + likelihood.decided.by_hint
        )
    return unit


def resampling_of(likelihood: Likelihood, unit: UnitName) -> Resampling:
    """Return how to draw resamples of the decisions a rule was fitted to."""
    size = max(round(likelihood.observations), 1)
    return likelihood.single.resampling(unit, size)

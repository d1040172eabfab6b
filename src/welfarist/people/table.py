"""A table of utilities as a family sees it, given what is known about the weights."""

from __future__ import annotations

from typing import cast

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import Columns, People
from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.absent import PartlyPresent
from welfarist.people.present_rule import refused_absence
from welfarist.people.source import Source, is_source
from welfarist.people.weighting import Weighting


def columns_of(utilities: FloatArray, family: Family, weighting: Weighting) -> Columns:
    """Return what a family sees of utilities (N, d), all of which are in memory.

    What people have who are known not to count is replaced by ones, or in another family by what
    somebody has who counts: it changes nothing, and their zeros restrict nothing.
    """
    rows = np.array(utilities.T, order="C")
    if weighting.fixed is not None and not family.by_place:
        counted = rows[np.argmax(weighting.fixed)]
        rows[weighting.fixed == 0] = 1.0 if family == POWER_MEAN else counted
    return family.columns(rows)


def _partly_present(utilities: FloatArray, family: Family, weighting: Weighting) -> PartlyPresent:
    """People of whom some are absent from some actions, which must affect somebody who counts."""
    in_levels = isinstance(family, KolmPollakFamily)
    if family != POWER_MEAN and not in_levels:
        raise refused_absence(family)
    if weighting.fixed is not None:
        nobody = ~(~np.isnan(utilities) & (weighting.fixed > 0)).any(axis=1)
        if nobody.any():
            raise InputError(
                "every action must affect somebody who counts; found weights of 0 for all whom "
                f"row {int(np.argmax(nobody))} affects. Leave it out, or give them a weight."
            )
    rows = np.array(utilities.T, order="C")
    return PartlyPresent.of_levels(rows) if in_levels else PartlyPresent.of(rows)


def people_of(utilities: FloatArray | Source, family: Family, weighting: Weighting) -> People:
    """Return what a family sees of utilities (N, d), or of what stands in their place."""
    if is_source(utilities):
        return utilities.seen_by(family, weighting)
    table = cast(FloatArray, utilities)
    if np.isnan(table.min()):  # one pass, and nothing is copied
        return _partly_present(table, family, weighting)
    return columns_of(table, family, weighting)

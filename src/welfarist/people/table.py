"""A table of utilities as a family sees it, given what is known about the weights."""

from __future__ import annotations

from typing import cast

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.families.base import Family
from welfarist.families.columns import Columns, People
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.source import Source, is_source
from welfarist.people.weighting import Weighting


def columns_of(utilities: FloatArray, family: Family, weighting: Weighting) -> Columns:
    """Return what a family sees of utilities (N, d), all of which are in memory.

    What people have who are known not to count is replaced by ones, or in another family by what
    somebody has who counts: it changes nothing, and their zeros restrict nothing.
    """
    rows = np.array(utilities.T, order="C")
    if weighting.fixed is not None:
        counted = rows[np.argmax(weighting.fixed)]
        rows[weighting.fixed == 0] = 1.0 if family == POWER_MEAN else counted
    return family.columns(rows)


def people_of(utilities: FloatArray | Source, family: Family, weighting: Weighting) -> People:
    """Return what a family sees of utilities (N, d), or of what stands in their place."""
    if is_source(utilities):
        return utilities.seen_by(family, weighting)
    return columns_of(cast(FloatArray, utilities), family, weighting)

"""Checks of a fit to decisions that stay in their files: none, and why."""

from __future__ import annotations

from typing import NoReturn

from welfarist.base.errors import InputError
from welfarist.checks.misfit import Misfit
from welfarist.losses.scanned.observed import ONE_BY_ONE


class NoChecks:
    """What is said where checks are asked for that need every decision in memory."""

    def calibration(self, bins: int) -> NoReturn:
        """Refuse: chances are compared with every decision."""
        del bins
        raise InputError(ONE_BY_ONE)

    def surprises(self, count: int) -> NoReturn:
        """Refuse: every decision would be looked at."""
        del count
        raise InputError(ONE_BY_ONE)

    def residuals(self) -> NoReturn:
        """Refuse: choices have none."""
        raise InputError(ONE_BY_ONE)

    def misfit(self) -> Misfit:
        """Say that nothing was checked."""
        return Misfit((), None, ONE_BY_ONE)

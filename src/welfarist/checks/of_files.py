"""Checks of fits to decisions that cannot be looked at one by one: none, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from welfarist.base.errors import InputError
from welfarist.checks.misfit import Misfit


@dataclass(frozen=True)
class NoChecks:
    """What is said where checks are asked for that need decisions one by one: the reason."""

    reason: str

    def calibration(self, bins: int) -> NoReturn:
        """Refuse: chances are compared with every decision."""
        del bins
        raise InputError(self.reason)

    def surprises(self, count: int) -> NoReturn:
        """Refuse: every decision would be looked at."""
        del count
        raise InputError(self.reason)

    def residuals(self) -> NoReturn:
        """Refuse: choices have none."""
        raise InputError(self.reason)

    def misfit(self) -> Misfit:
        """Say that nothing was checked."""
        return Misfit((), None, self.reason)

"""What is to be said and refused where utilities are estimates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.wording import listed
from welfarist.inference.likelihood import Likelihood, is_estimated
from welfarist.inference.utility_errors import utility_errors_of
from welfarist.learners.assembly import Description
from welfarist.losses import DecisionLoss
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.results.learned import Caveat, Remark

# Errors of log utilities, as they are and times the power, beyond which two terms of a series are
# no good description of what they do.
_LARGE, _BENT = 0.6, 1.2


def refuse_far_power(p: float | None, loss: DecisionLoss) -> None:
    """Refuse a given power at which errors cannot be followed to second order."""
    if p is None or not isinstance(loss, EstimatedLoss):
        return
    largest = loss.estimated.largest_power
    if abs(p) > largest:
        raise InputError(
            f"of utilities with errors of about {loss.estimated.typical_error:.2g} p must lie "
            f"between {-largest:.3g} and {largest:.3g}, where what errors do to welfare is known; "
            f"found p = {'inf' if np.isposinf(p) else format(p, 'g')}. Pass the table without "
            "errors, or measure utilities better."
        )


def with_errors_said(said: Description, likelihood: Likelihood) -> Description:
    """Return a description that says what errors of utilities do, if they have any."""
    if not is_estimated(likelihood):
        return said
    found = likelihood.once("utility errors", lambda: utility_errors_of(likelihood))
    caveats = [Caveat(Remark, found.sentence)]
    p = likelihood.point.p
    if found.typical > _LARGE or found.typical * abs(p) > _BENT:
        caveats.append(
            Caveat(
                Remark,
                f"errors of utilities are large (about {found.typical:.2g} in logarithms, at p = "
                f"{p:.2g}): what they do to welfare is known roughly, and intervals may be far too "
                "short. Measure utilities better, ask people more, or state an anchor.",
            )
        )
    unknown = getattr(likelihood.loss.source, "unknown", ())  # type: ignore[attr-defined]
    if unknown:
        caveats.append(
            Caveat(
                Remark,
                f"nothing but errors is seen in the utilities of {listed(unknown)}, which vary no "
                "more than their errors explain: they were taken to be the same in all actions, "
                "and weights mean little. Measure them better, or leave them out.",
            )
        )
    note = getattr(likelihood.loss.source, "note", "")  # type: ignore[attr-defined]
    if note:
        caveats.append(Caveat(Remark, note[0].lower() + note[1:]))
    return replace(said, caveats=(*said.caveats, *caveats))

"""Choices between something and nothing: infinite margins, and outcomes that are certain.

Where the welfare of one of two actions is 0, no temperature makes it the better one. Under logistic
noise it is never chosen, so that the loss of such a choice is infinite; a lapse explains it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import xlogy

from welfarist.base.validation import FloatArray
from welfarist.noise.base import CERTAIN, STEEPEST, Choice, ChoiceNoise, OwnDerivatives


def choice_of(
    noise: ChoiceNoise,
    z: FloatArray,
    own: FloatArray,
    count: FloatArray,
    lead: FloatArray,
    *,
    observed: bool = False,
) -> tuple[Choice, FloatArray]:
    """Return the loss of outcomes whose margins may be infinite, and the margins that are not.

    Domain: z in [-inf, inf], (n,); the rest as in :meth:`ChoiceNoise.choice`.

    Formula: where z is infinite ``-right log P(inf) - wrong log P(-inf)``, with as many right and
    wrong outcomes; its derivatives by z are 0, and so is z in the margins (n,) that are returned,
    which multiply them.

    Limits: infinite where an outcome was observed that cannot be.
    """
    work = noise.observed if observed else noise.choice
    certain = np.isinf(z)
    if not certain.any():
        return work(z, own, count, lead), z
    finite = np.where(certain, 0.0, z)
    choice = work(finite, own, np.where(certain, 0.0, count), np.where(certain, 0.0, lead))
    ahead = np.sign(z[certain]) * lead[certain]
    right, wrong = (count[certain] + ahead) / 2.0, (count[certain] - ahead) / 2.0
    here = noise.at_infinity(own)
    likely, unlikely = float(here.likely[0]), float(here.unlikely[0])
    lost = -float(xlogy(right.sum(), likely) + xlogy(wrong.sum(), unlikely))
    derivatives = choice.own
    if derivatives is not None:
        tilt, both = here.by_own, here.by_own[:, None] * here.by_own
        by_own, information = derivatives.by_own.copy(), derivatives.information.copy()
        by_own[:, certain] = tilt * (wrong / max(unlikely, STEEPEST) - right / likely)
        if observed:
            spread = right / likely**2 + wrong / max(unlikely**2, CERTAIN)
        else:
            spread = (right + wrong) / max(likely * unlikely, CERTAIN)
        information[..., certain] = both * spread
        derivatives = OwnDerivatives(by_own, derivatives.cross, information)
    return replace(choice, loss=choice.loss + lost, own=derivatives), finite


def log_chances(
    noise: ChoiceNoise, z: FloatArray, own: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return log P of either outcome (n,), (n,), where margins z (n,) may be infinite."""
    certain = np.isinf(z)
    if not certain.any():
        return noise.log_chances(z, own)
    first, second = noise.log_chances(np.where(certain, 0.0, z), own)
    here = noise.at_infinity(own)
    with np.errstate(divide="ignore"):  # what cannot be has a log chance of -inf
        likely, unlikely = float(np.log(here.likely[0])), float(np.log(here.unlikely[0]))
    ahead = z > 0
    first = np.where(certain, np.where(ahead, likely, unlikely), first)
    return first, np.where(certain, np.where(ahead, unlikely, likely), second)

"""How far a learned rule is from the truth."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import welfarist as wf
from replication.experiment import Array

# Concentration of the Dirichlet prior under which the divergence is reported as well: half an
# observation per person, enough to keep every weight positive.
PRIOR = 1.5
# Powers are told apart, and drawn, up to here.
FAR = 150.0


@contextmanager
def quiet() -> Iterator[None]:
    """Small samples make fits warn, as they should; the figures show it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        yield


def divergence(true: Array, learned: Array) -> float:
    """KL(true || learned), infinite where a person who counts was given no weight."""
    counted = true > 0
    if (learned[counted] <= 0).any():
        return float("inf")
    return float(np.sum(true[counted] * np.log(true[counted] / learned[counted])))


def mean_squared(one: Array, other: Array) -> float:
    """Mean squared difference."""
    return float(np.mean(np.square(one - other)))


def choice_loss(z: Array, outcomes: Array) -> float:
    """Mean negative log likelihood of outcomes ±1 at standardised margins z."""
    return float(np.mean(np.logaddexp(0.0, -outcomes * z)))


def power_error(p: float, true: float) -> float:
    """How far a learned power is from the true one: in asinh p, |p| above `FAR` counting as it.

    Powers far out differ by hundreds where rules hardly differ, and may be infinite.
    """
    return float(abs(np.arcsinh(np.clip(p, -FAR, FAR)) - np.arcsinh(true)))

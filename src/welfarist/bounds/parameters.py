"""The letters of the paper's bounds, checked: n, d, delta, u_min, u_max, rho, tau_max, c."""

from __future__ import annotations

import math
from typing import Literal, get_args

from welfarist.base.errors import InputError
from welfarist.base.validation import is_real

Weights = Literal["known", "unknown"]

COVERING_CONSTANT = 2.0 * math.e
"""The constant c of the paper's covering numbers, which it leaves without a value.

It must make ``(c / epsilon)^(2 k)`` a bound on the covering number, in root mean square, of every
class of functions into [0, 1] with pseudo-dimension k [PSPS24, Lemma A.4]. Haussler's bound for the
mean absolute distance is ``e (k + 1) (2 e / epsilon)^k``; a mean square is no more than a mean
absolute distance in [0, 1], so that epsilon^2 takes epsilon's place. What is left to c is largest
at k = 1: ``sqrt(2 e) sqrt(2 e) = 2 e``, about 5.44.
"""

# Beyond these, products of parameters would leave double precision.
_LARGEST, _SMALLEST = 1e100, 1e-100
MOST_SAMPLES = 10**300


def check_samples(n: object) -> int:
    """Require a number of decisions: whole and at least 1."""
    return _whole(n, "n", "a whole number of decisions, at least 1", MOST_SAMPLES)


def check_people(d: object) -> int:
    """Require a number of people: whole and at least 1."""
    return _whole(d, "d", "a whole number of people, at least 1", int(_LARGEST))


def check_weights(weights: object) -> Weights:
    """Require one of the two states of knowledge about the weights."""
    if isinstance(weights, str) and weights in get_args(Weights):
        return weights  # type: ignore[return-value]
    raise InputError(
        f'weights must be "known" or "unknown"; found {weights!r:.60}. Equal weights are known.'
    )


def check_delta(delta: object) -> float:
    """Require a probability of failure strictly between 0 and 1."""
    value = _real(delta, "delta", "a probability strictly between 0 and 1")
    if not 0 < value < 1:
        raise InputError(
            f"delta must be strictly between 0 and 1; found {value:g}. It is how often the bound "
            "may fail: 0.05 is usual, and never failing cannot be guaranteed."
        )
    return value


def check_error(error: object) -> float:
    """Require an error that some number of decisions can reach."""
    value = _real(error, "error", "a positive number")
    if not 0 < value < math.inf:
        raise InputError(
            f"error must be positive and finite; found {value:g}. No number of decisions "
            "guarantees an error of 0: say how much is tolerable."
        )
    return value


def check_range(u_min: object, u_max: object) -> tuple[float, float]:
    """Require a range of positive utilities; both ends may be the same."""
    low = _real(u_min, "u_min", "a positive number")
    high = _real(u_max, "u_max", "a number that is at least u_min")
    if not low > 0:
        raise InputError(
            f"u_min must be positive; found {low:g}. Give the smallest utility that can occur, on "
            "a scale on which nobody has nothing."
        )
    if high < low:
        raise InputError(
            f"u_max must be at least u_min; found u_max = {high:g} and u_min = {low:g}. "
            "Exchange them?"
        )
    if low < _SMALLEST or high > _LARGEST:
        raise InputError(
            f"u_min and u_max must lie between {_SMALLEST:g} and {_LARGEST:g}; found {low:g} and "
            f"{high:g}. Choose another unit."
        )
    return low, high


def check_rho(rho: object) -> float:
    """Require a flip probability that leaves something to learn."""
    value = _real(rho, "rho", "a probability from 0 up to, but not including, 1/2")
    if not 0 <= value < 0.5:
        raise InputError(
            f"rho must be at least 0 and less than 1/2; found {value:g}. "
            + (
                "At 1/2 and beyond choices carry no information about the rule, or the labels "
                "are exchanged."
                if value >= 0.5
                else "It is the probability that a choice is recorded the wrong way round."
            )
        )
    return value


def check_positive(value: object, name: str) -> float:
    """Require a positive number of moderate size."""
    number = _real(value, name, "a positive number")
    if not 0 < number <= _LARGEST:
        raise InputError(f"{name} must be positive, at most {_LARGEST:g}; found {number:g}.")
    return number


def _real(value: object, name: str, meaning: str) -> float:
    if not is_real(value):
        raise InputError(f"{name} must be {meaning}; found {value!r:.60}.")
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise InputError(f"{name} must be {meaning}; found a number above 1.8e308.") from None
    if math.isnan(number):
        raise InputError(f"{name} must be {meaning}; found NaN.")
    return number


def _whole(value: object, name: str, meaning: str, most: int) -> int:
    number = _real(value, name, meaning)
    if not 1 <= number <= most or number != math.floor(number):
        limit = f" and at most {most:.0e}" if number > most else ""
        raise InputError(f"{name} must be {meaning}{limit}; found {value!r:.60}.")
    return int(value)  # type: ignore[call-overload, no-any-return]

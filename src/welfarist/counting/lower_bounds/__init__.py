"""Proof of how few errors a rule could make, whatever its weights and power."""

from welfarist.counting.lower_bounds.certify import MOST_PAIRS, proven_gap
from welfarist.counting.lower_bounds.mixed_integer import proven_minimum

__all__ = ["MOST_PAIRS", "proven_gap", "proven_minimum"]

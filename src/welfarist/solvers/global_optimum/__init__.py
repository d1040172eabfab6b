"""Proof that a fit with known weights is the best over all powers, temperatures and scales."""

from welfarist.solvers.global_optimum.certify import can_certify, certify, search_powers

__all__ = ["can_certify", "certify", "search_powers"]

"""Proof that a fit with known weights is the best over all powers, temperatures and scales."""

from welfarist.proofs.certify import can_certify, certified, certifier_of, certify, search_powers

__all__ = ["can_certify", "certified", "certifier_of", "certify", "search_powers"]

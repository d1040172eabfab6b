"""Proof that a fit with learned weights is the best: branch and bound over boxes of rules."""

from welfarist.proofs.rules.proving import prove, require_provable

__all__ = ["prove", "require_provable"]

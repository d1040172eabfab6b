"""The set of welfare functions that explain every decision, where there are any."""

from welfarist.counting.consistent.rules import ConsistentRules, find_consistent

__all__ = ["ConsistentRules", "find_consistent"]

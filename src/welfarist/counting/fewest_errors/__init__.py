"""The search for the rule with the fewest errors where no rule explains everything."""

from welfarist.counting.fewest_errors.alternate import SweepResult, improve

__all__ = ["SweepResult", "improve"]

"""The search for the rule with the fewest errors where no rule explains everything."""

from welfarist.solvers.fewest_errors.alternate import SweepResult, improve

__all__ = ["SweepResult", "improve"]

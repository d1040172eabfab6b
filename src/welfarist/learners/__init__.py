"""The scikit-learn estimators: validate, call the solver, store what was learned."""

from welfarist.learners.comparisons import ComparisonClassifier
from welfarist.learners.scores import WelfareRegressor

__all__ = ["ComparisonClassifier", "WelfareRegressor"]

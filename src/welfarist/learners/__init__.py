"""The scikit-learn estimators: validate, call the solver, store what was learned."""

from welfarist.learners.base import WelfareLearner
from welfarist.learners.comparisons import ComparisonClassifier
from welfarist.learners.pair_transformer import PairTransformer
from welfarist.learners.scores import WelfareRegressor

__all__ = [
    "ComparisonClassifier",
    "learner_for",
    "LEARNERS",
    "PairTransformer",
    "WelfareLearner",
    "WelfareRegressor",
]

# One for each kind of decisions.
LEARNERS: tuple[type[WelfareLearner], ...] = (ComparisonClassifier, WelfareRegressor)


def learner_for(kind: str) -> type[WelfareLearner]:
    """Return the learner for a kind of decisions."""
    return next(learner for learner in LEARNERS if learner.takes.kind == kind)

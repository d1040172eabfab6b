"""The scikit-learn estimators: validate, call the solver, store what was learned."""

from welfarist.learners.base import WelfareLearner
from welfarist.learners.choices import ChoiceLearner
from welfarist.learners.comparisons import ComparisonClassifier
from welfarist.learners.pair_transformer import PairTransformer
from welfarist.learners.scores import WelfareRegressor
from welfarist.learners.scoring import teach_scorers

__all__ = [
    "ChoiceLearner",
    "ComparisonClassifier",
    "learner_for",
    "LEARNERS",
    "PairTransformer",
    "WelfareLearner",
    "WelfareRegressor",
]

teach_scorers()

# One for each kind of decisions.
LEARNERS: tuple[type[WelfareLearner], ...] = (
    ChoiceLearner,
    ComparisonClassifier,
    WelfareRegressor,
)


def learner_for(kind: str) -> type[WelfareLearner]:
    """Return the learner for a kind of decisions."""
    return next(learner for learner in LEARNERS if learner.takes.kind == kind)

"""The paper's theory as functions: how hard the rules are to learn, and how much data suffices.

`capacity` says how rich the classes of rules are, `risk` what that means for learning from n
decisions, `planning` asks both ways round (what error with n decisions, how many decisions for an
error), `figures` draws it. `sign_changes` and `shattering` check the theory exactly on small cases.

The bounds hold for every distribution of actions, and are loose for that reason: for realistic n
they often exceed :func:`largest_excess_risk`, and then say nothing. :func:`learning_curve` puts
what actually happens beside them: it simulates `trials` of learning in a stated world.
:func:`choices_per_person` does so where decision makers differ.

Examples
--------
>>> from welfarist import bounds
>>> bounds.samples_needed("comparisons", error=0.1, d=18, weights="known")
4164514
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from welfarist.bounds.capacity import (
    pseudo_dimension,
    rademacher_comparisons,
    rademacher_logistic,
    rademacher_scores,
    vc_dimension_lower,
    vc_dimension_upper,
)
from welfarist.bounds.figures import plot
from welfarist.bounds.parameters import COVERING_CONSTANT, Weights
from welfarist.bounds.planning import (
    Task,
    excess_risk,
    largest_excess_risk,
    samples_needed,
    table,
)
from welfarist.bounds.risk import (
    excess_risk_of_comparisons,
    excess_risk_of_flipped_comparisons,
    excess_risk_of_logistic_comparisons,
    excess_risk_of_scores,
)
from welfarist.bounds.shattering import Shattered, shattered_comparisons
from welfarist.bounds.sign_changes import (
    SignChanges,
    count_sign_changes,
    most_sign_changes,
    pair_crossing_at,
)

if TYPE_CHECKING:
    from welfarist.bounds.curves import LearningCurve
    from welfarist.bounds.learning_curves import learning_curve
    from welfarist.bounds.panels import PanelOutcome, PanelStudy, choices_per_person

__all__ = [
    "choices_per_person",
    "count_sign_changes",
    "COVERING_CONSTANT",
    "excess_risk",
    "excess_risk_of_comparisons",
    "excess_risk_of_flipped_comparisons",
    "excess_risk_of_logistic_comparisons",
    "excess_risk_of_scores",
    "largest_excess_risk",
    "learning_curve",
    "LearningCurve",
    "most_sign_changes",
    "pair_crossing_at",
    "PanelOutcome",
    "PanelStudy",
    "plot",
    "pseudo_dimension",
    "rademacher_comparisons",
    "rademacher_logistic",
    "rademacher_scores",
    "samples_needed",
    "Shattered",
    "shattered_comparisons",
    "SignChanges",
    "table",
    "Task",
    "vc_dimension_lower",
    "vc_dimension_upper",
    "Weights",
]

# Simulations need the learners, which take a second to import; formulas do not.
_ON_DEMAND = {
    "choices_per_person": "panels",
    "learning_curve": "learning_curves",
    "LearningCurve": "curves",
    "PanelOutcome": "panels",
    "PanelStudy": "panels",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'welfarist.bounds' has no attribute {name!r}")
    value = getattr(import_module(f"welfarist.bounds.{_ON_DEMAND[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Learn which welfare function a decision maker follows from what they decided.

Examples
--------
>>> import welfarist as wf
>>> wf.WelfareFunction(p=-1).rank([[9.0, 1.0], [4.0, 4.0]])
array([1, 0])
"""

from __future__ import annotations

from importlib import import_module

from welfarist.base.former_names import install
from welfarist.base.version import __version__ as __version__

TYPE_CHECKING = False  # that of typing, which takes as long to import as all of this
if TYPE_CHECKING:
    from typing import Any

    from welfarist import asking, bounds, families, noise, simulate
    from welfarist.allocating.allocation import Allocation, Boards, allocate
    from welfarist.asking.interview import Interview
    from welfarist.asking.posterior import Posterior
    from welfarist.asking.prior import Prior
    from welfarist.base.errors import (
        DecisionsMissingError,
        ImpossibleDecisionsError,
        InputError,
        MisfitWarning,
        NotConvergedWarning,
        NotIdentifiedWarning,
        PairScalingWarning,
        SearchRangeWarning,
        SeparationWarning,
        WelfaristError,
        WelfaristWarning,
        ZerosError,
    )
    from welfarist.comparing.choquet import Interactions, interactions
    from welfarist.comparing.contest import compare
    from welfarist.comparing.shifts import ShiftTable, shift_table
    from welfarist.comparing.side_by_side import SideBySide
    from welfarist.counting.equal_shapes import equally_good
    from welfarist.counting.exact_solver import Exact
    from welfarist.deciders.deciders import Deciders
    from welfarist.deciders.deciders_result import DecidersResult
    from welfarist.deciders.kinds import DeciderType
    from welfarist.deciders.populations import Population
    from welfarist.deciders.saved import DecidersModel
    from welfarist.deciders.saving import load_model, save_model
    from welfarist.deciders.types import Types
    from welfarist.deciders.types_result import TypesResult
    from welfarist.decisions import Choices, Comparisons, Scores
    from welfarist.families.named import Doctrine
    from welfarist.families.power_mean.derivatives import (
        LogMeanDerivatives,
        log_power_mean_derivatives,
    )
    from welfarist.families.power_mean.doctrines import DOCTRINES, doctrine_of, power_of
    from welfarist.families.power_mean.mean import log_power_mean, power_mean
    from welfarist.families.rule import WelfareFunction
    from welfarist.learners import (
        ChoiceLearner,
        ComparisonClassifier,
        PairTransformer,
        WelfareRegressor,
    )
    from welfarist.paper.grid import Grid
    from welfarist.paper.two_stage import TwoStage
    from welfarist.people.answers.stakeholders import StakeholderUtilities
    from welfarist.people.attributes import ByAttributes
    from welfarist.people.estimated.people import People
    from welfarist.people.sketch.sketch import Sketch
    from welfarist.recommending.advice import Advice
    from welfarist.recommending.by_family import family_fits
    from welfarist.recommending.drawing import draw_rules
    from welfarist.recommending.recommendation import Recommendation, recommend
    from welfarist.results.record import FitResult
    from welfarist.results.rule_draws import RuleDraws
    from welfarist.results.saved_models import Model
    from welfarist.results.summary import Summary
    from welfarist.show import plots
    from welfarist.show.report import write_report

__all__ = [
    "Advice",
    "allocate",
    "Allocation",
    "asking",
    "Boards",
    "bounds",
    "ByAttributes",
    "ChoiceLearner",
    "Choices",
    "compare",
    "ComparisonClassifier",
    "Comparisons",
    "Deciders",
    "DecidersModel",
    "DecidersResult",
    "DeciderType",
    "DecisionsMissingError",
    "Doctrine",
    "doctrine_of",
    "DOCTRINES",
    "draw_rules",
    "equally_good",
    "Exact",
    "families",
    "family_fits",
    "FitResult",
    "Grid",
    "ImpossibleDecisionsError",
    "InputError",
    "Interactions",
    "interactions",
    "Interview",
    "load_model",
    "log_power_mean",
    "log_power_mean_derivatives",
    "LogMeanDerivatives",
    "MisfitWarning",
    "Model",
    "noise",
    "NotConvergedWarning",
    "NotIdentifiedWarning",
    "PairScalingWarning",
    "PairTransformer",
    "People",
    "plots",
    "Population",
    "Posterior",
    "power_mean",
    "power_of",
    "Prior",
    "recommend",
    "Recommendation",
    "RuleDraws",
    "save_model",
    "Scores",
    "SearchRangeWarning",
    "SeparationWarning",
    "shift_table",
    "ShiftTable",
    "SideBySide",
    "simulate",
    "Sketch",
    "StakeholderUtilities",
    "Summary",
    "TwoStage",
    "Types",
    "TypesResult",
    "WelfareFunction",
    "WelfareRegressor",
    "WelfaristError",
    "WelfaristWarning",
    "write_report",
    "ZerosError",
]

# Learning needs SciPy and scikit-learn, which take a second to import; judging actions needs NumPy
# only, and a page of help not even that.
_ERRORS = "base.errors"
_ON_DEMAND = {
    "Advice": "recommending.advice",
    "allocate": "allocating.allocation",
    "Allocation": "allocating.allocation",
    "asking": "asking",
    "Boards": "allocating.allocation",
    "bounds": "bounds",
    "ByAttributes": "people.attributes",
    "ChoiceLearner": "learners",
    "Choices": "decisions",
    "compare": "comparing.contest",
    "ComparisonClassifier": "learners",
    "Comparisons": "decisions",
    "Deciders": "deciders.deciders",
    "DecidersModel": "deciders.saved",
    "DecidersResult": "deciders.deciders_result",
    "DeciderType": "deciders.kinds",
    "DecisionsMissingError": _ERRORS,
    "Doctrine": "families.named",
    "doctrine_of": "families.power_mean.doctrines",
    "DOCTRINES": "families.power_mean.doctrines",
    "draw_rules": "recommending.drawing",
    "equally_good": "counting.equal_shapes",
    "Exact": "counting.exact_solver",
    "families": "families",
    "family_fits": "recommending.by_family",
    "FitResult": "results.record",
    "Grid": "paper.grid",
    "ImpossibleDecisionsError": _ERRORS,
    "InputError": _ERRORS,
    "Interactions": "comparing.choquet",
    "interactions": "comparing.choquet",
    "Interview": "asking.interview",
    "load_model": "deciders.saving",
    "log_power_mean": "families.power_mean.mean",
    "log_power_mean_derivatives": "families.power_mean.derivatives",
    "LogMeanDerivatives": "families.power_mean.derivatives",
    "MisfitWarning": _ERRORS,
    "Model": "results.saved_models",
    "noise": "noise",
    "NotConvergedWarning": _ERRORS,
    "NotIdentifiedWarning": _ERRORS,
    "PairScalingWarning": _ERRORS,
    "PairTransformer": "learners",
    "People": "people.estimated.people",
    "plots": "show.plots",
    "Population": "deciders.populations",
    "Posterior": "asking.posterior",
    "power_mean": "families.power_mean.mean",
    "power_of": "families.power_mean.doctrines",
    "Prior": "asking.prior",
    "recommend": "recommending.recommendation",
    "Recommendation": "recommending.recommendation",
    "RuleDraws": "results.rule_draws",
    "save_model": "deciders.saving",
    "Scores": "decisions",
    "SearchRangeWarning": _ERRORS,
    "SeparationWarning": _ERRORS,
    "shift_table": "comparing.shifts",
    "ShiftTable": "comparing.shifts",
    "SideBySide": "comparing.side_by_side",
    "simulate": "simulate",
    "Sketch": "people.sketch.sketch",
    "StakeholderUtilities": "people.answers.stakeholders",
    "Summary": "results.summary",
    "TwoStage": "paper.two_stage",
    "Types": "deciders.types",
    "TypesResult": "deciders.types_result",
    "WelfareFunction": "families.rule",
    "WelfareRegressor": "learners",
    "WelfaristError": _ERRORS,
    "WelfaristWarning": _ERRORS,
    "write_report": "show.report",
    "ZerosError": _ERRORS,
}


install()


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'welfarist' has no attribute {name!r}")
    module = import_module(f"welfarist.{_ON_DEMAND[name]}")
    is_room = name == _ON_DEMAND[name].rsplit(".")[-1]
    value = module if is_room else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # What completion offers: the public names, not what the module itself imports.
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])

"""Learn which welfare function a decision maker follows from what they decided.

Examples
--------
>>> import welfarist as wf
>>> wf.WelfareFunction(p=-1).rank([[9.0, 1.0], [4.0, 4.0]])
array([1, 0])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from welfarist.base.errors import (
    DecisionsMissingError,
    InputError,
    MisfitWarning,
    NotConvergedWarning,
    NotIdentifiedWarning,
    PairScalingWarning,
    SearchRangeWarning,
    SeparationWarning,
    WelfaristError,
    WelfaristWarning,
)
from welfarist.base.former_names import install
from welfarist.base.version import __version__ as __version__
from welfarist.families.named import Doctrine
from welfarist.families.power_mean.derivatives import LogMeanDerivatives, log_power_mean_derivatives
from welfarist.families.power_mean.doctrines import DOCTRINES, doctrine_of, power_of
from welfarist.families.power_mean.mean import log_power_mean, power_mean
from welfarist.families.rule import WelfareFunction

if TYPE_CHECKING:
    from welfarist import bounds, families, noise, simulate
    from welfarist.comparing.side_by_side import SideBySide, compare
    from welfarist.counting.exact_solver import Exact
    from welfarist.decisions import Comparisons, Scores
    from welfarist.learners import ComparisonClassifier, PairTransformer, WelfareRegressor
    from welfarist.paper.grid import Grid
    from welfarist.paper.two_stage import TwoStage
    from welfarist.results.record import FitResult
    from welfarist.results.saved_models import Model, load_model, save_model
    from welfarist.results.summary import Summary
    from welfarist.show import plots
    from welfarist.show.report import write_report

__all__ = [
    "bounds",
    "compare",
    "ComparisonClassifier",
    "Comparisons",
    "DecisionsMissingError",
    "Doctrine",
    "doctrine_of",
    "DOCTRINES",
    "Exact",
    "families",
    "FitResult",
    "Grid",
    "InputError",
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
    "plots",
    "power_mean",
    "power_of",
    "save_model",
    "Scores",
    "SearchRangeWarning",
    "SeparationWarning",
    "SideBySide",
    "simulate",
    "Summary",
    "TwoStage",
    "WelfareFunction",
    "WelfareRegressor",
    "WelfaristError",
    "WelfaristWarning",
    "write_report",
]

# Learning needs SciPy and scikit-learn, which take a second to import; judging actions does not.
_ON_DEMAND = {
    "bounds": "bounds",
    "compare": "comparing.side_by_side",
    "ComparisonClassifier": "learners",
    "Comparisons": "decisions",
    "Exact": "counting.exact_solver",
    "families": "families",
    "FitResult": "results.record",
    "Grid": "paper.grid",
    "load_model": "results.saved_models",
    "Model": "results.saved_models",
    "noise": "noise",
    "PairTransformer": "learners",
    "plots": "show.plots",
    "save_model": "results.saved_models",
    "Scores": "decisions",
    "SideBySide": "comparing.side_by_side",
    "simulate": "simulate",
    "Summary": "results.summary",
    "TwoStage": "paper.two_stage",
    "WelfareRegressor": "learners",
    "write_report": "show.report",
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

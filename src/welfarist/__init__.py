"""Learn which welfare function a decision maker follows from what they decided.

Examples
--------
>>> import welfarist as wf
>>> wf.WelfareFunction(p=-1).rank([[9.0, 1.0], [4.0, 4.0]])
array([1, 0])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from welfarist.derivatives import LogMeanDerivatives, log_power_mean_derivatives
from welfarist.doctrines import DOCTRINES, Doctrine, doctrine_of, power_of
from welfarist.errors import (
    InputError,
    MisfitWarning,
    NotConvergedWarning,
    NotIdentifiedWarning,
    SearchRangeWarning,
    SeparationWarning,
    WelfaristError,
    WelfaristWarning,
)
from welfarist.power_mean import log_power_mean, power_mean
from welfarist.welfare import WelfareFunction

if TYPE_CHECKING:
    from welfarist import bounds, plots, simulate
    from welfarist.decisions import Comparisons
    from welfarist.fit import FitResult
    from welfarist.learners import ComparisonClassifier, WelfareRegressor
    from welfarist.models import Model, load_model, save_model
    from welfarist.report import write_report
    from welfarist.side_by_side import SideBySide, compare
    from welfarist.solvers.exact import Exact
    from welfarist.solvers.grid import Grid
    from welfarist.solvers.two_stage import TwoStage
    from welfarist.summary import Summary

__version__ = "0.1.0"

__all__ = [
    "bounds",
    "compare",
    "ComparisonClassifier",
    "Comparisons",
    "Doctrine",
    "doctrine_of",
    "DOCTRINES",
    "Exact",
    "FitResult",
    "Grid",
    "InputError",
    "load_model",
    "log_power_mean",
    "log_power_mean_derivatives",
    "LogMeanDerivatives",
    "MisfitWarning",
    "Model",
    "NotConvergedWarning",
    "NotIdentifiedWarning",
    "plots",
    "power_mean",
    "power_of",
    "save_model",
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
    "compare": "side_by_side",
    "ComparisonClassifier": "learners",
    "Comparisons": "decisions",
    "Exact": "solvers.exact",
    "FitResult": "fit",
    "Grid": "solvers.grid",
    "load_model": "models",
    "Model": "models",
    "plots": "plots",
    "save_model": "models",
    "SideBySide": "side_by_side",
    "simulate": "simulate",
    "Summary": "summary",
    "TwoStage": "solvers.two_stage",
    "WelfareRegressor": "learners",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'welfarist' has no attribute {name!r}")
    module = import_module(f"welfarist.{_ON_DEMAND[name]}")
    is_room = name == _ON_DEMAND[name]
    value = module if is_room else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # What completion offers: the public names, not what the module itself imports.
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])

"""Learn which welfare function a decision maker follows from what they decided.

Examples
--------
>>> import welfarist as wf
>>> wf.WelfareFunction(p=-1).rank([[9.0, 1.0], [4.0, 4.0]])
array([1, 0])
"""

from welfarist.derivatives import LogMeanDerivatives, log_power_mean_derivatives
from welfarist.doctrines import DOCTRINES, Doctrine, doctrine_of, power_of
from welfarist.errors import InputError, WelfaristError
from welfarist.power_mean import log_power_mean, power_mean
from welfarist.welfare import WelfareFunction

__version__ = "0.1.0"

__all__ = [
    "Doctrine",
    "doctrine_of",
    "DOCTRINES",
    "InputError",
    "log_power_mean",
    "log_power_mean_derivatives",
    "LogMeanDerivatives",
    "power_mean",
    "power_of",
    "WelfareFunction",
    "WelfaristError",
]

"""How utilities become welfare: families of welfare functions, and what one of your own needs.

A family turns what people have, weights and one parameter of its own, its shape, into a value per
action. Subclass :class:`Family` and pass an instance to a learner as ``family=``.
"""

from welfarist.base.parameters import ASINH, IDENTITY, LOG, Coordinate, Parameter
from welfarist.families.base import Family
from welfarist.families.columns import Columns
from welfarist.families.family_rule import FamilyRule
from welfarist.families.levels import DIFFERENCE, RATIO, Level
from welfarist.families.power_mean.family import POWER_MEAN, PowerMean
from welfarist.families.welfare import Welfare

__all__ = [
    "ASINH",
    "Columns",
    "Coordinate",
    "DIFFERENCE",
    "Family",
    "FamilyRule",
    "IDENTITY",
    "Level",
    "LOG",
    "Parameter",
    "POWER_MEAN",
    "PowerMean",
    "RATIO",
    "Welfare",
]

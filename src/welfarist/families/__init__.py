"""How utilities become welfare: families of welfare functions, and what one of your own needs.

A family turns what people have, weights and one parameter of its own, its shape, into a value per
action. Subclass :class:`Family` and pass an instance to a learner as ``family=``.
"""

from welfarist.base.parameters import ASINH, IDENTITY, LOG, Coordinate, Parameter
from welfarist.families.additive.family import ADDITIVE, AdditiveFamily
from welfarist.families.additive.own import ADDITIVE_OWN, OwnCurvesFamily
from welfarist.families.base import Family
from welfarist.families.choquet.rule import Choquet
from welfarist.families.columns import Columns
from welfarist.families.differences.family import OnDifferences
from welfarist.families.family_rule import FamilyRule
from welfarist.families.known import FAMILIES
from welfarist.families.kolm_pollak.family import KOLM_POLLAK, KolmPollakFamily
from welfarist.families.levels import DIFFERENCE, RATIO, Level
from welfarist.families.needs.family import NEEDS, NeedsFamily
from welfarist.families.nested.family import NESTED, NestedFamily
from welfarist.families.power_mean.family import POWER_MEAN, PowerMean
from welfarist.families.rank_dependent.family import RANK_DEPENDENT, RankDependentFamily
from welfarist.families.rules import KolmPollak, Nested, RankDependent
from welfarist.families.welfare import Welfare

__all__ = [
    "ADDITIVE",
    "ADDITIVE_OWN",
    "AdditiveFamily",
    "ASINH",
    "Choquet",
    "Columns",
    "Coordinate",
    "DIFFERENCE",
    "FAMILIES",
    "Family",
    "FamilyRule",
    "IDENTITY",
    "KOLM_POLLAK",
    "KolmPollak",
    "KolmPollakFamily",
    "Level",
    "LOG",
    "NEEDS",
    "NeedsFamily",
    "NESTED",
    "Nested",
    "NestedFamily",
    "OnDifferences",
    "OwnCurvesFamily",
    "Parameter",
    "POWER_MEAN",
    "PowerMean",
    "RANK_DEPENDENT",
    "RankDependent",
    "RankDependentFamily",
    "RATIO",
    "Welfare",
]

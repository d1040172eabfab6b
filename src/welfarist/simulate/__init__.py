"""Seeded worlds to learn from, and decision makers who decide in them.

A world says what each action gives to each person, and which rule its decision maker follows:
:func:`individuals` with independent utilities, or :func:`food_rescue`, a simulated charity whose
utilities are themselves learned from answers (:func:`food_rescue_answers` is the same from raw
answers on). :func:`country` has as many people as one likes,
part after part. :func:`scores`, :func:`comparisons`, :func:`choices`
and :func:`rankings` are what the decision maker does in a world, with errors or without.
:func:`crowd_of_types` and :func:`normal_crowd` are many decision makers who differ, and
:func:`crowd_comparisons` and :func:`crowd_choices` what they do. Nothing here is real data.

The same seed gives the same digits. One seed may serve all functions: each draws numbers of its
own from it, so that noise never depends on utilities.

Examples
--------
>>> from welfarist import ComparisonClassifier, simulate
>>> world = simulate.individuals(200, 3, p=-1.62, random_state=1)
>>> pairs = simulate.pairs_with_others(200, 10, random_state=1)
>>> decisions = simulate.comparisons(world, pairs, tau=20, random_state=1)
>>> learned = ComparisonClassifier().fit(decisions)
>>> bool(abs(learned.p_ - world.p) < 0.5)
True
"""

from welfarist.simulate.answered import AnsweredCharity, food_rescue_answers
from welfarist.simulate.charity import Charity, food_rescue
from welfarist.simulate.choosing import choices, random_menus, rankings
from welfarist.simulate.country import Country, country
from welfarist.simulate.crowd_deciding import crowd_choices, crowd_comparisons
from welfarist.simulate.crowds import Crowd, rule_coordinates
from welfarist.simulate.deciding import (
    comparisons,
    correct_share,
    pairs_with_others,
    random_pairs,
    scores,
    true_order,
)
from welfarist.simulate.organisations import FEATURES, SCALES, Organisations, organisations
from welfarist.simulate.populations import (
    crowd_of_types,
    normal_crowd,
    population_around,
    random_types,
)
from welfarist.simulate.stakeholders import GROUPS, Group
from welfarist.simulate.worlds import World, individuals

__all__ = [
    "AnsweredCharity",
    "Charity",
    "choices",
    "comparisons",
    "correct_share",
    "Country",
    "country",
    "Crowd",
    "crowd_choices",
    "crowd_comparisons",
    "crowd_of_types",
    "FEATURES",
    "food_rescue",
    "food_rescue_answers",
    "Group",
    "GROUPS",
    "individuals",
    "normal_crowd",
    "Organisations",
    "organisations",
    "pairs_with_others",
    "population_around",
    "random_menus",
    "random_pairs",
    "random_types",
    "rankings",
    "rule_coordinates",
    "scores",
    "SCALES",
    "true_order",
    "World",
]

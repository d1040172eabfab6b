"""Figures of what was learned, one function a figure (extra ``plots``: matplotlib).

Every function takes a fitted learner or its ``result_`` and, if you have them, axes to draw on; it
returns the axes, so that titles and labels can be changed. Figures are told apart by dashes and
markers as well as by colour.

Examples
--------
>>> import welfarist as wf
>>> from welfarist.app.demo import past_decisions
>>> result = wf.ComparisonClassifier().fit(past_decisions()).result_
>>> wf.plots.weights(result).get_xlabel()
'weight (share of the total) with 95% interval'
"""

from welfarist.show.plots.fit_checks import calibration, residuals
from welfarist.show.plots.indifference_curves import indifference
from welfarist.show.plots.individual_figures import individuals
from welfarist.show.plots.learning import learning_curve
from welfarist.show.plots.membership_figures import membership, number_of_types
from welfarist.show.plots.posterior_figures import posterior
from welfarist.show.plots.power_figures import loss, profile
from welfarist.show.plots.type_figures import types
from welfarist.show.plots.unit_figures import unit_worth
from welfarist.show.plots.weight_figures import weights

__all__ = [
    "calibration",
    "indifference",
    "individuals",
    "learning_curve",
    "loss",
    "membership",
    "number_of_types",
    "posterior",
    "profile",
    "residuals",
    "types",
    "unit_worth",
    "weights",
]

"""The parameter of scores: how large their unit is beside that of welfare."""

import numpy as np

from welfarist.base.parameters import LOG, Parameter

SCALE = Parameter("scale", "scale", 0.0, np.inf, LOG, 0.02, 1e-9, 1.0)
# How far scores are from welfare, where that is told apart from errors of utilities.
SIGMA = Parameter("sigma", "noise sigma", 0.0, np.inf, LOG, 0.1, 1e-9, 1.0, skewed=True)

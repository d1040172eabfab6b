"""How a decision maker errs: noise models of choices, and what one of your own needs.

Subclass :class:`ChoiceNoise` and pass an instance to a learner as ``noise=``.
"""

from welfarist.noise.base import ChoiceNoise, Response
from welfarist.noise.choices import LAPSE, LOGISTIC, Lapse, Logistic

__all__ = ["ChoiceNoise", "LAPSE", "Lapse", "LOGISTIC", "Logistic", "Response"]

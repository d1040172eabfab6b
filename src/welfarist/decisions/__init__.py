"""What was decided: scores given to actions, preferences between two, choices from menus.

All are checked once, on entry; everything after trusts them.
"""

from welfarist.decisions.choices import Choices
from welfarist.decisions.comparisons import Comparisons
from welfarist.decisions.scores import Scores

__all__ = ["Choices", "Comparisons", "Scores"]

"""What was decided: scores given to actions, or preferences between them.

Both are checked once, on entry; everything after trusts them.
"""

from welfarist.decisions.comparisons import Comparisons
from welfarist.decisions.scores import Scores

__all__ = ["Comparisons", "Scores"]

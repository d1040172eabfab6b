"""Where the welfares of two actions cross as the power changes, with proof that nothing is missed.

`terms` writes a pair as one exponential sum, `vectorised` and `compiled` isolate its zeros,
`search` does so for many pairs.
"""

from welfarist.counting.crossings.search import Crossings, Kernel, find_crossings

__all__ = ["Crossings", "Kernel", "find_crossings"]

"""What the starts of a search say about optima that none of them has found.

Boender and Rinnooy Kan (1987), "Bayesian stopping rules for multistart global optimization
methods": if nothing is known beforehand about how many optima there are, and starts fall into their
bowls at random, n starts that saw w optima leave a share ``w (w + 1) / (n (n - 1))`` of new starts
for those not seen, and ``E[1 / K] = (n - w - 1) / (w (n - 1))`` for the number K of all. If each of
the K is as likely to be the lowest, the lowest has been missed with a chance ``1 - E[w / K] = w /
(n - 1)``. Starts are not drawn at random here, and low optima have wide bowls: it is an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.base.validation import FloatArray

# Starts whose losses agree to this share found the same optimum.
_SAME = 1e-6


@dataclass(frozen=True)
class SearchEvidence:
    """How many optima the starts of a search saw, and what they may have missed.

    Attributes
    ----------
    effort : str or None
        How hard the search tried: "low", "auto" or "high"; None for other solvers.
    starts : int
        How many starts were followed to an end.
    optima : int
        How many different losses they ended at.
    hits : int
        How many ended at the lowest.
    unseen : float or None
        Estimated share of further starts that would end in an optimum not seen yet; None where
        there were too few starts to tell.
    missed : float or None
        Estimated chance that a lower optimum was missed.

    Examples
    --------
    >>> found = SearchEvidence.of(np.array([0.5, 0.5, 0.5, 0.7, 0.5]))
    >>> found.optima, found.hits, found.unseen, found.missed
    (2, 4, 0.3, 0.5)
    """

    effort: str | None
    starts: int
    optima: int
    hits: int
    unseen: float | None
    missed: float | None

    @classmethod
    def of(cls, values: FloatArray, effort: str | None = None) -> SearchEvidence:
        """Take the losses (n,) that starts reached."""
        reached = np.sort(values[np.isfinite(values)])
        n = len(reached)
        if not n:
            return cls(effort, len(values), 0, 0, None, None)
        slack = _SAME * np.maximum(np.abs(reached[:-1]), np.finfo(np.float64).tiny)
        optima = 1 + int((np.diff(reached) > slack).sum())
        hits = int((reached - reached[0] <= _SAME * abs(reached[0])).sum())
        if n < optima + 2:
            return cls(effort, n, optima, hits, None, None)
        unseen = optima * (optima + 1) / (n * (n - 1))
        return cls(effort, n, optima, hits, unseen, optima / (n - 1))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return dict(vars(self))

    def in_words(self) -> str:
        """Say it in a line.

        Examples
        --------
        >>> SearchEvidence.of(np.full(21, 0.5), "auto").in_words()
        '1 optimum seen in 21 starts; estimated chance that a better one was missed: 5%'
        """
        seen = f"{self.optima} optim{'um' if self.optima == 1 else 'a'} seen in {self.starts} start"
        seen += "" if self.starts == 1 else "s"
        if self.missed is None:
            return f"{seen}; too few to estimate what was missed"
        return f"{seen}; estimated chance that a better one was missed: {self.missed:.0%}"

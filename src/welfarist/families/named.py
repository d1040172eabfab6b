"""Rules that have names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Doctrine:
    """A power, or another family's shape, with a name and a meaning.

    Attributes
    ----------
    name : str
    p : float
    meaning : str
        What the rule looks at, in words for somebody who never saw the formula.
    """

    name: str
    p: float
    meaning: str

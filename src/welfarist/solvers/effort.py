"""How hard a search tries: settings by the word a user gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from welfarist.solvers.roaming import BUDGET

EffortName = Literal["low", "auto", "high"]


@dataclass(frozen=True)
class Effort:
    """What a search may spend.

    Attributes
    ----------
    name : str
    looks_further : bool
        Whether more than plain starts are made where those are not convincing.
    trusts_agreement : bool
        Whether plain starts that agree end the search.
    enough : int
        Starts in a row that found nothing better, which end it.
    roaming : float
        How many operations, roughly, a flock of starts may take.
    flocks : int
        How often they set out.
    unprovoked : bool
        Whether they set out where most starts agree, too.
    barren : int
        Herds in a row without a better rule.
    """

    name: EffortName
    looks_further: bool
    trusts_agreement: bool
    enough: int
    roaming: float
    flocks: int
    unprovoked: bool
    barren: int


LOW = Effort("low", False, True, 5, 0.0, 0, False, 0)
AUTO = Effort("auto", True, True, 20, 0.6 * BUDGET, 3, False, 2)
HIGH = Effort("high", True, False, 60, BUDGET, 4, True, 4)
EFFORTS = {effort.name: effort for effort in (LOW, AUTO, HIGH)}

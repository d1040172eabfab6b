"""How long something takes: run again until the median is steady.

What takes milliseconds is disturbed by everything else that a machine does. CPU time is measured,
which waiting for others is not part of. Contenders take turns, so that a busy moment slows all of
them alike, and each runs until its median is steady: the medians of the first and of the second
half of its runs, of which there are at least `FEWEST`, differ by at most `STEADY`; or until its
runs have taken the time that there is for each. What takes longer than `SLOW` runs
once, but for a first run in which libraries may have been loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

FEWEST, STEADY = 9, 0.05
SLOW = 0.5
# A first run that takes up to so many times as long may have loaded libraries, and is not counted.
_COLD = 10.0


@dataclass
class Runs:
    """The runs of one contender.

    Attributes
    ----------
    work : callable
    found : object
        What the last run gave.
    seconds : list of float
        CPU time of each run.
    """

    work: Callable[[], Any]
    found: Any = None
    seconds: list[float] = field(default_factory=list)

    def again(self) -> None:
        """Run once more."""
        start = time.process_time()
        self.found = self.work()
        self.seconds.append(time.process_time() - start)

    @property
    def median(self) -> float:
        """The median of all runs."""
        return median(self.seconds)

    def is_steady(self, budget: float) -> bool:
        """Whether no further run would change the median by much, or there is no time for one."""
        runs = self.seconds
        if self.median > SLOW or sum(runs) > budget:
            return True
        if len(runs) < FEWEST:
            return False
        half = len(runs) // 2
        first, second = median(runs[:half]), median(runs[half:])
        return abs(first - second) <= STEADY * max(first, second)


def measured(works: Sequence[Callable[[], Any]], budget: float) -> list[Runs]:
    """Run all works in turns until the median of each is steady; the first runs fill caches.

    `budget` is how many seconds there are for the runs of each.
    """
    every = [Runs(work) for work in works]
    for runs in every:
        runs.again()
        if runs.median <= _COLD * SLOW:
            runs.seconds.clear()
            runs.again()
    while unsteady := [runs for runs in every if not runs.is_steady(budget)]:
        for runs in unsteady:
            runs.again()
    return every

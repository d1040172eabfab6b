"""What an attack is, and how its cases are run one after the other.

A case is drawn from the run's seed and its own number alone, so that a run can go on where another
stopped, and a single case can be drawn again.
"""

from __future__ import annotations

import signal
import threading
import time
import traceback
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol

import numpy as np

# A case as it is written to a file: texts, numbers, lists and dictionaries.
Case = dict[str, Any]

# CPU seconds after which a case is stopped: nothing that ends by itself takes as long.
_LONGEST = 60.0


class Attack(Protocol):
    """Random input of one kind, and what may not come of it."""

    @property
    def name(self) -> str:
        """What the attack is called on the command line, and in files."""
        ...

    def draw(self, rng: np.random.Generator) -> Case:
        """Return a case, which JSON can hold, and which needs no file."""
        ...

    def complaints(self, case: Case) -> list[str]:
        """Return what is wrong with what came of a case; nothing if all is well."""
        ...


@dataclass(frozen=True)
class Outcome:
    """What came of one case.

    Attributes
    ----------
    attack : str
    seed, number : int
        Those of the run and of the case in it.
    case : Case
    complaints : list of str
    seconds : float
        CPU time.
    """

    attack: str
    seed: int
    number: int
    case: Case
    complaints: list[str]
    seconds: float


class _TooLongError(BaseException):
    """A case took too long. No part of the package catches it."""


def drawn(attack: Attack, seed: int, number: int) -> Case:
    """Return one case of a run."""
    return attack.draw(np.random.default_rng([seed, number, zlib.crc32(attack.name.encode())]))


def complaints_about(attack: Attack, case: Case) -> list[str]:
    """Return what is wrong with what came of a case, errors of the attack itself included."""
    try:
        with _stopped_after(_LONGEST):
            return attack.complaints(case)
    except _TooLongError:
        return [f"stopped after {_LONGEST:g} CPU seconds"]
    except Exception as problem:  # the run goes on, and the case is kept
        return [f"the attack itself failed: {described(problem)}"]


def run(
    attack: Attack,
    seed: int,
    *,
    first: int = 0,
    seconds: float = np.inf,
    cases: float = np.inf,
    before: Callable[[int], None] | None = None,
) -> Iterator[Outcome]:
    """Yield what comes of cases, from the `first` on, until time or cases are used up.

    Parameters
    ----------
    attack : Attack
    seed : int
    first : int
        The number of the first case.
    seconds : float
        No case is begun later than this.
    cases : float
        How many at most.
    before : callable, optional
        Told the number of each case before it is begun.
    """
    begun, number = time.monotonic(), first
    while number - first < cases and time.monotonic() - begun < seconds:
        if before is not None:
            before(number)
        case = drawn(attack, seed, number)
        start = time.process_time()
        found = complaints_about(attack, case)
        yield Outcome(attack.name, seed, number, case, found, time.process_time() - start)
        number += 1


def described(problem: BaseException) -> str:
    """Say what was raised, and where it came from.

    Examples
    --------
    >>> described(ValueError("no"))
    'ValueError: no'
    """
    said = f"{type(problem).__name__}: {problem}"[:300]
    frames = traceback.extract_tb(problem.__traceback__)
    ours = [frame for frame in frames if "welfarist" in frame.filename] or frames
    if not ours:
        return said
    path = ours[-1].filename.replace("\\", "/").split("/src/")[-1]
    return f"{said} (at {path}:{ours[-1].lineno})"


@contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """Stop what takes more CPU time, where a signal can do that: in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)

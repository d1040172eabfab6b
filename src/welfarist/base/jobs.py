"""Many jobs on several cores: each has its own seed, so that digits do not depend on the cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits  # comes with scikit-learn

from welfarist.base.errors import WelfaristError

Shared = TypeVar("Shared")
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


def run_jobs(
    work: Callable[[Shared, Job], Outcome],
    shared: Shared,
    jobs: Sequence[Job],
    processes: int,
    *,
    option: str | None = None,
    together: int = 1,
) -> Generator[Outcome, None, None]:
    """Yield the outcome of each job, in order.

    Whoever stops this process stops the others: they hear no Ctrl-C of their own, are ended as soon
    as nobody waits for their outcomes, and go when this process is gone, however it went.

    Parameters
    ----------
    work : callable
        A function of a module, called as ``work(shared, job)``.
    shared
        What all jobs need; it is sent to a process once, not for every job.
    jobs : sequence
        A seed, or a seed with what else tells one job from another.
    processes : int
        How many processes share the work; 1 is this one.
    option : str, optional
        What the caller calls `processes`, for the message if one dies.
    together : int
        How many jobs are sent to a process at a time; more for short ones.

    Examples
    --------
    >>> list(run_jobs(pow, 2, [1, 2, 3], 1, option="n_jobs"))
    [2, 4, 8]
    """
    if processes == 1:
        with threadpool_limits(1):  # the number of threads could change digits
            for job in jobs:
                yield work(shared, job)
        return
    # Forked processes inherit locks of threads that are gone; new ones start clean everywhere.
    fresh = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, fresh, _prepare, (work, shared))
    finished = False
    try:
        with _interruptions_held_back():  # which those who are started now inherit
            outcomes = pool.map(_run_prepared, jobs, chunksize=together)
        yield from outcomes
        finished = True
    except BrokenProcessPool:
        raise WelfaristError(_ended(option)) from None
    finally:
        if not finished:
            _end(pool)
        pool.shutdown(cancel_futures=True)


def _ended(option: str | None) -> str:
    instead = "" if option is None else f" {option}=1 works everywhere."
    return (
        f"a process of {option or 'this run'} ended unexpectedly. If this is a script, the call "
        'must stand under if __name__ == "__main__": (new processes read the script again); '
        f"otherwise memory may be short.{instead}"
    )


@contextmanager
def _interruptions_held_back() -> Iterator[None]:
    """Let Ctrl-C wait for a moment, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool in the middle of their work."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()


# What a process of its own does with a job, once it has what all jobs share.
_prepared: list[Callable[[Any], Any]] = []


def _prepare(work: Callable[[Any, Any], Any], shared: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it was not held back
    threading.Thread(target=_go_with_parent, daemon=True).start()
    threadpool_limits(1)
    _prepared[:] = [partial(work, shared)]


def _go_with_parent() -> None:
    """End when the process that started this one is gone: nobody else would end it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run_prepared(job: Any) -> Any:
    return _prepared[0](job)

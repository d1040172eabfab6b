"""Many jobs on several cores: each has its own seed, so that digits do not depend on the cores."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
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
    option: str,
    together: int = 1,
) -> Iterator[Outcome]:
    """Yield the outcome of each job, in order.

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
    option : str
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
    try:
        with ProcessPoolExecutor(processes, fresh, _prepare, (work, shared)) as pool:
            yield from pool.map(_run_prepared, jobs, chunksize=together)
    except BrokenProcessPool:
        raise WelfaristError(
            f"a process of {option} ended unexpectedly. If this is a script, the call must stand "
            'under if __name__ == "__main__": (new processes read the script again); otherwise '
            f"memory may be short. {option}=1 works everywhere."
        ) from None


# What a process of its own does with a job, once it has what all jobs share.
_prepared: list[Callable[[Any], Any]] = []


def _prepare(work: Callable[[Any, Any], Any], shared: Any) -> None:
    threadpool_limits(1)
    _prepared[:] = [partial(work, shared)]


def _run_prepared(job: Any) -> Any:
    return _prepared[0](job)

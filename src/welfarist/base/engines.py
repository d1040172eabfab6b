"""Who does the work on the parts of large data: threads of this process, or a Dask cluster.

Outcomes come in the order of the parts, whoever worked them out, so that sums of them have the same
digits on one thread, on several, on a cluster, and after one of its workers died.
"""

from __future__ import annotations

import importlib.util
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from welfarist.base.errors import InputError, WelfaristError

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

# Threads where nothing is said: more would wait for memory on most machines.
_THREADS = 2
# Outcomes per thread that may wait for their turn.
_WAITING = 2
# How often what a cluster has lost (all workers that held it died) is sent again.
_ATTEMPTS = 4
# Seconds in which a scheduler must answer.
_PATIENCE = 10


class Engine(Protocol):
    """Who does the work."""

    def in_order(self, work: Callable[[Item], Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """Yield ``work(item)`` of every item, in their order."""
        ...


@dataclass(frozen=True)
class Threads:
    """Some threads of this process.

    Examples
    --------
    >>> list(Threads(2).in_order(abs, [-3, 2, -1]))
    [3, 2, 1]
    """

    count: int = _THREADS

    def in_order(self, work: Callable[[Item], Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """Yield the outcome of every item, in their order; few wait for their turn."""
        if self.count == 1:
            yield from map(work, items)
            return
        waiting: deque[Future[Outcome]] = deque()
        pool = ThreadPoolExecutor(self.count)
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) >= _WAITING * self.count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class Cluster:
    """The workers of a Dask cluster, by its client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def in_order(self, work: Callable[[Item], Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        """Yield the outcome of every item, in their order.

        What was lost with a worker is worked out again by another.
        """
        done = 0
        for attempt in range(_ATTEMPTS):
            try:
                for outcome in self._attempt(work, items[done:]):
                    done += 1
                    yield outcome
            except WelfaristError:
                raise
            except Exception as problem:
                if attempt + 1 < _ATTEMPTS and _is_loss(problem) and self._has_workers():
                    continue
                raise _gone(problem) from problem
            return

    def _attempt(self, work: Callable[[Item], Outcome], items: Sequence[Item]) -> Iterator[Outcome]:
        client = self._client
        if not self._is_connected():
            raise ConnectionError("no scheduler")
        # Every worker has a copy, so that it outlives all but the last of them.
        shared = client.scatter(work, broadcast=True, hash=False)
        futures = deque(client.submit(_call, shared, item, pure=False) for item in items)
        try:
            while futures:
                yield futures.popleft().result()
        finally:
            if futures:
                client.cancel(list(futures))

    def _is_connected(self) -> bool:
        """Whether the scheduler is there; without one, what is asked of a client would wait."""
        return getattr(self._client, "status", "running") == "running"

    def _has_workers(self) -> bool:
        if not self._is_connected():
            return False
        try:
            self._client.wait_for_workers(1, timeout=30)
        except Exception:
            return False
        return True


def engine_of(engine: object) -> Engine:
    """Return the engine that an option stands for: None is threads, a number so many of them.

    Examples
    --------
    >>> engine_of(None)
    Threads(count=2)
    >>> engine_of(1)
    Threads(count=1)
    """
    if engine is None:
        return Threads(min(_THREADS, os.cpu_count() or 1))
    if isinstance(engine, int) and not isinstance(engine, bool) and engine > 0:
        return Threads(engine)
    if is_client(engine):
        return Cluster(engine)
    if isinstance(engine, str):
        return Cluster(_connected(engine))
    raise InputError(
        "engine must be None for threads, a number of threads, a dask.distributed.Client or the "
        f"address of a scheduler (tcp://…); found {engine!r:.60}."
    )


def is_client(engine: object) -> bool:
    """Whether an engine is a client of a cluster, which can be neither copied nor pickled."""
    return all(hasattr(engine, name) for name in ("submit", "scatter", "wait_for_workers"))


def _connected(address: str) -> Any:
    """Return a client of the cluster at an address."""
    if importlib.util.find_spec("distributed") is None:
        raise InputError(
            "a cluster is worked with by the package distributed; found none. pip install "
            '"welfarist[scale]"'
        )
    import distributed

    connect: Any = distributed.Client
    try:
        return connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"{address}: a Dask scheduler must answer there; found none "
            f"({type(problem).__name__}). Start one with dask scheduler, or leave it out to use "
            "threads."
        ) from None


def _call(work: Callable[[Item], Outcome], item: Item) -> Outcome:
    return work(item)


def _is_loss(problem: Exception) -> bool:
    """Whether something was lost with a worker, rather than wrong with the work."""
    return type(problem).__module__.split(".")[0] in ("distributed", "asyncio", "tornado") or (
        isinstance(problem, OSError | TimeoutError) and problem.errno is None
    )


def _gone(problem: Exception) -> WelfaristError | Exception:
    """What to say of a cluster that is gone; other problems are raised as they are."""
    if _is_loss(problem) or isinstance(problem, CancelledError | OSError):
        return WelfaristError(
            "the Dask cluster of engine must stay until the fit is done; found that it went away "
            f"({type(problem).__name__}). Start it again; with resume, what was done is kept."
        )
    return problem

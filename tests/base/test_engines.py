"""Who does the work on parts: outcomes in order, whoever worked them out."""

from __future__ import annotations

import threading
import time

import pytest

from welfarist.base.engines import Cluster, Threads, engine_of
from welfarist.base.errors import InputError, WelfaristError


def slow_first(item: int) -> int:
    time.sleep(0.02 if item == 0 else 0.0)
    return item * item


@pytest.mark.parametrize("count", [1, 2, 4])
def test_threads_give_outcomes_in_order(count):
    assert list(Threads(count).in_order(slow_first, range(9))) == [i * i for i in range(9)]


def test_threads_hold_few_outcomes_at_a_time():
    begun = []

    def work(item: int) -> int:
        begun.append(item)
        return item

    outcomes = Threads(2).in_order(work, range(100))
    next(outcomes)
    time.sleep(0.05)
    assert len(begun) <= 6
    outcomes.close()
    assert threading.active_count() < 20


def test_a_mistake_in_the_work_comes_through():
    def work(item: int) -> int:
        raise InputError(f"item {item} is wrong.")

    with pytest.raises(InputError, match="item 0 is wrong"):
        list(Threads(2).in_order(work, range(3)))


def test_options_of_engines():
    assert engine_of(1) == Threads(1)
    assert isinstance(engine_of(FakeClient()), Cluster)
    for wrong in (0, -1, True, 2.5, object()):
        with pytest.raises(InputError, match="engine must be None"):
            engine_of(wrong)


def test_a_scheduler_that_does_not_answer_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setattr("welfarist.base.engines._PATIENCE", 0.2)
    with pytest.raises(InputError, match=r"tcp://127.0.0.1:9: a Dask scheduler must answer"):
        engine_of("tcp://127.0.0.1:9")


class LostError(Exception):
    """Stands for an exception of distributed."""

    __module__ = "distributed.client"


class FakeFuture:
    def __init__(self, client: FakeClient, work: object, item: int) -> None:
        self.client, self.work, self.item = client, work, item

    def result(self) -> int:
        self.client.asked += 1
        if self.client.asked in self.client.losses:
            raise LostError("lost")
        return self.work(self.item)


class FakeClient:
    """A client that loses the n-th outcome that it is asked for."""

    def __init__(self, losses: tuple[int, ...] = (), workers: bool = True) -> None:
        self.losses, self.workers, self.asked, self.scattered = losses, workers, 0, 0

    def scatter(self, work: object, broadcast: bool, hash: bool) -> object:
        assert broadcast
        assert not hash
        self.scattered += 1
        return work

    def submit(self, call: object, work: object, item: int, pure: bool) -> FakeFuture:
        del call, pure
        return FakeFuture(self, work, item)

    def cancel(self, futures: list[FakeFuture]) -> None:
        self.cancelled = len(futures)

    def wait_for_workers(self, count: int, timeout: float) -> None:
        del count, timeout
        if not self.workers:
            raise TimeoutError


def test_what_a_cluster_loses_is_worked_out_again_and_nothing_twice():
    client = FakeClient(losses=(3, 6))
    assert list(Cluster(client).in_order(slow_first, range(5))) == [0, 1, 4, 9, 16]
    assert client.scattered == 3
    assert client.asked == 7


def test_a_cluster_that_is_gone_is_said_in_a_sentence():
    client = FakeClient(losses=(2,), workers=False)
    with pytest.raises(WelfaristError, match=r"must stay until the fit is done; found .*LostError"):
        list(Cluster(client).in_order(slow_first, range(5)))


def test_a_cluster_that_loses_everything_again_and_again_is_given_up():
    client = FakeClient(losses=tuple(range(1, 100)))
    with pytest.raises(WelfaristError, match="went away"):
        list(Cluster(client).in_order(slow_first, range(5)))

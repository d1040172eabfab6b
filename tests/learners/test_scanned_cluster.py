"""Decisions in files on a Dask cluster of two processes, one of which is killed."""

from __future__ import annotations

import logging
import os
import signal
import threading

import pytest

import welfarist as wf
from tests.scanned_worlds import written
from welfarist.base.errors import WelfaristError
from welfarist.decisions.scanned import parquet
from welfarist.losses.scanned.rounds import Rounds

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    # Other people's sockets and loops are closed when they are collected.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    made = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
    )
    yield made
    made.close()


pytestmark = pytest.mark.filterwarnings("ignore")


def test_digits_are_those_of_threads_also_where_workers_die(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_ROWS", 1500)
    world = written(tmp_path, rows=18_000)
    best = wf.ComparisonClassifier().fit(world.scan())
    passing, killed = Rounds._pass_over, []

    def pass_over(self, question):
        if self.made == 1:
            killed.append(min(client.run(os.getpid).values()))
            threading.Timer(0.02, os.kill, (killed[0], signal.SIGKILL)).start()
        return passing(self, question)

    with distributed.Client(cluster) as client:
        monkeypatch.setattr(Rounds, "_pass_over", pass_over)
        fit = wf.ComparisonClassifier(engine=client).fit(world.scan())
        assert (fit.p_, fit.tau_, fit.loss_) == (best.p_, best.tau_, best.loss_)
        assert (fit.weights_ == best.weights_).all()
        assert len(killed) == 1
        monkeypatch.setattr(Rounds, "_pass_over", passing)
        cluster.close(timeout=5)
        with pytest.raises(WelfaristError, match="cluster of engine must stay"):
            wf.ComparisonClassifier(engine=client).fit(world.scan())

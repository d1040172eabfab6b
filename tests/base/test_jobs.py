"""Processes that share work end with the one that started them, without a word of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from welfarist.base.errors import WelfaristError
from welfarist.base.jobs import run_jobs

SCRIPT = """
import os, sys, time
from welfarist.base.jobs import run_jobs

def work(seconds, job):
    print(os.getpid(), flush=True)
    time.sleep(seconds if job else 0)
    return job

if __name__ == "__main__":
    try:
        for job in run_jobs(work, 60, [0, 1, 1, 1], 2, option="n_jobs"):
            print("done", job, flush=True)
    except KeyboardInterrupt:
        sys.exit("stopped")
"""


def is_there(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as status:
            return status.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", ["ctrl-c", "interrupt", "kill"])
def test_processes_go_with_the_one_that_started_them(tmp_path, how):
    (tmp_path / "script.py").write_text(SCRIPT)
    with subprocess.Popen(
        [sys.executable, str(tmp_path / "script.py")], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as started:  # fmt: skip
        lines = [started.stdout.readline() for _ in range(4)]  # three jobs begun, one of them done
        workers = {int(line) for line in lines if line.strip().isdigit()}
        if how == "ctrl-c":
            os.killpg(started.pid, signal.SIGINT)
        else:
            started.send_signal(signal.SIGINT if how == "interrupt" else signal.SIGKILL)
        started.wait(30)
        until = time.monotonic() + 20
        while any(map(is_there, workers)) and time.monotonic() < until:
            time.sleep(0.05)
        assert not [worker for worker in workers if is_there(worker)]
        if how != "kill":  # whose leftovers Python itself speaks of
            assert started.stderr.read() == "stopped\n"
            assert started.returncode == 1


def _die(_shared: None, _job: int) -> None:
    os._exit(3)


def test_a_process_that_dies_is_an_error_in_words():
    with pytest.raises(WelfaristError, match=r"a process of n_jobs ended.*n_jobs=1 works"):
        list(run_jobs(_die, None, [1, 2], 2, option="n_jobs"))

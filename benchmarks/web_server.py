"""Servers of pages as processes of their own, on this machine's own address."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from socket import socket

HOST = "127.0.0.1"
_LINK = re.compile(r"http://[^/]*:(\d+)(/\S*)")
# A start takes seconds where others are at work.
PATIENCE = 90.0


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return what a server is told: its folder, one thread a computation, nothing of ours."""
    ours = ("WELFARIST_", "DJANGO_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    return {**kept, **threads, "WELFARIST_DATA": str(folder), **more}


class Served:
    """``welfarist serve`` with a folder of its own.

    Attributes
    ----------
    process : Popen
    port : int
    links : list of str
        Paths: to enter by, and to answer by if there is a demo study.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "welfarist", "serve", "--port", "0", *options]
        with (folder / "errors.txt").open("ab") as errors:
            self.process = subprocess.Popen(
                [*command, "--data", str(folder)],
                env=environment(folder), stdout=subprocess.PIPE, stderr=errors, text=True,
            )  # fmt: skip
        self.links, self.port = self._read_links()

    def _read_links(self) -> tuple[list[str], int]:
        assert self.process.stdout is not None
        links, port = [], 0
        for line in self.process.stdout:
            found = _LINK.search(line)
            if found is None:
                break
            port = int(found[1])
            links.append(found[2])
        if not links:
            raise AssertionError(f"the server ended with {self.process.wait()}")
        return links, port

    def kill(self) -> None:
        """End it at once, without a chance to put anything in order."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Gunicorn:
    """gunicorn with two workers or so, as a server for many runs it behind its proxy."""

    def __init__(self, folder: Path, database: str = "", workers: int = 2) -> None:
        self.port = free_port()
        said = environment(folder, WELFARIST_HOSTS=HOST, WELFARIST_BEHIND_PROXY="1")
        if database:
            said["WELFARIST_DATABASE"] = database
        module = [sys.executable, "-m"]
        subprocess.run([*module, "welfarist.web", "prepare"], env=said, check=True)
        with (folder / "errors.txt").open("ab") as errors:
            self.process = subprocess.Popen(
                [*module, "gunicorn", "--config", "python:welfarist.web.gunicorn_settings",
                 "--bind", f"{HOST}:{self.port}", "--workers", str(workers)],
                env=said, stderr=errors,
            )  # fmt: skip
        self._wait()

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"http://{HOST}:{self.port}/health") as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("gunicorn did not start")

    def stop(self) -> None:
        """End it in order."""
        self.process.terminate()
        self.process.wait()


def free_port() -> int:
    """Return a port that nobody has now."""
    with socket() as taken:
        taken.bind((HOST, 0))
        return int(taken.getsockname()[1])

"""A process that runs commands one after the other, without starting Python for each.

It is asked through standard input, a line of JSON a command, and answers in the same way: how the
command ended, what it wrote to which stream (whoever wrote it, engines in other languages too),
and what it took.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

# Bytes that a command may hold; its reader of files has a limit of its own.
_MEMORY = 6 * 2**30


class Worker:
    """Runs commands in another process, a new one after one has ended it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        atexit.register(self.end)

    def run(self, arguments: list[str], folder: Path) -> dict[str, Any] | None:
        """Return what came of a command; None if it ended the process."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.command_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd=Path(__file__).resolve().parents[1],
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = json.dumps({"arguments": arguments, "folder": str(folder)})
        try:
            self._process.stdin.write(asked + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.end()
            return None
        found: dict[str, Any] = json.loads(answer)
        return found

    def end(self) -> None:
        """End the process."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # what it was yet to hear
                    stream.close()
        self._process = None


def serve() -> None:
    """Run what comes through standard input until nothing more comes."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, hard))
    for line in requests:
        asked = json.loads(line)
        print(json.dumps(_ran(asked["arguments"], asked["folder"])), file=answers, flush=True)


def _ran(arguments: list[str], folder: str) -> dict[str, Any]:
    """Run one command in a folder, its streams kept in files, which engines write to as well."""
    os.chdir(folder)
    kept = [tempfile.TemporaryFile() for _ in "12"]  # noqa: SIM115 (closed below)
    for number, file in enumerate(kept, start=1):
        os.dup2(file.fileno(), number)
    sys.stdout, sys.stderr = (os.fdopen(os.dup(n), "w", errors="replace") for n in (1, 2))
    start, before = time.process_time(), _children()
    code = _code(arguments)
    taken = time.process_time() - start + _children() - before
    for stream in (sys.stdout, sys.stderr):
        stream.close()
    os.chdir("/")
    texts = []
    for file in kept:
        file.seek(0)
        texts.append(file.read().decode("utf-8", "replace"))
        file.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"code": code, "out": texts[0], "err": texts[1], "seconds": taken, "memory": memory}


def _code(arguments: list[str]) -> int | str:
    """The exit code of a command, or what came in its place."""
    from welfarist.cli import main

    sys.argv = ["welfarist", *arguments]
    try:
        main()
    except SystemExit as ended:
        return 0 if ended.code is None else ended.code
    except BaseException as problem:  # panics of engines are no Exception
        return f"{type(problem).__module__}.{type(problem).__name__}: {problem}"[:300]
    return 0


def _children() -> float:
    """CPU seconds of processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    serve()

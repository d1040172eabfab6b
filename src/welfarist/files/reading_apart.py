"""Asking a process apart to read what engines read: if it ends, that is said in one line."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict
from typing import IO, Any

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.files.limits import current, patience_for, seconds_for
from welfarist.files.reader import LENGTHS, Message, answered

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from welfarist.files.reader import serve; serve()"
)
_IN_WORDS = {
    "parquet": "a Parquet file",
    "feather": "a Feather file",
    "excel": "a workbook",
    "stata": "a Stata file",
}
_DAMAGED = "It may be damaged or have the wrong ending."
# What engines write before they end because they get no memory.
_NO_MEMORY = (b"memory allocation of", b"MemoryError", b"out of memory")
_OUT_OF_TIME = ("SIGXCPU", "SIGALRM")
_MOMENT = 10.0
# Bytes that wait between the two processes; the more, the less they wait for each other.
_PIPE = 2**20


def ask(request: Message) -> tuple[Message, bytes]:
    """Return what the reader answers, and the bytes behind it; what is wrong is an InputError.

    Parameters
    ----------
    request : dict
        What to ``do``, and the ``name``, ``path``, ``size``, ``format``, ``sheet``, ``engine`` and
        ``stamp`` of the file; see `reader`.
    """
    with _LOCK:
        answer, data = _asked({**request, "limits": asdict(current())})
    if "refused" in answer:
        said, found = answer["refused"], answer.get("found")
        raise InputError(said) if found is None else RequestError(said, **found)
    if "memory" in answer:
        raise _too_much_memory(request)
    if "failed" in answer:
        raise _unreadable(request, answer["failed"])
    return answer, data


def start() -> None:
    """Start the process that reads before there is something to ask: it takes a while to import."""
    with _LOCK, contextlib.suppress(OSError):  # which is said, or made up for, when it is asked
        _current()


class _EndedError(Exception):
    """The process ended before it answered."""


class _Reader:
    """A process that reads."""

    def __init__(self) -> None:
        self.asked = False
        command = [_executable(), "-P", "-W", "ignore", "-c", _PROGRAM, json.dumps(_paths())]
        self._said = _scratch()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if self._said is None else self._said,
            pipesize=_PIPE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    def ask(self, request: Message) -> tuple[Message, bytes]:
        """Return the answer to a request; an _EndedError if none comes."""
        self.asked = True
        text = json.dumps(request).encode()
        try:
            self._stdin.write(LENGTHS.pack(len(text), 0) + text)
            self._stdin.flush()
        except OSError:  # nobody is there
            raise _EndedError from None
        length, size = LENGTHS.unpack(self._exactly(LENGTHS.size))
        answer: Message = json.loads(self._exactly(length))
        return answer, self._exactly(size)

    def end(self, patience: float = 0.0) -> tuple[int, bytes]:
        """End the process, after some seconds in which it may end by itself.

        Return its exit code, which is that of a signal if less than 0, and what it said.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # what was yet to be sent
                stream.close()  # type: ignore[union-attr]
        if self._said is None:
            return self._process.returncode, b""
        with self._said as said:
            said.seek(0)
            return self._process.returncode, said.read()

    def disown(self) -> None:
        """Let go of a process that belongs to the one which this was forked from."""
        self._process.returncode = 0  # nobody here has to wait for it
        for stream in (self._process.stdin, self._process.stdout, self._said):
            if stream is not None:
                stream.close()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _exactly(self, size: int) -> bytes:
        assert self._process.stdout is not None
        data = self._process.stdout.read(size)
        if len(data) < size:
            raise _EndedError
        return data


# The process that answers, if there is one; one at a time asks it.
_CURRENT: list[_Reader] = []
_LOCK = threading.Lock()


def _asked(request: Message) -> tuple[Message, bytes]:
    """The answer of the current process, or of a new one where it has left."""
    while True:
        try:
            reader = _current()
        except OSError:  # there can be no other process
            return answered(request)
        fresh = not reader.asked
        try:
            answer, data = reader.ask(request)
        except _EndedError:
            _CURRENT.clear()
            code, said = reader.end(_MOMENT)
            if fresh or _signal(code) in _OUT_OF_TIME:
                raise _ended(request, code, said) from None
            continue  # it may have left because nobody asked for long, or somebody ended it
        except BaseException:  # such as an interruption from the keyboard
            _CURRENT.clear()
            reader.end()
            raise
        if answer.get("panic"):
            _CURRENT.clear()
            reader.end(_MOMENT)
        return answer, data


def _current() -> _Reader:
    if not _CURRENT:
        _CURRENT.append(_Reader())
    return _CURRENT[0]


@atexit.register
def _end_current() -> None:
    while _CURRENT:
        _CURRENT.pop().end()


def _begin_anew() -> None:
    """In a process that was forked: whom another one has asked answers that one alone."""
    global _LOCK
    _LOCK = threading.Lock()
    while _CURRENT:
        _CURRENT.pop().disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def _paths() -> list[str]:
    """Where modules are looked for, wherever the other process is."""
    try:
        return [os.path.abspath(path) for path in sys.path]
    except OSError:  # the folder in which we are has been removed
        return [path for path in sys.path if os.path.isabs(path)]


def _executable() -> str:
    """The interpreter; where Python is part of another program, that which was named for it."""
    told = sys.modules.get("multiprocessing.spawn")
    found: Any = sys.executable if told is None else told.get_executable()
    if not found:
        raise OSError("there is no interpreter")
    return os.fsdecode(found)


def _scratch() -> IO[bytes] | None:
    """A file for what engines say when they fail, without a name."""
    try:
        return tempfile.TemporaryFile()
    except OSError:
        return None


def _ended(request: Message, code: int, said: bytes) -> InputError:
    """Say why a process ended in place of giving an answer."""
    killed = _signal(code)
    if killed in _OUT_OF_TIME:
        seconds, of_what = seconds_for(request["size"]), " of work"
        if killed == "SIGALRM":
            seconds, of_what = patience_for(request["size"]), ""
        return InputError(
            f"{request['name']}: must be read within {seconds:.3g} seconds{of_what}; it took more. "
            "It may be damaged, or hold far more than its size says: save the table again as CSV."
        )
    if killed == "SIGKILL" or any(words in said for words in _NO_MEMORY):
        return _too_much_memory(request)
    if killed == "SIGBUS":
        return InputError(
            f"{request['name']}: somebody cut it short while it was read. Read it again."
        )
    return _unreadable(request, f"its reader ended with {killed or f'exit code {code}'}")


def _signal(code: int) -> str:
    """The name of the signal that ended a process; empty if it ended by itself."""
    known = {-number.value: number.name for number in signal.Signals}
    return known.get(code, f"signal {-code}" if code < 0 else "")


def _too_much_memory(request: Message) -> InputError:
    most = current().memory / 2**30
    return InputError(
        f"{request['name']}: reading it must take at most {most:g} GB of memory, or what there is; "
        "it asks for more. It may be damaged, or something stands far from the other cells: save "
        "the table again as CSV."
    )


def _unreadable(request: Message, reason: str) -> InputError:
    return InputError(
        f"{request['name']}: must be {_IN_WORDS[request['format']]}; found one that cannot be read "
        f"as such ({reason}). {_DAMAGED}"
    )

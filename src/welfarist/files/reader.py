"""The process in which engines read: it answers one request after the other, or ends.

It is started by `reading_apart`, and knows limits of memory and time. Requests and answers are
JSON, an answer perhaps with bytes behind it: columns as an Arrow file, where there are many.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import struct
import sys
from typing import Any

from welfarist.base.asking import RequestError
from welfarist.base.errors import InputError
from welfarist.files.engines import Opened, Stamp, stamp_of
from welfarist.files.limits import Limits, current, patience_for, seconds_for, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    import resource
else:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        resource = None

# Before each message: how long it is, and how many bytes come behind it.
LENGTHS = struct.Struct(">QQ")
# Cells that are sent as they are: so few need no polars where they arrive.
_FEW_CELLS = 20_000
# What is kept of the reason that an engine gives.
_LONGEST_REASON = 150
# Somebody who has asked nothing for so long may not ask again.
_IDLE_SECONDS = 60.0

Message = dict[str, Any]
# The table that was asked about last, by what was asked for.
_LAST: dict[str, tuple[Stamp, Opened]] = {}


def serve() -> None:
    """Answer what comes through standard input on standard output, until nothing more comes."""
    requests, answers = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(2, 1)  # whatever engines print is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks ends this, if need be
    if resource is not None:  # whoever asks may have ignored what ends this
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    _limit_memory()
    with contextlib.suppress(ImportError):  # which is said where it is needed
        import polars  # noqa: F401 (before anybody asks)
    while (request := _received(requests)) is not None:
        with within(Limits(**request.get("limits", {}))):
            _limit_memory()
            _limit_time(request["size"])
            answer, text, data = _spelled(*answered(request), request["name"])
            _limit_time(None)
        _send(answers, LENGTHS.pack(len(text), len(data)) + text)
        _send(answers, data)
        if answer.get("panic"):
            break  # nobody knows what it has left behind
    os._exit(0)  # without waiting for threads of engines


def _spelled(answer: Message, data: bytes, name: str) -> tuple[Message, bytes, bytes]:
    """An answer as it is sent, unless it is more than whoever asks can take."""
    try:
        text = json.dumps(answer).encode()
    except MemoryError:
        answer, data = {"failed": "", "memory": True, "panic": True}, b""
        return answer, json.dumps(answer).encode(), data
    most = current().answer
    if len(text) + len(data) > most:
        said = f"{name}: its cells must hold at most {most / 1e6:g} megabytes; found more. Shorten "
        answer, data = {"refused": f"{said}what stands in them, or leave columns out."}, b""
        text = json.dumps(answer).encode()
    return answer, text, data


def answered(request: Message) -> tuple[Message, bytes]:
    """Answer one request, whatever becomes of it: also that an engine fails, or panics."""
    try:
        return _answer(request)
    except RequestError as problem:
        found = {name: str(value) for name, value in problem.found.items()}
        return {"refused": problem.args[0], "found": found}, b""
    except InputError as problem:
        return {"refused": str(problem)}, b""
    except FileNotFoundError:
        return {"refused": f"{request['name']}: somebody removed it while it was read."}, b""
    except (KeyboardInterrupt, SystemExit):
        raise
    except MemoryError:
        return {"failed": "", "memory": True, "panic": True}, b""
    except BaseException as problem:  # panics are no Exception; the reason is theirs to give
        reason = str(problem).strip().split("\n")[0][:_LONGEST_REASON]
        panic = not isinstance(problem, Exception)
        return {"failed": reason or type(problem).__name__, "panic": panic}, b""


def _answer(request: Message) -> tuple[Message, bytes]:
    opened, stamp = _opened(request)
    data = b""
    if request["do"] == "open":
        answer: Message = {
            "columns": opened.columns,
            "notes": opened.notes,
            "others": opened.others,
        }
    elif request["do"] == "texts":
        answer = {"texts": opened.texts(request["columns"])}
    elif request["do"] == "where":
        answer = {"row": opened.where(request["row"])}
    else:
        form = _plain if request["do"] == "plain" else _arrow
        answer, data = form(opened.chosen(request["columns"], request["numbers"]), request)
    if stamp_of(request["path"]) != stamp:
        raise _changed(request["name"])
    return {**answer, "stamp": list(stamp)}, data


def _opened(request: Message) -> tuple[Opened, Stamp]:
    """The table that is asked about, opened anew unless it was the last one."""
    asked = (request["path"], request["format"], request["sheet"], request["engine"])
    key, stamp = json.dumps(asked), stamp_of(request["path"])
    if request.get("stamp") not in (None, list(stamp)):
        raise _changed(request["name"])
    known = _LAST.get(key)
    if known is None or known[0] != stamp:
        _LAST.clear()
        known = _LAST[key] = (stamp, Opened.of(request["name"], *asked))
    return known[1], stamp


def _changed(name: str) -> InputError:
    return InputError(f"{name}: somebody changed it while it was read. Read it again.")


def _plain(frame: Any, request: Message) -> tuple[Message, bytes]:
    """Columns for whoever has no polars: numbers one after the other, everything else in lists."""
    numbers: list[str] = []
    if frame.height * frame.width > _FEW_CELLS:
        numbers = [c for c in request["numbers"] if _is_plain(frame[c], number=True)]
    sent = set(numbers)
    lists = {column: _listed(frame[column]) for column in frame.columns if column not in sent}
    answer = {"rows": frame.height, "numbers": numbers, "lists": lists}
    return answer, b"".join(frame[column].to_numpy().tobytes() for column in numbers)


def _arrow(frame: Any, request: Message) -> tuple[Message, bytes]:
    """Columns as an Arrow file; in columns that are odd each cell is spelled in JSON.

    Texts of which hash values suffice are sent as these, unless some are missing.
    """
    import io

    import polars as pl

    hashed = [c for c in request["hashed"] if _is_plain(frame[c], number=False)]
    if hashed:
        frame = frame.with_columns(pl.col(hashed).hash())
    numbers = set(request["numbers"])
    sent = [c for c in frame.columns if c not in hashed]
    odd = [c for c in sent if not _is_plain(frame[c], c in numbers, missing=True)]
    spelled = [pl.Series(c, list(map(json.dumps, _listed(frame[c]))), pl.String) for c in odd]
    written = io.BytesIO()
    frame.with_columns(spelled).write_ipc(written, compat_level=pl.CompatLevel.newest())
    return {"odd": odd, "hashed": hashed}, written.getvalue()


def _is_plain(column: Any, number: bool, missing: bool = False) -> bool:
    """Whether a column holds numbers alone, or texts alone; some may be missing if that is said."""
    import polars as pl

    right = column.dtype == (pl.Float64 if number else pl.String)
    return bool(right and (missing or not column.null_count()))


def _listed(column: Any) -> list[Any]:
    """Entries as JSON holds them: what is neither number nor text is shown."""
    held = column.to_list()
    return [x if x is None or isinstance(x, bool | int | float | str) else str(x) for x in held]


def _received(handle: int) -> Message | None:
    """The next request; None if nobody asks any more."""
    if not _comes(handle):
        return None
    lengths = _exactly(handle, LENGTHS.size)
    if lengths is None:
        return None
    text = _exactly(handle, LENGTHS.unpack(lengths)[0])
    return None if text is None else json.loads(text)


def _comes(handle: int) -> bool:
    """Wait for a request, but not for ever where that can be helped."""
    if sys.platform == "win32":
        return True
    import select

    return bool(select.select([handle], [], [], _IDLE_SECONDS)[0])


def _exactly(handle: int, size: int) -> bytes | None:
    """So many bytes; None if they end before."""
    parts = []
    while size:
        part = os.read(handle, min(size, 2**20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _send(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _limit_memory() -> None:
    """Ask for no more memory than there may be: an engine that wants more ends, and we with it."""
    if resource is None:
        return
    most = current().memory
    with contextlib.suppress(ValueError, OSError, AttributeError):
        most = min(most, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    _lower(resource.RLIMIT_AS, most)
    _lower(resource.RLIMIT_CORE, 0)


def _limit_time(size: int | None) -> None:
    """Let a request take some time, more for a large file; None ends the limit on the clock."""
    if resource is None:
        return
    if size is None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        return
    # Who gets no memory for a thread may wait for it: no handler, so that the process ends.
    signal.setitimer(signal.ITIMER_REAL, patience_for(size))
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds_for(size)) + 1)


def _lower(what: int, most: int) -> None:
    """Set the limit that can be raised again, within the one that cannot."""
    hard = resource.getrlimit(what)[1]
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):  # some systems know limits and refuse them
        resource.setrlimit(what, (soft, hard))

"""The pages on one's own machine: everything in one folder, one process, nobody else.

waitress serves them: plain Python with threads, the same on Linux, macOS and Windows, where
gunicorn does not run. One process suffices for one machine, and keeps the link to enter by.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from welfarist.base.errors import InputError
from welfarist.web import deployment
from welfarist.web.deployment import LOOPBACK

_THREADS = 8
# Browsers hold theirs open between answers, some of them several; more would wait to be let in.
_MOST_CONNECTIONS = 1000
_MOST_BYTES = 16 << 20  # of a request: the largest table that is taken, and a form around it


@dataclass(frozen=True)
class ServeRequest:
    """Where the pages are to be, and what is on them.

    Attributes
    ----------
    data : str or None
        The folder of studies and answers; one of the user's own if left out.
    host : str
        A name of this machine for itself.
    port : int
        0 for one that is free.
    demo : bool
        Whether there is a study to try everything with.
    """

    data: str | None = None
    host: str = "127.0.0.1"
    port: int = 8765
    demo: bool = False


def serve(request: ServeRequest, say: Callable[[str], object]) -> None:
    """Show the pages until somebody stops it; links are said as soon as they work."""
    _check(request)
    server = start(request)
    try:
        for line in _links(request, server.effective_port):
            say(line)
        server.run()
    finally:
        server.close()
        _close_database()


def start(request: ServeRequest) -> Any:
    """Return a server that has its port, with everything prepared."""
    os.umask(0o077)  # answers are for nobody else, whatever folder they are in
    if request.data is not None:
        os.environ[deployment.DATA] = str(Path(request.data).absolute())
    os.environ["DJANGO_SETTINGS_MODULE"] = "welfarist.web.settings"
    import django
    from django.core.wsgi import get_wsgi_application

    django.setup()
    from welfarist.web.preparing import prepare

    prepare()
    return listening(request, get_wsgi_application())


def listening(request: ServeRequest, application: Any) -> Any:
    """Return a server that has its port, for pages that are prepared."""
    from waitress.server import create_server

    try:
        return create_server(
            application,
            host=request.host,
            port=request.port,
            threads=_THREADS,
            ident=None,
            max_request_body_size=_MOST_BYTES,
            connection_limit=_MOST_CONNECTIONS,
            asyncore_use_poll=hasattr(select, "poll"),  # which knows no largest number of files
        )
    except OSError as problem:
        raise InputError(
            f"pages cannot be shown on {request.host}, port {request.port}: {problem.strerror}. "
            "Stop what is there, or name another port: --port 8766"
        ) from None


def _links(request: ServeRequest, port: int) -> list[str]:
    from welfarist.web.accounts.local import local_analyst
    from welfarist.web.accounts.one_time import DOOR

    host = f"[{request.host}]" if ":" in request.host else request.host
    root = f"http://{host}:{port}"
    lines = [f"Open this link, which works once: {root}/enter/{DOOR.issue()}/"]
    if request.demo:
        from welfarist.web.demo import demo_invite

        token = demo_invite(local_analyst()).token
        lines.append(f"Answer questions as a respondent: {root}/ask/{token}/")
    return [*lines, "Stop it with Ctrl+C."]


def _close_database() -> None:
    """Let everything stand in the one file that people copy, and nothing in a log beside it."""
    from django.db import connections

    connections.close_all()


def _check(request: ServeRequest) -> None:
    if request.host not in LOOPBACK:
        raise InputError(
            f"on one's own machine pages are for {' or '.join(LOOPBACK)}; found {request.host!r}. "
            "A server for many runs welfarist.web.wsgi, with WELFARIST_HOSTS set."
        )
    if os.environ.get(deployment.HOSTS):
        raise InputError(
            "welfarist serve is for one's own machine; found WELFARIST_HOSTS, which is for a "
            "server. Unset it, or run: gunicorn --config python:welfarist.web.gunicorn_settings"
        )

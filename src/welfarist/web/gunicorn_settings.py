"""What gunicorn is told on a server: ``gunicorn --config python:welfarist.web.gunicorn_settings``.

Options of the command line say otherwise where a server needs it: ``--bind``, ``--workers``.
"""

from __future__ import annotations

import os

from welfarist.base.errors import InputError
from welfarist.web.deployment import HOSTS, Deployment

wsgi_app = "welfarist.web.wsgi"
# For the proxy alone, which is on the same machine.
bind = "127.0.0.1:8765"
# Questions are chosen by computation: as many processes as there are cores to spare. Each keeps
# interviews at hand; threads let somebody read a page while a question is chosen for another one.
workers = 2
worker_class = "gthread"
threads = 4
# Reports and large workbooks take seconds, and longer where many wait.
timeout = 120
# Longer than proxies keep connections that nobody uses (Caddy two minutes, nginx one): the proxy
# closes them, which knows that it has sent nothing. Were we first, a request that is just being
# sent would be lost, and whoever answers would see an error.
keepalive = 180
# Newer versions can be commanded through a socket, which nobody here does.
control_socket_disable = True


def on_starting(server: object) -> None:
    """Refuse to start without the names of the server: nobody could log in."""
    del server
    try:
        told = Deployment.of(os.environ)
    except InputError as problem:
        raise SystemExit(f"Error: {problem}") from None
    if told.local:
        raise SystemExit(
            f"Error: a server needs {HOSTS}, its names with commas between them, such as "
            "studies.example.org; found none. On one's own machine run: welfarist serve"
        )

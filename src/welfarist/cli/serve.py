"""`welfarist serve`: pages on one's own machine."""

from __future__ import annotations

import importlib.util
from typing import Annotated

import typer

from welfarist.app.usage import UsageError
from welfarist.base.errors import InputError
from welfarist.cli.console import answer

EXAMPLE = "welfarist serve --demo"

_NEEDED = ("django", "waitress", "whitenoise")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

Data = Annotated[
    str | None,
    typer.Option(
        "--data",
        help="Folder of studies and answers (one of your own).",
        metavar="FOLDER",
        show_default=False,
    ),
]
Port = Annotated[
    int,
    typer.Option("--port", help="Port of the pages (0: any).", metavar="NUMBER", min=0, max=65535),
]
Host = Annotated[
    str, typer.Option("--host", help="Name of this machine for itself.", metavar="NAME")
]
Demo = Annotated[
    bool,
    typer.Option("--demo", help="Have a study to try everything with.", show_default=False),
]


def serve(
    data: Data = None, port: Port = 8765, host: Host = "127.0.0.1", demo: Demo = False
) -> None:
    """Show pages on which studies are set up, answered and looked at."""
    if host not in _LOOPBACK:
        raise UsageError(
            "{host} must be 127.0.0.1, localhost or ::1, because pages are for this machine alone; "
            "found {found!r}.",
            found=host,
        )
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f'pages need the package {missing[0]}; found none. pip install "welfarist[web]"'
        )
    from welfarist.web import serving

    serving.serve(serving.ServeRequest(data, host, port, demo), answer)

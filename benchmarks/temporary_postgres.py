"""A PostgreSQL of one's own in a folder that goes away, reached by a socket in it alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

_DEBIAN = "/usr/lib/postgresql/*/bin"
_USER = "postgres"


def programs() -> Path | None:
    """Return the folder of the newest PostgreSQL on this machine, if there is one."""
    debian = sorted(Path("/").glob(_DEBIAN.removeprefix("/")), key=_version)
    on_path = shutil.which("initdb")
    if on_path is not None:
        debian.append(Path(on_path).resolve().parent)
    found = [folder for folder in debian if (folder / "initdb").exists()]
    return found[-1] if found else None


def _version(folder: Path) -> float:
    return float(folder.parent.name)


def why_not() -> str:
    """Return why there can be no PostgreSQL, or nothing."""
    if programs() is None:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL does not run as root, and runuser is not installed"
    return ""


@contextmanager
def temporary_postgres() -> Iterator[str]:
    """Have a server, and the address of an empty database; both are gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="welfarist-postgres-", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, _USER)
    data = folder / "data"
    try:
        _run("initdb", "--pgdata", str(data), "--username", _USER, "--auth", "trust",
             "--encoding", "UTF8", "--no-sync", "--no-instructions")  # fmt: skip
        listening = f"-c listen_addresses= -c unix_socket_directories={folder}"
        _run("pg_ctl", "--pgdata", str(data), "--log", str(folder / "log"), "--wait",
             "--options", listening, "start")  # fmt: skip
        try:
            yield f"postgres://{_USER}@{quote(str(folder), safe='')}/postgres"
        finally:
            _run("pg_ctl", "--pgdata", str(data), "--mode", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL's, which refuses to be run by root."""
    folder = programs()
    assert folder is not None
    command = [str(folder / program), *arguments]
    if os.geteuid() == 0:
        command = ["runuser", "-u", _USER, "--", *command]
    # A server holds on to what it is given to write to, so that nobody could read to the end.
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
    if done.returncode != 0:
        raise RuntimeError(f"{program} ended with {done.returncode}")

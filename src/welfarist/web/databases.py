"""Addresses of databases, as Django wants them."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from welfarist.base.errors import InputError

# Seconds for which a writer waits for another one.
_PATIENCE = 20
# Readers do not wait for a writer; an answer that was taken is on the disk; what was deleted is
# overwritten.
_PRAGMAS = (
    f"PRAGMA busy_timeout={_PATIENCE * 1000};"
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA foreign_keys=ON;"
    "PRAGMA secure_delete=ON;"
)
_POSTGRES = ("postgres", "postgresql")


def database_of(address: str) -> dict[str, Any]:
    """Return the settings of a database: postgres://user:password@host/name, or a path.

    Examples
    --------
    >>> found = database_of("postgres://ada:p%40ss@db.example.org:5433/studies?sslmode=require")
    >>> found["HOST"], found["PORT"], found["PASSWORD"], found["OPTIONS"]
    ('db.example.org', '5433', 'p@ss', {'sslmode': 'require'})
    >>> database_of("/srv/studies.sqlite3")["NAME"]
    '/srv/studies.sqlite3'
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        return _sqlite(address)
    if scheme == "sqlite":
        return _sqlite(rest.removeprefix("/"))
    if scheme not in _POSTGRES:
        raise InputError(
            "a database must be postgres://user:password@host/name, or the path of a SQLite file; "
            f"found one of the kind {scheme!r}."
        )
    return _postgres(address)


def _sqlite(path: str) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            "timeout": _PATIENCE,
            # Whoever reads in order to write waits at once, in place of failing in the middle.
            "transaction_mode": "IMMEDIATE",
            "init_command": _PRAGMAS,
        },
    }


def _postgres(address: str) -> dict[str, Any]:
    parts = urlsplit(address)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.removeprefix("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }

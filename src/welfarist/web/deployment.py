"""Where the pages run, and for whom: on one's own machine, or on a server for many.

Everything is read from environment variables:

=========================== ====================================================================
WELFARIST_DATA              the folder of everything that is kept; one of the user's if left out
WELFARIST_HOSTS             names of the server with commas between them: makes it one for many
WELFARIST_DATABASE          postgres://user:password@host/name, or the path of a SQLite file
WELFARIST_SECRET_KEY_FILE   the file of the secret key, which is made at the first start
WELFARIST_BEHIND_PROXY      1 if a proxy ends HTTPS and sets X-Forwarded-Proto itself
=========================== ====================================================================
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from welfarist.base.errors import InputError

DATA, HOSTS, DATABASE = "WELFARIST_DATA", "WELFARIST_HOSTS", "WELFARIST_DATABASE"
KEY_FILE, BEHIND_PROXY = "WELFARIST_SECRET_KEY_FILE", "WELFARIST_BEHIND_PROXY"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_FOLDER = "welfarist"
# What browsers send as the name of a server: letters as DNS has them, or an address. "*" is none:
# then forged requests under any other name would be answered too.
_HOST = re.compile(r"\.?[a-z0-9]([a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\]", re.IGNORECASE)


@dataclass(frozen=True)
class Deployment:
    """Where the pages run, and for whom.

    Attributes
    ----------
    data : Path
        The folder of everything that is kept.
    hosts : tuple of str
        Names of the server; none on one's own machine.
    database : str
        The address of the database.
    key_file : Path
    behind_proxy : bool
    """

    data: Path
    hosts: tuple[str, ...]
    database: str
    key_file: Path
    behind_proxy: bool = False

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Deployment:
        """Read what the environment says.

        Examples
        --------
        >>> found = Deployment.of({"WELFARIST_DATA": "/srv/w", "WELFARIST_HOSTS": "a.org, b.org"})
        >>> found.hosts, found.local
        (('a.org', 'b.org'), False)
        """
        told = environment.get(DATA)
        data = Path(told).absolute() if told else own_folder(environment)
        return cls(
            data,
            _hosts(environment.get(HOSTS, "")),
            environment.get(DATABASE) or str(data / "studies.sqlite3"),
            Path(environment.get(KEY_FILE) or data / "secret-key"),
            environment.get(BEHIND_PROXY, "0") not in ("", "0"),
        )

    @property
    def local(self) -> bool:
        """Whether this is somebody's own machine, which nobody else can reach."""
        return not self.hosts

    @property
    def allowed_hosts(self) -> list[str]:
        """The names under which requests are answered."""
        return ["127.0.0.1", "localhost", "[::1]"] if self.local else list(self.hosts)

    def make_folder(self) -> None:
        """Make the folder of the data, for its owner alone."""
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(
                f"{self.data}: the folder for studies cannot be made: {problem.strerror}. Name "
                f"another, with --data or {DATA}."
            ) from None


def _hosts(text: str) -> tuple[str, ...]:
    """The names of the server; one that no request can have is a mistake to be told at once."""
    names = tuple(name for name in map(str.strip, text.split(",")) if name)
    for name in names:
        if not _HOST.fullmatch(name):
            raise InputError(
                f"{HOSTS} must be names of the server with commas between them, such as "
                f"studies.example.org, without https:// and without a port; found {name!r}."
            )
    return names


def own_folder(environment: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the folder in which a user's data are kept on this kind of system."""
    home = Path(os.path.expanduser("~"))
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / _FOLDER
    if platform == "darwin":
        return home / "Library" / "Application Support" / _FOLDER
    return Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / _FOLDER

"""Where a run writes: into the clone it is started in, or where it is started."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from replication.settings import Settings

CLONE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Places:
    """The folders of a run.

    Attributes
    ----------
    home : path
        Holds replication.md, and the folder replication with figures and data.
    cells : path
        Holds what is finished.
    """

    home: Path
    cells: Path

    @property
    def page(self) -> Path:
        """The page about everything."""
        return self.home / "replication.md"

    @property
    def figures(self) -> Path:
        """The folder of figures and data."""
        return self.home / "replication"


def places(settings: Settings, started: Path, folder: str | None = None) -> Places:
    """Say where to write.

    In a clone a full run with the paper's settings writes the documentation, every other run
    below build/. Outside a clone a run writes where it was started, or to the folder asked for.

    Parameters
    ----------
    settings : Settings
    started : path
        The folder the run was started in.
    folder : str or None
        The folder that was asked for.
    """
    if folder is not None:
        home = started / folder
        return Places(home, home / "replication" / "cells")
    here = started.resolve()
    if here != CLONE and CLONE not in here.parents:
        return Places(started, started / "replication" / "cells")
    build = CLONE / "build" / "replication"
    if settings.own:
        return Places(build / "own", build / "cells")
    return Places(build / "quick" if settings.quick else CLONE / "docs", build / "cells")

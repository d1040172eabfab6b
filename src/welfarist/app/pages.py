"""What whoever writes a report adds to it, and what it says of the files."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from welfarist.app.usage import UsageError
from welfarist.files.sources import STANDARD_INPUT


@dataclass(frozen=True)
class PageOptions:
    """What whoever writes a report adds to it; see :func:`welfarist.write_report`."""

    title: str | None = None
    note: str | None = None
    unit: str | None = None
    date: str | None = None

    def check(self, report: str | None) -> None:
        """Refuse what says nothing where there is no report."""
        given = [f.name for f in fields(self) if getattr(self, f.name) is not None]
        if given and report is None:
            raise UsageError(f"{{{given[0]}}} is for a report: give {{report}} FILE as well.")


def file_name(path: str) -> str:
    """The name of a file without its folders."""
    return "standard input" if path == STANDARD_INPUT else Path(path).name


def without_folders(text: str, paths: Iterable[str | None]) -> str:
    """A text about files, with their names only."""
    for path in paths:
        if path is not None and path != STANDARD_INPUT:
            text = text.replace(path, file_name(path))
    return text


def figures_missing(report: str | None) -> list[str]:
    """What a report would have if more were installed, for whoever makes it."""
    if report is None or importlib.util.find_spec("matplotlib") is not None:
        return []
    return [
        "the report has no figures, because the package matplotlib is not installed. "
        'pip install "welfarist[plots]"'
    ]

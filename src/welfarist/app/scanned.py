"""Decisions in a folder of Parquet files, which are read in parts and never held as a whole."""

from __future__ import annotations

import glob
import os
from typing import Any

from welfarist.app.usage import UsageError

# What says something about tables that are read whole.
_WHOLE = (
    "preferred", "other", "first_label", "tie", "by", "drop_unknown", "action", "ranking",
    "menu_separator", "outside",
)  # fmt: skip


def is_folder(path: str | None) -> bool:
    """Whether a name stands for several files: a folder, or a pattern such as decisions/*.parquet.

    Examples
    --------
    >>> is_folder("decisions/*.parquet"), is_folder("decisions.csv"), is_folder(None)
    (True, False, False)
    """
    if path is None:
        return False
    return os.path.isdir(path) or (glob.has_magic(path) and not os.path.exists(path))


def scanned(path: str, kind: Any, actions: Any, decision: Any, numbered: bool, least: float) -> Any:
    """Return decisions of a kind (`Comparisons` or `Choices`) that stay in their files."""
    for name in _WHOLE:
        if getattr(decision, name):
            raise UsageError(
                f"{{{name}}} is for decisions in one file; found a folder of Parquet files. Leave "
                "it out."
            )
    roles = {"outcome": "choice"} if kind.kind == "comparisons" else {}
    named = ("first", "second", "choice", "count", "menu", "chosen")
    told = decision.roles(*named)
    columns = {next((r for r, n in roles.items() if n == name), name): told[name] for name in told}
    names = None if numbered else actions.names
    return kind.scan(path, actions.frame(), columns=columns, names=names, least=least)


def check_folder(path: str | None, dask: str | None, resume: str | None) -> None:
    """Refuse options of rounds over files where there are no rounds."""
    if is_folder(path):
        return
    for name, value in (("dask", dask), ("resume", resume)):
        if value is not None:
            raise UsageError(
                f"{{{name}}} is for decisions in a folder of Parquet files: {{comparisons}} or "
                "{choices} FOLDER. Leave it out."
            )

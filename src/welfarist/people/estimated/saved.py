"""People with errors in files: JSON with numbers and names, and no code."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.json_text import json_text
from welfarist.base.ordinary_files import open_ordinary
from welfarist.base.whole_files import check_target, write_whole
from welfarist.people.estimated.spread import ByAction

Made = TypeVar("Made")

# What such a file says of itself at its beginning, and the version that is written.
KIND, VERSION = "welfarist.People", 1
_HEAD = 200
# Directions of a covariance beyond this share of the largest are rounding.
_ROUNDING = 1e-13


def is_people(path: str | os.PathLike[str]) -> bool:
    """Whether a file says of itself that it holds people with errors, whatever it is called."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return head.lstrip().startswith(b"{") and f'"{KIND}"'.encode() in head


def save_people(people: Any, path: str | os.PathLike[str], note: str = "") -> None:
    """Write people with errors to a file, whole or not at all; `note` is kept with them."""
    check_target(path)
    logs, measured = people.logs_of_estimates, people.measured
    if np.isneginf(logs).any():
        raise InputError("what is saved must have utilities above 0; found some that are 0.")
    known: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "note": note,
        "shrink": people.shrink,
        "stakeholders": None if people.stakeholders is None else list(people.stakeholders),
        "actions": None if people.row_names is None else list(people.row_names),
        "log_utilities": logs.T.tolist(),
    }
    if isinstance(measured, ByAction):
        known["log_se"] = np.sqrt(measured.variances).T.tolist()
    else:
        rows = measured.factors
        known["factors"] = (
            [_factor(own).tolist() for own in measured.told[:, :, : logs.shape[1]]]
            if rows is None
            else rows.tolist()
        )
        if measured.common is not None:
            known["common"] = measured.common.tolist()
    write_whole(path, json_text(known) + "\n")


def load_people(path: str | os.PathLike[str], make: Callable[..., Made]) -> Made:
    """Return the people that :func:`save_people` wrote, with the note that was kept.

    `make` takes what :class:`~welfarist.People` does.
    """
    name = os.fspath(path)
    try:
        with open_ordinary(name) as file:
            known = json.loads(file.read().decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise _damaged(name) from None
    if not isinstance(known, dict) or known.get("kind") != KIND:
        raise _damaged(name)
    if known.get("version") != VERSION:
        raise InputError(
            f"{name}: people of version {known.get('version')!r:.20} need a newer welfarist; this "
            f"one reads version {VERSION}."
        )
    try:
        logs = np.array(known["log_utilities"], dtype=np.float64)
        factors = known.get("factors")
        shared = None
        if factors is not None:
            widest = max(len(rows[0]) for rows in factors)
            shared = np.zeros((logs.shape[1], logs.shape[0], widest))
            for i, rows in enumerate(factors):
                shared[i, :, : len(rows[0])] = rows
        return make(
            np.exp(logs),
            log_se=known.get("log_se"),
            factors=shared,
            common=known.get("common"),
            shrink=known["shrink"],
            stakeholders=known["stakeholders"],
            names=known["actions"],
            note=str(known.get("note", "")),
        )
    except (KeyError, TypeError, ValueError, IndexError):
        raise _damaged(name) from None


def _factor(covariance: Any) -> Any:
    """A factor (N, r) of a covariance, of as few columns as it has directions."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _ROUNDING * max(float(values[-1]), 0.0)
    kept[-1] = True
    return vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0))


def _damaged(name: str) -> InputError:
    return InputError(
        f"{name}: people with errors must be as they were saved; found a file that is damaged. "
        "Write it again."
    )

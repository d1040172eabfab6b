"""Decisions about the people of a rule: matched by name, where both have names."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from welfarist.base.data_frames import order_by_name
from welfarist.base.errors import InputError
from welfarist.decisions.scores import Scores
from welfarist.people.source import has_errors, is_source


def in_order_of(decided: Any, stakeholders: tuple[str, ...] | None) -> Any:
    """Return decisions with their people, or groups, in the order of these stakeholders.

    Where either has no names they stay as they are; other names than theirs are refused.
    """
    names = decided.stakeholders
    if names is None or stakeholders is None or tuple(names) == tuple(stakeholders):
        return decided
    order = order_by_name(tuple(names), tuple(stakeholders))
    if has_errors(decided.utilities):
        return about(decided, decided.utilities.in_order(stakeholders), stakeholders)
    if is_source(decided.utilities):
        raise InputError(
            "groups of a sketch must be in the order of those of the rule; found "
            f"{names[0]!r} first, where the rule has {stakeholders[0]!r}."
        )
    table = np.empty_like(decided.utilities)
    table[:, order] = decided.utilities
    return about(decided, table, stakeholders)


def about(decided: Any, utilities: Any, stakeholders: Sequence[str] | None) -> Any:
    """Return the same decisions about other utilities (N, d), or in other columns."""
    names = None if stakeholders is None else tuple(stakeholders)
    if isinstance(decided, Scores):
        return replace(decided, utilities=utilities, stakeholders=names)
    made = copy(decided)
    made.utilities, made.stakeholders = utilities, names
    return made

"""Decisions about people who are not all in memory, as a rule with one power sees them.

At one p the power means of groups are a table in which each group is one person: every rule with
that p finds the same welfare in it, and the same shares of groups.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

from welfarist.decisions.scores import Scores
from welfarist.people.source import table_at


def seen_at(decided: Any, p: float) -> Any:
    """Return decisions about a table, if what stands in its place knows one at this power."""
    table = table_at(decided.utilities, p)
    if table is decided.utilities:
        return decided
    if isinstance(decided, Scores):
        return replace(decided, utilities=table)
    made = copy(decided)
    made.utilities = table
    return made

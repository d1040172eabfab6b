"""Tables in files: actions, comparisons, weights and groups, read with messages that say where.

A quick reader takes files that are all right. Only when something is not does a slower one go
through them cell by cell, to name the line and the column.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from welfarist.base.whole_files import write_whole
from welfarist.files.actions import Actions, read_actions
from welfarist.files.opening import open_table
from welfarist.files.people import read_groups, read_weights

if TYPE_CHECKING:  # whoever ranks actions by a known rule reads no comparisons
    from welfarist.files.comparisons import NamedComparisons, read_comparisons
    from welfarist.files.wide import read_wide_comparisons

__all__ = [
    "Actions",
    "NamedComparisons",
    "open_table",
    "read_actions",
    "read_comparisons",
    "read_groups",
    "read_weights",
    "read_wide_comparisons",
    "write_whole",
]

_ON_DEMAND = {
    "NamedComparisons": "comparisons",
    "read_comparisons": "comparisons",
    "read_wide_comparisons": "wide",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'welfarist.files' has no attribute {name!r}")
    return getattr(import_module(f"welfarist.files.{_ON_DEMAND[name]}"), name)

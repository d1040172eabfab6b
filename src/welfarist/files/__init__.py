"""Tables in files: actions, comparisons, weights and groups, read with messages that say where.

A quick reader takes files that are all right. Only when something is not does a slower one go
through them cell by cell, to name the line and the column.
"""

from welfarist.base.whole_files import write_whole
from welfarist.files.actions import Actions, read_actions
from welfarist.files.comparisons import NamedComparisons, read_comparisons
from welfarist.files.opening import open_table
from welfarist.files.people import read_groups, read_weights
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

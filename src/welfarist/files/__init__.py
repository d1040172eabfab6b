"""Tables in files: actions, decisions, weights and groups, read with messages that say where.

A quick reader takes files that are all right. Only when something is not does a slower one go
through them cell by cell, to name the line and the column.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from welfarist.base.whole_files import write_whole
    from welfarist.files.actions import Actions, read_actions
    from welfarist.files.comparisons import NamedComparisons, read_comparisons
    from welfarist.files.deciders import KnownDeciders, read_deciders
    from welfarist.files.estimated import holds_people, read_people
    from welfarist.files.long import read_long_choices
    from welfarist.files.menus import NamedChoices, read_choices
    from welfarist.files.opening import open_table
    from welfarist.files.people import read_attributes, read_groups, read_weights
    from welfarist.files.sketches import is_sketch, read_scores, read_sketch
    from welfarist.files.wide import read_wide_comparisons

__all__ = [
    "Actions",
    "KnownDeciders",
    "NamedChoices",
    "NamedComparisons",
    "holds_people",
    "is_sketch",
    "open_table",
    "read_actions",
    "read_attributes",
    "read_choices",
    "read_comparisons",
    "read_deciders",
    "read_groups",
    "read_long_choices",
    "read_people",
    "read_scores",
    "read_sketch",
    "read_weights",
    "read_wide_comparisons",
    "write_whole",
]

# Whoever ranks actions by a known rule reads no comparisons, and the process in which engines
# read needs none of all this.
_ON_DEMAND = {
    "Actions": "files.actions",
    "KnownDeciders": "files.deciders",
    "NamedChoices": "files.menus",
    "NamedComparisons": "files.comparisons",
    "holds_people": "files.estimated",
    "is_sketch": "files.sketches",
    "open_table": "files.opening",
    "read_actions": "files.actions",
    "read_attributes": "files.people",
    "read_choices": "files.menus",
    "read_comparisons": "files.comparisons",
    "read_deciders": "files.deciders",
    "read_groups": "files.people",
    "read_long_choices": "files.long",
    "read_people": "files.estimated",
    "read_scores": "files.sketches",
    "read_sketch": "files.sketches",
    "read_weights": "files.people",
    "read_wide_comparisons": "files.wide",
    "write_whole": "base.whole_files",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'welfarist.files' has no attribute {name!r}")
    return getattr(import_module(f"welfarist.{_ON_DEMAND[name]}"), name)

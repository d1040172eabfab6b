"""How a saved sketch is recognised, which takes no more than its first bytes."""

from __future__ import annotations

import os

# What sketches of every version begin with, and those of this one.
KIND = b"welfarist.Sketch "
MAGIC = KIND + b"1 "


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a file says of itself that it is a sketch, whatever it is called."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(KIND)) == KIND
    except OSError:
        return False

"""What is wrong with scores or labels that scikit-learn refuses: where, and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.errors import InputError

_LENGTHS = "Found input variables with inconsistent numbers of samples"
_SHAPE = "y should be a 1d array"
_NONE = "requires y to be passed"


def target_error(problem: ValueError, X: Any, y: Any) -> InputError | None:
    """Return a fuller account of what scikit-learn found, after its own words; None without one.

    Parameters
    ----------
    problem : ValueError
        What scikit-learn raised.
    X, y
        What it was about.
    """
    words = str(problem).splitlines()[0].rstrip(".")
    if _NONE in words:
        return InputError(f"{words}: there must be a score for every action. Call fit(U, y).")
    if words.startswith("Input y contains"):
        return _entries_error(words, y)
    if words.startswith(_LENGTHS):
        return InputError(
            f"{words}: y must have one entry per row of X, {len(X)} in all; found {len(y)}. Leave "
            "out rows without one, or check that both come from the same table."
        )
    if words.startswith(_SHAPE):
        return InputError(f"{words}: y must be one column. Choose one, such as y[:, 0].")
    return None


def _entries_error(words: str, y: Any) -> InputError | None:
    """Name the first row without a finite entry."""
    try:
        bad = ~np.isfinite(np.asarray(y, dtype=np.float64).reshape(-1))
    except (TypeError, ValueError):
        return None
    if not bad.any():
        return None
    return InputError(
        f"{words}: y must be finite and complete; found otherwise at row {int(np.argmax(bad))} and "
        f"in {int(bad.sum())} of {len(bad)} rows altogether. Leave those rows out."
    )

"""How several names are said in one sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> listed(["utilitarian", "Nash", "harmonic"])
    'utilitarian, Nash and harmonic'
    """
    if not names:
        return ""
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])

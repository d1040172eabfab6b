"""Powers as people read them: few digits, and what they mean in a sentence."""

from __future__ import annotations

from welfarist.show.symbols import MINUS, in_symbols

# Beyond this nobody can tell a rule from the one at the end of the line.
_FAR = 20.0
# What counts, up to each power.
_MEANING = (
    (-5.0, "What matters is hardly more than how the worst-off fare."),
    (-0.5, "The badly off count much more than the well off."),
    (0.5, "The badly off count more: whoever has half as much counts about twice for each gain."),
    (0.9, "The badly off count somewhat more than the well off."),
    (1.1, "What matters is the sum: the same gain counts the same, whoever has it."),
    (float("inf"), "The well off count more than the badly off."),
)


def written(p: float) -> str:
    """Return a power with the digits that are worth it.

    Examples
    --------
    >>> written(-4.5812), written(0.876), written(-327.0), written(1.0), written(float("inf"))
    ('−4.6', '0.88', 'below −20', '1', '∞')
    """
    if abs(p) == float("inf"):
        return in_symbols(p)
    if abs(p) > _FAR:
        return f"above {_FAR:.0f}" if p > 0 else f"below {MINUS}{_FAR:.0f}"
    decimals = 2 if abs(p) < 1 else 1 if abs(p) < 10 else 0
    return f"{round(p, decimals) + 0.0:g}".replace("-", MINUS)


def interval(low: float, high: float) -> str:
    """Return both ends.

    Examples
    --------
    >>> interval(-327.0, 0.876), interval(-800.0, -30.0), interval(-1.0, 0.5)
    ('below −20 to 0.88', 'below −20', '−1 to 0.5')
    """
    one, other = written(low), written(high)
    return one if one == other and abs(low) > _FAR else f"{one} to {other}"


def meaning(p: float) -> str:
    """Return what a power means.

    Examples
    --------
    >>> meaning(-12.0)
    'What matters is hardly more than how the worst-off fare.'
    """
    return next(words for end, words in _MEANING if p <= end)

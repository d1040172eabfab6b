"""Numbers and rules in words that need no formula."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from welfarist.doctrines import DOCTRINES, doctrine_of
from welfarist.plots.power_axis import rounded

# A power this near to a named one is called so.
_CLOSE = 0.05
# p-values below these are called rejected, doubtful.
REJECTED, DOUBTFUL = 0.01, 0.05
# A share that would be printed as 0.
TRIFLE = 5e-5


def power(p: float, interval: Sequence[float] = (-np.inf, np.inf)) -> str:
    """Return a power as it is written in a text, with more digits in a narrow interval."""
    return rounded(p, interval[1] - interval[0])


def doctrine(p: float) -> str:
    """Return the doctrine of a power, the one that it is close to, or the two it lies between."""
    shown = _shown(p)
    near = [d.name for d in DOCTRINES if 0 < abs(shown - d.p) < _CLOSE]
    return f"close to {near[0]}" if near else doctrine_of(shown)


def _shown(p: float) -> float:
    """A power as it is printed, so that 0.00 is called Nash."""
    return p if np.isinf(p) else round(p, 2) + 0.0


def meaning(p: float) -> str:
    """Say what a rule with this power looks at."""
    shown = _shown(p)
    for named in DOCTRINES:
        if named.p == shown or abs(named.p - shown) < _CLOSE:
            return named.meaning
    if p > 1:
        return "the same gain counts more for somebody who is well off"
    if p > 0:
        return (
            "the same gain counts more for somebody who is badly off, but less than in proportion"
        )
    return "even the same percentage gain counts more for somebody who is badly off"


def percent(share: float) -> str:
    """Return a share as a percentage with a sensible number of digits."""
    digits = 0 if share >= 0.0995 or share < TRIFLE else 1 if share >= 0.00095 else 2
    return f"{100 * share:,.{digits}f}%"


def amount(value: float) -> str:
    """Return a utility or a welfare with three digits, more if it is large.

    Examples
    --------
    >>> amount(0.12345), amount(1010.0)
    ('0.123', '1,010')
    """
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.3g}"


def p_value(value: float) -> str:
    """Return a p-value, of which very small ones are only called so."""
    if value < 1e-4:
        return "below 0.0001"
    return f"{value:.4f}" if value < 0.01 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def verdict(value: float) -> str:
    """Say what a p-value speaks for."""
    if value < REJECTED:
        return "rejected"
    return "doubtful" if value < DOUBTFUL else "compatible with the decisions"


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


def counted(number: float, what: str) -> str:
    """Return a number of things, with thousands apart and the plural where it belongs."""
    shown = f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"
    return f"{shown} {what}" + ("" if number == 1 else "s")


def sentence(words: str) -> str:
    """Return words with a capital letter and a full stop."""
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")

"""Where two records differ, on the machine that wrote the first and on another."""

from __future__ import annotations

import math
import re

# On the same machine: a sum taken in another order may move the last digits, nothing else may.
SAME_RELATIVE = 1e-12
# What is 0 up to rounding, such as a gradient or the loss of a perfect fit, has no digits to keep.
SAME_ABSOLUTE = 1e-14
# Elsewhere: optimisers end at the same optimum up to what the loss can tell apart.
ESTIMATE_RELATIVE, ESTIMATE_ABSOLUTE = 1e-6, 1e-8
# Elsewhere: covariances, ends of intervals and p-values amplify what estimates differ by.
OTHER_RELATIVE, OTHER_ABSOLUTE = 1e-3, 1e-6
# How long a search took and how its starts fared depends on rounding, a page's bytes on digits.
_OWN_TO_A_MACHINE = {"n_iter", "n_starts", "start_values", "agreeing", "spread", "sha256"}
# All that must agree where many rules are as good.
_COMMON_GROUND = {("estimates", "loss"), ("estimates", "accuracy"), ("warned",), ("ended", "given")}
# But not whether the search among them ended at an edge, or at all.
_OF_THE_SEARCH = {"SearchRangeWarning", "NotConvergedWarning"}

_NUMBER = re.compile(r"[-+]?\b(\d+(\.\d+)?([eE][-+]?\d+)?|inf)\b")


def differences(expected, found, *, same, determined=True, path=()):
    """Yield a path, what was expected and what was found, wherever that is not the same.

    Parameters
    ----------
    expected, found : what JSON holds
    same : bool
        Whether both were made on the same kind of machine; see `fingerprint`.
    determined : bool
        Whether one rule is the best; where many are, another machine may end at another one.
    path : tuple of str
        Where in the record.
    """
    if not same and path and path[-1] in _OWN_TO_A_MACHINE:
        return
    if not (same or determined) and path == ("warned",):
        expected, found = (
            [x for x in said if x not in _OF_THE_SEARCH] for said in (expected, found)
        )
    if isinstance(expected, dict) and isinstance(found, dict) and list(expected) == list(found):
        pairs = [(key, expected[key], found[key]) for key in expected]
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = [(str(i), *both) for i, both in enumerate(zip(expected, found, strict=True))]
    elif _agree(expected, found, same, path) or not (same or determined or _common(path)):
        return
    else:
        yield ".".join(path), expected, found
        return
    for key, one, other in pairs:
        yield from differences(one, other, same=same, determined=determined, path=(*path, key))


def _common(path):
    return any(path[: len(part)] == part for part in _COMMON_GROUND)


def _agree(expected, found, same, path):
    if isinstance(expected, str) and isinstance(found, str):
        return expected == found if same else without_numbers(expected) == without_numbers(found)
    numbers = all(
        isinstance(value, int | float) and not isinstance(value, bool)
        for value in (expected, found)
    )
    if not numbers or isinstance(expected, int) or isinstance(found, int):
        return type(expected) is type(found) and expected == found
    relative, absolute = _tolerances(same, path)
    return math.isclose(expected, found, rel_tol=relative, abs_tol=absolute)


def _tolerances(same, path):
    if same:
        return SAME_RELATIVE, SAME_ABSOLUTE
    if path[:1] == ("estimates",):
        return ESTIMATE_RELATIVE, ESTIMATE_ABSOLUTE
    return OTHER_RELATIVE, OTHER_ABSOLUTE


def without_numbers(text):
    """A text with every number replaced, and the space that numbers of other lengths take."""
    return " ".join(_NUMBER.sub("#", text).split())

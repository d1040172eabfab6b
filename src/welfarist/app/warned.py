"""Warnings of a piece of work, as texts that are shown beside its answer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from welfarist.base.errors import WelfaristWarning


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect this package's warnings in the list that is yielded, each message once.

    The list is filled when the work is done. Warnings of others are given as if nobody listened.
    """
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    for warning in caught:
        if not issubclass(warning.category, WelfaristWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
        elif str(warning.message) not in said:
            said.append(str(warning.message))

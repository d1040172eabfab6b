"""What can go wrong, as a tree of exceptions and warnings.

::

    Exception
    └── WelfaristError            everything this package raises on purpose
        └── InputError            the caller's data or options; also a ValueError

A message says what must hold, what was found and where, and what to do about it.
"""

from __future__ import annotations


class WelfaristError(Exception):
    """The root of every error this package raises on purpose."""


class InputError(WelfaristError, ValueError):
    """Data or options that cannot be used as they are."""

"""What can go wrong, as a tree of exceptions and warnings.

::

    Exception
    └── WelfaristError            everything this package raises on purpose
        └── InputError            the caller's data or options; also a ValueError
            ├── ZerosError        a rule that utilities of 0 exclude
            ├── ImpossibleDecisionsError   decisions that no rule explains
            └── DecisionsMissingError   a record is asked for what needs its decisions

    UserWarning
    └── WelfaristWarning          an answer comes with a caveat
        ├── MisfitWarning         the rule does not describe the scores
        ├── NotConvergedWarning   the solver stopped before it could be sure
        ├── NotIdentifiedWarning  the data do not determine p or a weight
        ├── PairScalingWarning    both actions of a pair seem to be on different scales
        ├── SeparationWarning     choices are noise-free under some rule; tau is at its cap
        └── SearchRangeWarning    the search over p or tau was cut short, or ended at its edge

A message says what must hold, what was found and where, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Sequence


class WelfaristError(Exception):
    """The root of every error this package raises on purpose."""


class InputError(WelfaristError, ValueError):
    """Data or options that cannot be used as they are."""


class ZerosError(InputError):
    """A rule that has nothing to say where a utility is 0: it finds all such actions worthless."""


class ImpossibleDecisionsError(InputError):
    """Decisions that no rule explains: nothing was chosen where something could have been.

    Attributes
    ----------
    rows : list of int
        Which decisions these are, as rows of the data.
    """

    def __init__(self, message: str, rows: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.rows = rows


class DecisionsMissingError(InputError):
    """A record whose decisions were left out is asked for what needs them: see `with_data`."""


class WelfaristWarning(UserWarning):
    """The root of every warning this package gives: an answer with a caveat."""


class MisfitWarning(WelfaristWarning):
    """The rule that fits best does not describe the decisions: look at scale, direction, noise."""


class NotConvergedWarning(WelfaristWarning):
    """The solver stopped before it could be sure of having reached an optimum."""


class NotIdentifiedWarning(WelfaristWarning):
    """The data do not determine the power, or somebody's weight."""


class PairScalingWarning(WelfaristWarning):
    """The two actions of each pair seem to be on different scales: see PairTransformer."""


class SeparationWarning(WelfaristWarning):
    """Some rule explains every choice without noise, so that tau has no largest value."""


class SearchRangeWarning(WelfaristWarning):
    """The search over p or tau was limited by the data, or ended at the edge of its range."""

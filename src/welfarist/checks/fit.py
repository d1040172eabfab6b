"""What checks ask of a fit."""

from __future__ import annotations

from typing import Any, Protocol

from welfarist.base.validation import FloatArray
from welfarist.inference.likelihood import Likelihood
from welfarist.noise.base import ChoiceNoise


class Fit(Protocol):
    """A rule and the decisions it was learned from."""

    @property
    def decided(self) -> Any:
        """The decisions."""
        ...

    @property
    def nameless_welfare(self) -> Any:
        """The rule, for columns that it was learned from."""
        ...

    @property
    def affected(self) -> tuple[str, ...]:
        """The people's names."""
        ...

    @property
    def likelihood(self) -> Likelihood | None:
        """What was maximised; None where errors were counted."""
        ...

    @property
    def noise(self) -> ChoiceNoise | None:
        """How choices err; None for scores, and where errors were counted."""
        ...

    @property
    def scale(self) -> float | None:
        """What welfare is multiplied with to be a score, if that was learned."""
        ...

    @property
    def score_offset(self) -> float:
        """What scores lack to be a welfare."""
        ...

    def preference(self, margins: FloatArray) -> FloatArray:
        """How likely the first action is preferred (n,) at differences in value (n,)."""
        ...

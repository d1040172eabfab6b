"""How questions are chosen, as a text that stands beside every answer."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from welfarist.app.texts import listed
from welfarist.app.usage import UsageError
from welfarist.files.cells import nearest, shown

Designed = Literal["no", "only", "too"]
BEST, RULE = "best", "rule"
_PYTHON: dict[str, Any] = {"no": False, "only": True, "too": "too"}


@dataclass(frozen=True)
class AskSettings:
    """How questions are chosen, and when it is enough.

    Attributes
    ----------
    seed : int
    designed : "no", "only" or "too"
        Whether outcomes are made up, in place of questions about actions or besides.
    aim : str
        What questions are for: "rule", "best", or names of actions with commas between them.
    max : int
        The most questions there should be.
    sure : float
        How well the best action should be known, with an aim.
    check_every : int
        After how many questions an earlier one is put again; 0 for never.
    """

    seed: int = 0
    designed: Designed = "no"
    aim: str = RULE
    max: int = 40
    sure: float = 0.9
    check_every: int = 0

    @property
    def text(self) -> str:
        """The settings that are not as usual, and the seed.

        Examples
        --------
        >>> AskSettings(7, aim="best").text
        'seed=7 aim=best'
        """
        usual = AskSettings()
        return shlex.join(
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if field.name == "seed" or getattr(self, field.name) != getattr(usual, field.name)
        )

    @classmethod
    def of_text(cls, text: str) -> AskSettings:
        """Read what `text` wrote; what somebody else wrote says nothing.

        Examples
        --------
        >>> AskSettings.of_text("seed=7 aim=best") == AskSettings(7, aim="best")
        True
        >>> AskSettings.of_text("by telephone") == AskSettings()
        True
        """
        try:
            found = dict(word.split("=", 1) for word in shlex.split(text))
            kinds: dict[str, Any] = {field.name: type(field.default) for field in fields(cls)}
            made = cls(**{name: kinds[name](value) for name, value in found.items()})
        except (ValueError, KeyError, TypeError):
            return cls()
        return made if made.designed in get_args(Designed) else cls()

    def but(self, **told: Any) -> AskSettings:
        """The same, with what was told; None says nothing."""
        return replace(self, **{name: value for name, value in told.items() if value is not None})

    def of_interview(self, names: Sequence[str]) -> dict[str, Any]:
        """What an interview about actions with these names is told."""
        return dict(
            random_state=self.seed,
            designed=_PYTHON[self.designed],
            aim=self._rows(names),
            most=self.max,
            sure=self.sure,
            check_every=self.check_every or None,
        )

    def _rows(self, names: Sequence[str]) -> Any:
        if self.aim == RULE:
            return None
        if self.aim == BEST:
            return BEST
        places = {name: row for row, name in enumerate(names)}
        wanted = list(dict.fromkeys(listed(self.aim) or []))
        for name in wanted:
            if name not in places:
                near = nearest(name, places)
                raise UsageError(
                    "{aim} must be best, rule, or names of actions with commas between them; found "
                    "{found}, which is none. {hint}",
                    found=shown(name),
                    hint=f"Did you mean {' or '.join(map(shown, near))}?" if near else
                    "Check the spelling.",
                )  # fmt: skip
        if len(wanted) < 2:
            raise UsageError(
                "{aim} must name two actions at least, of which the best is looked for; found "
                "{found}.",
                found=shown(self.aim),
            )
        return [places[name] for name in wanted]

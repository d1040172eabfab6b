"""Rules of several decision makers as a file holds them, and how each of them chooses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.validation import FloatArray
from welfarist.deciders.kinds import DeciderType
from welfarist.families.rule import WelfareFunction
from welfarist.noise.choices import preference_probability
from welfarist.results import saved_choices
from welfarist.results.saved_records import Fields, as_number

# The most that each number of the noise may be; tau of later choices of a ranking is as tau.
_MOST = {"tau": math.inf, "rho": 0.5, "gamma": math.inf, "outside": math.inf}
_LATER = "tau of choice "


@dataclass(frozen=True, eq=False)
class SavedRules:
    """Rules with their noise, and what all of them have in common.

    Attributes
    ----------
    powers : (S,) array
    weights : (S, d) array
    noise : mapping
        Numbers (S,) of the noise by name: "tau", and perhaps "rho", "gamma", "outside".
    stakeholders : tuple of str
    shift : float
        What is added to every utility.
    absent : bool
        Whether a NaN utility means that somebody is not affected.
    """

    powers: FloatArray
    weights: FloatArray
    noise: Mapping[str, FloatArray]
    stakeholders: tuple[str, ...]
    shift: float = 0.0
    absent: bool = False

    def __len__(self) -> int:
        return len(self.powers)

    def rule(self, s: int) -> WelfareFunction:
        """One of the rules."""
        return WelfareFunction(
            float(self.powers[s]), self.weights[s], self.stakeholders, self.shift
        )

    def utilities(self, actions: Any) -> FloatArray:
        """Actions as numbers (n, d) in the order of the stakeholders; NaN for who is absent."""
        return saved_choices.utilities_for(self.rule(0), actions, self.absent)

    def worth(self, which: npt.NDArray[np.intp], utilities: FloatArray) -> FloatArray:
        """What actions (n, d) are worth (k, n) by some of the rules: differences decide."""
        gammas = self.noise.get("gamma")
        return np.array(
            [
                saved_choices.worth(
                    self.rule(s), utilities, None if gammas is None else float(gammas[s])
                )
                for s in which.tolist()
            ]
        )

    def preferring(
        self, which: npt.NDArray[np.intp], one: FloatArray, other: FloatArray, *, erring: bool
    ) -> FloatArray:
        """How likely the first of two actions is preferred (k, n), by what both are worth.

        Without errors it is 1, 0, or 1/2 for a tie.
        """
        taus, rhos = self.noise["tau"], self._rhos()
        return np.array(
            [
                preference_probability(
                    saved_choices.margins_of(a, b, float(taus[s]) if erring else math.inf),
                    float(rhos[s]) if erring else 0.0,
                )
                for s, a, b in zip(which.tolist(), one, other, strict=True)
            ]
        )

    def choosing(
        self, which: npt.NDArray[np.intp], worth: FloatArray, *, outside: bool
    ) -> FloatArray:
        """How likely each action of a menu is chosen (k, n), by what all are worth (k, n)."""
        taus, rhos, nothing = self.noise["tau"], self._rhos(), self.noise.get("outside")
        found = []
        for s, value in zip(which.tolist(), worth, strict=True):
            if outside:
                level = None if nothing is None else float(nothing[s])
                value = saved_choices.with_outside(value, level)
            found.append(saved_choices.chances(value, float(taus[s]), float(rhos[s])))
        return np.array(found)

    def _rhos(self) -> FloatArray:
        return self.noise.get("rho", np.zeros(len(self)))


@dataclass(frozen=True, eq=False)
class Believed:
    """Which rules somebody may follow, and how likely each is.

    Attributes
    ----------
    rules : (k,) array of int
        Numbers of the rules.
    chances : (k,) array
        They sum to 1.
    drawn : int
        How many draws they were counted in; 0 if they are known.
    """

    rules: npt.NDArray[np.intp]
    chances: FloatArray
    drawn: int = 0

    @classmethod
    def of_draws(cls, draws: npt.ArrayLike) -> Believed:
        """Return rules that were drawn, each as likely as it was drawn often."""
        rules, counts = np.unique(np.asarray(draws, dtype=np.intp), return_counts=True)
        return cls(rules, counts / counts.sum(), int(counts.sum()))

    def draws(self) -> list[int]:
        """The rules, each as often as it was drawn."""
        counts = np.rint(self.chances * self.drawn).astype(np.intp)
        return [int(rule) for rule in np.repeat(self.rules, counts)]


def rules_of_types(
    types: Sequence[DeciderType], stakeholders: tuple[str, ...], shift: float, absent: bool
) -> tuple[SavedRules, Believed]:
    """Return the rules of types, and what is believed of somebody new."""
    rules = SavedRules(
        np.array([one.p for one in types]),
        np.array([one.weights for one in types]),
        {name: np.array([one.noise[name] for one in types]) for name in types[0].noise},
        stakeholders,
        shift,
        absent,
    )
    shares = np.array([one.share for one in types])
    return rules, Believed(np.arange(len(types)), shares / shares.sum())


def checked_noise(fields: Fields, key: str, value: Any) -> dict[str, float]:
    """Return numbers of the noise by name, if they are some."""
    entries = value if isinstance(value, dict) else {}
    found = {name: as_number(entry) for name, entry in entries.items()}
    good = "tau" in found and all(is_noise(name, x) for name, x in found.items())
    if not good:
        raise fields.wrong(key, "entries with numbers of the noise, tau among them", value)
    return {name: float(x) for name, x in found.items() if x is not None}


def is_noise(name: str, value: float | None) -> bool:
    """Whether a number can be one of the noise."""
    most = math.inf if is_later(name) else _MOST.get(name)
    if most is None or value is None:
        return False
    return math.isfinite(value) if name == "gamma" else 0.0 <= value <= most


def is_later(name: str) -> bool:
    """Whether it is the temperature of a later choice of a ranking."""
    return name.startswith(_LATER) and name.removeprefix(_LATER).isdecimal()

"""Types and populations of decision makers, kept in files and ready to be applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import strict
from welfarist.base.inert import in_json
from welfarist.base.validation import FloatArray
from welfarist.deciders.kinds import DeciderType
from welfarist.deciders.saved_fields import VERSION, entries_in
from welfarist.deciders.saved_rules import Believed, SavedRules
from welfarist.results.saved_models import SEVERAL

SavedKind = Literal["types", "population"]
# Decision makers that a message names.
_SHOWN = 5


@dataclass(frozen=True, eq=False, repr=False)
class DecidersModel:
    """Several decision makers as they were learned, ready to be asked about new actions.

    Types are kept digit for digit. Of a population everybody's estimates are kept as they are, and
    what is believed of each person as 256 rules that are equally likely (1,024 for somebody new):
    chances of choices are then within 0.01 of those of the fit (on 160 people with 39 choices each;
    0.0007 on average).

    Attributes
    ----------
    kind : "types" or "population"
    decided : "comparisons" or "choices"
        What it was learned from.
    rules : SavedRules
        All rules that somebody may follow, with their noise.
    deciders : tuple of str
        Who decided.
    each : tuple of Believed
        What is believed of each of them.
    anybody : Believed
        What is believed of somebody of whom nothing is known.
    types : tuple of DeciderType
        The largest first; empty for a population.
    population : mapping
        Of a normal population: the "numbers" of a rule that vary, the "columns" of what is known
        of people, "coefficients" (D, c) and "covariance" (D, D); else empty.
    estimates : mapping
        Of a population: everybody's estimates and intervals, as columns by name.
    level : float or None
        Of those intervals.
    headline : str
        How people differ, in a sentence.
    decisions : float
    log_likelihood : float
    converged : bool
    caveats : tuple of str
        What a reader of the estimates must know.
    version : str
        The version of welfarist that learned it.
    """

    kind: SavedKind
    decided: str
    rules: SavedRules
    deciders: tuple[str, ...]
    each: tuple[Believed, ...]
    anybody: Believed
    types: tuple[DeciderType, ...] = ()
    population: Mapping[str, Any] = field(default_factory=dict)
    estimates: Mapping[str, Any] = field(default_factory=dict)
    level: float | None = None
    headline: str = ""
    decisions: float = 0.0
    log_likelihood: float = 0.0
    converged: bool = True
    caveats: tuple[str, ...] = ()
    version: str = ""

    @classmethod
    def of(cls, learned: Any, level: float = 0.95) -> DecidersModel:
        """Return what fitted `Types` or `Deciders`, or their ``result_``, have learned.

        Parameters
        ----------
        learned : Types, Deciders, TypesResult, DecidersResult or DecidersModel
        level : float
            Of everybody's intervals in a population.
        """
        # They bring scikit-learn, which who applies a model does not need.
        from welfarist.deciders.savable import entries_of

        result = getattr(learned, "result_", learned)
        return result if isinstance(result, cls) else cls(**entries_of(result, level))

    @property
    def stakeholders(self) -> tuple[str, ...]:
        """The people who are affected."""
        return self.rules.stakeholders

    @property
    def shift(self) -> float:
        """What is added to every utility."""
        return self.rules.shift

    @property
    def absent(self) -> bool:
        """Whether a NaN utility means that somebody is not affected by an action."""
        return self.rules.absent

    def believed(self, who: str | None = None) -> Believed:
        """Return which rules somebody may follow; None is somebody new."""
        if who is None:
            return self.anybody
        if str(who) not in self._places:
            raise InputError(
                "who must be one of the decision makers of the model; found "
                f"{str(who)!r}, who is none of {_some(self.deciders)}. Leave it out for "
                "somebody new."
            )
        return self.each[self._places[str(who)]]

    @property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.deciders)}

    def chances(self, first: Any, second: Any, who: str | None = None) -> FloatArray:
        """Return how likely somebody prefers the first action to the second (n,).

        An average over the rules that they may follow, each with its errors.

        Parameters
        ----------
        first, second : (n, d) array-like or data frames
        who : str, optional
            One of `deciders`; left out, somebody new.
        """
        return self._preferring(first, second, who, erring=True)

    def agreeing(self, first: Any, second: Any, who: str | None = None) -> FloatArray:
        """Return the share of people (n,) whose rule puts the first action above the second.

        Errors are left out, and a tie counts half. Of one person it is how sure it is that theirs
        does.

        Parameters
        ----------
        first, second : (n, d) array-like or data frames
        who : str, optional
            One of `deciders`; left out, everybody.
        """
        return self._preferring(first, second, who, erring=False)

    def _preferring(self, first: Any, second: Any, who: str | None, *, erring: bool) -> FloatArray:
        tables = [self.rules.utilities(actions) for actions in (first, second)]
        size = max(map(len, tables))
        if not all(len(table) in (1, size) for table in tables):
            raise InputError(
                "first and second must hold as many actions as each other, or one; found "
                f"{len(tables[0])} and {len(tables[1])}."
            )
        known = self.believed(who)
        one, other = (self.rules.worth(known.rules, table) for table in tables)
        found = self.rules.preferring(known.rules, one, other, erring=erring)
        return np.asarray(known.chances @ found)

    def menu_chances(
        self, actions: Any, who: str | None = None, *, outside: bool = False
    ) -> FloatArray:
        """Return how likely each action of a menu is chosen (K,) by somebody.

        Parameters
        ----------
        actions : (K, d) array-like or data frame
            The menu.
        who : str, optional
            One of `deciders`; left out, somebody new.
        outside : bool
            Whether none of these could be chosen as well: its chance is the last of (K + 1,).
        """
        known = self.believed(who)
        worth = self.rules.worth(known.rules, self.rules.utilities(actions))
        return np.asarray(known.chances @ self.rules.choosing(known.rules, worth, outside=outside))

    def individuals(self) -> Any:
        """Return one row a decision maker, as a data frame.

        Of a population everybody's estimates with intervals; of types the likeliest one, and how
        likely each is.
        """
        return to_frame(self.individual_columns())

    def individual_columns(self) -> dict[str, Any]:
        """Return the same as columns by name."""
        if self.kind == "population":
            return {"who": list(self.deciders), **self.estimates}
        belongs = self.membership
        found: dict[str, Any] = {"who": list(self.deciders), "type": belongs.argmax(axis=1)}
        return found | {f"type {k}": belongs[:, k] for k in range(belongs.shape[1])}

    @property
    def membership(self) -> FloatArray:
        """How likely each decision maker (G, S) follows each rule."""
        found = np.zeros((len(self.deciders), len(self.rules)))
        for row, known in zip(found, self.each, strict=True):
            row[known.rules] = known.chances
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary that strict JSON can hold; infinite numbers are texts."""
        record: dict[str, Any] = {
            "format": SEVERAL,
            "version": VERSION,
            "welfarist": self.version,
            "kind": self.kind,
            "decided": self.decided,
            "headline": self.headline,
            "decisions": self.decisions,
            "log_likelihood": self.log_likelihood,
            "converged": self.converged,
            "caveats": list(self.caveats),
            "shift": self.shift,
            "absent": self.absent,
            "stakeholders": list(self.stakeholders),
        }
        own = self._of_types() if self.kind == "types" else self._of_population()
        return dict(strict(record | own))

    def _of_types(self) -> dict[str, Any]:
        types = [
            {
                "share": one.share,
                "p": one.p,
                "weights": [
                    {"stakeholder": name, "weight": weight}
                    for name, weight in zip(self.stakeholders, one.weights.tolist(), strict=True)
                ],
                "noise": dict(one.noise),
                "explained": one.explained,
                "given": one.called,
            }
            for one in self.types
        ]
        belongs = self.membership.tolist()
        return {"types": types, "membership": dict(zip(self.deciders, belongs, strict=True))}

    def _of_population(self) -> dict[str, Any]:
        rules = self.rules
        numbers = [rules.powers, *rules.weights.T, *rules.noise.values()]
        draws = [known.draws() for known in self.each]
        return {
            "population": dict(self.population) or None,
            "level": self.level,
            "estimates": {name: np.asarray(x).tolist() for name, x in self.estimates.items()},
            "noise": list(rules.noise),
            "rules": np.column_stack(numbers).tolist(),
            "draws": dict(zip(self.deciders, draws, strict=True)),
            "anybody": self.anybody.draws(),
        }

    def as_text(self) -> str:
        """Return what a file of the model holds: strict JSON, with a line an entry."""
        entries = [
            f" {in_json(name, indent=None)}: {in_json(value, indent=None)}"
            for name, value in self.to_dict().items()
        ]
        return "{\n" + ",\n".join(entries) + "\n}\n"

    def __repr__(self) -> str:
        what = f"{len(self.types)} types" if self.kind == "types" else "a population"
        return (
            f"DecidersModel({what} of {len(self.deciders)} people, {self.decisions:.15g} decisions)"
        )

    @classmethod
    def from_dict(cls, record: Any, source: str = "the record") -> DecidersModel:
        """Return the model that :meth:`to_dict` described; `source` is named in messages."""
        return cls(**entries_in(record, source))


def _some(names: tuple[str, ...]) -> str:
    """The first few of many names."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more

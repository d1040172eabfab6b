"""Rules of several families that were fitted to the same decisions, and how well each fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from welfarist.base.exports import strict
from welfarist.families.known import FAMILIES, member
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rule import WelfareFunction
from welfarist.results.saved_records import Fields, as_number

_ENTRIES = ("name", "behind", "family", "numbers", "p", "weights")


@dataclass(frozen=True)
class FamilyFit:
    """A rule of one family and how well it fits beside those of the others.

    Attributes
    ----------
    name : str
        Of the family.
    behind : float
        Its BIC less the lowest of all families.
    welfare : WelfareFunction, or the rule of another family
    """

    name: str
    behind: float
    welfare: Any

    def to_dict(self) -> dict[str, Any]:
        """Return what a saved model holds of it."""
        rule = self.welfare
        family = POWER_MEAN if isinstance(rule, WelfareFunction) else rule.family
        people = zip(rule.stakeholders, rule.weights.tolist(), strict=True)
        found: dict[str, Any] = strict(
            {
                "name": self.name,
                "behind": self.behind,
                "family": family.name,
                "numbers": family.numbers(),
                "p": rule.p,
                "weights": [{"stakeholder": name, "weight": weight} for name, weight in people],
            }
        )
        return found

    @classmethod
    def in_fields(cls, fields: Fields, shift: float) -> tuple[FamilyFit, ...]:
        """Return the fits that a saved model holds, each number checked."""
        entries = fields.entry("families")
        if not isinstance(entries, list) or not entries:
            raise fields.wrong("families", "a list of fitted rules, the model's own first")
        return tuple(_fit_in(fields, entry, shift) for entry in entries)


def _fit_in(fields: Fields, entry: Any, shift: float) -> FamilyFit:
    if not isinstance(entry, Mapping) or set(entry) != set(_ENTRIES):
        raise fields.wrong("families", f"records with the entries {', '.join(_ENTRIES)}", entry)
    behind, p, family = as_number(entry["behind"]), as_number(entry["p"]), entry["family"]
    known = isinstance(family, str) and family in FAMILIES and isinstance(entry["name"], str)
    if not known or behind is None or behind < 0 or p is None:
        raise fields.wrong("families", "rules of known families with numbers", entry)
    weights, names = fields.people_in(entry["weights"])
    try:
        rule = member(family, entry["numbers"], len(weights)).rule(p, weights, names)
    except ValueError as form:
        raise fields.wrong("families", str(form), entry["numbers"]) from None
    return FamilyFit(entry["name"], behind, rule.shifted(shift))

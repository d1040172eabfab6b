"""What the paper says beside what was measured, and by which criterion it is judged.

A claim is asked in *cases*: one for each curve, setting or pair of levels that it is about. It

* **holds** if its criterion is met in every case,
* holds **partly** if in at least half of them but not in all,
* **does not hold** otherwise.

No level is left out unless the claim says which, and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["holds", "partly", "does not hold", "not asked"]
HOLDS: Verdict = "holds"
PARTLY: Verdict = "partly"
FAILS: Verdict = "does not hold"
# Only in runs with other settings: none of the levels that the claim is about was run.
NOT_ASKED: Verdict = "not asked"


@dataclass(frozen=True)
class Case:
    """One curve, setting or pair of levels at which a claim is asked.

    Attributes
    ----------
    name : str
        Which it is, such as "τ* = 0.1, against n".
    met : bool
        Whether the criterion is met there.
    found : str
        The figures it was judged by.
    """

    name: str
    met: bool
    found: str


@dataclass(frozen=True)
class Claim:
    """A statement of the paper beside what was measured.

    Attributes
    ----------
    text : str
        The statement, in our words.
    criterion : str
        What must be found in a case.
    cases : tuple of Case
    repetitions : int
        Runs behind each figure; 0 where nothing is random.
    left_out : str
        What is left out, and why.
    note : str
        What to keep in mind; where it does not hold, why.
    """

    text: str
    criterion: str
    cases: tuple[Case, ...]
    repetitions: int
    left_out: str = "nothing"
    note: str = ""

    @property
    def met(self) -> int:
        """In how many cases the criterion is met."""
        return sum(case.met for case in self.cases)

    @property
    def verdict(self) -> Verdict:
        """What follows from the cases."""
        if not self.cases:
            return NOT_ASKED
        if self.met == len(self.cases):
            return HOLDS
        return PARTLY if 2 * self.met >= len(self.cases) else FAILS

    def to_dict(self) -> dict[str, Any]:
        """What a program reads."""
        return {
            "text": self.text,
            "verdict": self.verdict,
            "criterion": self.criterion,
            "met": self.met,
            "cases": [
                {"name": case.name, "met": case.met, "found": case.found} for case in self.cases
            ],
            "repetitions": self.repetitions,
            "left_out": self.left_out,
            "note": self.note,
        }


def count(claims: Sequence[Claim]) -> dict[Verdict, int]:
    """How many claims have which verdict, those that were not asked included."""
    return {
        verdict: sum(claim.verdict == verdict for claim in claims)
        for verdict in (HOLDS, PARTLY, FAILS, NOT_ASKED)
    }

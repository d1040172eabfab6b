"""How many types? One rule, types and a normal population, weighed against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.exports import Table
from welfarist.deciders.integrating import Integrated
from welfarist.deciders.searching import Found

# What a number of types must gain in BIC to be preferred to fewer.
_CLEARLY = 1e-6


@dataclass(frozen=True)
class Candidate:
    """One way to describe how decision makers differ.

    Attributes
    ----------
    name : str
        "one rule", "2 types", …, "normal population".
    types : int or None
        How many; None for the normal population.
    log_likelihood : float
    parameters : int
        How many numbers were learned.
    people : int
        How many decision makers there are, which BIC takes for observations.
    agreeing, starts : int or None
        How many searches reached the best, of how many.
    converged : bool
    overlap : float or None
        How unsure it is who belongs where: minus the sum of r log r over memberships r.
    error : float or None
        The standard error of the log likelihood, at most, for the number of nodes.
    """

    name: str
    types: int | None
    log_likelihood: float
    parameters: int
    people: int
    agreeing: int | None = None
    starts: int | None = None
    converged: bool = True
    overlap: float | None = None
    error: float | None = None

    @property
    def bic(self) -> float:
        """Bayes' information criterion, whose observations are decision makers."""
        return float(self.parameters * np.log(self.people) - 2.0 * self.log_likelihood)

    @property
    def aic(self) -> float:
        """Akaike's information criterion."""
        return 2.0 * self.parameters - 2.0 * self.log_likelihood

    @property
    def icl(self) -> float | None:
        """BIC that also asks that types can be told apart; None for the normal population."""
        return None if self.overlap is None else self.bic + 2.0 * self.overlap

    @property
    def entropy(self) -> float | None:
        """How well people are sorted into types: 1 is without doubt, 0 not at all."""
        if self.overlap is None or self.types is None or self.types < 2:
            return None
        return 1.0 - self.overlap / (self.people * float(np.log(self.types)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, by name."""
        return {
            "model": self.name,
            "types": self.types,
            "log_likelihood": self.log_likelihood,
            "parameters": self.parameters,
            "bic": self.bic,
            "aic": self.aic,
            "icl": self.icl,
            "entropy": self.entropy,
            "agreeing": self.agreeing,
            "starts": self.starts,
            "converged": self.converged,
        }


def candidate_of_types(found: Found) -> Candidate:
    """Return what came of a search for types, as one of the ways."""
    mixture = found.mixture
    belongs = mixture.belongs
    overlap = -float((belongs * np.log(np.maximum(belongs, 1e-300))).sum())
    return Candidate(
        _name_of(found),
        mixture.types,
        found.log_likelihood,
        mixture.parameters,
        mixture.panel.people,
        found.agreeing,
        len(found.values),
        found.converged,
        overlap,
    )


def _name_of(found: Found) -> str:
    """What types are called in a table: by doctrines, where some were given."""
    called = [model.called for model in found.mixture.models]
    if any(called):
        return ", ".join(sorted(name or "learned" for name in called))
    return "one rule" if len(called) == 1 else f"{len(called)} types"


def candidate_of_population(found: Integrated, people: int) -> Candidate:
    """Return a normal population as one of the ways."""
    return Candidate(
        "normal population",
        None,
        found.log_likelihood,
        found.population.parameters + len(found.common),
        people,
        converged=found.converged,
        error=found.error,
    )


def best_of(candidates: Sequence[Candidate]) -> Candidate:
    """Return the candidate with the lowest BIC; of equals the first."""
    best = candidates[0]
    for other in candidates[1:]:
        if other.bic < best.bic - _CLEARLY:
            best = other
    return best


def columns_of(candidates: Sequence[Candidate]) -> dict[str, list[Any]]:
    """Return the candidates as columns by name; what does not exist is NaN."""
    rows = [candidate.to_dict() for candidate in candidates]
    return {name: [_or_nan(row[name]) for row in rows] for name in rows[0]}


def frame_of(candidates: Sequence[Candidate]) -> Any:
    """Return the candidates as a data frame."""
    return to_frame(columns_of(candidates))


def _or_nan(value: Any) -> Any:
    return np.nan if value is None else value


def table_of(candidates: Sequence[Candidate], lines: Sequence[str] = ()) -> Table:
    """Return the candidates as a table; the lowest BIC is marked."""
    best = best_of(candidates)
    rows = []
    for one in candidates:
        agreed = "" if one.starts in (None, 1) else f"{one.agreeing} of {one.starts}"
        rows.append(
            (
                one.name,
                f"{one.log_likelihood:.2f}",
                str(one.parameters),
                f"{one.bic:.2f}{'*' if one is best else ' '}",
                "" if one.icl is None else f"{one.icl:.2f}",
                "" if one.entropy is None else f"{one.entropy:.2f}",
                agreed,
            )
        )
    header = ("", "log-likelihood", "learned", "BIC ", "ICL", "entropy", "starts that agree")
    people = candidates[0].people
    said = f"* the lowest BIC, whose observations are the {people} decision makers"
    sides = ("left", *("right",) * 6)
    return Table("How do people differ?", header, tuple(rows), sides, (said, *lines))  # type: ignore[arg-type]

"""Which families contain others, or meet them: what no number of decisions tells apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from welfarist.base.wording import listed

# A log likelihood that is higher by less is as good as the same.
_NO_BETTER = 0.5


@dataclass(frozen=True)
class Kinship:
    """A family that contains another, or that comes as close to it as anybody likes.

    Attributes
    ----------
    larger, smaller : str
    where : str
        Which of its rules those of the smaller are.
    """

    larger: str
    smaller: str
    where: str


KIN = (
    Kinship("needs", "power", "its zero at 0"),
    Kinship("needs", "kolm", "its zero far away"),
    Kinship("nested", "power", "both powers the same"),
    Kinship("rank power", "rank", "p = 1"),
)


def kin_that_fit_alike(log_likelihoods: Mapping[str, float]) -> tuple[str, ...]:
    """Say which of the families contain others of them and fit no better.

    Examples
    --------
    >>> kin_that_fit_alike({"power": -9.0, "needs": -8.9})
    ('needs contains power (its zero at 0) and fits no better: only how many numbers are learned
    tells them apart.',)
    """
    said: dict[str, list[str]] = {}
    for kin in KIN:
        larger, smaller = (log_likelihoods.get(name) for name in (kin.larger, kin.smaller))
        if larger is not None and smaller is not None and larger - smaller < _NO_BETTER:
            said.setdefault(kin.larger, []).append(f"{kin.smaller} ({kin.where})")
    return tuple(
        f"{larger} contains {listed(smaller)} and fits no better: only how many numbers are "
        "learned tells them apart."
        for larger, smaller in said.items()
    )

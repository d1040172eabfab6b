"""What a rule would be if people's answers had been put on another scale.

Answers tell in which order, and how clearly, somebody wants actions. How many times better the best
is than the worst they do not tell: that is stated. A table of other statements shows what hangs on
it, and with it on the comparison of one person's wants with another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import Alignment, Table
from welfarist.base.validation import is_real
from welfarist.inference.likelihood import Likelihood
from welfarist.inference.refits import refit
from welfarist.losses.estimated.loss import EstimatedLoss

# How many times better everybody's best action is than the worst.
RATIOS = (2.0, 10.0, 100.0)


@dataclass(frozen=True)
class ScaleTable:
    """The rule under several scales of everybody's utility.

    Attributes
    ----------
    scales : tuple of str
        "as learned", and how many times better the best action is than the worst.
    names : tuple of str
        Of the estimates.
    rows : tuple of tuples of float
        The estimates, a row each scale.
    """

    scales: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    def to_frame(self) -> Any:
        """Return a data frame with a row for each scale."""
        columns = zip(self.names, zip(*self.rows, strict=True), strict=True)
        return to_frame({"scale": list(self.scales)} | {name: list(row) for name, row in columns})

    def table(self) -> Table:
        """Return what people read: a column for each scale."""
        columns = zip(self.names, zip(*self.rows, strict=True), strict=True)
        return Table(
            "The rule under other scales of utility",
            ("", *self.scales),
            tuple((name, *(f"{value:.4g}" for value in row)) for name, row in columns),
            cast("tuple[Alignment, ...]", ("left", *("right",) * len(self.scales))),
            (
                "best 10 x worst: everybody's best action is worth ten times their worst; no "
                "answer can tell which scale is right",
            ),
        )

    def __str__(self) -> str:
        return self.table().as_text()


def scales_of(likelihood: Likelihood, ratios: Sequence[float] = RATIOS) -> ScaleTable:
    """Return the rule as learned, and under scales on which the best is so many times the worst."""
    loss = likelihood.loss
    if not isinstance(loss, EstimatedLoss) or not loss.estimated.is_shared:
        raise InputError(
            "other scales are for utilities that were learned from answers "
            "(StakeholderUtilities, or welfarist utilities); found others, whose scale is known."
        )
    for ratio in ratios:
        if not (is_real(ratio) and 1 < ratio < float("inf")):
            raise InputError(f"ratios must be numbers above 1; found {ratio!r:.60}.")
    kept = [i for i, one in enumerate(likelihood.quantities) if one.name != "inequality aversion"]
    rows = [likelihood.estimates]
    for ratio in ratios:
        stretched = _stretched(loss, float(ratio))
        there = Likelihood(
            stretched, likelihood.point, likelihood.weights, likelihood.stakeholders,
            likelihood.prior, likelihood.solver,
        )  # fmt: skip
        found = refit(there, stretched)
        rows.append(there.estimates_at(found.point, found.weights))
    return ScaleTable(
        ("as learned", *(f"best {ratio:g} x worst" for ratio in ratios)),
        tuple(likelihood.quantities[i].name for i in kept),
        tuple(tuple(row[kept].tolist()) for row in rows),
    )


def _stretched(loss: EstimatedLoss, ratio: float) -> EstimatedLoss:
    """The loss of the same decisions where everybody's utilities are on another scale."""
    source = loss.source.anchored(1.0, ratio)
    people: Any = source.seen_by(loss.family, loss.weighting)
    observed: Any = loss.observed
    moved = observed.moved(people.shift - loss.people.shift)
    return replace(loss, people=people, observed=moved, source=source)

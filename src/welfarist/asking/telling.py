"""What is believed, in numbers and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.asking.coordinates import Coordinates, Rules
from welfarist.asking.prior import Prior
from welfarist.asking.statements import named, truth_of
from welfarist.base.exports import Table, number, pair
from welfarist.base.validation import FloatArray
from welfarist.deciders.forms import Told
from welfarist.families.power_mean.doctrines import DOCTRINES, close_doctrine_of

# Draws from the prior, beside which the posterior is shown.
_PRIOR_DRAWS = 4000


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers of many rules, by name, each rule with its share.

    Attributes
    ----------
    columns : dict
        Arrays (S,).
    shares : (S,) array
        They sum to 1.
    """

    columns: dict[str, FloatArray]
    shares: FloatArray

    @classmethod
    def of(
        cls, rules: Rules, line: Coordinates, people: Sequence[str], shares: FloatArray
    ) -> Numbers:
        """Name the numbers of some rules."""
        found = {"p": rules.powers}
        found |= {f"weight of {who}": rules.weights[:, i] for i, who in enumerate(people)}
        found["tau"] = rules.taus
        if line.lapses:
            found["rho"] = rules.rhos
        if line.ties:
            found["band"] = rules.bands
        return cls(found, shares)

    def quantiles(self, name: str, levels: Sequence[float]) -> list[float]:
        """Return weighted quantiles of a number."""
        values = self.columns[named(name, self.columns)]
        order = np.argsort(values, kind="stable")
        middles = np.cumsum(self.shares[order]) - 0.5 * self.shares[order]
        return [float(x) for x in np.interp(levels, middles, values[order])]

    def median(self, name: str) -> float:
        """Return the weighted median of a number."""
        return self.quantiles(name, [0.5])[0]

    def interval(self, name: str, level: float) -> tuple[float, float]:
        """Return the ends between which a number lies with a probability, as much on each side."""
        low, high = self.quantiles(name, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        return low, high

    def probability(self, statement: str) -> float:
        """Return the share of rules of which a statement is true."""
        return min(float(self.shares @ truth_of(statement, self.columns)), 1.0)

    def spread(self, name: str) -> float:
        """Return the standard deviation of a number on the line."""
        values = on_line(name, self.columns[name])
        return float(np.sqrt(self.shares @ (values - self.shares @ values) ** 2))

    def doctrines(self) -> dict[str, float]:
        """Return how likely it is that p is below each doctrine's power, for finite ones."""
        return {
            doctrine.name: self.probability(f"p < {doctrine.p!r}")
            for doctrine in DOCTRINES
            if np.isfinite(doctrine.p)
        }


def on_line(name: str, value: Any) -> Any:
    """Return a number in the coordinate in which it is compared: asinh p, log tau."""
    return np.arcsinh(value) if name == "p" else np.log(value) if name == "tau" else value


def moved_by_prior(here: Numbers, wider: Numbers, flatter: Numbers) -> dict[str, list[Any]]:
    """Return medians under three priors, and how far they are apart, as columns by name."""
    names = list(here.columns)
    others = {"wider": wider, "flatter": flatter}
    found: dict[str, list[Any]] = {"number": names}
    found["median"] = [here.median(name) for name in names]
    for said, other in others.items():
        found[said] = [other.median(name) for name in names]
    for said in others:
        found[f"moved by {said}"] = [
            float((on_line(name, there) - on_line(name, mine)) / here.spread(name))
            for name, mine, there in zip(names, found["median"], found[said], strict=True)
        ]
    return found


def before(prior: Prior, line: Coordinates, people: Sequence[str]) -> Numbers:
    """Return draws from the prior."""
    drawn = line.rules(prior.draw(line, _PRIOR_DRAWS, np.random.default_rng(0)))
    return Numbers.of(drawn, line, people, np.full(_PRIOR_DRAWS, 1.0 / _PRIOR_DRAWS))


def told(here: Numbers, prior: Numbers, total: float, level: float, words: str) -> Told:
    """Return the summary of what is believed after so many decisions.

    Parameters
    ----------
    here, prior : Numbers
        After and before.
    total, level : float
    words : str
        The prior in words.
    """
    keys = ("number", "median", "low", "high", "prior_low", "prior_high")
    lines = [
        (name, here.median(name), *here.interval(name, level), *prior.interval(name, level))
        for name in here.columns
    ]
    rows = [
        (name, number(middle), " to ".join(pair(low, high)), " to ".join(pair(least, most)))
        for name, middle, low, high, least, most in lines
    ]
    share = f"{100 * level:.6g}%"
    table = Table(
        f"What is believed after {total:.15g} decisions",
        ("", "median", f"{share} of what is believed", f"{share} before"),
        tuple(rows), ("left", "right", "right", "right"), _said(here),
    )  # fmt: skip
    record = {
        "decisions": total,
        "level": level,
        "estimates": [dict(zip(keys, line, strict=True)) for line in lines],
        "doctrines": here.doctrines(),
        "prior": words,
    }
    columns = dict(zip(keys, map(list, zip(*lines, strict=True)), strict=True))
    return Told((table,), record, columns)


def _said(here: Numbers) -> tuple[str, ...]:
    below = [f"than {name} {share:.0%}" for name, share in here.doctrines().items()]
    return (
        f"The median of p is {close_doctrine_of(here.median('p'), 2)}",
        f"More averse to inequality, with probability: {', '.join(below)}",
        "What is believed depends on what was believed before",
    )

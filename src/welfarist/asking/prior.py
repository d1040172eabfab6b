"""What is believed of a decision maker before anything was decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln, stdtr

from welfarist.asking.coordinates import Coordinates
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, is_real

# Weights this small have logarithms that can still be added up.
_LEAST = 1e-300
# Spreads of a prior that is as good as flat within the limits of p, and for tau.
_FLAT, _FLAT_TAU = 50.0, 3.0
# How many times the spread of log tau what is said must hold as well.
_LOOSER = 2.0
# Least share of the distribution of t within the limits of p: draws beyond them are thrown away, so
# that it takes as many times longer.
_LEAST_INSIDE = 1e-3


@dataclass(frozen=True)
class Prior:
    """What is believed of a rule before anything was decided; every part can be set.

    Parameters
    ----------
    weights : float or (d,) sequence
        Concentration of a Dirichlet distribution: 1 finds all weights on the simplex equally
        likely, more than 1 weights that are nearly the same, less than 1 few people who count.
    mode : float
        The likeliest power p.
    left, right : float
        Spread of t = asinh p below and above its mode.
    freedom : float
        Degrees of freedom of the Student distribution of t; the fewer, the heavier its tails.
    largest : float
        The largest size of p there can be.
    tau, tau_spread : float
        Median of the temperature, and standard deviation of its logarithm.
    rho, rho_spread : float
        Median of the flip probability of lapses, and standard deviation of its logit. ``rho=0``:
        nobody lapses, and none is learned.
    band, band_spread : float
        Median of the indifference band, and standard deviation of its logarithm: a relative
        difference in welfare below which actions are called equal. Only where ties are possible.

    Notes
    -----
    Weights are flat, because nothing is known of who counts. The power has its mode at Nash, amid
    the doctrines; below it the prior is wide, because egalitarian rules (p = -3 and p = -30 alike)
    are held by real people, above it narrow, because hardly anybody prefers inequality for its own
    sake. A temperature of 20 chooses the action with 10% more welfare in 87 of 100 cases; a
    spread of 1.2 has 2 and 200 within reach.

    Examples
    --------
    >>> print(Prior().in_words)
    Weights: all equally likely (Dirichlet, concentration 1).
    p: asinh p is Student t (5 degrees of freedom) around p = 0, spread 3 below, 0.8 above; ...
    tau: median 20, log spread 1.2.
    Lapses: median 0.03, logit spread 1.
    Indifference band, where ties are possible: median 0.02, log spread 1.
    >>> Prior(right=3.0).right
    3.0
    """

    weights: float | Sequence[float] = 1.0
    mode: float = 0.0
    left: float = 3.0
    right: float = 0.8
    freedom: float = 5.0
    largest: float = 1000.0
    tau: float = 20.0
    tau_spread: float = 1.2
    rho: float = 0.03
    rho_spread: float = 1.0
    band: float = 0.02
    band_spread: float = 1.0

    def __post_init__(self) -> None:
        for name in ("left", "right", "freedom", "largest", "tau", "tau_spread"):
            _positive(getattr(self, name), name)
        for name in ("rho_spread", "band", "band_spread"):
            _positive(getattr(self, name), name)
        if not is_real(self.rho) or not 0 <= self.rho < 0.5:
            raise InputError(
                f"the prior's rho must be a number from 0 to below 0.5; found {self.rho!r}."
            )
        if not is_real(self.mode) or not abs(self.mode) < self.largest:
            raise InputError(
                f"the prior's mode must be a power within its largest, {self.largest:g}; found "
                f"{self.mode!r}."
            )
        if not self._inside() >= _LEAST_INSIDE:
            raise InputError(
                f"the prior's left and right must be spreads with which powers within its largest, "
                f"{self.largest:g}, are no rarity; found {self.left!r} and {self.right!r}. As good "
                f"as flat is {_FLAT:g}; a power that is known has spreads near 0."
            )
        for value in np.atleast_1d(np.asarray(self.weights)).tolist():
            _positive(value, "weights")
        if np.ndim(self.weights):
            object.__setattr__(self, "weights", tuple(np.asarray(self.weights, float).tolist()))

    @property
    def in_words(self) -> str:
        """The prior in words."""
        how = "all equally likely (Dirichlet, concentration 1)"
        if self.weights != 1.0:
            shown = (f"{x:g}" for x in np.atleast_1d(np.asarray(self.weights)).tolist())
            how = f"Dirichlet, concentration {', '.join(shown)}"
        lapses = f"median {self.rho:g}, logit spread {self.rho_spread:g}" if self.rho else "none"
        return (
            f"Weights: {how}.\n"
            f"p: asinh p is Student t ({self.freedom:g} degrees of freedom) around p = "
            f"{self.mode:g}, spread {self.left:g} below, {self.right:g} above; |p| <= "
            f"{self.largest:g}.\n"
            f"tau: median {self.tau:g}, log spread {self.tau_spread:g}.\n"
            f"Lapses: {lapses}.\n"
            f"Indifference band, where ties are possible: median {self.band:g}, log spread "
            f"{self.band_spread:g}."
        )

    def wider(self) -> Prior:
        """Return a prior with all spreads of p and noise doubled."""
        return replace(
            self, left=2 * self.left, right=2 * self.right, tau_spread=2 * self.tau_spread,
            rho_spread=2 * self.rho_spread, band_spread=2 * self.band_spread,
        )  # fmt: skip

    def flatter(self) -> Prior:
        """Return a prior that finds every asinh p within its limits nearly equally likely."""
        flat = _FLAT * min(1.0, float(np.arcsinh(self.largest)))  # enough within narrow limits
        return replace(
            self, weights=1.0, left=flat, right=flat, tau_spread=max(_FLAT_TAU, self.tau_spread)
        )

    def coordinates(self, people: int, ties: bool) -> Coordinates:
        """Return the numbers in which rules for so many people are told."""
        if np.ndim(self.weights) and len(self.weights) != people:  # type: ignore[arg-type]
            raise InputError(
                f"the prior's weights must be one number, or one per person, {people} in all; "
                f"found {len(self.weights)}."  # type: ignore[arg-type]
            )
        return Coordinates(people, lapses=self.rho > 0, ties=ties)

    def draw(self, line: Coordinates, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw rows of numbers (S, size of the line)."""
        drawn = rng.dirichlet(self._concentration(line.people), size)
        log_weights = np.log(np.maximum(drawn, _LEAST))
        noise = [mean + spread * rng.standard_normal(size) for mean, spread in self._noise(line)]
        return line.numbers(log_weights, self._draw_t(size, rng), noise)

    def log_density(self, line: Coordinates, theta: FloatArray) -> FloatArray:
        """Return the log density (S,) at rows of numbers (S, size of the line).

        Formula: for the weights ``log Gamma(sum a) - sum log Gamma(a) + log(d) / 2 + sum a log w``,
        where ``sqrt(d) prod w`` is by how much weights change with their orthonormal logits.
        """
        a = self._concentration(line.people)
        found = line.log_weights(theta) @ a + 0.5 * np.log(line.people)
        found += gammaln(a.sum()) - gammaln(a).sum()
        found += self._log_density_of_t(theta[:, line.power])
        return np.asarray(found + self.log_density_of_noise(line, theta))

    def log_density_of_noise(self, line: Coordinates, theta: FloatArray) -> FloatArray:
        """Return what temperature, lapses and band add to it (S,)."""
        found = np.zeros(len(theta))
        for column, (mean, spread) in enumerate(self._noise(line), line.people):
            away = (theta[:, column] - mean) / spread
            found -= 0.5 * away**2 + np.log(spread * np.sqrt(2.0 * np.pi))
        return found

    def looser(self, line: Coordinates, theta: FloatArray) -> FloatArray:
        """Return what is added to log weights (S,), less a constant, to believe less of tau.

        The spread of log tau is then twice what it is; all else stays.
        """
        away = (theta[:, line.people] - np.log(self.tau)) / self.tau_spread
        return np.asarray(0.5 * (1.0 - _LOOSER**-2) * away**2)

    def _concentration(self, people: int) -> FloatArray:
        return np.broadcast_to(np.asarray(self.weights, dtype=np.float64), people)

    def _noise(self, line: Coordinates) -> list[tuple[float, float]]:
        """Mean and standard deviation of each number of the noise."""
        found = [(float(np.log(self.tau)), self.tau_spread)]
        if line.lapses:
            found.append((float(np.log(self.rho) - np.log1p(-self.rho)), self.rho_spread))
        if line.ties:
            found.append((float(np.log(self.band)), self.band_spread))
        return found

    def _inside(self) -> float:
        """How much of the distribution of t lies within the limits of p."""
        mode, end = float(np.arcsinh(self.mode)), float(np.arcsinh(self.largest))
        below = 0.5 - stdtr(self.freedom, (-end - mode) / self.left)
        above = stdtr(self.freedom, (end - mode) / self.right) - 0.5
        return float(2.0 * (self.left * below + self.right * above) / (self.left + self.right))

    def _log_density_of_t(self, t: FloatArray) -> FloatArray:
        """Two halves of Student distributions that meet at the mode; -inf beyond the limits."""
        v, away = self.freedom, t - np.arcsinh(self.mode)
        with np.errstate(over="ignore"):  # far beyond what is believed: log_density is -inf there
            scaled = (away / np.where(away < 0, self.left, self.right)) ** 2
        height = gammaln((v + 1) / 2) - gammaln(v / 2) - 0.5 * np.log(v * np.pi)
        height += np.log(2.0 / (self.left + self.right)) - np.log(self._inside())
        found = height - 0.5 * (v + 1) * np.log1p(scaled / v)
        return np.where(np.abs(t) <= np.arcsinh(self.largest), found, -np.inf)

    def _draw_t(self, size: int, rng: np.random.Generator) -> FloatArray:
        mode, end = float(np.arcsinh(self.mode)), float(np.arcsinh(self.largest))
        kept: FloatArray = np.empty(0)
        while len(kept) < size:
            below = rng.random(size) < self.left / (self.left + self.right)
            away = np.abs(rng.standard_t(self.freedom, size))
            drawn = mode + np.where(below, -self.left, self.right) * away
            kept = np.concatenate([kept, drawn[np.abs(drawn) <= end]])
        return kept[:size]


def as_prior(prior: Any) -> Prior:
    """Return the prior that was passed; the usual one for None."""
    if prior is None:
        return Prior()
    if not isinstance(prior, Prior):
        raise InputError(
            f"what is believed before must be a Prior, or nothing at all; found {prior!r:.60}."
        )
    return prior


def _positive(value: object, name: str) -> None:
    if not is_real(value) or not 0 < value < np.inf:  # type: ignore[operator]
        raise InputError(f"the prior's {name} must be positive and finite; found {value!r}.")

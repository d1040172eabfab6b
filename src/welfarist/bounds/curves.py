"""A learning curve: what was reached with each number of decisions, beside the bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.drawing import BLUE, ORANGE, axes_to_use
from welfarist.base.validation import FloatArray
from welfarist.bounds.figures import shade
from welfarist.bounds.parameters import Weights
from welfarist.bounds.planning import Task, described

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Nine repetitions in ten lie between these.
_TAILS = (0.05, 0.95)

# Can be infinite: a power at the end of the line, somebody without weight.
_UNBOUNDED = ("p_error", "weights_kl")

_OBSERVED, _BOUND = BLUE, ORANGE


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """What learning reached in simulation, beside what is guaranteed.

    Attributes
    ----------
    task : "scores", "comparisons", "flip" or "logistic"
    weights : "known" or "unknown"
    d : int
        Number of people.
    delta : float
        How often the bound may fail.
    parameters : mapping of str to float
        The task's own: those of the bound, and the noise that was simulated.
    n : tuple of int
        Numbers of decisions (m,).
    bound : (m,) array
        Of the excess risk; infinite where none is known, as for menus of more than two.
    ceiling : float
        What the excess risk of no rule exceeds: a bound above it says nothing.
    runs : mapping of str to (m, repetitions) array
        Every repetition: `excess_risk`, in the loss of the task; `accuracy`, the share of
        noiseless comparisons decided as the truth does; `p_error`, ``|p - p*|``; `weights_kl`,
        ``KL(w* || w)``, which is 0 for known weights.
    """

    task: Task
    weights: Weights
    d: int
    delta: float
    parameters: Mapping[str, float]
    n: tuple[int, ...]
    bound: FloatArray
    ceiling: float
    runs: Mapping[str, FloatArray]

    @property
    def repetitions(self) -> int:
        """How often each number of decisions was simulated."""
        return int(self.runs["excess_risk"].shape[1])

    @property
    def columns(self) -> dict[str, list[float]]:
        """The table by column, each (m,).

        ``n`` and ``bound``; for each measure of `runs` its mean, and as ``…_low`` and ``…_high``
        the range of nine in ten repetitions; ``above_bound``, the share of repetitions whose
        excess risk is above the bound, which delta allows. Errors in p and divergences can be
        infinite: their mean is that of the finite ones (infinite if there are none), and
        ``…_infinite`` the share of the others.
        """
        table: dict[str, list[float]] = {"n": list(self.n), "bound": self.bound.tolist()}
        for name, runs in self.runs.items():
            table[name] = [_finite_mean(row) for row in runs]
            # No interpolation: between a number and infinity there is nothing.
            for end, tail, side in zip(("low", "high"), _TAILS, ("lower", "higher"), strict=True):
                table[f"{name}_{end}"] = np.quantile(runs, tail, axis=1, method=side).tolist()  # type: ignore[call-overload]
            if name in _UNBOUNDED:
                table[f"{name}_infinite"] = np.isinf(runs).mean(axis=1).tolist()
        above = self.runs["excess_risk"] > self.bound[:, None]
        return {**table, "above_bound": above.mean(axis=1).tolist()}

    @property
    def rows(self) -> list[dict[str, float]]:
        """The table by row: one mapping per number of decisions, see `columns`."""
        table = self.columns
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]

    def to_frame(self) -> Any:
        """Return the table as a data frame, of pandas or polars; see `columns`."""
        return to_frame(self.columns)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the excess risk and its bound against the number of decisions, both logarithmic.

        The band holds nine in ten repetitions. An excess risk of 0 is drawn at the bottom.

        Examples
        --------
        >>> from welfarist import bounds, simulate
        >>> world = simulate.individuals(50, 2, p=0.5)
        >>> curve = bounds.learning_curve(world, "scores", nu=0.1, n=(20, 50), repetitions=2)
        >>> curve.plot().get_ylabel()
        'excess risk (squared error)'
        """
        axes = axes_to_use(ax)
        observed, loss = described(self.task)
        table, sizes = self.columns, list(self.n)
        floor = self._smallest()
        mean, low, high = (
            np.maximum(table[f"excess_risk{end}"], floor) for end in ("", "_low", "_high")
        )
        if np.isfinite(self.bound).any():
            axes.plot(sizes, self.bound, "--", color=_BOUND, linewidth=2.5, label="bound")
        axes.fill_between(sizes, low, high, color=_OBSERVED, alpha=0.25, linewidth=0)
        axes.plot(sizes, mean, "o-", color=_OBSERVED, linewidth=2.0, label="simulated")
        axes.set(xscale="log", yscale="log", xlabel="number of decisions")
        axes.set_ylabel(f"excess risk ({loss})")
        axes.set_title(f"{observed}, {self.d} people, {self.weights} weights")
        shade(axes, self.ceiling)
        axes.legend(frameon=False, loc="lower left")
        axes.grid(alpha=0.3)
        return axes

    def _smallest(self) -> float:
        """Where nothing is drawn on a logarithmic axis: the smallest excess risk above 0."""
        runs = self.runs["excess_risk"]
        return float(runs[runs > 0].min()) if (runs > 0).any() else 1e-6 * self.ceiling


def _finite_mean(row: FloatArray) -> float:
    finite = row[np.isfinite(row)]
    return float(finite.mean()) if len(finite) else float("inf")

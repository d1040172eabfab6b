"""Profiles of three people's weights, p and tau by brute force, without the library's searches.

At each place grids cover all powers (to 10,000 either way, and both infinities), what the others'
weights are to each other, however small, and the temperature; SciPy's Nelder-Mead goes on from the
best of them.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import minimize

FARTHEST = 1e4
LOG_TAUS = np.linspace(-3.0, 8.0, 23)
# How far apart log weights may be, in units of the largest difference that matters at a power.
SHARES = np.sign(np.linspace(-1, 1, 31)) * np.linspace(-1, 1, 31) ** 2
POWERS = np.sinh(np.linspace(-np.arcsinh(FARTHEST), np.arcsinh(FARTHEST), 81))
# Grid points from which Nelder-Mead goes on.
STARTS = 3


class Brute:
    """Losses of comparisons by three people."""

    def __init__(self, utilities, pairs, outcomes):
        self.logs = np.log(utilities) - np.log(utilities).mean()
        self.span = float(np.ptp(self.logs))
        self.margin_of = np.zeros((len(pairs), len(utilities)))
        rows = np.arange(len(pairs))
        self.margin_of[rows, pairs[:, 0]] = outcomes
        self.margin_of[rows, pairs[:, 1]] = -outcomes
        # Equal rows once: what was decided in which way, and how often.
        self.margin_of, self.counts = np.unique(self.margin_of, axis=0, return_counts=True)

    def margins(self, log_weights, powers):
        """Log welfare of the preferred less that of the other (B, n), for B rules."""
        powers = np.where(np.abs(powers) < 1e-6, 1e-6, powers)
        terms = powers[:, None, None] * self.logs + log_weights[:, None, :]
        welfare = (
            np.logaddexp.reduce(terms, axis=2) - np.logaddexp.reduce(log_weights, axis=1)[:, None]
        )
        return (welfare / powers[:, None]) @ self.margin_of.T

    def losses(self, margins, log_tau=None):
        """Mean losses (B,) at a temperature, or at the best of a grid, refined by a parabola."""
        taus = LOG_TAUS if log_tau is None else np.array([log_tau])
        found = np.array([self._loss(margins, t) for t in taus])
        if log_tau is not None:
            return found[0]
        best = np.clip(found.argmin(axis=0), 1, len(taus) - 2)
        columns = np.arange(len(margins))
        low, mid, high = (found[best + i, columns] for i in (-1, 0, 1))
        bend = low - 2 * mid + high
        step = np.where(bend > 0, 0.5 * (low - high) / np.where(bend > 0, bend, 1.0), 0.0)
        at = taus[best] + np.clip(step, -1, 1) * (taus[1] - taus[0])
        return np.minimum(found.min(axis=0), self._loss(margins, at[:, None]))

    def _loss(self, margins, log_tau):
        return np.logaddexp(0.0, -np.exp(log_tau) * margins) @ self.counts / self.counts.sum()

    def exact_loss(self, log_weights, p, log_tau=None):
        """The loss of one rule, with the temperature at its best to many digits."""
        margins = self.margins(np.asarray(log_weights)[None], np.array([p]))
        return self._at_best(margins, log_tau)

    def _at_best(self, margins, log_tau=None):
        if log_tau is not None:
            return float(self._loss(margins, log_tau)[0])
        start = LOG_TAUS[int(np.argmin([self._loss(margins, t)[0] for t in LOG_TAUS]))]
        low, high = start - 0.5, start + 0.5  # the steps of the grid
        for _ in range(6):  # Newton's steps in log tau
            z = np.exp(start) * margins[0]
            wrong = np.exp(-np.logaddexp(0.0, z))
            slope = -(wrong * z) @ self.counts
            bend = (wrong * (1 - wrong) * z * z) @ self.counts + slope
            start = float(np.clip(start - slope / bend, low, high)) if bend > 0 else start
        return float(self._loss(margins, start)[0])

    def at_infinity(self, must_count=None, log_tau=None):
        """The lowest loss at p = -inf or inf of rules in which somebody counts, not alone."""
        losses = []
        for size in (1, 2, 3):
            for who in combinations(range(3), size):
                if must_count is not None and (must_count not in who or size == 1):
                    continue
                for extreme in (np.min, np.max):
                    welfare = extreme(self.logs[:, list(who)], axis=1)
                    losses.append(self._at_best((welfare @ self.margin_of.T)[None], log_tau))
        return min(losses)

    def _lowest(self, rules, place, dimensions, log_tau=None):
        """Minimise over rules that `place` makes of coordinates (B, m)."""
        margins = self.margins(*rules(place))
        order = np.argsort(self.losses(margins, log_tau))
        found = []

        def loss(x):
            log_weights, powers = rules(x[None])
            return self.exact_loss(log_weights[0], float(powers[0]), log_tau)

        for i in order[: STARTS * 4 : 4]:
            start = place[i]
            simplex = np.vstack([start, start + np.diag(np.full(dimensions, 0.03))])
            options = {"initial_simplex": simplex, "xatol": 1e-6, "fatol": 1e-9, "maxfev": 250}
            found.append(minimize(loss, start, method="Nelder-Mead", options=options).fun)
        return min(found)

    def _reach(self, powers):
        """By how much log weights may differ at powers."""
        return 2.0 + np.abs(powers) * self.span

    def weight(self, j, x):
        """The lowest loss where somebody's weight is x."""
        others = [i for i in range(3) if i != j]

        def rules(place):
            powers = np.sinh(np.clip(place[:, 0], np.arcsinh(POWERS[0]), np.arcsinh(POWERS[-1])))
            ratio = place[:, 1] * self._reach(powers)
            log_weights = np.full((len(place), 3), np.log(x))
            log_weights[:, others[0]] = np.log1p(-x) - np.logaddexp(0.0, -ratio)
            log_weights[:, others[1]] = np.log1p(-x) - np.logaddexp(0.0, ratio)
            return log_weights, powers

        place = np.array([(t, s) for t in np.arcsinh(POWERS) for s in SHARES])
        return min(self._lowest(rules, place, 2), self.at_infinity(j))

    def power(self, p):
        """The lowest loss at a finite power."""

        def rules(place):
            ratios = place * self._reach(np.array([p]))
            log_weights = np.column_stack([np.zeros(len(place)), ratios])
            return log_weights, np.full(len(place), p)

        return self._lowest(rules, np.array([(a, b) for a in SHARES for b in SHARES]), 2)

    def temperature(self, tau):
        """The lowest loss at a temperature."""

        def rules(place):
            powers = np.sinh(np.clip(place[:, 0], np.arcsinh(POWERS[0]), np.arcsinh(POWERS[-1])))
            ratios = place[:, 1:] * self._reach(powers)[:, None]
            return np.column_stack([np.zeros(len(place)), ratios]), powers

        shares, powers = SHARES[::2], np.arcsinh(POWERS[::2])
        place = np.array([(t, a, b) for t in powers for a in shares for b in shares])
        log_tau = float(np.log(tau))
        return min(self._lowest(rules, place, 3, log_tau), self.at_infinity(log_tau=log_tau))

"""The negative log likelihood of choices from menus at values of the actions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.losses.charged_margins import along, concave, form
from welfarist.losses.judgement import Judgement
from welfarist.losses.menu_terms import ActionTerms, EntryTerms, Menued, MenuTerms
from welfarist.losses.point import QuadraticModel
from welfarist.losses.restraint import Caution
from welfarist.noise.menus import MenuChoice, Softmax


@dataclass(slots=True)  # made at every step: freezing it would take a microsecond
class MenuResponse:
    """The negative log likelihood at values of the actions.

    Attributes
    ----------
    value : float
        With what is charged beside it.
    observed : ObservedMenus
    extras : (x,) array
    here : Softmax
        How the entries of each menu compare.
    of_decisions : float
        Without what is charged.
    exact : bool
        Whether second derivatives are observed ones.
    margins, caution, surest
        What is charged for margins between any two of a menu, and for the temperature.
    """

    value: float
    observed: Menued
    extras: FloatArray
    here: Softmax
    of_decisions: float
    exact: bool = False
    margins: FloatArray | None = None
    caution: Caution | None = None
    surest: tuple[float, ...] = (0.0, 0.0, 0.0)
    _choice: MenuChoice | None = None
    _expected: FloatArray | None = None

    @property
    def choice(self) -> MenuChoice:
        """Derivatives of the loss by the values of the entries."""
        if self._choice is None:
            place = self.observed.extras.rho
            rho = None if place is None else float(self.extras[place])
            self._choice = self.here.choice(rho, self.exact)
        return self._choice

    def _terms(self, wide: FloatArray) -> MenuTerms:
        """How the loss moves where the values of actions move by rows (a, N)."""
        here, observed = self.here, self.observed
        if here.by_action is None or observed.extras.rho is not None:
            return EntryTerms(
                observed, self.choice, here.finite, observed.scales(self.extras), wide
            )
        if self._expected is None:
            self._expected = here.expected_by_action()
        return ActionTerms(observed, here, float(np.exp(self.extras[0])), wide, self._expected)

    def doubt(self) -> float:
        """How many choices are in doubt: one between two that are equally likely counts as one."""
        place = self.observed.extras.rho
        chances = self.here.chances(0.0 if place is None else float(self.extras[place]))
        menus = self.here.menus
        return 2.0 * float(menus.count @ (1.0 - menus.sums(np.square(chances, out=chances))))

    def gradient(self, rows: FloatArray) -> FloatArray:
        """Return the gradient."""
        return self._in_order(*self._slopes(_centred(self.observed.extras.rows(rows))))

    def model(self, rows: FloatArray) -> QuadraticModel:
        """Return gradient and Fisher matrix."""
        wide = _centred(self.observed.extras.rows(rows))
        gradient = self._in_order(*self._slopes(wide))
        found = self._terms(wide).form()
        if self.caution is not None:
            assert self.margins is not None
            place = [*range(len(wide)), len(wide)]
            graph, tau = self.observed.graph, float(np.exp(self.extras[0]))
            charged = form(graph, self.margins, tau, wide, self.caution.curvature, 1.0)
            steep = along(graph, self.margins, tau, wide, self.caution.steep)
            found[np.ix_(place, place)] += charged + steep @ steep.T
            found[len(wide), len(wide)] += self.surest[2]
        return QuadraticModel(gradient, self._matrix_in_order(found, len(rows)))

    def remainder(self, judged: Judgement, rows: FloatArray) -> FloatArray:
        """Return the bending of the values and of tau, which the Fisher matrix leaves out."""
        observed = self.observed
        wide = _centred(observed.extras.rows(rows))
        pull, by_tau, twice = self._terms(wide).pulls()
        if self.caution is not None:
            assert self.margins is not None
            tau = float(np.exp(self.extras[0]))
            more = observed.graph.scatter(self.caution.by_margin * tau)
            pull, by_tau = pull + more, by_tau.copy()
            by_tau[0] += more
            twice = twice.copy()
            twice[0] += self.caution.by_margin @ self.margins
        q, a, taus = len(rows), len(wide), len(observed.extras.taus)
        left = np.zeros((a + taus + (observed.extras.rho is not None),) * 2)
        real = pull[: observed.actions] / observed.total
        left[:q, :q] = judged.bending(rows, real) * observed.total
        cross = wide @ by_tau.T
        left[:a, a : a + taus] = cross
        left[a : a + taus, :a] = cross.T
        left[range(a, a + taus), range(a, a + taus)] = twice
        if self.caution is not None:
            assert self.margins is not None
            tau, graph = float(np.exp(self.extras[0])), observed.graph
            place = [*range(a), a]
            left[np.ix_(place, place)] += concave(graph, self.margins, tau, wide, self.caution, 1.0)
        return self._matrix_in_order(left, q)

    def _slopes(self, wide: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Slopes by values' rows (a,), by temperatures (T,) and by rho."""
        pull, _, twice = self._terms(wide).pulls()
        by_rows = wide @ pull
        if self.caution is not None:
            assert self.margins is not None
            by_margin = self.caution.by_margin
            tau = float(np.exp(self.extras[0]))
            by_rows = by_rows + wide @ self.observed.graph.scatter(by_margin * tau)
            twice = twice.copy()
            twice[0] += by_margin @ self.margins + self.surest[1]
        return by_rows, twice, 0.0 if self.observed.extras.rho is None else self.choice.by_own

    def _in_order(self, by_rows: FloatArray, by_tau: FloatArray, by_own: float) -> FloatArray:
        q = len(by_rows) - len(self.observed.extras.of_actions)
        whole = np.concatenate([by_rows, by_tau, [by_own]])
        return np.asarray(whole[self.observed.extras.order(q)] / self.observed.total)

    def _matrix_in_order(self, found: FloatArray, q: int) -> FloatArray:
        order = self.observed.extras.order(q)
        return np.asarray(found[np.ix_(order, order)] / self.observed.total)


def _centred(rows: FloatArray) -> FloatArray:
    """Derivatives less their mean over actions, which choices do not see."""
    return np.asarray(rows - np.add.reduce(rows, axis=1, keepdims=True) / rows.shape[1])

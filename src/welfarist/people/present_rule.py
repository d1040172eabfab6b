"""A rule applied to actions that do not affect everybody."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.families.family_rule import FamilyRule
from welfarist.families.kolm_pollak.family import KolmPollakFamily
from welfarist.families.power_mean.present import log_mean_of_present, shared_weights
from welfarist.people.absent import PartlyPresent


class PresentRule:
    """A power mean among those whom an action affects: NaN stands for who is not.

    Parameters
    ----------
    rule : WelfareFunction
        Whose weights are shared among those who are present.

    Examples
    --------
    >>> from welfarist import WelfareFunction
    >>> rule = PresentRule(WelfareFunction(1, [0.5, 0.25, 0.25]))
    >>> rule(np.array([[3.0, 6.0, 6.0], [3.0, np.nan, 6.0]]))
    array([4.5, 4. ])
    """

    def __init__(self, rule: Any) -> None:
        self._rule = rule
        self.shift, self.p, self.weights = rule.shift, rule.p, rule.weights
        self._family = getattr(rule, "family", None)

    def value(self, utilities: FloatArray) -> FloatArray:
        """Return what choices depend on (N,), log welfare of power means, of actions (N, d)."""
        if not np.isnan(utilities).any():
            return np.asarray(self._rule.value(utilities))
        if self._family is not None:
            return self._of_levels(utilities)
        logs, present, weights = self._seen(utilities)
        has_zeros = bool(np.isneginf(logs).any())
        if has_zeros and self.p <= 0:
            nothing = np.isneginf(np.where(present & (weights[:, None] > 0), logs, 0.0)).any(axis=0)
            found = log_mean_of_present(
                np.where(np.isinf(logs), 0.0, logs), present, weights, self.p
            )
            return np.where(nothing, -np.inf, found.value)
        return log_mean_of_present(logs, present, weights, self.p, has_zeros).value

    def __call__(self, utilities: FloatArray) -> FloatArray:
        """Return welfare (N,) of actions (N, d)."""
        value = self.value(utilities)
        ratios = self._family is None or self._family.level.is_ratio
        return np.asarray(np.exp(value) if ratios else value)

    def shares(self, utilities: FloatArray) -> FloatArray:
        """Return each person's marginal share (N, d) of welfare; 0 of who is absent."""
        if not np.isnan(utilities).any():
            return np.asarray(self._rule.shares(utilities))
        found = np.zeros(utilities.shape)
        for row, line in enumerate(utilities):
            there = ~np.isnan(line)
            part = self._among(there)
            found[row, there] = part.shares(line[there])
        return found

    def _among(self, there: npt.NDArray[np.bool_]) -> Any:
        """The rule of those who are present alone."""
        if self._family is None:
            return type(self._rule)(self.p, self._own(there), shift=self.shift)
        if not isinstance(self._family, KolmPollakFamily):
            raise refused_absence(self._family)
        return FamilyRule(self._family, self.p, self._own(there), shift=self.shift)

    def _of_levels(self, utilities: FloatArray) -> FloatArray:
        """The value (N,) where a family looks at differences."""
        if not isinstance(self._family, KolmPollakFamily):
            raise refused_absence(self._family)
        people = PartlyPresent.of_levels(np.ascontiguousarray(utilities.T) + self.shift)
        found = people.log_mean(self._weights(utilities.shape[1]), -self.p * people.unit)
        return np.asarray(found.value * people.unit + people.shift)

    def _own(self, there: npt.NDArray[np.bool_]) -> FloatArray:
        """The shares of those who are present."""
        weights = self._weights(len(there))
        return np.asarray(shared_weights(weights, there[:, None])[0][there, 0])

    def _weights(self, people: int) -> FloatArray:
        return np.full(people, 1.0 / people) if self.weights is None else self.weights

    def _seen(self, utilities: FloatArray) -> tuple[FloatArray, Any, FloatArray]:
        """Log utilities (d, N), who is present, and everybody's weight."""
        table = np.ascontiguousarray(utilities.T) + self.shift
        present = ~np.isnan(table)
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(present, table, 1.0))
        return logs, present, self._weights(len(table))


def refused_absence(family: Any) -> InputError:
    """Return what is said of a family that does not know what somebody's absence means."""
    why = "what the others' weights are then is not known"
    if family.by_place:
        why = "weights of places say nothing of fewer places"
    return InputError(
        "people can be absent from some actions under power means and Kolm-Pollak functions only, "
        f"whose weights those share who are present; found {family.called}, of which {why}. Fill "
        "in what is missing, or leave those actions out."
    )

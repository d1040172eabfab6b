"""Rules of the families that go by a name, made from their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.data_frames import by_name
from welfarist.base.errors import InputError
from welfarist.base.validation import check_names
from welfarist.families.base import Family
from welfarist.families.family_rule import FamilyRule
from welfarist.families.kolm_pollak.family import KOLM_POLLAK
from welfarist.families.nested.family import NestedFamily
from welfarist.families.rank_dependent.family import RANK_DEPENDENT

Weights = npt.ArrayLike | Mapping[str, float]


class KolmPollak(FamilyRule):
    """A Kolm-Pollak function: what everybody gains alike changes no choice.

    Parameters
    ----------
    alpha : float or str
        The aversion to absolute gaps, in one over the unit of utility, in [-inf, inf]: 0 is
        utilitarian, inf egalitarian; or such a name.
    weights : (d,) array-like or mapping
        How much each person counts; a mapping has them by name.
    stakeholders : sequence of str, optional
    shift : float
        A constant that is added to every utility. It changes no choice.

    Examples
    --------
    Somebody with 10 less counts twice as much at the margin:

    >>> import numpy as np
    >>> f = KolmPollak(np.log(2) / 10, [0.5, 0.5])
    >>> f.shares([20.0, 30.0]).round(4)
    array([0.6667, 0.3333])
    >>> round(f([20.0, 30.0]), 4), round(f([-5.0, 5.0]), 4)
    (24.1504, -0.8496)
    """

    def __init__(
        self,
        alpha: float | str,
        weights: Weights,
        stakeholders: Sequence[str] | None = None,
        shift: float = 0.0,
    ) -> None:
        told = _told(KOLM_POLLAK, alpha, weights, stakeholders)
        super().__init__(KOLM_POLLAK, *told, shift)

    @property
    def alpha(self) -> float:
        """The aversion to absolute gaps."""
        return self.p


class RankDependent(FamilyRule):
    """A rank dependent mean: weights belong to places, from the worst to the best off.

    Parameters
    ----------
    weights : (d,) array-like
        How much each place counts, the worst off first. Falling ones are averse to inequality.
    p : float or str
        The power of the mean of the places: 1 is a generalised Gini, or ordered weighted average.
    shift : float
        A constant that is added to every utility.

    Examples
    --------
    The Gini welfare function is the mean times one less the Gini index:

    >>> gini = RankDependent([5, 3, 1])
    >>> round(gini([4.0, 1.0, 1.0]), 4), round(gini([1.0, 4.0, 1.0]), 4)
    (1.3333, 1.3333)
    """

    def __init__(self, weights: npt.ArrayLike, p: float | str = 1.0, shift: float = 0.0) -> None:
        shape, numbers, _ = _told(RANK_DEPENDENT, p, weights, None)
        super().__init__(RANK_DEPENDENT, shape, numbers, None, shift)


class Nested(FamilyRule):
    """A power mean of groups, each of which is worth the power mean of its members.

    Parameters
    ----------
    p : float
        The power between groups, from -30 to 30.
    q : float
        The power within groups, from -30 to 30.
    groups : (d,) array-like
        The group of each person.
    weights : (d,) array-like or mapping
        How much each person counts; a group counts as much as its members together.
    stakeholders : sequence of str, optional
    shift : float
        A constant that is added to every utility.

    Examples
    --------
    Within regions only the sum counts, between them the worst off does all but alone:

    >>> rule = Nested(-30, 1, ["north", "north", "south", "south"], [1, 1, 1, 1])
    >>> round(rule([1.0, 9.0, 6.0, 6.0]), 2), round(rule([5.0, 5.0, 6.0, 6.0]), 2)
    (5.12, 5.12)
    """

    def __init__(
        self,
        p: float,
        q: float,
        groups: npt.ArrayLike,
        weights: Weights,
        stakeholders: Sequence[str] | None = None,
        shift: float = 0.0,
    ) -> None:
        family = NestedFamily(groups, q)
        shape, numbers, names = _told(family, p, weights, stakeholders)
        if np.size(numbers) != len(family.group_of):
            raise InputError(
                "weights must be one number per person, as many as there are in groups, "
                f"{len(family.group_of)}; found {np.size(numbers)}."
            )
        super().__init__(family, shape, numbers, names, shift)


def _told(
    family: Family, p: object, weights: Any, stakeholders: Sequence[str] | None
) -> tuple[float, Any, tuple[str, ...] | None]:
    """A shape, weights (d,) and names, as somebody gave them."""
    if isinstance(weights, Mapping):
        stakeholders = check_names(list(weights) if stakeholders is None else stakeholders)
        weights = by_name(weights, stakeholders, "weights")
    names = None if stakeholders is None else check_names(stakeholders)
    if names is not None and len(names) != np.size(weights):
        raise InputError(
            f"stakeholders must have one name per person; found {len(names)} names for "
            f"{np.size(weights)} weights."
        )
    return family.shape_of(p, False), weights, names

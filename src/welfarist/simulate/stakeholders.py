"""Made-up stakeholders of a charity: what they care for, what they answer, what is learned from it.

Nothing here is real data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, as_numbers, check_count
from welfarist.noise.base import NO_OWN
from welfarist.noise.choices import LOGISTIC, preference_probability
from welfarist.simulate.organisations import FEATURES
from welfarist.simulate.worlds import check_number

# Prior standard deviation of every taste in the learned models, about that of the typical ones.
PRIOR_SPREAD = 5.0

# Newton's method on a convex function of eight numbers settles in fewer than ten steps.
_STEPS, _SETTLED = 50, 1e-20


@dataclass(frozen=True)
class Group:
    """A kind of stakeholder.

    Attributes
    ----------
    name : str
        In the singular; members are called "donor 1", "donor 2", ….
    size : int
        How many there are.
    weight : float
        What the group counts altogether, relative to the others; shared equally by its members.
    tastes : tuple of float
        What a typical member cares for (8,): by how much the log odds of preferring an
        organisation rise as each scaled feature goes from 0 to 1, in the order of ``FEATURES``.

    Examples
    --------
    >>> Group("driver", 2, 0.5, (9.0, 0.0, 0.0, 0.0, 3.0, 2.0, -2.0, 0.0)).members
    ('driver 1', 'driver 2')
    """

    name: str
    size: int
    weight: float
    tastes: tuple[float, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InputError(f"the name of a group must be a text; found {self.name!r:.60}.")
        check_count(self.size, f"the size of group {self.name!r}")
        check_number(self.weight, f"the weight of group {self.name!r}", 0.0, np.finfo(float).max)
        found = as_numbers(self.tastes, f"the tastes of group {self.name!r}")
        if found.shape != (len(FEATURES),) or not np.isfinite(found).all():
            raise InputError(
                f"the tastes of group {self.name!r} must be {len(FEATURES)} finite numbers, one "
                f"per feature; found {self.tastes!r}."
            )

    @property
    def members(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(f"{self.name} {number + 1}" for number in range(self.size))


# The weights are those of the deployed system; sizes and tastes are ours. The tastes are for: a
# short way, size, poor food access, low income, poverty, a long time since the last donation, many
# recent donations (which speak against an organisation), an uncommon type.
GROUPS = (
    Group("dispatcher", 3, 0.46, (5.0, 2.0, 2.0, 2.0, 3.0, 5.0, -6.0, 0.5)),
    Group("recipient", 6, 0.22, (1.0, 5.0, 4.0, 3.0, 4.0, 4.0, -3.0, 1.0)),
    Group("volunteer", 5, 0.21, (7.0, 2.0, 2.0, 2.0, 3.0, 3.0, -2.0, 0.5)),
    Group("donor", 4, 0.11, (2.0, 6.0, 3.0, 3.0, 6.0, 1.0, -1.0, 2.0)),
)


def draw_tastes(groups: Sequence[Group], spread: float, rng: np.random.Generator) -> FloatArray:
    """Return each stakeholder's tastes (d, 8): those of the group, and a normal deviation."""
    typical = np.concatenate([np.tile(group.tastes, (group.size, 1)) for group in groups])
    return np.asarray(typical + spread * rng.normal(size=typical.shape))


def answer(differences: FloatArray, tastes: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return answers (n,) to comparisons of features (n, 8) apart: +1 the first, -1 the second."""
    chance = preference_probability(differences @ tastes, 0.0)
    return np.where(rng.random(len(differences)) < chance, 1.0, -1.0)


def learn_tastes(
    differences: FloatArray, answers: FloatArray, spread: float = PRIOR_SPREAD
) -> FloatArray:
    """Return the tastes (8,) under which the answers are most plausible.

    Formula: minimise ``sum log(1 + exp(-y b.x)) + |b|^2 / (2 spread^2)`` over b, a Bradley-Terry
    model with features and a normal prior, by Newton's method with halved steps.

    Examples
    --------
    >>> learn_tastes(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0]), 1.0).round(3)
    array([ 0.401, -0.401])
    """
    once, penalty = np.ones(len(answers)), 1.0 / spread**2
    tastes = np.zeros(differences.shape[1])

    def loss_at(b: FloatArray) -> float:
        data = LOGISTIC.choice(differences @ b, NO_OWN, once, answers).loss
        return data + float(penalty * (b @ b) / 2.0)

    for _ in range(_STEPS):
        choice = LOGISTIC.choice(differences @ tastes, NO_OWN, once, answers)
        slope = differences.T @ choice.by_margin + penalty * tastes
        curvature = differences.T @ (choice.information[:, None] * differences)
        step = np.linalg.solve(curvature + penalty * np.eye(len(tastes)), slope)
        if slope @ step < _SETTLED:
            break
        here = loss_at(tastes)
        while loss_at(tastes - step) > here:
            step = step / 2.0
        tastes = tastes - step
    return tastes

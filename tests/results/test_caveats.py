"""What must be said beside estimates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from welfarist.losses.point import Point
from welfarist.results.caveats import power_caveats, tells_nothing
from welfarist.solvers.base import Optimum

ENDED = np.array([0.5])
EDGE = Optimum(
    Point(np.array([1.0]), -100.0, np.zeros(1)), np.array([1.0]), 0.5, True, "", 1, ENDED, 1
)  # fmt: skip


def test_an_edge_of_p_is_told_unless_any_power_is_as_good():
    (said,) = power_caveats(EDGE, True, False, 100.0)
    assert "p reached the edge of the searched range, -100" in said.message
    assert not power_caveats(EDGE, True, False, 100.0, any_power=True)
    assert not power_caveats(replace(EDGE, point=replace(EDGE.point, p=-99.0)), True, False, 100.0)


@pytest.mark.parametrize(
    ("tau", "loss", "nothing"), [(1e-6, 0.5, 0.69), (3.0, 0.69, 0.69), (1e-3, 0.7, 0.69)]
)
def test_choices_tell_nothing_at_the_least_temperature_or_where_chance_is_as_good(
    tau, loss, nothing
):
    assert tells_nothing(tau, loss, nothing)
    assert not tells_nothing(1.0, 0.6, nothing)

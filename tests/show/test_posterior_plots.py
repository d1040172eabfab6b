"""What is believed of the power, drawn before and after decisions."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import welfarist as wf
from tests.asking.worlds import comparisons

# Densities are drawn at 401 places, and kernels are as wide as several of them.
AREA = 0.01


@pytest.fixture
def axes():
    figure, made = plt.subplots()
    yield made
    plt.close(figure)


def test_areas_are_probabilities(axes):
    belief = wf.Posterior(comparisons(3, 40), random_state=1, particles=400)
    wf.plots.posterior(belief, ax=axes, level=0.9)
    before, after = axes.lines[-3:-1]
    for line in (before, after):
        assert abs(np.trapezoid(line.get_ydata(), line.get_xdata()) - 1.0) < AREA
    x, y = (np.asarray(data) for data in after.get_data())
    below = np.trapezoid(y[x <= 0], x[x <= 0])
    assert abs(below - belief.probability("p < 0")) < 0.1  # a kernel spreads what is near 0
    assert after.get_ydata()[0] < before.get_ydata()[0]  # an egalitarian rule is less likely now
    assert "90% interval" in axes.get_title()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["90% interval", "before", "after 40 decisions", "median"]


def test_only_a_posterior_is_drawn(axes):
    with pytest.raises(wf.InputError, match="what is drawn must be a Posterior"):
        wf.plots.posterior(3, ax=axes)

"""Weights shared among those who are present, however small they are."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist.families.power_mean.present import log_mean_of_present, shared_weights


def test_next_to_no_weight_is_shared_and_has_derivatives_with_squares():
    weights = np.array([1.0, 3e-310, 1e-310])
    present = np.array([[True, False], [True, True], [True, True]])
    own, whole = shared_weights(weights, present)
    assert own[:, 1] == pytest.approx([0.0, 0.75, 0.25])
    assert whole[0] == 1.0
    logs = np.log(np.array([[1.0, 1.0], [2.0, 2.0], [9.0, 9.0]]))
    found = log_mean_of_present(logs, present, weights, 1.0)
    assert found.value[1] == pytest.approx(np.log(0.75 * 2.0 + 0.25 * 9.0))
    assert np.isfinite(np.square(found.by_weight)).all()

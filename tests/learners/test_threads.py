"""The same seed gives the same digits, whoever else is at work."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone

import welfarist as wf

LEARNERS = {
    "scores": wf.WelfareRegressor(n_starts=3, random_state=1),
    "scores, scale": wf.WelfareRegressor(scale=True, weights="equal", n_starts=3, random_state=1),
    "logistic": wf.ComparisonClassifier(n_starts=3, random_state=1),
    "lapse": wf.ComparisonClassifier(noise="lapse", n_starts=3, random_state=1),
    # A limit on the time of its proof could decide where a search under load ends.
    "none": wf.ComparisonClassifier(
        noise="none", solver=wf.Exact(time_limit=0), n_starts=3, random_state=1
    ),
    "flip": wf.ComparisonClassifier(
        noise="flip", solver=wf.Exact(time_limit=0), n_starts=3, random_state=1
    ),
    "known": wf.ComparisonClassifier(noise="flip", weights="equal", n_starts=3, random_state=1),
}
PROBLEMS = 3


def decisions(kind, number):
    rng = np.random.default_rng([number, 3])
    table = rng.uniform(1.0, 10.0, (20, 2))
    if kind.startswith("scores"):
        return table, table @ [0.7, 0.3] + rng.normal(size=20)
    first = rng.integers(20, size=20)
    pairs = np.column_stack([first, (first + rng.integers(1, 20, size=20)) % 20])
    better = np.sign(table[pairs].min(axis=2) @ [1.0, -1.0])
    return (wf.Comparisons(table, pairs, np.where(rng.random(20) < 0.8, better, -better)),)


def digits(task):
    kind, number = task
    est = clone(LEARNERS[kind]).fit(*decisions(kind, number))
    told = est.result_.to_dict()
    return {**told, "starts": est.result_.start_values.tolist()}


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
def test_fits_in_threads_are_those_without():
    tasks = [(kind, number) for number in range(PROBLEMS) for kind in LEARNERS]
    alone = [digits(task) for task in tasks]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(digits, tasks))
    assert together == alone

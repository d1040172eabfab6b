"""Fits and figures in threads: the same digits and the same bytes as one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import numpy as np

import welfarist as wf
from welfarist.show.report.pictures import WIDE, drawn

WORLD = wf.simulate.individuals(30, 3, p=-1, random_state=2)
THREADS = 4


def fit(seed: int) -> list[float]:
    pairs = wf.simulate.random_pairs(30, 150, random_state=seed)
    decided = wf.simulate.comparisons(WORLD, pairs, tau=8, random_state=seed)
    result = wf.ComparisonClassifier().fit(decided).result_
    return [result.p, result.loss, *result.weights.tolist(), *result.bse.tolist()]


def picture(seed: int) -> str:
    points = np.random.default_rng(seed).normal(size=20)
    return drawn(lambda axes: axes.plot(points), WIDE, f"figure {seed}", "a figure")


def test_threads_do_not_disturb_each_other():
    seeds = [1, 2, 3, 1, 2, 3]
    for work in (fit, picture):
        alone = [work(seed) for seed in seeds[:3]]
        before = dict(mpl.rcParams)
        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(work, seeds)) == alone * 2
        assert dict(mpl.rcParams) == before

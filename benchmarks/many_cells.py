"""One figure of `benchmarks.many`, in whatever tree is on the path: ``python many_cells.py CELL``.

Prints CPU seconds of this process, and what was found, as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import welfarist as wf
from benchmarks import problems
from benchmarks.contenders import one_evaluation

DECISIONS, ACTIONS, PEOPLE = 1_000_000, 100_000, 18
RESAMPLES = 999


def cpu(work: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """The fastest of several runs in CPU seconds, and what the last one gave."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        found = work()
        taken.append(time.process_time() - start)
    return min(taken), found


def _warm() -> None:
    """Load what a first fit loads."""
    problem = problems.comparisons(0, 200, 3)
    wf.ComparisonClassifier().fit(problem.comparisons()).result_.interval("p")


def million() -> dict[str, Any]:
    """A fit to a million comparisons in units of one plain evaluation."""
    problem = problems.comparisons(0, ACTIONS, PEOPLE, DECISIONS)
    once, _ = cpu(lambda: one_evaluation(problem), 7)
    whole, fit = cpu(lambda: wf.ComparisonClassifier().fit(problem.comparisons()), 3)
    return {"evaluations": whole / once, "fit": whole, "loss": fit.loss_, "p": fit.p_}


def interval() -> dict[str, Any]:
    """The profile interval of p beside the fit, of two million comparisons."""
    problem = problems.comparisons(1, 2 * ACTIONS, PEOPLE, 2 * DECISIONS)
    whole, fit = cpu(lambda: wf.ComparisonClassifier().fit(problem.comparisons()))
    taken, (low, high) = cpu(lambda: fit.result_.interval("p"))
    return {"interval": taken, "fit": whole, "ratio": taken / whole, "low": low, "high": high}


def bootstrap() -> dict[str, Any]:
    """Resamples, by person, of the choices between two shares of money."""
    import pandas as pd

    folder = Path(os.environ.get("WELFARIST_DATA", Path(__file__).parents[2] / "shared/data"))
    table = pd.read_csv(folder / "dictator" / "choices.csv")
    one, other = (table[[f"self_{side}", f"other_{side}"]] for side in "xy")
    took_first = table["choice_x"] == 1
    choices = wf.Comparisons.from_arrays(one, other, took_first, by=table["person"])
    result = wf.ComparisonClassifier().fit(choices).result_
    result.bootstrap(2, progress=False)
    taken, found = cpu(lambda: result.bootstrap(RESAMPLES, random_state=1, progress=False))
    low, high = found.interval("p")
    return {"bootstrap": taken, "failed": found.failed, "low": low, "high": high}


def people() -> dict[str, Any]:
    """Learned weights of a thousand people, from 20,000 scores."""
    problem = problems.scores(0, 20_000, 1000, p=0.5, noise=0.02)
    taken, fit = cpu(lambda: wf.WelfareRegressor().fit(problem.utilities, problem.scores))
    return {"fit": taken, "loss": fit.loss_, "p": fit.p_}


def two_thousand() -> dict[str, Any]:
    """Twice as many people, and so few scores that a weight has only two."""
    problem = problems.scores(0, 4000, 2000, p=0.5, noise=0.02)
    taken, fit = cpu(lambda: wf.WelfareRegressor().fit(problem.utilities, problem.scores))
    return {"fit": taken, "loss": fit.loss_, "p": fit.p_}


def ten_thousand() -> dict[str, Any]:
    """Learned weights of ten thousand people, from 20,000 scores: a table of 1.6 GB.

    `gap` is what a lower loss at the same power could gain at most if the loss were convex in the
    weights, as a share of the loss: ``sum w g - min g``, with the gradient g by the weights.
    """
    problem = problems.scores(0, 20_000, 10_000, p=0.5, noise=0.02)
    began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken, fit = cpu(lambda: wf.WelfareRegressor(verbose=2).fit(problem.utilities, problem.scores))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    likelihood = fit.result_.likelihood
    here = likelihood.loss.evaluate(likelihood.point)
    weights = fit.weights_
    by_weight = here.gradient()[: len(weights)] / np.where(weights > 0, weights, 1.0)
    gap = (weights @ by_weight - by_weight.min()) / here.value
    return {
        "fit": taken,
        "loss": fit.loss_,
        "p": fit.p_,
        "gap": gap,
        "counted": (weights > 0).sum(),
        "steps": fit.n_iter_,
        "converged": fit.converged_,
        "made_gb": began / 2**20,
        "peak_gb": peak / 2**20,
    }


CELLS = {
    "million": million,
    "interval": interval,
    "bootstrap": bootstrap,
    "people": people,
    "two_thousand": two_thousand,
    "ten_thousand": ten_thousand,
}

if __name__ == "__main__":
    _warm()
    warnings.simplefilter("ignore")
    found = CELLS[sys.argv[1]]()
    sys.stdout.flush()
    print(json.dumps({name: float(np.asarray(value)) for name, value in found.items()}))

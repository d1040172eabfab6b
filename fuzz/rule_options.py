"""Options that all learners have: what is known about the rule."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import welfarist as wf
from fuzz.attack import Case
from fuzz.odd_numbers import chosen


def rule_options(rng: np.random.Generator, table: npt.NDArray[np.float64]) -> Case:
    """Return what a learner is told about the rule, for utilities (N, d)."""
    people = table.shape[1]
    options: Case = {}
    if rng.random() < 0.3:
        powers = ["-inf", "inf", "Nash", "utilitarian", -1.0, 0.5, 2.0, 40.0, -1e4, 1e-9]
        options["p"] = powers[int(rng.integers(len(powers)))]
    if rng.random() < 0.35:
        known = rng.dirichlet(np.ones(people)) * (rng.random(people) < 0.8)
        options["weights"] = chosen(rng, {"equal": 1, "known": 1})
        if options["weights"] == "known":
            options["weights"] = known.tolist() if known.any() else "equal"
    elif people > 1 and rng.random() < 0.2:
        options["groups"] = rng.integers(2, size=people).tolist()
    if rng.random() < 0.1:
        options["prior"] = float(rng.choice([1.0, 1.5, 2.0, 100.0]))
    if rng.random() < 0.1:
        options["shift"] = float(rng.choice([1.0, 0.1, 1e-3 * np.nanmax(table), 1e6, 1e300]))
    return options


def search_options(rng: np.random.Generator) -> Case:
    """Return how long the best rule is searched; mostly as long as it takes."""
    if rng.random() >= 0.1:
        return {}
    return {"n_starts": int(rng.integers(1, 4)), "max_iter": int(rng.choice([1, 3, 200]))}


def passed(options: Case) -> Case:
    """Return options as learners take them, from what a file can hold."""
    found = dict(options, progress=False)
    if found.get("p") in ("inf", "-inf"):
        found["p"] = float(found["p"])
    if found["solver"] == "without proof":
        found["solver"] = wf.Exact(time_limit=0)
    return found

"""Random small fits to scores and comparisons, with all options."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import welfarist as wf
from fuzz import asked_after, odd_numbers
from fuzz.attack import Case
from fuzz.fits import draw_checks, fit_complaints
from fuzz.odd_numbers import chosen
from fuzz.rule_options import passed, rule_options, search_options

# The share of fits to comparisons that take the likelihood alone, few as they are.
_ALONE = 0.4


class Problems:
    """Random small fits of all learners with all options."""

    name = "problems"

    def draw(self, rng: np.random.Generator) -> Case:
        """Return the decisions and options of a fit, and what is asked of it."""
        kind = chosen(rng, {"scores": 2, "comparisons": 3})
        table = odd_numbers.utilities(rng)
        numbers = chosen(rng, {"float64": 8, "float32": 1, "int64": 1})
        case: Case = {"kind": kind, "numbers": numbers, "utilities": table.tolist()}
        case.update(_scores(rng, table) if kind == "scores" else _comparisons(rng, table))
        case["options"] = _options(rng, kind, table)
        return {**case, **draw_checks(rng, asked_after.QUESTIONS)}

    def complaints(self, case: Case) -> list[str]:
        """Fit, and return what is wrong."""
        return fit_complaints(case, _fit, asked_after.QUESTIONS)


def _scores(rng: np.random.Generator, table: npt.NDArray[np.float64]) -> Case:
    rule = wf.WelfareFunction(float(rng.normal(0, 3)), rng.dirichlet(np.ones(table.shape[1])))
    counts = odd_numbers.counts(rng, len(table))
    return {
        "scores": odd_numbers.scores(rng, np.asarray(rule(table))).tolist(),
        "counts": None if counts is None else counts.tolist(),
        "way": chosen(rng, {"table": 3, "decisions": 1, "frame": 1}),
    }


def _comparisons(rng: np.random.Generator, table: npt.NDArray[np.float64]) -> Case:
    actions, people = table.shape
    rows = int(chosen(rng, {1: 0.5, 3: 1, 8: 2, 20: 3, 40: 2}))
    first = rng.integers(actions, size=rows)
    second = (first + rng.integers(1, actions, size=rows)) % actions
    rule = wf.WelfareFunction(float(rng.normal(0, 3)), rng.dirichlet(np.ones(people)))
    with np.errstate(all="ignore"):
        logs = np.asarray(rule.log(table))
        margin = np.nan_to_num(logs[first] - logs[second])
        chance = 1.0 / (1.0 + np.exp(-margin * float(rng.choice([0.0, 3.0, 30.0]))))
    outcomes = np.where(rng.random(rows) < chance, 1, -1)
    if rng.random() < 0.25:
        outcomes[rng.random(rows) < rng.choice([0.2, 0.9, 1.0])] = 0
    counts = odd_numbers.counts(rng, rows)
    by = rng.integers(int(rng.integers(1, 9)), size=rows) if rng.random() < 0.2 else None
    return {
        "pairs": np.column_stack([first, second]).tolist(),
        "outcomes": outcomes.tolist(),
        "counts": None if counts is None else counts.tolist(),
        "by": None if by is None else by.tolist(),
        "way": chosen(rng, {"decisions": 3, "table": 2, "arrays": 1}),
    }


def _options(rng: np.random.Generator, kind: str, table: npt.NDArray[np.float64]) -> Case:
    options = rule_options(rng, table)
    if kind == "scores":
        options["scale"] = bool(rng.random() < 0.4)
        options["solver"] = chosen(rng, {"newton": 12, "grid": 0.3, "two_stage": 0.5})
    else:
        options["noise"] = chosen(rng, {"logistic": 3, "lapse": 2, "none": 2, "flip": 2})
        options.update(_noise_options(rng, options["noise"]))
    return {**options, **(search_options(rng) if options["solver"] == "newton" else {})}


def _noise_options(rng: np.random.Generator, noise: str) -> Case:
    if noise in ("none", "flip"):
        found: Case = {"solver": chosen(rng, {"newton": 1, "exact": 1, "without proof": 4})}
        if noise == "flip" and rng.random() < 0.5:
            found["rho"] = chosen(rng, {0.1: 1, 0.0: 1, "error rate": 1, "cross-validation": 1})
        return found
    solvers = {"newton": 12, "grid": 0.3, "two_stage": 0.5, "exact": 0.1}
    found = {"solver": chosen(rng, solvers)}
    if rng.random() < 0.1:
        found["tau_max"] = float(rng.choice([1.0, 100.0, 1e12]))
    if rng.random() < _ALONE:
        found["small_sample"] = "none"
    return found


def _fit(case: Case) -> Any:
    """Return the fitted learner of a case."""
    options = passed(case["options"])
    if case["kind"] == "scores":
        learner: Any = wf.WelfareRegressor(**options)
    else:
        learner = wf.ComparisonClassifier(**options)
    return learner.fit(*_decisions(case))


def _decisions(case: Case) -> tuple[Any, ...]:
    """What is passed to `fit`, as the case says."""
    least = -max(float(case["options"].get("shift", 0.0)), 0.0)
    table = _table(case)
    counts = None if case["counts"] is None else np.array(case["counts"])
    if case["kind"] == "scores":
        values = np.array(case["scores"])
        if case["way"] == "decisions":
            return (wf.Scores.of(table, values, counts, least=least),)
        if case["way"] == "frame":
            import pandas as pd

            return pd.DataFrame(table, columns=list("abcdef")[: table.shape[1]]), values, counts
        return table, values, counts
    pairs, outcomes = np.array(case["pairs"]), np.array(case["outcomes"])
    if case["way"] == "decisions":
        return (wf.Comparisons(table, pairs, outcomes, counts, case["by"], least=least),)
    u, v = table[pairs[:, 0]], table[pairs[:, 1]]
    if case["way"] == "arrays":
        return (wf.Comparisons.from_arrays(u, v, outcomes, counts, case["by"], least=least),)
    return np.hstack([u, v]), outcomes, counts


def _table(case: Case) -> npt.NDArray[Any]:
    table = np.array(case["utilities"], dtype=np.float64)
    if case["numbers"] == "int64":
        return np.clip(table, 0.0, 2.0**62).astype(np.int64)
    if case["numbers"] == "float32":
        return np.minimum(table, np.finfo(np.float32).max).astype(np.float32)
    return table

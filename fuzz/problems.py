"""Random small fits, of every kind, and what may not come of them.

A fit gives an answer in valid numbers, or refuses in words; the same digits each time, in a thread
too; its loss is that of its own predictions; and nothing but our own warnings leaves it. What is
asked of the fit afterwards is held to the same.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import welfarist as wf
from fuzz import asked_after, odd_numbers
from fuzz.attack import Case, described
from fuzz.odd_numbers import chosen
from fuzz.sound_numbers import loss_complaints, number_complaints

# CPU seconds that a fit may take.
LONGEST = 5.0
# The paper's methods take as long as they do: thousands of steps at each of many powers.
_AS_PUBLISHED = ("grid", "two_stage")
# The share of fits that are made again, and again in threads, and those that are asked more.
_AGAIN, _IN_THREADS, _ASKED = 0.3, 0.1, 0.3
_THREADS = 2
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
        case["again"] = bool(rng.random() < _AGAIN)
        case["threads"] = bool(rng.random() < _IN_THREADS)
        case["ask"] = asked_after.draw(rng) if rng.random() < _ASKED else []
        return case

    def complaints(self, case: Case) -> list[str]:
        """Fit, and return what is wrong."""
        start = time.process_time()
        found, learner = _watched("fit", lambda: _fit(case))
        seconds = time.process_time() - start
        if seconds > LONGEST and case["options"].get("solver") not in _AS_PUBLISHED:
            found.append(f"fit: took {seconds:.1f} CPU seconds")
        if learner is None:
            return found
        found += number_complaints(learner)
        more, _ = _watched("predictions", lambda: found.extend(loss_complaints(learner)))
        found += more
        quick = seconds <= LONGEST  # what takes long is made once
        if case["again"] and quick:
            _, again = _watched("fit", lambda: _fit(case))
            if again is None or _digits(again) != _digits(learner):
                found.append("fit: other digits when made again")
        if case["threads"] and quick:
            found += _thread_complaints(case, learner)
        for question in case["ask"]:
            wrong, answer = _watched(question, partial(asked_after.ask, learner, question))
            found += wrong
            found += [f"{question}: {said}" for said in answer or []]
        return found


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
        options["shift"] = float(rng.choice([1.0, 0.1, 1e-3 * table.max(), 1e6, 1e300]))
    if kind == "scores":
        options["scale"] = bool(rng.random() < 0.4)
        options["solver"] = chosen(rng, {"newton": 12, "grid": 0.3, "two_stage": 0.5})
    else:
        options["noise"] = chosen(rng, {"logistic": 3, "lapse": 2, "none": 2, "flip": 2})
        options.update(_noise_options(rng, options["noise"]))
    if options["solver"] == "newton" and rng.random() < 0.1:
        options["n_starts"] = int(rng.integers(1, 4))
        options["max_iter"] = int(rng.choice([1, 3, 200]))
    return options


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
    options = dict(case["options"], progress=False)
    if options.get("p") in ("inf", "-inf"):
        options["p"] = float(options["p"])
    if options["solver"] == "without proof":
        options["solver"] = wf.Exact(time_limit=0)
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


def _watched(what: str, act: Callable[[], Any]) -> tuple[list[str], Any]:
    """Do something; return what is wrong with how it ended, and what came of it if anything."""
    found: list[str] = []
    made = None
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            made = act()
        except wf.WelfaristError as refusal:
            if not str(refusal).strip():
                found.append(f"{what}: refused without a word")
        except Exception as problem:
            found.append(f"{what}: {described(problem)}")
    for warning in given:
        if not issubclass(warning.category, wf.WelfaristWarning):
            path = warning.filename.replace("\\", "/").split("/src/")[-1]
            said = f"{warning.category.__name__}: {warning.message}"
            found.append(f"{what}: leaks {said} (at {path}:{warning.lineno})")
    return sorted(set(found)), made


def _digits(learner: Any) -> dict[str, Any]:
    """Everything of a fit that must be the same each time."""
    names = ("p_", "weights_", "tau_", "rho_", "scale_", "loss_", "n_iter_", "converged_")
    found = {name: getattr(learner, name, None) for name in names}
    found["weights_"] = np.asarray(found["weights_"]).tobytes()
    found["caveats"] = [caveat.message for caveat in learner.result_.caveats]
    return found


def _thread_complaints(case: Case, learner: Any) -> list[str]:
    """Fit in several threads at once; return what is other than without."""
    digits: list[Any] = [None] * _THREADS

    def work(place: int) -> None:
        try:
            digits[place] = _digits(_fit(case))
        except Exception as problem:
            digits[place] = described(problem)

    with warnings.catch_warnings():  # they are the process's, and were looked at before
        warnings.simplefilter("ignore")
        threads = [threading.Thread(target=work, args=(i,)) for i in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    here = _digits(learner)
    return ["fit: other digits in a thread"] if any(found != here for found in digits) else []

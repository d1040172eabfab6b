"""Random small fits to choices from menus, rankings, best and worst, with all options."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import welfarist as wf
from fuzz import asked_after, odd_menus
from fuzz.attack import Case
from fuzz.fits import draw_checks, fit_complaints
from fuzz.odd_numbers import chosen
from fuzz.rule_options import passed, rule_options, search_options

# The share of fits that take the likelihood alone, few as choices are.
_ALONE = 0.4


class MenuProblems:
    """Random small fits of `ChoiceLearner` with all options."""

    name = "menus"

    def draw(self, rng: np.random.Generator) -> Case:
        """Return the choices and options of a fit, and what is asked of it."""
        table, absent = odd_menus.table(rng)
        holes = np.isnan(table).any()
        numbers = "float64" if holes else chosen(rng, {"float64": 8, "float32": 1, "int64": 1})
        # A file of strict JSON has no NaN.
        written = [[None if np.isnan(x) else x for x in line] for line in table.tolist()]
        case: Case = {"numbers": numbers, "utilities": written, "absent": absent}
        case.update(odd_menus.choices(rng, table))
        case["options"] = _options(rng, case, table)
        return {**case, **draw_checks(rng, asked_after.OF_CHOICES)}

    def complaints(self, case: Case) -> list[str]:
        """Fit, and return what is wrong."""
        return fit_complaints(case, _fit, asked_after.OF_CHOICES)


def _options(rng: np.random.Generator, case: Case, table: npt.NDArray[np.float64]) -> Case:
    options = rule_options(rng, table)
    options["noise"] = chosen(rng, {"logistic": 4, "lapse": 2, "none": 1.5, "flip": 1})
    if options["noise"] in ("none", "flip"):
        options["solver"] = chosen(rng, {"newton": 1, "exact": 1, "without proof": 4})
        if options["noise"] == "flip" and rng.random() < 0.5:
            options["rho"] = chosen(rng, {0.1: 1, 0.0: 1, "error rate": 1, "cross-validation": 1})
        return options
    options["solver"] = chosen(rng, {"newton": 40, "grid": 0.1, "exact": 0.1})
    if rng.random() < 0.1:
        options["tau_max"] = float(rng.choice([1.0, 100.0, 1e12]))
    if rng.random() < _ALONE:
        options["small_sample"] = "none"
    staged = case["way"] in ("rankings", "best and worst", "ratings")
    if rng.random() < (0.4 if staged else 0.05):
        options["tau_by_stage"] = True
    if rng.random() < (0.4 if np.isnan(table).any() else 0.02):
        options["size_effect"] = True
    return {**options, **search_options(rng)}


def _fit(case: Case) -> Any:
    """Return the fitted learner of a case."""
    return wf.ChoiceLearner(**passed(case["options"])).fit(decisions(case))


def decisions(case: Case) -> Any:
    """Return the choices of a case."""
    table, menus, way = _table(case), case["menus"], case["way"]
    counts = None if case["counts"] is None else np.array(case["counts"])
    known: dict[str, Any] = {
        "absent": case["absent"],
        "least": -max(float(case["options"].get("shift", 0.0)), 0.0),
    }
    if way == "long":
        return _from_long(case, table, known)
    common = dict(counts=counts, by=case["by"], **known)
    common["names"] = [f"action {i}" for i in range(len(table))] if case["names"] else None
    if way == "rankings":
        offered = menus if case["of_menus"] else None
        return wf.Choices.from_rankings(table, case["rankings"], offered, **common)
    if way == "best and worst":
        return wf.Choices.from_best_worst(table, menus, case["best"], case["worst"], **common)
    if way == "ratings":
        return wf.Choices.from_ratings(table, _rated(case, len(table)), **common)
    if way == "comparisons" and not case["absent"]:
        others = [next(a for a in menu if a != took) for menu, took in _taken(case)]
        pairs = [[took, other] for (_, took), other in zip(_taken(case), others, strict=True)]
        del common["absent"]
        return wf.Comparisons(table, pairs, np.ones(len(pairs)), **common)
    return wf.Choices(
        table, _laid_out(way, menus), case["chosen"], outside=case["outside"], **common
    )


def _taken(case: Case) -> list[tuple[list[int], int]]:
    return list(zip(case["menus"], case["chosen"], strict=True))


def _laid_out(way: str, menus: list[list[int]]) -> Any:
    """Menus as lists, as an array filled up with -1, as where each begins, or None for all."""
    if way == "padded":
        widest = max(map(len, menus))
        return np.array([menu + [-1] * (widest - len(menu)) for menu in menus])
    if way == "arrays":
        starts = np.concatenate([[0], np.cumsum([len(menu) for menu in menus])])
        return starts, np.array([action for menu in menus for action in menu])
    return None if way == "all" else menus


def _rated(case: Case, actions: int) -> npt.NDArray[np.float64]:
    """Ratings (n, N), NaN where an action was not rated."""
    found = np.full((len(case["menus"]), actions), np.nan)
    for row, line in enumerate(case["ratings"]):
        for action, rating in line.items():
            found[row, int(action)] = rating
    return found


def _from_long(case: Case, table: npt.NDArray[Any], known: dict[str, Any]) -> Any:
    """Choices from a data frame with one row per action and menu."""
    import polars as pl

    told = [(number, action) for number, menu in enumerate(case["menus"]) for action in menu]
    number, action = (list(column) for column in zip(*told, strict=True))
    columns: dict[str, Any] = {
        "menu": number,
        "chosen": [int(case["chosen"][i] == a) for i, a in told],
        **{f"person {i}": table[action, i] for i in range(table.shape[1])},
    }
    options: dict[str, Any] = {}
    for option, values in (("counts", case["counts"]), ("by", case["by"])):
        if values is not None:
            options[option] = option
            columns[option] = [values[i] for i in number]
    if case["names"]:
        options["action"] = "action"
        columns["action"] = [f"action {a}" for a in action]
    frame = pl.DataFrame(columns)
    return wf.Choices.from_long(frame, outside=case["outside"], **options, **known)


def _table(case: Case) -> npt.NDArray[Any]:
    table = np.array(case["utilities"], dtype=np.float64)  # None is NaN
    if case["numbers"] == "int64":
        return np.clip(table, 0.0, 2.0**62).astype(np.int64)
    if case["numbers"] == "float32":
        return np.minimum(table, np.finfo(np.float32).max).astype(np.float32)
    return table

"""Small worlds of people who differ, for tests that only need some."""

from __future__ import annotations

import numpy as np
import polars as pl

import welfarist as wf

STAKEHOLDERS = ["staff", "patients"]


def small_panel(people: int = 16, each: int = 30, seed: int = 0) -> wf.Comparisons:
    """Comparisons of people of two kinds, called by numbers as long as those of a survey."""
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (40, 2))
    who = np.repeat(np.arange(people), each)
    pairs = np.array([rng.choice(40, 2, replace=False) for _ in who])
    rules = [wf.WelfareFunction(1, [0.9, 0.1]), wf.WelfareFunction(-1, [0.4, 0.6])]
    logs = np.array([rule.log(table) for rule in rules])[who % 2]
    rows = np.arange(len(who))
    apart = logs[rows, pairs[:, 0]] - logs[rows, pairs[:, 1]]
    outcomes = np.sign(apart + rng.logistic(scale=1 / 12, size=len(who)))
    names = np.array([str(112010050600 + i) for i in range(people)])[who]
    frame = pl.DataFrame(table, schema=STAKEHOLDERS)
    return wf.Comparisons(frame, pairs, outcomes, by=names)


def small_menus(people: int = 8, each: int = 15, seed: int = 1, *, outside: bool) -> wf.Choices:
    """Choices between three actions, or none of them, by people of two kinds."""
    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (30, 2))
    who = np.repeat(np.arange(people), each)
    rules = [wf.WelfareFunction(1, [0.9, 0.1]), wf.WelfareFunction(-1, [0.4, 0.6])]
    logs = np.array([rule.log(table) for rule in rules])
    menus = np.array([rng.choice(30, 3, replace=False) for _ in who])
    none = np.full(len(who), np.log(5.0) if outside else -np.inf)
    value = np.column_stack([logs[who[:, None] % 2, menus], none])
    best = (10 * value + rng.gumbel(size=value.shape)).argmax(axis=1)
    chosen = [None if b == 3 else int(menu[b]) for b, menu in zip(best, menus, strict=True)]
    frame = pl.DataFrame(table, schema=STAKEHOLDERS)
    by = [f"judge {i}" for i in who]
    return wf.Choices(frame, menus.tolist(), chosen, by=by, outside=outside)

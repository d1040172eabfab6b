"""Small panels of several decision makers, simulated, and what was learned from them."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd

import welfarist as wf

# Names that would do harm if they were not shown as they are.
STAKEHOLDERS = ["patients <script>", "the $staff$ & others", "those who pay for it " * 3]


def panel(rules, kinds, each=30, tau=20.0, names=None, who=None, seed=0):
    """Comparisons of `each` decisions by people who follow the rules of their kinds."""
    rng = np.random.default_rng(seed)
    kinds = np.asarray(kinds, dtype=np.intp)
    utilities = rng.uniform(1, 10, (40, len(rules[0].weights)))
    by = np.repeat(np.arange(len(kinds)), each)
    pairs = wf.simulate.random_pairs(40, len(by))
    logs = np.array([rule.log(utilities) for rule in rules])[kinds[by]]
    apart = logs[np.arange(len(by)), pairs[:, 0]] - logs[np.arange(len(by)), pairs[:, 1]]
    outcomes = np.sign(apart + rng.logistic(scale=1 / tau, size=len(by)))
    table = utilities if names is None else pd.DataFrame(utilities, columns=names)
    labels = by if who is None else np.asarray(who)[by]
    return wf.Comparisons(table, pairs, outcomes, by=labels)


def quietly(learner, decisions, **known):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return learner.fit(decisions, **known).result_


TWO = panel(
    [wf.WelfareFunction(1, [0.9, 0.1]), wf.WelfareFunction(-1, [0.5, 0.5])],
    np.arange(16) % 2,
    names=["self", "other"],
)
WHO = [f"Dr <b>{i}</b> & co" for i in range(24)]
THREE = panel(
    [wf.WelfareFunction(0, [0.6, 0.3, 0.1]), wf.WelfareFunction(1, [0.1, 0.2, 0.7])],
    np.arange(24) % 3 == 0,
    names=STAKEHOLDERS,
    who=WHO,
)
KNOWN = {"who": WHO, "ward": ["north" if i % 3 == 0 else "south <i>" for i in range(24)]}
KNOWN["ward"][1], KNOWN["ward"][3] = "north", "south <i>"


@cache
def types(which="two", **options):
    """Types of one of the panels."""
    options = {"n_types": 2, "population": False, "n_starts": 2} | options
    if which == "known":
        return quietly(wf.Types(**options), THREE, deciders=KNOWN)
    return quietly(wf.Types(**options), {"two": TWO, "three": THREE}[which])


@cache
def deciders(which="two", **options):
    """Everybody's own rule of one of the panels."""
    learner = options.pop("learner", None)
    options = {"n_nodes": 512} | options
    if which == "known":
        return quietly(wf.Deciders(learner, **options), THREE, deciders=KNOWN)
    return quietly(wf.Deciders(learner, **options), {"two": TWO, "three": THREE}[which])

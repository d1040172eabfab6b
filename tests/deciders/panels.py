"""Small panels made up, the real dictators, and short ways to search types in either."""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from welfarist import Choices, Comparisons
from welfarist.base.progress import Progress
from welfarist.deciders.coordinates import RuleCoordinates
from welfarist.deciders.integrating import integrate
from welfarist.deciders.membership import Membership
from welfarist.deciders.mixture import Mixture, TypeModel
from welfarist.deciders.panel import Panel
from welfarist.deciders.searching import search_types
from welfarist.losses import Point

ROOT = Path(__file__).parents[2]
DATA = (ROOT / os.environ.get("WELFARIST_DATA", "../shared/data")).resolve()
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="no folder of real data: set WELFARIST_DATA to one"
)

QUIET = Progress(False)
# Two kinds of people: p, weights and tau of each.
ALTRUISTS, MOSTLY_SELFISH = (0.2, (0.6, 0.4), 12.0), (0.6, (0.92, 0.08), 25.0)


def chance_of_first(u, v, p, weights, tau):
    """How likely u (n, d) is preferred to v (n, d), by the plain formula for p that is not 0."""
    weights = np.asarray(weights)
    apart = tau / p * np.log((u**p @ weights) / (v**p @ weights))
    return 0.5 * (1.0 + np.tanh(0.5 * apart))


def made_comparisons(
    kinds=(ALTRUISTS, MOSTLY_SELFISH), each=8, questions=25, seed=0, ties=0.0, counts=False
):
    """Comparisons of several people of each kind, who are asked the same questions."""
    rng = np.random.default_rng(seed)
    d = len(kinds[0][1])
    u, v = rng.uniform(1.0, 10.0, (2, questions, d))
    outcomes, by = [], []
    for i, (p, weights, tau) in enumerate(kinds):
        chance = chance_of_first(u, v, p, weights, tau)
        for j in range(each):
            answer = np.where(rng.random(questions) < chance, 1.0, -1.0)
            outcomes.append(np.where(rng.random(questions) < ties, 0.0, answer))
            by += [f"kind {i} person {j:02d}"] * questions
    people = len(kinds) * each
    often = rng.integers(1, 4, people * questions) if counts else None
    return Comparisons.from_arrays(
        np.tile(u, (people, 1)), np.tile(v, (people, 1)), np.concatenate(outcomes), often, by
    )


def varied(people, seed=0):
    """Rules of people who differ by degree: asinh p, logit of the first weight and log tau."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal([0.2, 1.0, 2.0], [0.8, 1.0, 0.5], (people, 3))
    shares = 1.0 / (1.0 + np.exp(-drawn[:, 1]))
    rows = zip(np.sinh(drawn[:, 0]), shares, np.exp(drawn[:, 2]), strict=True)
    return tuple((p, (share, 1.0 - share), tau) for p, share, tau in rows)


def of_answers(answers, u, v, **options):
    """Comparisons of people (G, n) who answered the same n questions; +1, -1 or 0 each."""
    answers = np.asarray(answers, dtype=float)
    people = len(answers)
    by = np.repeat([f"person {i:02d}" for i in range(people)], len(u))
    stacked = np.tile(u, (people, 1)), np.tile(v, (people, 1))
    return Comparisons.from_arrays(*stacked, answers.reshape(-1), by=by, **options)


def made_choices(
    kinds=(ALTRUISTS, MOSTLY_SELFISH), each=6, menus=15, size=4, seed=0, rho=0.0, counts=False
):
    """Choices from the same menus of several people of each kind; some menus are shorter."""
    rng = np.random.default_rng(seed)
    d = len(kinds[0][1])
    utilities = rng.uniform(1.0, 10.0, (30, d))
    offered = [rng.permutation(30)[: size - (m % 2)].tolist() for m in range(menus)]
    chosen, by = [], []
    for i, (p, weights, tau) in enumerate(kinds):
        level = np.log(utilities**p @ np.asarray(weights)) * (tau / p)
        for j in range(each):
            for menu in offered:
                chance = np.exp(level[menu] - level[menu].max())
                chance /= chance.sum()
                chance = (1.0 - 2.0 * rho) * chance + 2.0 * rho / len(menu)
                chosen.append(int(rng.choice(menu, p=chance)))
            by += [f"kind {i} person {j:02d}"] * menus
    people = len(kinds) * each
    often = rng.integers(1, 4, people * menus) if counts else None
    return Choices(utilities, offered * people, chosen, often, by=by)


@cache
def dictators():
    """The published choices of 160 dictators, 39 each."""
    with open(DATA / "dictator" / "choices.csv") as file:
        rows = list(csv.DictReader(file))
    u = np.array([[float(row["self_x"]), float(row["other_x"])] for row in rows])
    v = np.array([[float(row["self_y"]), float(row["other_y"])] for row in rows])
    first = np.array([row["choice_x"] == "1" for row in rows])
    return Comparisons.from_arrays(u, v, first, by=[row["person"] for row in rows])


def ones(panel):
    """What is known of people of whom nothing is known."""
    return np.ones((panel.people, 1))


def plain_models(panel, types):
    return tuple(TypeModel(panel.loss, panel.setup.p) for _ in range(types))


def types_of(panel, types, n_starts=6, seed=0, design=None, **options):
    """What a search for types finds."""
    models = options.pop("models", None) or plain_models(panel, types)
    known = ones(panel) if design is None else design
    return search_types(
        panel, models, known, n_starts=n_starts, seed=seed, progress=QUIET, **options
    )


def mixture_at(panel, rules, gamma=None, design=None, own=()):
    """A mixture at given rules (p, weights, tau), with given log odds (K, c)."""
    known = ones(panel) if design is None else design
    odds = np.zeros((len(rules), known.shape[1])) if gamma is None else np.asarray(gamma)
    points = tuple(
        Point(np.array(weights), p, np.array([np.log(tau), *own])) for p, weights, tau in rules
    )
    return Mixture(panel, plain_models(panel, len(rules)), points, Membership(known, odds))


def coordinates_of(panel):
    return RuleCoordinates(panel.loss, panel.setup.p, panel.setup.people)


def normal_of(panel, count=2048, seed=0, design=None, start=None, common=()):
    """The normal population of a panel, on few nodes."""
    coordinates = coordinates_of(panel)
    if start is None:
        start = coordinates.numbers(types_of(panel, 1).mixture.points[0])
    known = ones(panel) if design is None else design
    return integrate(
        panel, coordinates, known, start, np.array(common), seed=seed, count=count, progress=QUIET
    )


def panel_of(decisions, learner=None):
    return Panel.of(learner, decisions)

"""From decisions to a normal population: accuracy, seeds, order and edges."""

from __future__ import annotations

import numpy as np
import pytest

from tests.deciders import plainly
from tests.deciders.panels import (
    coordinates_of,
    made_choices,
    made_comparisons,
    normal_of,
    panel_of,
    types_of,
    varied,
)
from welfarist import ChoiceLearner, ComparisonClassifier, Comparisons
from welfarist.deciders.evidence import Evidence
from welfarist.deciders.integrating import NODES, follow, likelihoods
from welfarist.deciders.nodes import Nodes, quasi_random
from welfarist.deciders.normal import NormalPopulation

ROUNDING = 1e-9
# How far the default number of quasi-random nodes may be from a lattice of seven times as many, in
# the log likelihood of one person.
DEFAULT_NODES = 0.01


@pytest.fixture(scope="module")
def panel():
    return panel_of(made_comparisons(varied(12), each=1, questions=20))


def test_likelihoods_of_nodes_are_those_of_their_rules(panel):
    coordinates = coordinates_of(panel)
    rng = np.random.default_rng(0)
    points = rng.normal([0.0, 1.0, 2.0], 1.0, (300, 3))
    points[0, 0], points[1, 0] = 0.0, 1e-9
    found = likelihoods(panel, coordinates, Nodes(points, np.zeros(300)), np.empty(0))
    for s in (0, 1, 2, 150, 299):
        t, odds, log_tau = points[s]
        share = 1.0 / (1.0 + np.exp(-odds))
        p = np.sinh(t) if abs(t) > 1e-3 else 0.0  # the plain formula has no digits in between
        rule = (p, (share, 1.0 - share), np.exp(log_tau))
        close = ROUNDING if p or not t else 1e-6
        assert found[:, s] == pytest.approx(plainly.by_person(panel.decided, rule), abs=close)


def test_default_nodes_are_close_to_a_dense_lattice(panel):
    mean, spread = np.array([0.2, 1.0, 2.0]), np.diag([0.64, 1.0, 0.25])
    population = NormalPopulation(mean[:, None], spread)
    design, coordinates = np.ones((panel.people, 1)), coordinates_of(panel)

    def evidence_on(nodes):
        return Evidence(nodes, likelihoods(panel, coordinates, nodes, np.empty(0)), design)

    line = np.linspace(-6.0, 6.0, 61)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    volume = 3 * np.log(line[1] - line[0]) + 0.5 * np.log(np.diag(spread)).sum()
    lattice = Nodes(mean + grid * np.sqrt(np.diag(spread)), np.full(len(grid), volume))
    dense = evidence_on(lattice).posterior(population)[0]
    rough = evidence_on(quasi_random(2048, mean, spread, seed=0))
    found = evidence_on(follow(rough, population, NODES, seed=2))
    by_person = found.posterior(population)[0]
    assert by_person == pytest.approx(dense, abs=DEFAULT_NODES)
    assert abs(by_person.sum() - dense.sum()) < 3.0 * found.error(population)


def test_the_same_seed_gives_the_same_digits(panel):
    first, again, other = (normal_of(panel, count=1024, seed=seed) for seed in (1, 1, 2))
    assert first.log_likelihood == again.log_likelihood
    assert first.population.covariance.tolist() == again.population.covariance.tolist()
    assert first.log_likelihood != other.log_likelihood


def test_order_of_decisions_and_names_of_people_do_not_matter(panel):
    decisions = panel.decided
    rng = np.random.default_rng(0)
    turned = decisions[rng.permutation(len(decisions))]
    start = np.array([0.2, 1.0, 2.0])
    first = normal_of(panel, count=1024, start=start)
    second = normal_of(panel_of(turned), count=1024, start=start)
    # The search ends where its slope is small, not at a digit: how far that is from the top.
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-5)
    evidence = first.evidence
    logs = likelihoods(panel_of(turned), coordinates_of(panel), evidence.nodes, np.empty(0))
    same = Evidence(evidence.nodes, logs, evidence.design)
    value = same.log_likelihood(first.population)
    assert value == pytest.approx(evidence.log_likelihood(first.population), abs=ROUNDING)


def test_order_of_people_does_not_matter(panel):
    evidence = normal_of(panel, count=1024)
    turn = np.random.default_rng(0).permutation(panel.people)
    population, whole = evidence.population, evidence.evidence
    turned = Evidence(whole.nodes, whole.logs[turn], whole.design[turn])
    value = turned.log_likelihood(population)
    assert value == pytest.approx(whole.log_likelihood(population), abs=ROUNDING)


def test_means_follow_what_is_known_of_people():
    # Half of them count the first much more; a column says who.
    low, high = (0.5, (0.4, 0.6), 12.0), (0.5, (0.9, 0.1), 12.0)
    panel = panel_of(made_comparisons((low, high), each=8))
    group = np.array([float(name.startswith("kind 1")) for name in panel.names])
    design = np.column_stack([np.ones(panel.people), group])
    found = normal_of(panel, count=2048, design=design)
    plain = normal_of(panel, count=2048)
    assert found.log_likelihood > plain.log_likelihood + 5.0
    apart = found.population.coefficients[1, 1]
    # From log(0.4 / 0.6) to log(0.9 / 0.1), which 8 people of 25 decisions each tell to a quarter.
    assert apart == pytest.approx(np.log(9.0) - np.log(2.0 / 3.0), abs=0.7)


@pytest.mark.parametrize(
    ("decisions", "learner", "common"),
    [
        (made_choices(varied(8), each=1, menus=12), ChoiceLearner(), ()),
        (made_comparisons(varied(8), each=1), ComparisonClassifier(noise="lapse"), (0.02,)),
        (made_comparisons(varied(8), each=1), ComparisonClassifier(p=0.5), ()),
        (made_comparisons(varied(8), each=1), ComparisonClassifier(weights="equal"), ()),
        (made_comparisons(varied(8), each=1, questions=1), None, ()),
    ],
    ids=["menus", "lapse", "p given", "weights given", "one decision each"],
)
def test_other_decisions_and_options(decisions, learner, common):
    panel = panel_of(decisions, learner)
    start = coordinates_of(panel).numbers(types_of(panel, 1).mixture.points[0])
    found = normal_of(panel, count=1024, common=common, start=start)
    assert np.isfinite(found.log_likelihood)
    assert np.isfinite(found.population.coefficients).all()
    assert np.linalg.eigvalsh(found.population.covariance).min() > 0


def test_zeros_in_utilities():
    u = np.array([[0.0, 9.0], [4.0, 4.0], [9.0, 0.0], [3.0, 5.0], [6.0, 0.0], [2.0, 2.0]])
    pairs = [[0, 1], [1, 2], [2, 3], [4, 5]] * 6
    by = np.repeat([f"person {i}" for i in range(6)], 4)
    outcomes = np.random.default_rng(0).choice([-1, 1], 24)
    panel = panel_of(Comparisons(u, pairs, outcomes, by=by))
    found = normal_of(panel, count=1024)
    assert np.isfinite(found.log_likelihood)
    assert np.isfinite(found.population.covariance).all()


def test_nodes_follow_the_population_and_everybody(panel):
    found = normal_of(panel, count=1024)
    nodes = follow(found.evidence, found.population, 2048, seed=5)
    logs = likelihoods(panel, coordinates_of(panel), nodes, np.empty(0))
    evidence = Evidence(nodes, logs, found.evidence.design)
    chances = evidence.posterior(found.population)[1]
    # Everybody's posterior is worth many of them.
    assert evidence.effective(chances).min() > 60

"""A normal population: its likelihood by brute quadrature, its slopes by differences."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal

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
from welfarist import ChoiceLearner, ComparisonClassifier
from welfarist.deciders.evidence import Evidence, information
from welfarist.deciders.integrating import likelihoods
from welfarist.deciders.likeliest import fit_normal
from welfarist.deciders.nodes import Nodes
from welfarist.deciders.normal import NormalPopulation

# What is asked of likelihoods beside independent code.
QUADRATURE = 1e-6
# Central differences of log likelihoods of some hundreds.
STEP, SLOPES = 1e-5, 1e-6
CURVATURE = 1e-5
POPULATION = NormalPopulation(
    np.array([[0.2], [0.8], [2.0]]),
    np.array([[0.5, 0.1, 0.0], [0.1, 0.8, -0.2], [0.0, -0.2, 0.4]]),
)


def lattice(population, across=27, reach=6.5):
    """A dense lattice along the axes of a population: spectrally exact for smooth integrands."""
    line = np.linspace(-reach, reach, across)
    grid = np.stack(np.meshgrid(*[line] * population.size, indexing="ij"), axis=-1)
    flat = grid.reshape(-1, population.size)
    points = population.coefficients[:, 0] + flat @ population.cholesky.T
    volume = population.size * np.log(line[1] - line[0])
    volume += np.log(np.diag(population.cholesky)).sum()
    return Nodes(points, np.full(len(points), volume))


def evidence_on(panel, nodes, design=None, common=()):
    logs = likelihoods(panel, coordinates_of(panel), nodes, np.array(common))
    return Evidence(nodes, logs, np.ones((panel.people, 1)) if design is None else design)


def brute(decisions, population, rho=0.0, of=plainly.by_person, across=36):
    """Everybody's marginal likelihood by Gauss and Hermite, from the plain formulas."""
    points, weights = np.polynomial.hermite_e.hermegauss(across)
    weights = weights / weights.sum()
    total = np.zeros(len(set(decisions.by)))
    size = population.size
    for place in np.ndindex(*[across] * size):
        weight = np.prod(weights[list(place)])
        if weight < 1e-16:
            continue
        t, odds, log_tau = population.coefficients[:, 0] + population.cholesky @ points[list(place)]
        share = 1.0 / (1.0 + np.exp(-odds))
        rule = (np.sinh(t), (share, 1.0 - share), np.exp(log_tau))
        total += weight * np.exp(of(decisions, rule, rho))
    return np.log(total)


def few(decisions):
    return decisions[np.isin(decisions.by, np.unique(decisions.by)[:3])]


# Gentle noise and few decisions: likelihoods that a product of Gauss and Hermite's rules resolves.
GENTLE = ((0.2, (0.6, 0.4), 1.5), (0.6, (0.9, 0.1), 1.5))
MILD = NormalPopulation(
    np.array([[0.2], [0.4], [0.3]]),
    np.array([[0.30, 0.10, 0.00], [0.10, 0.40, -0.1], [0.00, -0.1, 0.20]]),
)


def test_comparisons_by_brute_quadrature():
    decisions = few(made_comparisons(GENTLE, each=2, questions=4, ties=0.2, counts=True))
    panel = panel_of(decisions)
    found = evidence_on(panel, lattice(MILD)).posterior(MILD)[0]
    assert found == pytest.approx(brute(decisions, MILD, across=18), abs=QUADRATURE)


def test_choices_with_slips_by_brute_quadrature():
    decisions = few(made_choices(GENTLE, each=2, menus=3))
    panel = panel_of(decisions, ChoiceLearner(noise="lapse"))
    found = evidence_on(panel, lattice(MILD), common=[0.05]).posterior(MILD)[0]
    expected = brute(decisions, MILD, 0.05, plainly.by_chooser, across=18)
    assert found == pytest.approx(expected, abs=QUADRATURE)


def test_one_number_that_varies_by_adaptive_quadrature():
    # p and the weights are given: only log tau varies, over which one integral is exact.
    decisions = made_comparisons(GENTLE, each=1, questions=6)
    panel = panel_of(decisions, ComparisonClassifier(p=0.5, weights=[0.7, 0.3]))
    population = NormalPopulation(np.array([[0.5]]), np.array([[0.6]]))
    found = evidence_on(panel, lattice(population, 801, 9.0)).posterior(population)[0]
    for i, value in enumerate(found):

        def integrand(x, i=i):
            own = plainly.by_person(decisions, (0.5, (0.7, 0.3), np.exp(x)))[i]
            return np.exp(own + plainly.normal_log_density([x], np.array([0.5]), np.array([[0.6]])))

        expected, _ = quad(integrand, -7.0, 8.0, epsabs=1e-13, epsrel=1e-10)
        assert value == pytest.approx(np.log(expected), abs=QUADRATURE)


def test_log_density_is_that_of_scipy():
    design = np.column_stack([np.ones(4), [-1.0, 0.0, 0.5, 2.0]])
    population = NormalPopulation(
        np.array([[0.2, 0.3], [0.8, -0.5], [2.0, 0.1]]), POPULATION.covariance
    )
    points = np.random.default_rng(0).normal(size=(7, 3))
    nodes = Nodes(points, np.zeros(7))
    found = population.log_density(nodes, design)
    for i, mean in enumerate(population.means(design)):
        expected = multivariate_normal(mean, population.covariance).logpdf(points)
        assert found[i] == pytest.approx(expected, abs=1e-12)  # rounding
    alike = NormalPopulation(population.coefficients[:, :1], population.covariance)
    assert alike.log_density(nodes, np.ones((4, 1))).shape == (1, 7)


def test_what_describes_a_population_can_be_packed():
    again = NormalPopulation.unpacked(POPULATION.packed(), 3, 1)
    assert again.covariance == pytest.approx(POPULATION.covariance, abs=1e-14)  # rounding
    assert again.coefficients.tolist() == POPULATION.coefficients.tolist()
    assert len(POPULATION.packed()) == POPULATION.parameters == 9


@pytest.fixture(scope="module", params=[False, True], ids=["alike", "covariates"])
def example(request):
    panel = panel_of(made_comparisons(each=5, questions=12))
    nodes = lattice(POPULATION, 13, 4.0)
    columns = [np.ones(panel.people)]
    coefficients = POPULATION.coefficients
    if request.param:
        columns.append(np.random.default_rng(3).normal(size=panel.people))
        coefficients = np.column_stack([coefficients, [0.3, -0.5, 0.1]])
    evidence = evidence_on(panel, nodes, np.column_stack(columns))
    return evidence, NormalPopulation(coefficients, POPULATION.covariance)


def test_moments_are_those_of_the_chances(example):
    """However small likelihoods are beside the largest, which are far away, of one of them."""
    whole, population = example
    points = whole.nodes.points
    far = np.argsort(population.log_density(whole.nodes, whole.design)[0])[:40]
    for less in (0.0, 2000.0):
        logs = whole.logs.copy()
        logs[1, far] += less
        evidence = Evidence(whole.nodes, logs, whole.design)
        by_person, chances = evidence.posterior(population)
        after = evidence.moments_after(population)
        assert after.log_likelihood == pytest.approx(by_person, rel=1e-13)  # rounding
        assert after.mean == pytest.approx(chances @ points, abs=1e-12)
        second = np.einsum("gs,si,sj->gij", chances, points, points)
        assert after.second == pytest.approx(second, abs=1e-11)


def test_digits_that_vanish_beside_the_largest_are_kept():
    nodes = Nodes(np.array([[-60.0], [0.0], [1.0]]), np.zeros(3))
    logs = np.array([[0.0, -1500.0, -1501.0]])  # the first is out of reach: exp(-1800) of it
    population = NormalPopulation(np.zeros((1, 1)), np.eye(1))
    found = Evidence(nodes, logs, np.ones((1, 1))).moments_after(population)
    share = np.exp(-1.5) / (1.0 + np.exp(-1.5))
    assert found.mean[0, 0] == pytest.approx(share, rel=1e-12)


def test_a_pickle_leaves_out_what_can_be_worked_out(example):
    evidence, population = example
    again = pickle.loads(pickle.dumps(evidence))
    assert "_relative" not in vars(again)
    assert again.log_likelihood(population) == evidence.log_likelihood(population)
    assert len(pickle.dumps(evidence)) == len(pickle.dumps(again))


def test_scores_are_slopes(example):
    evidence, population = example
    row = population.packed()
    columns = population.coefficients.shape[1]
    by_person, scores = evidence.scores(population)
    assert by_person == pytest.approx(evidence.posterior(population)[0], abs=1e-12)  # the same
    for i, step in enumerate(STEP * np.eye(len(row))):
        up, down = (
            evidence.posterior(NormalPopulation.unpacked(row + way * step, 3, columns))[0]
            for way in (1, -1)
        )
        assert scores[:, i] == pytest.approx((up - down) / (2 * STEP), abs=SLOPES), i


def test_information_is_minus_the_second_differences(example):
    evidence, population = example
    row, columns, h = population.packed(), population.coefficients.shape[1], 1e-3
    found = information(evidence, population)
    scale = np.sqrt(np.abs(np.diag(found)))

    def value(step):
        return evidence.log_likelihood(NormalPopulation.unpacked(row + step, 3, columns))

    rng = np.random.default_rng(0)
    for _ in range(12):  # along random directions: all entries take part
        way = rng.normal(size=len(row)) / scale
        terms = [-value(2 * h * way), 16 * value(h * way), 16 * value(-h * way)]
        terms += [-value(-2 * h * way), -30 * value(0 * way)]
        bent = -sum(terms) / (12 * h * h)
        assert way @ found @ way == pytest.approx(bent, abs=CURVATURE * len(row))


def test_rounds_of_em_never_lose(example):
    evidence, here = example
    values = []
    for _ in range(6):
        here, value = evidence.better(here)
        values.append(value)
    assert (np.diff(values) > -1e-9).all()  # rounding


def test_no_population_nearby_is_likelier_than_the_most_likely():
    found = normal_of(panel_of(made_comparisons(varied(30), each=1, questions=30)), count=2048)
    evidence, best = found.evidence, found.population
    assert found.converged
    assert evidence.log_likelihood(best) == pytest.approx(found.log_likelihood, abs=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(20):
        row = best.packed() + rng.normal(0.0, 0.1, best.parameters)
        other = NormalPopulation.unpacked(row, best.size, 1)
        assert evidence.log_likelihood(other) < found.log_likelihood
    _, value, converged = fit_normal(evidence, best)
    assert converged
    assert value == pytest.approx(found.log_likelihood, abs=1e-4)  # where the slope is small


@pytest.mark.parametrize(("each", "questions"), [(3, 40), (20, 39)])
def test_people_who_are_alike_have_one_rule_and_hardly_any_spread(each, questions):
    # Nodes that are farther apart than people must not make a narrow population likely.
    panel = panel_of(made_comparisons(((0.2, (0.6, 0.4), 12.0),), each=each, questions=questions))
    found, one = normal_of(panel, count=2048), types_of(panel, 1)
    # Two more than one rule at most, by chance; less only by the least spread that there is.
    assert one.log_likelihood - 0.5 < found.log_likelihood < one.log_likelihood + 2.0
    assert np.linalg.eigvalsh(found.population.covariance).min() < 0.011


def test_nodes_far_apart_tell_nothing_of_a_narrow_population():
    panel = panel_of(made_comparisons(((0.2, (0.6, 0.4), 12.0),), each=3))
    evidence = evidence_on(panel, lattice(POPULATION, 7, 4.0))
    narrow = NormalPopulation(POPULATION.coefficients, 1e-4 * np.eye(3))
    assert not evidence.resolves(narrow)
    # One node is all that is left, and its rule cannot be likelier than the likeliest rule.
    assert evidence.log_likelihood(narrow) <= types_of(panel, 1).log_likelihood
    assert not fit_normal(evidence, narrow)[2]


def test_error_is_that_of_nodes_drawn_at_random():
    # Nodes serve everybody at once, so that errors of single people do not cancel.
    rng = np.random.default_rng(0)
    panel = panel_of(made_comparisons(each=5, questions=12))
    whole = evidence_on(panel, lattice(POPULATION, 13, 4.0))
    values, told = [], []
    for _ in range(40):
        drawn = rng.multivariate_normal(
            POPULATION.coefficients[:, 0], POPULATION.covariance, size=400
        )
        there = Nodes(drawn, np.zeros(400))
        logs = -POPULATION.log_density(there, np.ones((1, 1)))[0] - np.log(400)
        nodes = Nodes(drawn, logs)
        part = Evidence(
            nodes,
            likelihoods(panel, coordinates_of(panel), nodes, np.empty(0)),
            whole.design,
        )
        values.append(part.log_likelihood(POPULATION))
        told.append(part.error(POPULATION))
    # The spread of 40 numbers is known to 11%; three times that.
    assert np.mean(told) == pytest.approx(np.std(values), rel=0.3)

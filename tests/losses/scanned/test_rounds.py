"""Rounds over files: sums, kernels and derivatives against decisions in memory."""

from __future__ import annotations

import mpmath
import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.scanned_worlds import menus_written, written
from welfarist.base.engines import Threads
from welfarist.base.progress import Progress
from welfarist.decisions import Choices
from welfarist.decisions.scanned import parquet
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, loss_of_choices, loss_of_comparisons
from welfarist.losses.scanned.answers import Answer
from welfarist.losses.scanned.loss import (
    loss_of_scanned_choices,
    loss_of_scanned_comparisons,
    rounds_over,
)
from welfarist.losses.scanned.menu_round import MenuRound
from welfarist.losses.scanned.pair_round import PairRound
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting

# Sums of thousands of terms in another order.
ROUNDING = 1e-11
# Central differences of a mean loss, steps of 1e-5.
DIFFERENCES = 1e-8
POINT = Point(np.array([0.4, 0.3, 0.2, 0.1]), -0.7, np.array([1.0]))


def loss_in_files(world, noise=LOGISTIC, kernel="auto", **options):
    scanned = world.scan(**options)
    rounds = rounds_over(scanned, Threads(2), Progress(False), None)
    people = Weighting(world.utilities.shape[1])
    return loss_of_scanned_comparisons(
        rounds, scanned, POWER_MEAN, people, True, noise, 1e6, kernel
    )


def loss_in_memory(world, noise=LOGISTIC):
    people = Weighting(world.utilities.shape[1])
    return loss_of_comparisons(world.comparisons, POWER_MEAN, people, True, noise, 1e6)


def point_of(noise):
    return Point(POINT.weights, POINT.p, np.array([1.0, 0.05][: len(noise.parameters)]))


@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE])
@pytest.mark.parametrize("kernel", ["compiled", "numpy"])
@pytest.mark.parametrize("counts", [False, True])
def test_value_gradient_and_accuracy_are_those_in_memory(tmp_path, noise, kernel, counts):
    world = written(tmp_path, rows=8000, counts=counts, ties=0.1)
    one, other = loss_in_files(world, noise, kernel), loss_in_memory(world, noise)
    here, there = one.evaluate(point_of(noise)), other.evaluate(point_of(noise))
    assert here.value == pytest.approx(there.value, rel=ROUNDING)
    np.testing.assert_allclose(here.gradient(), there.gradient(), rtol=1e-8, atol=ROUNDING)
    assert one.observed.accuracy(here.response) == pytest.approx(
        other.observed.accuracy(there.response), rel=ROUNDING
    )
    assert one.observed.total == other.observed.total
    assert one.observed.null_loss() == pytest.approx(other.observed.null_loss(), rel=ROUNDING)


def test_the_gradient_is_that_of_differences(tmp_path):
    loss = loss_in_files(written(tmp_path, rows=6000))
    gradient, step = loss.evaluate(POINT).gradient(), 1e-5

    def value(p, log_tau):
        return loss.evaluate(Point(POINT.weights, p, np.array([log_tau]))).value

    t = np.arcsinh(POINT.p)
    by_t = (value(np.sinh(t + step), 1.0) - value(np.sinh(t - step), 1.0)) / (2 * step)
    by_tau = (value(POINT.p, 1.0 + step) - value(POINT.p, 1.0 - step)) / (2 * step)
    np.testing.assert_allclose(gradient[-2:], [by_t, by_tau], rtol=1e-6, atol=DIFFERENCES)


def test_a_part_has_the_loss_of_sixty_digits(tmp_path):
    world = written(tmp_path, rows=300, parts=1, ties=0.2)
    scanned = world.scan()
    values = np.random.default_rng(1).normal(size=600) * 20.0
    extras = np.array([0.3])
    with mpmath.workdps(60):
        tau, total = mpmath.exp(mpmath.mpf(0.3)), mpmath.mpf(0)
        for (a, b), y in zip(world.comparisons.pairs, world.comparisons.outcomes, strict=True):
            z = tau * (mpmath.mpf(values[a]) - mpmath.mpf(values[b]))
            wins, losses = mpmath.log1p(mpmath.exp(-z)), mpmath.log1p(mpmath.exp(z))
            total += {1: wins, -1: losses, 0: (wins + losses) / 2}[int(y)]
    for kernel in ("compiled", "numpy"):
        question = PairRound(scanned.columns, LOGISTIC, values, extras, kernel)
        assert question(scanned.files.parts[0]).loss == pytest.approx(float(total), rel=1e-14)


def test_equals_are_half_right(tmp_path):
    world = written(tmp_path, rows=200, parts=1)
    scanned = world.scan()
    for kernel in ("compiled", "numpy"):
        question = PairRound(scanned.columns, LOGISTIC, np.ones(600), np.zeros(1), kernel)
        assert question(scanned.files.parts[0]).right == 100.0


def test_somebody_with_nothing_is_worked_out_without_the_compiled_kernel(tmp_path):
    world = written(tmp_path, rows=2000, parts=1)
    scanned = world.scan()
    values = np.random.default_rng(0).normal(size=600)
    values[3] = -np.inf
    answers = [
        PairRound(scanned.columns, LAPSE, values, np.array([0.0, 0.1]), kernel)(
            scanned.files.parts[0]
        )
        for kernel in ("compiled", "numpy")
    ]
    assert answers[0].loss == answers[1].loss
    assert np.isfinite(answers[0].loss)


def test_actions_that_nobody_compared_are_left_out(tmp_path):
    world = written(tmp_path, rows=8000)
    utilities = np.vstack([world.utilities, np.zeros((5, 4))])
    more = type(world)(utilities, world.folder, world.comparisons)
    one, other = loss_in_files(more), loss_in_files(world)
    assert one.people.size == 600 * 4
    assert one.evaluate(POINT).value == other.evaluate(POINT).value
    assert not one.has_zeros


@pytest.mark.parametrize("noise", [LOGISTIC, LAPSE])
@pytest.mark.parametrize("kernel", ["compiled", "numpy"])
def test_menus_have_value_and_gradient_of_those_in_memory(tmp_path, noise, kernel):
    utilities, choices = menus_written(tmp_path, rows=3000)
    scanned = Choices.scan(tmp_path, utilities, share=1000)
    rounds = rounds_over(scanned, Threads(1), Progress(False), None)
    model = POWER_MEAN, Weighting(3), True, noise, 1e6
    one = loss_of_scanned_choices(rounds, scanned, *model, kernel)
    other = loss_of_choices(choices, *model)
    point = Point(np.array([0.5, 0.3, 0.2]), -0.4, point_of(noise).extras)
    here, there = one.evaluate(point), other.evaluate(point)
    assert here.value == pytest.approx(there.value, rel=ROUNDING)
    np.testing.assert_allclose(here.gradient(), there.gradient(), rtol=1e-8, atol=ROUNDING)
    assert one.observed.accuracy(here.response) == pytest.approx(
        other.observed.accuracy(there.response), rel=ROUNDING
    )
    assert one.observed.null_loss() == pytest.approx(other.observed.null_loss(), rel=ROUNDING)


def test_equally_good_actions_of_a_menu_share_what_is_right(tmp_path):
    utilities, _ = menus_written(tmp_path, rows=300)
    scanned = Choices.scan(tmp_path, utilities)
    sizes = [len(m) for m in pq.read_table(tmp_path)["menu"].to_pylist()]
    for kernel in ("compiled", "numpy"):
        question = MenuRound(scanned.columns, LOGISTIC, np.zeros(300), np.zeros(1), kernel)
        found = Answer.total(map(question, scanned.files.parts))
        assert found.right == pytest.approx(sum(1 / k for k in sizes), rel=ROUNDING)
        assert found.loss == pytest.approx(sum(np.log(sizes)), rel=ROUNDING)


def test_sums_have_the_same_digits_on_one_thread_and_on_several(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_ROWS", 2000)
    world = written(tmp_path, rows=20_000)
    scanned = world.scan()
    assert len(scanned.files.parts) >= 5
    question = PairRound(
        scanned.columns, LOGISTIC, np.log(world.utilities[:, 0]), np.zeros(1), "compiled"
    )
    found = [
        Answer.total(Threads(count).in_order(question, scanned.files.parts)) for count in (1, 2, 3)
    ]
    assert {answer.loss for answer in found} == {found[0].loss}
    for answer in found[1:]:
        np.testing.assert_array_equal(answer.pull, found[0].pull)


def test_a_question_that_was_asked_before_costs_no_pass(tmp_path):
    loss = loss_in_files(written(tmp_path, rows=6000))
    value = loss.evaluate(POINT).value
    rounds = loss.observed.rounds
    assert rounds.made == 1
    assert loss.evaluate(POINT).value == value
    assert rounds.made == 1

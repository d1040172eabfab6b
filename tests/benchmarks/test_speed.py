"""Which cells of the table of speed are losing ones, and when a median is steady."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.contenders import LOG_TAU, Timing, equal, objective
from benchmarks.report import Outcome, losing_table, lost, table
from benchmarks.steady import FEWEST, Runs, measured

from benchmarks import problems, rivals


def outcome(*timings):
    ours = Timing("welfarist", 1.0, 0.01)
    return Outcome("a problem", "people", 5, (ours, *(Timing(*given) for given in timings)))


def test_losing_cells_are_those_of_quicker_rivals_and_of_lower_losses():
    cells = lost([
        outcome(
            ("SLSQP", 1.0 + 5e-9, 0.002),  # as good, and quicker
            ("least_squares", 1.0, 0.02),  # as good, and slower
            ("L-BFGS, memory 10", 1.1, 0.001),  # quicker, and worse
            ("trust-constr", 0.9, 5.0),  # slower, and better
            ("one evaluation (NumPy)", 0.5, 1e-5),
            ("welfarist, one start", 1.0, 0.001),
        )
    ])  # fmt: skip
    assert [cell.rival.contender for cell in cells] == ["trust-constr", "SLSQP"]
    assert cells[1].ratio == 0.2
    assert cells[0].excess > 0.1


def test_the_table_says_what_was_lost_or_that_nothing_was():
    assert "| a problem | SLSQP | 0.002 | 0.01 | 0.2 | equal |" in losing_table([
        outcome(("SLSQP", 1.0, 0.002))
    ])  # fmt: skip
    nothing = [outcome(("SLSQP", 1.0, 0.02))]
    assert losing_table(nothing).startswith("No rival is quicker")
    assert "|  | SLSQP | 1 | 0.02 | 2 |" in table(nothing)


def test_runs_go_on_until_their_median_is_steady():
    runs = Runs(lambda: 7, seconds=[0.01] * (FEWEST - 1))
    assert not runs.is_steady(10.0)
    runs.seconds.append(0.01)
    assert runs.is_steady(10.0)
    drifting = Runs(lambda: 7, seconds=[0.02] * FEWEST + [0.01] * FEWEST)
    assert not drifting.is_steady(10.0)
    assert drifting.is_steady(0.1)  # there is no time for more
    assert Runs(lambda: 7, seconds=[2.0]).is_steady(10.0)


def test_contenders_take_turns():
    order = []
    works = [lambda: order.append("a"), lambda: order.append("b")]
    found = measured(works, 0.01)
    assert "".join(order).startswith("aabb" + "ab" * (FEWEST - 1))
    assert min(len(runs.seconds) for runs in found) >= FEWEST


@pytest.mark.parametrize("method", [rivals.slsqp, rivals.trust_constr])
@pytest.mark.filterwarnings("ignore:delta_grad")  # of trust-constr, about its own approximation
def test_a_loss_is_that_of_a_rule(method):
    problem = problems.scores(0, 40, 3)
    found = method(objective(problem), equal(problem), 1.0, LOG_TAU)
    assert found.weights.min() >= 0.0
    assert found.weights.sum() == pytest.approx(1.0, abs=1e-15)
    there = objective(problem)(found.weights, found.p, float(np.log(found.tau)))[0]
    assert found.loss == pytest.approx(there, rel=1e-15)

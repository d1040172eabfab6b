"""One adapter per contender: the same problem in, a loss and a time out.

Every contender starts from equal weights and p = 1, the first thing one would try.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import welfarist as wf
from benchmarks import rivals
from benchmarks.problems import ComparisonProblem, ScoreProblem

Problem = ScoreProblem | ComparisonProblem
LOG_TAU = float(np.log(3.0))


@dataclass(frozen=True)
class Contender:
    """A way of solving a problem.

    Attributes
    ----------
    name : str
    solve : callable
        Takes a problem and gives the loss reached, None if it does not apply.
    most : int
        Entries of the table (decisions x people) beyond which it would take too long.
    repeats : int
        Runs, of which the fastest counts.
    part_of_grid : float
        Share of the whole work that was done; the time is extrapolated if it is not 1.
    """

    name: str
    solve: Callable[[Problem], float | None]
    most: float = np.inf
    repeats: int = 1
    part_of_grid: float = 1.0


@dataclass(frozen=True)
class Timing:
    """Loss and seconds of a contender; seconds are extrapolated if only a part was run."""

    contender: str
    loss: float
    seconds: float
    extrapolated: bool = field(default=False)


def fit(problem: Problem, **options: Any) -> float:
    """Loss of a fit with our estimators."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        if isinstance(problem, ScoreProblem):
            est = wf.WelfareRegressor(**options)
            return float(est.fit(problem.utilities, problem.scores).loss_)
        chosen = wf.ComparisonClassifier(**options)
        return float(chosen.fit(problem.comparisons()).loss_)


def objective(problem: Problem) -> rivals.Objective:
    """The problem's loss as a plain NumPy function with exact gradients."""
    if isinstance(problem, ScoreProblem):
        return rivals.score_objective(problem.utilities, problem.scores)
    return rivals.comparison_objective(problem.utilities, problem.pairs, problem.outcomes)


def equal(problem: Problem) -> rivals.Array:
    people = problem.utilities.shape[1]
    return np.full(people, 1.0 / people)


def lbfgs_starts(problem: Problem, starts: int) -> float:
    function, rng = objective(problem), np.random.default_rng(0)
    losses = []
    for start in range(starts):
        weights = rng.dirichlet(np.ones(len(equal(problem)))) if start else equal(problem)
        p = rng.uniform(-8, 8) if start else 1.0
        losses.append(rivals.softmax_lbfgs(function, weights, p, LOG_TAU, memory=20).loss)
    return min(losses)


def least_squares(problem: Problem) -> float | None:
    if not isinstance(problem, ScoreProblem):
        return None
    return rivals.softmax_least_squares(problem.utilities, problem.scores, equal(problem), 1.0).loss


def one_evaluation(problem: Problem) -> float:
    """One plain NumPy evaluation of the loss at the truth, without its gradient: the limit."""
    logs = np.log(problem.utilities)  # what a solver would keep; timed with the rest
    welfare = np.log(np.exp(problem.p * logs) @ problem.weights) / problem.p
    if isinstance(problem, ScoreProblem):
        return float(np.mean((np.exp(welfare) - problem.scores) ** 2))
    first, second = problem.pairs[:, 0], problem.pairs[:, 1]
    z = problem.tau * (welfare[first] - welfare[second]) * problem.outcomes
    return float(np.mean(np.logaddexp(0.0, -z)))


def contenders(quick: bool) -> list[Contender]:
    """All contenders, ours first."""
    part = [0.0, 0.1] if quick else None  # powers of the shortened grid

    def grid(problem: Problem) -> float:
        solver = wf.Grid() if part is None else wf.Grid(lower=part[0], upper=part[1])
        return fit(problem, solver=solver, progress=False)

    def start(method: Callable[..., rivals.Rival]) -> Callable[[Problem], float]:
        return lambda problem: method(objective(problem), equal(problem), 1.0, LOG_TAU).loss

    share = 1.0 if part is None else len(part) / 71
    return [
        Contender("welfarist", fit, repeats=7),
        Contender("welfarist, one start", lambda q: fit(q, n_starts=1), repeats=7),
        Contender("one evaluation (NumPy)", one_evaluation, repeats=7),
        Contender("SLSQP", start(rivals.slsqp), most=3e6, repeats=3),
        Contender("L-BFGS, one start", start(rivals.softmax_lbfgs), most=1e6),
        Contender("L-BFGS, 20 starts", lambda q: lbfgs_starts(q, 20), most=2e5 if quick else 1e6),
        Contender("least_squares", least_squares, repeats=3),
        Contender("trust-constr", start(rivals.trust_constr), most=4e4),
        Contender("two-stage (paper)", lambda q: fit(q, solver="two_stage"), most=1e6),
        Contender("grid (paper)", grid, most=4e4, part_of_grid=share),
    ]


def run(contender: Contender, problem: Problem) -> Timing | None:
    """Solve a problem, several times if it is quick; None if the contender does not apply."""
    decisions = len(problem.scores if isinstance(problem, ScoreProblem) else problem.pairs)
    if decisions * problem.utilities.shape[1] > contender.most:
        return None
    best, loss = np.inf, None
    for _ in range(contender.repeats):
        start = time.perf_counter()
        loss = contender.solve(problem)
        best = min(best, time.perf_counter() - start)
        if loss is None:
            return None
    assert loss is not None
    share = contender.part_of_grid
    return Timing(contender.name, loss, best / share, share < 1)

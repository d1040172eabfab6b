"""One adapter per contender: the same problem in, a loss and a time out.

Every contender starts from equal weights and p = 1, the first thing one would try. All minimise the
loss that the default fit minimises: where decisions are so few that it charges for certainty, the
rivals' objective does so as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import welfarist as wf
from benchmarks import rivals
from benchmarks.problems import ComparisonProblem, ScoreProblem
from benchmarks.steady import measured

Problem = ScoreProblem | ComparisonProblem
LOG_TAU = float(np.log(3.0))
OURS = "welfarist"
# The quick benchmark's grid takes every tenth of the paper's powers from all of its range, as how
# long one takes depends on how far out it is: what follows is within 8% of the whole grid's time.
SHORT = wf.Grid(lower=-3.0, upper=3.0, step=1.0)


@dataclass(frozen=True)
class Contender:
    """A way of solving a problem.

    Attributes
    ----------
    name : str
    solve : callable
        Takes a problem and gives the loss reached.
    most : int
        Entries of the table (decisions x people) beyond which it would take too long.
    part_of_grid : float
        Share of the whole work that was done; the time is extrapolated if it is not 1.
    """

    name: str
    solve: Callable[[Problem], float]
    most: float = np.inf
    part_of_grid: float = 1.0


@dataclass(frozen=True)
class Timing:
    """Loss and seconds of a contender; seconds are extrapolated if only a part was run.

    `seconds` are CPU time, the median of `runs`.
    """

    contender: str
    loss: float
    seconds: float
    extrapolated: bool = field(default=False)
    runs: int = 1


def fit(problem: Problem, **options: Any) -> float:
    """What a fit with our estimators has minimised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        if isinstance(problem, ScoreProblem):
            est = wf.WelfareRegressor(**options)
            return float(est.fit(problem.utilities, problem.scores).loss_)
        chosen = wf.ComparisonClassifier(**options).fit(problem.comparisons())
        if "small_sample" in options or not is_charged(problem):
            return float(chosen.loss_)
        return charged(problem, chosen)


def is_charged(problem: ComparisonProblem) -> bool:
    """Whether the default fit charges for certainty: fewer than 50 decisions a number."""
    return bool(len(problem.pairs) < 50 * (problem.utilities.shape[1] + 1))


def charged(problem: ComparisonProblem, fitted: Any) -> float:
    """The loss of a fit with what is charged for certainty."""
    if not np.isfinite(fitted.p_):
        return float(np.nan)
    return objective(problem)(fitted.weights_, fitted.p_, float(np.log(fitted.tau_)))[0]


def objective(problem: Problem) -> rivals.Objective:
    """The problem's loss as a plain NumPy function with exact gradients."""
    if isinstance(problem, ScoreProblem):
        return rivals.score_objective(problem.utilities, problem.scores)
    given = problem.utilities, problem.pairs, problem.outcomes
    if is_charged(problem):
        return rivals.charged_objective(*given, problem.utilities.shape[1])
    return rivals.comparison_objective(*given)


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


def least_squares(problem: Problem) -> float:
    assert isinstance(problem, ScoreProblem)
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
    whole = wf.Grid()
    solver = SHORT if quick else whole

    def grid(problem: Problem) -> float:
        return fit(problem, solver=solver, progress=False)

    def start(method: Callable[..., rivals.Rival]) -> Callable[[Problem], float]:
        return lambda problem: method(objective(problem), equal(problem), 1.0, LOG_TAU).loss

    def lbfgs(memory: int) -> Callable[[Problem], float]:
        def run(problem: Problem) -> float:
            given = objective(problem), equal(problem), 1.0, LOG_TAU
            return rivals.softmax_lbfgs(*given, memory=memory).loss

        return run

    share = len(solver.powers()) / len(whole.powers())
    return [
        Contender(OURS, fit),
        Contender(f"{OURS}, one start", lambda q: fit(q, n_starts=1)),
        Contender("one evaluation (NumPy)", one_evaluation),
        Contender("SLSQP", start(rivals.slsqp), most=3e6),
        Contender("L-BFGS, memory 10", lbfgs(10), most=1e6 if quick else 3e6),
        Contender("L-BFGS, memory 20", lbfgs(20), most=1e6 if quick else 3e6),
        Contender("L-BFGS, 20 starts", lambda q: lbfgs_starts(q, 20), most=2e5 if quick else 1e6),
        Contender("least_squares", least_squares),
        Contender("trust-constr", start(rivals.trust_constr), most=4e4),
        Contender("two-stage (paper)", lambda q: fit(q, solver="two_stage"), most=1e6),
        Contender("grid (paper)", grid, most=4e4, part_of_grid=share),
    ]


def run(field: list[Contender], problem: Problem, budget: float) -> list[Timing]:
    """Solve a problem with all contenders that apply, in turns until medians are steady."""
    decisions = len(problem.scores if isinstance(problem, ScoreProblem) else problem.pairs)
    scored = isinstance(problem, ScoreProblem)
    entries = decisions * problem.utilities.shape[1]
    there = [c for c in field if entries <= c.most and (scored or c.name != "least_squares")]
    every = measured([partial(c.solve, problem) for c in there], budget)
    return [
        Timing(
            c.name,
            runs.found,
            runs.median / c.part_of_grid,
            c.part_of_grid < 1,
            len(runs.seconds),
        )
        for c, runs in zip(there, every, strict=True)
    ]

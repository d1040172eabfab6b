"""The cells that `against` compares, run by the tree that the environment points to.

Reads numbers of cells from standard input, and answers with the CPU seconds that each took and the
loss that it reached, if it has one.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import welfarist as wf
from benchmarks import problems
from benchmarks.__main__ import catalogue
from benchmarks.contenders import contenders, fit

OURS = ("welfarist", "two-stage", "grid")
Cells = dict[str, Callable[[], Any]]


def quick_benchmark() -> Cells:
    """Our own contenders on the problems of the quick benchmark."""
    cells: Cells = {}
    for name, _, _, problem in catalogue(True):
        scored = hasattr(problem, "scores")
        size = len(problem.scores if scored else problem.pairs)  # type: ignore[union-attr]
        for contender in contenders(True):
            fits = size * problem.utilities.shape[1] <= contender.most
            if fits and contender.name.startswith(OURS):
                cells[f"{name}: {contender.name}"] = partial(contender.solve, problem)
    large = problems.comparisons(0, 100_000, 18, 1_000_000)
    cells["1,000,000 comparisons, 18 people"] = lambda: wf.ComparisonClassifier().fit(
        large.comparisons()
    )
    table = np.random.default_rng(0).uniform(1, 1000, (1_000_000, 18))
    weights = np.random.default_rng(1).dirichlet(np.ones(18))
    cells["power_mean of 1,000,000 x 18"] = partial(wf.power_mean, table, -1.62)
    cells["the same with weights"] = partial(wf.power_mean, table, -1.62, weights)
    return cells


def small_fits() -> Cells:
    """Fits of little data whose search goes far."""
    cells: Cells = {}
    for problem, size in ((problems.comparisons(0, 100, 5), "5 people, 1,000 comparisons"),
                          (problems.scores(0, 200, 18), "18 people, 200 scores")):  # fmt: skip
        known = list(problem.weights)
        cells[f"small: known weights, {size}"] = partial(fit, problem, weights=known)
        cells[f"small: equal weights, {size}"] = partial(fit, problem, weights="equal")
    few = problems.comparisons(1, 30, 6, 90)
    cells["small: 90 comparisons, 6 people"] = partial(fit, few)
    turned = replace(few, outcomes=-few.outcomes)
    cells["small: reversed, 90 comparisons, 6 people"] = partial(fit, turned)
    cells["small: with slips, 90 comparisons, 6 people"] = partial(fit, few, noise="lapse")
    choices = menus(2, 39, 8)
    cells["small: 39 choices from menus, 8 people"] = lambda: _loss(
        wf.ChoiceLearner(random_state=0).fit(choices)
    )
    sure = problems.comparisons(3, 60, 3, 200, tau=1e6)
    cells["small: noise-free, 200 comparisons, 3 people"] = partial(fit, sure)
    certain = problems.comparisons(4, 263, 3, 2629, tau=1e6)
    cells["small: noise-free, 2,629 comparisons, 3 people"] = partial(fit, certain)
    cells["small: noise='none', 2,629 comparisons, 3 people"] = partial(fit, certain, noise="none")
    return cells


def menus(seed: int, count: int, people: int) -> wf.Choices:
    """Choices among four of 30 actions, with logistic noise."""
    rng = np.random.default_rng(seed)
    table = problems.utilities(rng, 30, people)
    value = 8.0 * wf.log_power_mean(table, -1.0, rng.dirichlet(np.ones(people)))
    offered = [rng.choice(30, 4, replace=False) for _ in range(count)]
    chosen = [menu[np.argmax(value[menu] + rng.gumbel(size=4))] for menu in offered]
    return wf.Choices(table, offered, chosen)


def _loss(fitted: Any) -> float:
    """What a fit has minimised, with what is charged for certainty."""
    likelihood = fitted.result_.likelihood
    return float(likelihood.loss.evaluate(likelihood.point).value)


def after_the_fit(folder: Path) -> Cells:
    """What is asked of a fit, and the command that does all of it."""
    problem = problems.comparisons(3, 100, 5, 1000)

    def result() -> Any:
        return wf.ComparisonClassifier().fit(problem.comparisons()).result_

    def everything() -> None:
        fit = result()
        fit.summary()
        fit.misfit()
        fit.report(folder / "report.html")

    return {
        "fit and summary, 1,000 comparisons": lambda: result().summary(),
        "fit and bootstrap of 99": lambda: result().bootstrap(99),
        "fit, summary, checks and report": everything,
        "welfarist fit --report": partial(_command, _files(folder, problem), folder),
    }


def _files(folder: Path, problem: Any) -> tuple[str, str]:
    actions, decisions = folder / "actions.csv", folder / "decisions.csv"
    rows = [",".join(map(str, [f"a{i}", *row])) for i, row in enumerate(problem.utilities.tolist())]
    people = ",".join(f"person{i}" for i in range(problem.utilities.shape[1]))
    actions.write_text("\n".join([f"action,{people}", *rows]))
    chosen = np.where(problem.outcomes[:, None] > 0, problem.pairs, problem.pairs[:, ::-1])
    pairs = [f"a{i},a{j}" for i, j in chosen.tolist()]
    decisions.write_text("\n".join(["preferred,other", *pairs]))
    return str(actions), str(decisions)


def _command(files: tuple[str, str], folder: Path) -> float:
    """CPU seconds of the command, start and all."""
    code = "from welfarist.cli import main; main()"
    options = ["--comparisons", files[1], "--report", str(folder / "command.html")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-P", "-c", code, "fit", files[0], *options],
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Name the cells, then run those that are asked for."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        cells = {**small_fits(), **quick_benchmark(), **after_the_fit(Path(folder))}
        print(json.dumps(list(cells)), flush=True)
        works = list(cells.values())
        for line in sys.stdin:
            work, start = works[int(line)], time.process_time()
            found: Any = work()
            seconds = time.process_time() - start
            if work is cells["welfarist fit --report"]:
                found, seconds = None, found
            print(json.dumps([seconds, found if isinstance(found, float) else None]), flush=True)


if __name__ == "__main__":
    main()

"""Choices from menus beside what a user would pick instead: `python -m benchmarks.menus`.

100,000 menus of 10 from 10,000 actions for 18 people are learned from by `ChoiceLearner`, by SLSQP
from one start with exact gradients, written in NumPy or our own, and, at p = 0, where log M is
linear, by xlogit if it is installed (`pip install xlogit`). All in one thread, in turns, in CPU
seconds; what counts are ratios. A *plain evaluation* is the loss in a dozen lines of NumPy. Writes
docs/benchmarks_menus.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
MENUS, SIZE, ACTIONS, PEOPLE = 100_000, 10, 10_000, 18
POWER, TAU, SEED = -1.0, 20.0, 20
TURNS = 5


def world(p: float, tau: float) -> tuple[Any, Any, Any, Any]:
    """Utilities, weights, menus and chosen rows of one rule."""
    import numpy as np

    import welfarist as wf

    rng = np.random.default_rng(SEED)
    utilities = rng.uniform(1, 10, (ACTIONS, PEOPLE))
    weights = rng.dirichlet(np.full(PEOPLE, 3.0))
    # Distinct actions of each menu: steps of at least one around the circle of all.
    steps = rng.integers(1, ACTIONS // SIZE, (MENUS, SIZE)).cumsum(axis=1)
    menus = (steps + rng.integers(0, ACTIONS, (MENUS, 1))) % ACTIONS
    value = tau * wf.log_power_mean(utilities, p, weights)[menus]
    best = (value + rng.gumbel(size=value.shape)).argmax(axis=1)
    return utilities, weights, menus, menus[np.arange(MENUS), best]


def seconds_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of some work, and what it returns."""
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def plain_evaluation(utilities: Any, weights: Any, menus: Any, chosen: Any) -> float:
    """The mean loss at one point, as anybody would write it."""
    import numpy as np

    logs, p, tau = np.log(utilities.T), -0.9, 18.0
    top = logs.min(axis=0)
    value = tau * (top + np.log(weights @ np.exp(p * (logs - top))) / p)
    offered = value[menus]
    most = offered.max(axis=1)
    total = most + np.log(np.exp(offered - most[:, None]).sum(axis=1))
    return float((total - value[chosen]).mean())


def written_out(utilities: Any, menus: Any, chosen: Any) -> Callable[[Any], Any]:
    """The loss and its exact gradient by weights, asinh p and log tau, in plain NumPy."""
    import numpy as np

    logs, d = np.log(utilities.T), PEOPLE
    rows, place = menus.reshape(-1), (menus == chosen[:, None]).astype(float)

    def value(x: Any) -> Any:
        weights, t, tau = np.maximum(x[:d], 1e-9), x[d], np.exp(x[d + 1])
        p = np.sinh(t)
        top = logs.max(axis=0) if p > 0 else logs.min(axis=0)
        powers = np.exp(p * (logs - top))
        sums = weights @ powers
        whole = weights.sum()
        log_mean = top + np.log(sums / whole) / p
        ratio = powers / sums
        by_weight = (ratio - 1.0 / whole) / p
        by_power = (weights @ (ratio * logs) - log_mean) / p
        offered = tau * log_mean[menus]
        offered -= offered.max(axis=1, keepdims=True)
        grown = np.exp(offered)
        total = grown.sum(axis=1, keepdims=True)
        loss = float((np.log(total)[:, 0] - (offered * place).sum(axis=1)).mean())
        error = (grown / total - place) / len(menus)
        pull = np.bincount(rows, error.reshape(-1), minlength=ACTIONS) * tau
        slope = [by_weight @ pull, [by_power @ pull * np.cosh(t)], [pull @ log_mean]]
        return loss, np.concatenate(slope)

    return value


def ours(choices: Any) -> Callable[[Any], Any]:
    """The same by our own code."""
    import numpy as np

    from welfarist.families.power_mean.family import POWER_MEAN
    from welfarist.losses import Point, loss_of_choices
    from welfarist.noise.choices import LOGISTIC
    from welfarist.people.weighting import Weighting

    d = PEOPLE
    loss = loss_of_choices(choices, POWER_MEAN, Weighting(d), True, LOGISTIC, 1e6)

    def value(x: Any) -> Any:
        weights = np.maximum(x[:d], 1e-9)
        here = loss.evaluate(Point(weights, float(np.sinh(x[d])), x[d + 1 :]))
        slope = here.gradient()
        slope[:d] /= weights  # which is by log weights
        return here.value, slope

    return value


def slsqp(value: Callable[[Any], Any]) -> float:
    """The loss that SLSQP reaches from equal weights and p = 1."""
    import numpy as np
    from scipy.optimize import minimize

    d = PEOPLE
    start = np.concatenate([np.full(d, 1 / d), [np.arcsinh(1.0), np.log(5.0)]])
    ones = np.concatenate([np.ones(d), [0.0, 0.0]])
    found = minimize(
        value, start, jac=True, method="SLSQP", bounds=[(1e-9, 1)] * d + [(-6, 6), (-10, 13)],
        constraints=[{"type": "eq", "fun": lambda x: x[:d].sum() - 1, "jac": lambda _: ones}],
        options={"maxiter": 500, "ftol": 1e-12},
    )  # fmt: skip
    return float(found.fun)


def xlogit(utilities: Any, menus: Any, chosen: Any) -> float | None:
    """The mean loss that xlogit reaches at p = 0; None if it is not installed."""
    import numpy as np

    try:
        from xlogit import MultinomialLogit  # type: ignore[import-not-found]
    except ImportError:
        return None
    model = MultinomialLogit()
    model.fit(
        np.log(utilities)[menus].reshape(-1, PEOPLE),
        (menus == chosen[:, None]).reshape(-1).astype(float),
        varnames=[f"person {i}" for i in range(PEOPLE)],
        alts=np.tile(np.arange(SIZE), MENUS),
        ids=np.repeat(np.arange(MENUS), SIZE),
        verbose=0,
    )
    return float(-model.loglikelihood / MENUS)


def measure() -> dict[str, Any]:
    """Measure everything in this process."""
    import welfarist as wf

    data = world(POWER, TAU)
    utilities, _, menus, chosen = data
    names = ("plain", "ours", "slsqp", "written", "nash", "xlogit")
    found: dict[str, Any] = {name: [] for name in names}
    losses: dict[str, float] = {}
    wf.ChoiceLearner().fit(wf.Choices(utilities, menus[:2000], chosen[:2000]))  # imports
    for _ in range(TURNS):
        found["plain"].append(min(seconds_of(lambda: plain_evaluation(*data))[0] for _ in "abc"))
        choices = wf.Choices(utilities, menus, chosen)
        seconds, learned = seconds_of(partial(wf.ChoiceLearner(random_state=0).fit, choices))
        found["ours"].append(seconds)
        seconds, losses["slsqp"] = seconds_of(partial(slsqp, ours(choices)))
        found["slsqp"].append(seconds)
        seconds, losses["written"] = seconds_of(
            partial(slsqp, written_out(utilities, menus, chosen))
        )
        found["written"].append(seconds)
        losses["ours"] = learned.loss_
    utilities, _, menus, chosen = world(0.0, 5.0)
    for _ in range(TURNS):
        choices = wf.Choices(utilities, menus, chosen)
        seconds, learned = seconds_of(partial(wf.ChoiceLearner(p="Nash").fit, choices))
        found["nash"].append(seconds)
        losses["nash"] = learned.loss_
    seconds, other = seconds_of(lambda: xlogit(utilities, menus, chosen))
    if other is not None:
        found["xlogit"].append(seconds)
        losses["xlogit"] = other
    choices = wf.Choices(utilities, menus, chosen)
    tracemalloc.start()
    wf.ChoiceLearner(random_state=0).fit(choices)
    peak = tracemalloc.get_traced_memory()[1]
    given = utilities.nbytes + menus.nbytes + chosen.nbytes
    return {"seconds": found, "losses": losses, "memory": peak / given}


def page(found: dict[str, Any]) -> str:
    """The page in Markdown."""
    least = {name: min(times) for name, times in found["seconds"].items() if times}
    losses = found["losses"]
    lines = [
        "# Menus: how fast",
        "",
        f"{MENUS:,} menus of {SIZE} from {ACTIONS:,} actions for {PEOPLE} people, weights, p and "
        "tau learned. CPU seconds of one thread, the fastest of "
        f"{TURNS} runs in turns (xlogit: one run); read ratios.",
        "",
        "| | CPU s | plain evaluations | mean loss |",
        "| --- | --: | --: | --- |",
        f"| plain evaluation, in NumPy | {least['plain']:.4f} | 1 | |",
        f"| `ChoiceLearner` | {least['ours']:.3f} | {least['ours'] / least['plain']:.0f} | "
        f"{losses['ours']:.10f} |",
        f"| SLSQP, exact gradients in NumPy, one start | {least['written']:.3f} | "
        f"{least['written'] / least['plain']:.0f} | {losses['written']:.10f} |",
        f"| SLSQP with our own loss and gradients, one start | {least['slsqp']:.3f} | "
        f"{least['slsqp'] / least['plain']:.0f} | {losses['slsqp']:.10f} |",
        f'| `ChoiceLearner(p="Nash")` | {least["nash"]:.3f} | '
        f"{least['nash'] / least['plain']:.0f} | {losses['nash']:.10f} |",
    ]
    if "xlogit" in least:
        lines.append(
            f"| xlogit, at p = 0 | {least['xlogit']:.3f} | {least['xlogit'] / least['plain']:.0f} "
            f"| {losses['xlogit']:.10f} |"
        )
    ratios = [
        f"{least['written'] / least['ours']:.1f} times faster than SLSQP "
        f"({least['slsqp'] / least['ours']:.1f} times, if that is given our code)"
    ]
    if "xlogit" in least:
        ratios.append(f"{least['xlogit'] / least['nash']:.0f} times faster than xlogit at p = 0")
    lines += [
        "",
        f"It is {' and '.join(ratios)}. The fit allocates at most "
        f"{found['memory']:.1f} times the memory of utilities and menus.",
        "",
        "Remade by `python -m benchmarks.menus`.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure in a process with one thread, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.menus", description=__doc__)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    if parser.parse_args().here:
        print(json.dumps(measure()))
        return
    command = [sys.executable, "-m", "benchmarks.menus", "--here"]
    ran = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **ONE_THREAD}, check=True, capture_output=True
    )
    text = page(json.loads(ran.stdout.decode().splitlines()[-1]))
    (ROOT / "docs" / "benchmarks_menus.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()

"""What are questions worth? `python -m benchmarks.asking PART [--deciders 200]`.

Parts: `tables` (accuracy after adaptive, designed and random questions), `coverage` (of 95%
intervals where truths come from the prior), `ties` (an indifference band beside half and half),
`stopping` (is the best action the best as often as is said), `speed` (CPU time from an answer to
the next question).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import welfarist as wf
from welfarist.base.progress import Progress

FloatArray = npt.NDArray[np.float64]
SEED = 20
LOW, HIGH, NEW_PAIRS = 1.0, 100.0, 1000
# Differences in log welfare below which simulated people say "equal".
BANDS = (0.02, 0.1)


class Kolm:
    """A rule of another family: averse to absolute differences."""

    def __init__(self, rng: np.random.Generator, people: int) -> None:
        self.weights = rng.dirichlet(np.ones(people))
        self.scale = float(rng.uniform(10.0, 60.0))

    def log(self, utilities: FloatArray) -> FloatArray:
        """Log of what everybody would need to have the same of."""
        least = utilities.min(axis=-1, keepdims=True)
        inside = np.exp(-(utilities - least) / self.scale) @ self.weights
        return np.asarray(np.log(least[..., 0] - self.scale * np.log(inside)))


def tables(deciders: int) -> None:
    """Accuracy and error of asinh p, for several numbers of people and ways to err."""
    settings: list[tuple[str, dict[str, object]]] = [
        ("tau = 20", dict(people=[3, 5, 10])),
        ("tau = 5", dict(people=5, tau=5.0)),
        ("tau = 100", dict(people=5, tau=100.0)),
        ("10% lapses", dict(people=5, rho=0.1)),
        ("another family", dict(people=5, truth=Kolm)),
    ]
    for name, options in settings:
        chosen = wf.asking.study(
            questions=[10, 20], ways=["adaptive", "designed"], deciders=deciders,
            random_state=SEED, **options,  # type: ignore[arg-type]
        )  # fmt: skip
        random = wf.asking.study(
            questions=[20, 50, 75, 100], ways=["random"], deciders=deciders,
            random_state=SEED, **options,  # type: ignore[arg-type]
        )  # fmt: skip
        print(f"{name}\n{chosen}\n{random}\n", flush=True)


def coverage(deciders: int) -> None:
    """How often 95% intervals hold the truth after 20 questions, where truths are the prior's."""
    found = wf.asking.study(
        [2, 3, 5], questions=[20], ways=["adaptive", "random"], deciders=deciders, truth="prior",
        random_state=SEED,
    )  # fmt: skip
    print(found, flush=True)


def ties(deciders: int) -> None:
    """Accuracy of what is learned from the same answers, ties taken in three ways."""
    ways = ("band", "half", "left out")
    for band in BANDS:
        right: dict[str, list[float]] = {way: [] for way in ways}
        share = []
        for i in Progress().track(range(deciders), deciders, f"band {band}"):
            rng = np.random.default_rng([SEED, i])
            rule, table = _drawn(rng, 4)
            interview = wf.Interview(table, random_state=i, most=20)
            for _ in range(20):
                first, second = interview.next()
                one, other = rule.log(table[[first, second]])
                seen = one - other + rng.logistic() / 20.0
                said = "equal" if abs(seen) < band else "first" if seen > 0 else "second"
                interview.answer(said)  # type: ignore[arg-type]
            decided = interview.decisions
            share.append(float(np.mean(decided.outcomes == 0)))
            fresh = rng.uniform(LOW, HIGH, (NEW_PAIRS, 2, 4))
            for way in ways:
                used = decided if way != "left out" else decided[decided.outcomes != 0]
                how = "half" if way == "half" else "band"
                belief = wf.Posterior(used, random_state=i, particles=1000, ties=how)  # type: ignore[arg-type]
                right[way].append(_accuracy(belief, rule, fresh))
        told = ", ".join(f"{way} {np.mean(right[way]):.4f}" for way in ways)
        less = np.array(right["band"]) - np.array(right["half"])
        error = less.std(ddof=1) / np.sqrt(deciders)
        print(
            f"band {band}: {np.mean(share):.0%} ties; accuracy {told}; "
            f"band less half {less.mean():+.4f} ± {error:.4f}",
            flush=True,
        )


def stopping(deciders: int) -> None:
    """How often the recommended action is the best one where that is said to be 0.9 likely."""
    for people in (3, 5):
        said, true, asked = [], [], []
        for i in Progress().track(range(deciders), deciders, f"{people} people"):
            rng = np.random.default_rng([SEED, people, i])
            prior = wf.Prior()
            line = prior.coordinates(people, ties=False)
            drawn = line.rules(prior.draw(line, 1, rng))
            rule = wf.WelfareFunction(float(drawn.powers[0]), drawn.weights[0])
            table = rng.uniform(LOW, HIGH, (100, people))
            interview = wf.Interview(table, aim="best", random_state=i, bits=1e-6)
            while not interview.done:
                one, other = rule.log(table[list(interview.next())])
                z = float(np.clip(drawn.taus[0] * (one - other), -500, 500))
                likely = drawn.rhos[0] + (1 - 2 * drawn.rhos[0]) / (1 + np.exp(-z))
                interview.answer("first" if rng.random() < likely else "second")
            row, chance = interview.recommended
            if chance >= interview.stop.sure:
                said.append(chance)
                true.append(row == int(np.argmax(rule.log(table))))
                asked.append(len(interview.answers))
        print(
            f"{people} people: {len(said)} of {deciders} interviews ended sure, after "
            f"{np.median(asked):.0f} questions; said {np.mean(said):.3f}, true {np.mean(true):.3f}",
            flush=True,
        )


def speed(deciders: int) -> None:
    """CPU time from an answer to the next question."""
    for people, actions in ((5, 200), (5, 500), (18, 300)):
        for aim in (None, "best"):
            times = []
            for i in range(max(1, deciders // 50)):
                rng = np.random.default_rng([SEED, i])
                rule, table = _drawn(rng, people, actions)
                interview = wf.Interview(table, aim=aim, random_state=i, most=50)
                interview.next()
                for _ in range(40):
                    one, other = rule.log(table[list(interview.next())])
                    start = time.process_time()
                    interview.answer("first" if one > other else "second")
                    interview.next()
                    times.append(1000.0 * (time.process_time() - start))
            print(
                f"{people} people, {actions} actions, aim {aim}: median {np.median(times):.0f} ms, "
                f"worst {max(times):.0f} ms",
                flush=True,
            )


def _drawn(
    rng: np.random.Generator, people: int, actions: int = 200
) -> tuple[wf.WelfareFunction, FloatArray]:
    """A rule and a table of actions."""
    power = float(np.sinh(rng.uniform(-2.0, 1.0)))
    rule = wf.WelfareFunction(power, rng.dirichlet(np.ones(people)))
    return rule, rng.uniform(LOW, HIGH, (actions, people))


def _accuracy(belief: wf.Posterior, rule: wf.WelfareFunction, fresh: FloatArray) -> float:
    """Share of new pairs (n, 2, d) on which what is expected agrees with the truth."""
    first = np.asarray(rule.log(fresh[:, 0])) > np.asarray(rule.log(fresh[:, 1]))
    asked = wf.Comparisons.from_arrays(fresh[:, 0], fresh[:, 1], first)
    return float(np.mean((belief.predict_proba(asked)[:, 1] > 0.5) == first))


PARTS: dict[str, Callable[[int], None]] = {
    "tables": tables,
    "coverage": coverage,
    "ties": ties,
    "stopping": stopping,
    "speed": speed,
}


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("--deciders", type=int, default=200)
    given = parser.parse_args()
    PARTS[given.part](given.deciders)


if __name__ == "__main__":
    main()

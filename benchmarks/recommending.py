"""Whether recommendations are as sure as they say: simulated studies, with criteria.

Each of 500 studies draws a rule and its noise from the prior, has that decision maker answer 10 to
60 comparisons of 30 actions about 2 to 5 people, and recommends one of six new actions, for twenty
such sixes. Criteria, written down before any figure was looked at:

* of actions said to be best with probability x, the share that is best lies within 5 points of the
  mean of what was said, in each of ten equal bins that holds 50 or more of all actions, and the
  same for the recommended actions alone;
* expected regret of what is recommended agrees with what is lost by it under the true rule: their
  mean difference over studies lies within two of its standard errors;
* "never best" (of noise-free decisions): over 20 further studies of 3 people no action that is said
  to be never best is best under any of 20,000 rules that explain every decision, or as many as are
  found in 4,000,000 draws; and at most one in 20 actions that are said to be possible is best under
  none of them. Rules are found by rejection from the prior and by walks from those found, since a
  set may be small.

Run ``python -m benchmarks.recommending --seed N``; take a fresh one (``/dev/urandom``).
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

import welfarist as wf
from welfarist.asking.coordinates import Coordinates
from welfarist.asking.evidence import preferred
from welfarist.asking.welfares import Outcomes
from welfarist.recommending.ruled_out import never_best
from welfarist.recommending.standing import Standing

STUDIES, SIXES, PARTICLES = 500, 20, 1000
BINS = 10
ENOUGH, POINTS = 50, 0.05


def study(seed: int) -> dict[str, np.ndarray]:
    """Return what one study says of its sixes of actions, and what was so."""
    rng = np.random.default_rng(seed)
    people, count = int(rng.integers(2, 6)), int(rng.integers(10, 61))
    prior, line = wf.Prior(), Coordinates(people, lapses=True, ties=False)
    truth = line.rules(prior.draw(line, 1, rng))
    table = np.exp(rng.normal(0.0, 0.5, (30, people)))
    pairs = np.array([rng.choice(30, 2, replace=False) for _ in range(count)])
    welfare = Outcomes(table).log_welfare(truth.weights, truth.powers)[0]
    z = truth.taus[0] * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]])
    first, _ = preferred(z[None, :], truth)
    outcomes = np.where(rng.random(count) < first[0], 1, -1)
    belief = wf.Posterior(
        wf.Comparisons(table, pairs, outcomes), random_state=seed, particles=PARTICLES
    )
    draws = wf.draw_rules(belief, PARTICLES, random_state=seed)
    found: dict[str, list[Any]] = {name: [] for name in ("said", "was", "top", "regret", "lost")}
    for _ in range(SIXES):
        new = np.exp(rng.normal(0.0, 0.5, (6, people)))
        standing = Standing.of(draws, new)
        real = Outcomes(new).log_welfare(truth.weights, truth.powers)[0]
        chosen = int(standing.regret.argmin())
        said, best = standing.among_best(1), np.arange(6) == real.argmax()
        found["said"].append(said)
        found["was"].append(best)
        found["top"].append(np.arange(6) == chosen)
        found["regret"].append(standing.regret[chosen])
        found["lost"].append(-np.expm1(real[chosen] - real.max()))
    return {name: np.array(values) for name, values in found.items()}


def calibration(said: np.ndarray, was: np.ndarray) -> list[dict[str, Any]]:
    """Return one record a bin: how many, what was said, what was so."""
    rows = []
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        inside = bins == number
        if inside.any():
            mean, share = float(said[inside].mean()), float(was[inside].mean())
            rows.append({"bin": number, "count": int(inside.sum()), "said": mean, "was": share})
    return rows


def certainty(seed: int, studies: int = STUDIES) -> dict[str, Any]:
    """Return how well calibrated many studies are."""
    records = []
    for i in range(studies):
        records.append(study(int(np.random.SeedSequence([seed, i]).generate_state(1)[0])))
        if (i + 1) % 50 == 0:
            print(f"{i + 1} studies, {time.process_time():.0f} CPU seconds", flush=True)
    said = np.concatenate([r["said"].ravel() for r in records])
    was = np.concatenate([r["was"].ravel() for r in records])
    top = np.concatenate([r["top"].ravel() for r in records])
    gaps = 100 * np.array([(r["lost"] - r["regret"]).mean() for r in records])
    rows, tops = calibration(said, was), calibration(said[top], was[top])
    worst = [
        max(abs(r["said"] - r["was"]) for r in found if r["count"] >= ENOUGH)
        for found in (rows, tops)
    ]
    error = float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return {
        "studies": studies,
        "all": rows,
        "recommended": tops,
        "worst": worst,
        "calibrated": [bool(w <= POINTS) for w in worst],
        "expected_regret": float(100 * np.mean([r["regret"].mean() for r in records])),
        "realised_regret": float(100 * np.mean([r["lost"].mean() for r in records])),
        "difference": float(gaps.mean()),
        "error": error,
        "regret_agrees": bool(abs(gaps.mean()) <= 2 * error),
    }


def consistent_rules(
    seen: np.ndarray, pairs: np.ndarray, rng: np.random.Generator, wanted: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights and powers of rules that explain every decision, first preferred."""
    line, people = Coordinates(seen.shape[1], lapses=False, ties=False), seen.shape[1]
    prior, outcomes = wf.Prior(rho=0), Outcomes(seen)

    def kept(theta: np.ndarray) -> np.ndarray:
        rules = line.rules(theta)
        values = outcomes.log_welfare(rules.weights, rules.powers)
        return theta[(values[:, pairs[:, 0]] > values[:, pairs[:, 1]]).all(axis=1)]

    found = [kept(prior.draw(line, 20_000, rng)) for _ in range(10)]
    theta = np.concatenate(found)
    for _ in range(200):
        if not len(theta) or len(theta) >= wanted:
            break
        start = theta[rng.integers(len(theta), size=20_000)]
        step = np.exp(rng.uniform(np.log(0.003), np.log(1.0), (len(start), 1)))
        theta = np.concatenate([theta, kept(start + step * rng.standard_normal(start.shape))])
    rules = line.rules(theta[-wanted:])
    assert rules.weights.shape[1] == people
    return rules.weights, rules.powers


def ruled_out(seed: int, studies: int = 20) -> dict[str, Any]:
    """Return how often "never best" and many consistent rules disagree."""
    wrong = silent = said = possible = rules = 0
    for i in range(studies):
        rng = np.random.default_rng([seed, 9, i])
        power, weights = float(np.sinh(rng.normal(0.0, 1.0))), rng.dirichlet(np.ones(3))
        table = np.exp(rng.normal(0.0, 0.5, (20, 3)))
        pairs = np.array([rng.choice(20, 2, replace=False) for _ in range(12)])
        welfare = wf.log_power_mean(table, power, weights)
        better = welfare[pairs[:, 0]] > welfare[pairs[:, 1]]
        decided = wf.Comparisons(table, pairs, np.where(better, 1, -1))
        fit = wf.ComparisonClassifier(noise="none").fit(decided).result_
        new = np.exp(rng.normal(0.0, 0.5, (10, 3)))
        never = never_best(fit, new)
        assert never is not None
        ordered = np.where(better[:, None], pairs, pairs[:, ::-1])
        w, p = consistent_rules(table, ordered, rng, 20_000)
        values = Outcomes(new).log_welfare(w, p)
        best = np.bincount(values.argmax(axis=1), minlength=10) > 0
        rules += len(p)
        said, possible = said + int(never.sum()), possible + int((~never).sum())
        wrong += int((never & best).sum())
        silent += int((~never & ~best).sum())
    return {
        "studies": studies, "rules": rules, "never": said, "possible": possible,
        "said_never_but_best": wrong, "said_possible_but_unseen": silent,
        "agrees": wrong == 0 and silent <= possible / 20,
    }  # fmt: skip


def main() -> None:
    """Run the studies and print a record."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seed", type=int, required=True)
    asked.add_argument("--studies", type=int, default=STUDIES)
    options = asked.parse_args()
    record = {"seed": options.seed, "ruled_out": ruled_out(options.seed)}
    print(json.dumps(record, indent=1), flush=True)
    record["certainty"] = certainty(options.seed, options.studies)
    record["cpu_seconds"] = time.process_time()
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()

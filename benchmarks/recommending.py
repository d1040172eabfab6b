"""Whether recommendations are as sure as they say: simulated studies, with criteria.

Each of 1,500 studies draws a rule and its noise from the prior, has that decision maker answer 10
to 60 comparisons of 30 actions about 2 to 5 people, and recommends one of six new actions, for a
hundred such sixes. Criteria, written down before any figure was looked at:

* of actions said to be best with probability x, the share that is best lies within 5 points of the
  mean of what was said, in each of ten equal bins that holds 50 or more of all actions, and the
  same for the recommended actions alone. Sixes of one study share a rule, so that standard errors
  are clustered by study: with 500 studies of twenty sixes they were 3 to 6 points in the lowest
  bins of recommended actions, where a posterior without any flaw misses 5 points now and then; the
  study was made larger for that, and tells them;
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
from pathlib import Path
from typing import Any

import numpy as np

import welfarist as wf
from welfarist.asking.coordinates import Coordinates
from welfarist.asking.evidence import preferred
from welfarist.asking.welfares import Outcomes
from welfarist.recommending.ruled_out import never_best
from welfarist.recommending.standing import Standing, values_of

STUDIES, SIXES, PARTICLES = 1500, 100, 1000
# Studies whose records are kept together, to go on from.
PART = 50
BINS = 10
ENOUGH, POINTS = 50, 0.05
KEPT = ("said", "was", "top", "regret", "lost")


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
    new = np.exp(rng.normal(0.0, 0.5, (SIXES, 6, people)))
    said = values_of(draws, new.reshape(-1, people)).reshape(len(draws), SIXES, 6)
    real = Outcomes(new.reshape(-1, people)).log_welfare(truth.weights, truth.powers)
    found: dict[str, list[Any]] = {name: [] for name in KEPT}
    for six, was in enumerate(real.reshape(SIXES, 6)):
        standing = Standing.of_values(said[:, six], ratio=True)
        chosen = int(standing.regret.argmin())
        found["said"].append(standing.among_best(1))
        found["was"].append(np.arange(6) == was.argmax())
        found["top"].append(np.arange(6) == chosen)
        found["regret"].append(standing.regret[chosen])
        found["lost"].append(-np.expm1(was[chosen] - was.max()))
    return {name: np.array(values) for name, values in found.items()}


def calibration(said: np.ndarray, was: np.ndarray, counted: np.ndarray) -> list[dict[str, Any]]:
    """Return one record a bin: how many, what was said, what was so, and its standard error.

    All are (studies, sixes, 6); errors are clustered by study.
    """
    rows = []
    bins = np.minimum((said * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        inside = counted & (bins == number)
        count = int(inside.sum())
        if count:
            mean, share = float(said[inside].mean()), float(was[inside].mean())
            off = np.where(inside, was - said - (share - mean), 0.0).sum(axis=(1, 2))
            rows.append(
                {
                    "bin": number, "count": count, "said": mean, "was": share,
                    "studies": int(inside.any(axis=(1, 2)).sum()),
                    "error": float(np.sqrt((off**2).sum()) / count),
                }
            )  # fmt: skip
    return rows


def records(seed: int, studies: int, folder: Path) -> dict[str, np.ndarray]:
    """Return what every study says, read from a folder where it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for first in range(0, studies, PART):
        path = folder / f"{seed}-{first}.npz"
        if not path.exists():
            seeds = [
                int(np.random.SeedSequence([seed, i]).generate_state(1)[0])
                for i in range(first, first + PART)
            ]
            done = [study(one) for one in seeds]
            kept: dict[str, Any] = {n: np.array([record[n] for record in done]) for n in KEPT}
            np.savez_compressed(path, **kept)
            print(f"{first + PART} studies, {time.process_time():.0f} CPU seconds", flush=True)
        with np.load(path) as part:
            parts.append({name: part[name] for name in KEPT})
    return {name: np.concatenate([part[name] for part in parts])[:studies] for name in KEPT}


def certainty(found: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return how well calibrated many studies are."""
    said, was, top = found["said"], found["was"].astype(float), found["top"]
    gaps = 100 * (found["lost"] - found["regret"]).mean(axis=1)
    rows, tops = calibration(said, was, np.ones_like(top)), calibration(said, was, top)
    worst = [
        max(abs(row["said"] - row["was"]) for row in part if row["count"] >= ENOUGH)
        for part in (rows, tops)
    ]
    error = float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
    return {
        "studies": len(said),
        "all": rows,
        "recommended": tops,
        "worst": worst,
        "calibrated": [bool(w <= POINTS) for w in worst],
        "expected_regret": float(100 * found["regret"].mean()),
        "realised_regret": float(100 * found["lost"].mean()),
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
    asked.add_argument("--folder", type=Path, default=Path("build/recommending"))
    options = asked.parse_args()
    record = {"seed": options.seed, "ruled_out": ruled_out(options.seed)}
    print(json.dumps(record, indent=1), flush=True)
    found = records(options.seed, options.studies, options.folder)
    record["first_500"] = certainty({name: values[:500] for name, values in found.items()})
    record["certainty"] = certainty(found)
    record["cpu_seconds"] = time.process_time()
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()

"""What is found in the choices of 160 people who shared money: `python -m benchmarks.dictators`.

Published answers and prototypes say what must be found, written here before: log likelihoods of
-1425.549 for three types and -1347.762 for six (within 0.001), of -1367.98 for the normal
population (within 0.5); at least half of 30 starts reach the best three types; standard errors of
their shares, clustered by person, are within 10% of a bootstrap over people; types 1 to 6 from 20
starts each take less than 60 CPU seconds, everybody's own rule less than 10.

CPU times are of one thread; on a busy machine they are larger.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import welfarist as wf
from benchmarks.held_out_people import DATA, decisions
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.deciders.climbing import climb
from welfarist.deciders.mixture import Mixture
from welfarist.deciders.panel import Panel

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks_dictators.md"
MUST = {3: -1425.549, 6: -1347.762}
NORMAL, SAMPLES = -1367.98, 2000


def resampled(mixture: Mixture, data: wf.Comparisons, rng: np.random.Generator) -> FloatArray:
    """Shares (K,) of the types of people who were drawn with replacement."""
    by = np.asarray(data.by)
    people = np.unique(by)
    rows = {who: np.flatnonzero(by == who) for who in people}
    drawn = rng.choice(people, len(people))
    part = data[np.concatenate([rows[who] for who in drawn])]
    part.by = np.repeat(np.arange(len(people)), [len(rows[who]) for who in drawn])
    panel = Panel.of(None, part)
    models = tuple(replace(model, loss=panel.loss) for model in mixture.models)
    return climb(replace(mixture, panel=panel, models=models), 500).mixture.shares


def main(data: Path, seed: int) -> None:
    """Measure, and write the page."""
    choices = decisions(data)
    warnings.simplefilter("ignore", wf.WelfaristWarning)
    began = time.process_time()
    types = wf.Types(max_types=6, population=False, progress=False).fit(choices)
    by_types = time.process_time() - began
    tried = types.result_.candidates
    rows = [
        f"| {c.name} | {c.log_likelihood:.4f} | {c.bic:.2f} | {c.agreeing} of {c.starts} |"
        for c in tried
    ]
    found = {one.types: one.log_likelihood for one in tried}
    began = time.process_time()
    deciders = wf.Deciders(progress=False).fit(choices)
    own = time.process_time() - began
    best = deciders.result_.best
    rows.append(f"| {best.name} | {best.log_likelihood:.4f} | {best.bic:.2f} | |")
    three = wf.Types(n_types=3, n_starts=30, population=False, progress=False).fit(choices).result_
    rng = np.random.default_rng(seed)
    work = (resampled(three.mixture, choices, rng) for _ in range(SAMPLES))
    samples = np.array(list(Progress("auto").track(work, SAMPLES, "Bootstrap")))
    errors = np.array(
        [row.standard_error for row in three.estimates(None) if row.parameter == "share"],
        dtype=np.float64,
    )
    spread = samples.std(axis=0, ddof=1)
    agreeing = int(three.best.agreeing or 0)
    checks = {
        "three types": abs(found[3] - MUST[3]) < 1e-3,
        "six types": abs(found[6] - MUST[6]) < 1e-3,
        "normal population": abs(best.log_likelihood - NORMAL) < 0.5,
        "starts that agree": agreeing >= 15,
        "errors of shares": bool((np.abs(errors / spread - 1.0) < 0.1).all()),
        "time of types": by_types < 60,
        "time of own rules": own < 10,
    }
    lines = [
        "<!-- Made by benchmarks/dictators.py; change that, not this page. -->",
        "",
        "# What is found in 6,240 choices of people who shared money",
        "",
        "What must hold is written in `benchmarks/dictators.py`, from published answers and",
        "independent prototypes.",
        "",
        "| model | log likelihood | BIC by people | starts that agree |",
        "| --- | ---: | ---: | --- |",
        *rows,
        "",
        f"Of 30 starts {agreeing} reach the best three types. Standard errors of their shares,",
        f"clustered by person, beside a bootstrap of {SAMPLES} samples of people (seed {seed}): "
        + ", ".join(f"{a:.4f} and {b:.4f}" for a, b in zip(errors, spread, strict=True))
        + ".",
        "",
        f"CPU seconds: types 1 to 6 from 20 starts each {by_types:.1f}, own rules {own:.1f}.",
        "",
        "| what must hold | |",
        "| --- | --- |",
        *(f"| {name} | {'holds' if kept else '**missed**'} |" for name, kept in checks.items()),
        "",
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dictators", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the file choices.csv")
    parser.add_argument("--seed", type=int, required=True, help="of the bootstrap")
    options = parser.parse_args()
    main(options.data, options.seed)

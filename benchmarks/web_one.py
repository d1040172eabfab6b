"""One respondent: how long the next question takes after an answer, on the clock and of the CPU.

``python -m benchmarks.web_one`` answers questions about 200 actions and 5 people over HTTP, on a
connection that stays open, with ``welfarist serve``. Measured are the time from sending an answer
to having all of the next page, and the CPU time of all threads of the server in between, which
depends less on what else the machine does. Linux alone tells it so finely. Somebody answers by a
rule, erring now and then; somebody else by lot, which no rule explains and takes more computation.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
import time
from pathlib import Path

import numpy as np

import welfarist as wf
from benchmarks.web_load import Visit, study_in
from benchmarks.web_server import Served, environment

# By whom questions are answered: harmonic, with unlike weights, mostly sure.
RULE, TAU = wf.WelfareFunction(-1.0, [0.3, 0.1, 0.2, 0.25, 0.15]), 20.0
_VALUE = re.compile(r'class="value">([\d.]+)<')
_CHOICE = re.compile(r'name="choice" value="(first|second)"')


def cpu_of(process: int) -> float:
    """Return the CPU seconds of all threads of a process so far."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def preferred(page: str, rng: np.random.Generator) -> str:
    """Return what somebody with a rule says to the question of a page."""
    values = np.array([float(value) for value in _VALUE.findall(page)]).reshape(2, -1)
    left, right = _CHOICE.findall(page)[:2]
    one, other = RULE(values)
    chance = 1.0 / (1.0 + (other / one) ** TAU)
    return str(left if rng.random() < chance else right)


async def answered(
    visit: Visit, process: int, answers: int, rng: np.random.Generator | None
) -> list[tuple[float, float]]:
    """Answer so many questions; return seconds on the clock and of the CPU of each."""
    form, found = await visit.opened(), []
    for _ in range(answers):
        if form is None:
            break
        choice = "" if rng is None else preferred(visit.page, rng)
        begun, used = time.perf_counter(), cpu_of(process)
        form = await visit.answered(form, choice)
        found.append((time.perf_counter() - begun, cpu_of(process) - used))
    return found


def measured(
    respondents: int, answers: int, seed: int | None
) -> tuple[list[tuple[float, float]], int]:
    """Let some people answer one after the other; return seconds, and the number of errors."""
    rng = None if seed is None else np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        server = Served(Path(folder))
        try:
            tokens = study_in(environment(Path(folder)), "make", str(respondents))
            visits = [Visit(token, server.port, secure=False) for token in tokens]
            found = [
                each
                for visit in visits
                for each in asyncio.run(answered(visit, server.process.pid, answers, rng))
            ]
        finally:
            server.kill()
    return found, sum(len(visit.errors) for visit in visits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--respondents", type=int, default=5)
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    told = parser.parse_args()
    for who, seed in (("by a rule", told.seed), ("by lot", None)):
        load = os.getloadavg()[0]
        found, errors = measured(told.respondents, told.answers, seed)
        print(f"{who}: {len(found)} answers, {errors} errors (load before: {load:.1f})")
        for name, seconds in zip(("clock", "CPU of the server"), np.array(found).T, strict=True):
            median, p95, most = (1000 * np.quantile(seconds, [0.5, 0.95, 1.0])).tolist()
            print(f"  {name}: median {median:.0f} ms, 95% {p95:.0f} ms, longest {most:.0f} ms")


if __name__ == "__main__":
    main()

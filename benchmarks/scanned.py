"""Decisions that stay in their files: `python -m benchmarks.scanned --rows 1e8`.

Criteria, written before anything was measured: 10^8 comparisons of 100,000 actions, 18 people,
from Parquet files in at most 20 CPU seconds, 1.5 GB and 5 passes over the files; the same digits
with one and two threads, on Dask with two processes, with a worker killed in each round in turn,
and after the fit itself was killed and made again; the fit of decisions in memory to 1e-8 at 10^6;
and a cost that grows in proportion to the decisions.

Every fit is a process of its own, whose CPU seconds (all threads, and the workers of a cluster) and
peak memory are measured. Files are written to a temporary folder and removed. Writes
docs/benchmarks_scanned.md if asked to (`--write`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
ACTIONS, PEOPLE, POWER, TAU, PART = 100_000, 18, -0.5, 4.0, 1_000_000
SAMPLES = (10_000, 100_000, 1_000_000)
# Measured apart, in an environment of its own: its versions of packages are not ours.
_DASK_ML = (
    "dask-ml has a logistic regression for data in parts. It learns weights where log welfare is "
    "linear in them, that is at p = 0 and nowhere else, from a column a person: 144 bytes a "
    "decision in place of 9, 14 GB for 10^8. At p = 0 and 10^6 comparisons in memory its L-BFGS "
    "took 1.5 CPU s; p cannot be learned with it."
)


def world() -> tuple[Any, Any]:
    """Utilities and weights."""
    import numpy as np

    rng = np.random.default_rng(1)
    return np.exp(rng.normal(size=(ACTIONS, PEOPLE))), rng.dirichlet(np.full(PEOPLE, 3.0))


def write(folder: Path, rows: int) -> None:
    """Write comparisons of one rule, a million in a file."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    import welfarist as wf

    utilities, weights = world()
    value = TAU * wf.log_power_mean(utilities, POWER, weights)
    for number, start in enumerate(range(0, rows, PART)):
        rng = np.random.default_rng([3, number])
        size = min(PART, rows - start)
        first = rng.integers(0, ACTIONS, size, dtype=np.int32)
        second = (first + rng.integers(1, ACTIONS, size, dtype=np.int32)) % np.int32(ACTIONS)
        chance = 1.0 / (1.0 + np.exp(value[second] - value[first]))
        outcome = np.where(rng.random(size) < chance, 1, -1).astype(np.int8)
        table = pa.table({"first": first, "second": second, "outcome": outcome})
        pq.write_table(table, folder / f"part-{number:05d}.parquet")


def fit(folder: str, how: str, resume: str | None, kill: int) -> dict[str, Any]:
    """One fit in this process; `kill` is the round in which a worker, or this process, dies."""
    import numpy as np
    import pyarrow.parquet  # noqa: F401 - loading it is no part of a fit

    import welfarist as wf
    from welfarist.losses.scanned.rounds import Rounds

    utilities, weights = world()
    client = _client() if how == "dask" else None
    _interfere(Rounds, client, kill)
    workers = 0.0 if client is None else _cpu(client)
    begun, begun_wall = time.process_time(), time.time()
    scanned = wf.Comparisons.scan(folder, utilities)
    engine = int(how) if how.isdigit() else client
    learner = wf.ComparisonClassifier(engine=engine, resume=resume, progress=False).fit(scanned)
    spent, wall = time.process_time() - begun, time.time() - begun_wall
    if client is not None:
        spent += _cpu(client) - (0.0 if kill else workers)
        client.close()
    numbers = np.array([learner.p_, learner.tau_, learner.loss_, *learner.weights_])
    likelihood: Any = learner.result_.likelihood
    observed = likelihood.loss.observed
    return {
        "cpu": spent,
        "wall": wall,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "rounds": observed.rounds.made if observed.in_parts else 0,  # few are held in memory
        "digits": hashlib.blake2b(numbers.tobytes(), digest_size=6).hexdigest(),
        "p": learner.p_,
        "error_of_p": float(np.array(learner.result_.bse)[0]),
        "off": float(abs(learner.weights_ - weights).max()),
    }


def _client() -> Any:
    import distributed

    made: Any = distributed
    cluster = made.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    return made.Client(cluster)


def _cpu(client: Any) -> float:
    return float(sum(client.run(time.process_time).values()))


def _interfere(rounds: Any, client: Any, kill: int) -> None:
    """Have a worker of the cluster killed in a round, or this process where there is none."""
    passing = rounds._pass_over

    def pass_over(self: Any, question: Any) -> Any:
        if self.made + 1 == kill:
            victim = os.getpid() if client is None else min(client.run(os.getpid).values())
            threading.Timer(0.2, os.kill, (victim, signal.SIGKILL)).start()
        return passing(self, question)

    rounds._pass_over = pass_over


def child(
    folder: Path, how: str, resume: Path | None = None, kill: int = 0
) -> dict[str, Any] | None:
    """A fit in a process of its own; None if it was killed."""
    command = [
        sys.executable, "-m", "benchmarks.scanned", "--child", how, "--folder", str(folder),
        "--kill", str(kill), *([] if resume is None else ["--resume", str(resume)]),
    ]  # fmt: skip
    environment = {**os.environ, **ONE_THREAD}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode == -signal.SIGKILL:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def in_memory(folder: Path) -> dict[str, Any]:
    """The fit of the first million decisions in memory, and of the same in files."""
    import numpy as np
    import pyarrow.parquet as pq

    import welfarist as wf

    utilities, _ = world()
    path = min(folder.glob("*.parquet"))
    table = pq.read_table(path)
    pairs = np.stack([table["first"], table["second"]], axis=1)
    whole = wf.Comparisons(utilities, pairs, table["outcome"].to_numpy())
    one = wf.ComparisonClassifier().fit(wf.Comparisons.scan(path, utilities, share=100_000))
    other = wf.ComparisonClassifier().fit(whole)
    return {
        "p": abs(one.p_ - other.p_),
        "weights": float(abs(one.weights_ - other.weights_).max()),
    }


def scipy_on_a_sample(folder: Path, size: int) -> dict[str, Any]:
    """What a user would do today: L-BFGS-B with exact gradients on the first rows of the files."""
    import numpy as np
    import pyarrow.parquet as pq
    from scipy.optimize import minimize

    utilities, _ = world()
    table = pq.read_table(min(folder.glob("*.parquet"))).slice(0, size)
    first, second = table["first"].to_numpy(), table["second"].to_numpy()
    outcome = table["outcome"].to_numpy().astype(float)
    logs = np.log(utilities)

    def loss(x: Any) -> tuple[float, Any]:
        weights = np.exp(x[2:] - x[2:].max())
        weights /= weights.sum()
        p, tau = x[0] if abs(x[0]) > 1e-6 else 1e-6, np.exp(x[1])
        powers = np.exp(p * logs)
        mean = powers @ weights
        value = np.log(mean) / p
        margin = outcome * tau * (value[first] - value[second])
        slope = -outcome / (1.0 + np.exp(margin)) / len(first)
        pull = np.bincount(first, slope, ACTIONS) - np.bincount(second, slope, ACTIONS)
        by_p = ((powers * logs) @ weights / mean - value) / p
        by_weight = (pull / mean) @ powers / p * tau
        by_weight = weights * (by_weight - weights @ by_weight)
        gradient = np.concatenate([[tau * pull @ by_p, tau * pull @ value], by_weight])
        return float(np.logaddexp(0.0, -margin).mean()), gradient

    begun = time.process_time()
    start = np.concatenate([[0.5, 0.0], np.zeros(PEOPLE)])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return {"cpu": time.process_time() - begun, "p": float(found.x[0]), "steps": int(found.nit)}


def cluster_wall(
    decisions: float, cores: int, *, nanoseconds: float, rounds: int, latency: float, rate: float
) -> float:
    """Seconds of wall time of a fit on a cluster, simulated part by part.

    A part of `decisions / parts` is read and worked on by a core at so many nanoseconds each;
    values of the actions go to every worker once a round, a part's pulls come back, 8 bytes an
    action, one after another through the driver's network (`rate` bytes a second), each after a
    `latency`.
    """
    parts = int(min(max(decisions // 2**20, 1), 4096))
    work = decisions / parts * nanoseconds * 1e-9
    message = 8.0 * ACTIONS / rate
    free = [0.0] * cores
    wire = 0.0
    for number in range(parts):
        core = number % cores
        free[core] += latency + work
        wire = max(wire, free[core] + latency) + message
    sending = cores * message + latency
    return rounds * (sending + wire)


def study(rows: int) -> dict[str, Any]:
    """Everything, on files that are removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="scanned-"))
    try:
        return _study(folder, rows)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _study(folder: Path, rows: int) -> dict[str, Any]:
    found: dict[str, Any] = {"rows": rows, "sizes": {}}
    medium = rows // 10
    for size in (rows // 100, medium, rows):
        place = folder / str(size)
        place.mkdir()
        write(place, size)
        _say(f"{size} written")
        found["sizes"][size] = [child(place, "2"), child(place, "1") if size < rows else None]
        _say(found["sizes"][size])
    large = folder / str(rows)
    found["one thread"] = child(large, "1")
    found["dask"] = child(large, "dask")
    _say(found["dask"])
    place = folder / str(medium)
    found["killed workers"] = [child(place, "dask", kill=kill) for kill in (1, 2, 3, 4)]
    _say(found["killed workers"])
    found["resumed"] = []
    for kill in (1, 2, 3, 4):
        resume = folder / f"rounds {kill}"
        assert child(place, "2", resume, kill) is None
        found["resumed"].append(child(place, "2", resume))
    _say(found["resumed"])
    found["in memory"] = in_memory(large)
    found["scipy"] = {size: scipy_on_a_sample(large, size) for size in SAMPLES}
    return found


def _say(what: Any) -> None:
    print(what, file=sys.stderr, flush=True)


def page(found: dict[str, Any]) -> str:
    """The page of the documentation."""
    rows, sizes = found["rows"], found["sizes"]
    best, medium = sizes[rows][0], sizes[rows // 10][0]
    lines = [
        "# Decisions that stay in their files",
        "",
        f"Comparisons of {ACTIONS:,} actions, {PEOPLE} people, in Parquet files of a million each; "
        "two threads, a share of a million in memory. CPU seconds count all threads and, of a "
        "cluster, all workers; wall times are of a machine whose two cores were shared by others. "
        "Written by `python -m benchmarks.scanned --write`, which says how.",
        "",
        "| comparisons | CPU s | ns a comparison | peak GB | passes | wall s |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for size, (two, _) in sizes.items():
        lines.append(
            f"| {size:,} | {two['cpu']:.1f} | {two['cpu'] / size * 1e9:.0f} | {two['peak']:.2f} | "
            f"{two['rounds'] + 1} | {two['wall']:.0f} |"
        )
    step = (best["cpu"] - medium["cpu"]) / (0.9 * rows) * 1e9
    same = {best["digits"], found["one thread"]["digits"], found["dask"]["digits"]}
    again = [*found["killed workers"], *found["resumed"]]
    lines += [
        "",
        f"From {rows // 10:,} to {rows:,} every comparison more costs {step:.0f} ns, all passes "
        "together; the search on the share, about the same for all sizes, is the rest.",
        "",
        "| criterion | found | |",
        "| --- | --- | --- |",
        _verdict("at most 20 CPU s", f"{best['cpu']:.1f}", best["cpu"] <= 20.0),
        _verdict("at most 1.5 GB", f"{best['peak']:.2f}", best["peak"] <= 1.5),
        _verdict("at most 5 passes", f"{best['rounds'] + 1}", best["rounds"] <= 4),
        _verdict("the same digits: 1 and 2 threads, Dask", f"{len(same)} in 3", len(same) == 1),
        _verdict(
            f"a worker killed in each round, the fit killed and made again ({rows // 10:,})",
            f"{sum(one['digits'] == medium['digits'] for one in again)} of {len(again)} the same",
            all(one["digits"] == medium["digits"] for one in again),
        ),
        _verdict(
            "the fit in memory at 10^6 (share of 100,000), to 1e-8",
            f"p {found['in memory']['p']:.1g}, weights {found['in memory']['weights']:.1g}",
            max(found["in memory"].values()) <= 1e-8,
        ),
        "",
        f"On Dask with two processes the fit of {rows:,} took {found['dask']['cpu']:.1f} CPU s.",
        "",
        "## What a user would do today",
        "",
        "L-BFGS-B of SciPy, with exact gradients in NumPy, on the first rows of the files (which "
        f"are in random order here). p is known to {best['error_of_p']:.2g} (a standard error) "
        "from all of them.",
        "",
        "| sample | CPU s | p off by | in standard errors of the whole |",
        "| ---: | ---: | ---: | ---: |",
    ]
    for size, one in found["scipy"].items():
        off = abs(one["p"] - best["p"])
        lines.append(
            f"| {int(size):,} | {one['cpu']:.1f} | {off:.2g} | {off / best['error_of_p']:.0f} |"
        )
    lines += ["", _DASK_ML, "", *_clusters(step)]
    return "\n".join(lines) + "\n"


def _verdict(criterion: str, found: str, met: bool) -> str:
    return f"| {criterion} | {found} | {'met' if met else '**missed**'} |"


def _clusters(nanoseconds: float) -> list[str]:
    lines = [
        "## Clusters, simulated",
        "",
        "No more than one machine was measured. This is a simulation part by part: 10^10 "
        f"comparisons, {nanoseconds / 5:.0f} ns for each and pass, five passes, 8 bytes an action "
        "and part back to the driver at 1 GB a second, after a delay.",
        "",
        "| cores | delay 1 ms: wall s | delay 100 ms: wall s | core hours |",
        "| ---: | ---: | ---: | ---: |",
    ]
    for cores in (10, 100, 1000):
        walls = [
            cluster_wall(1e10, cores, nanoseconds=nanoseconds / 5, rounds=5, latency=d, rate=1e9)
            for d in (0.001, 0.1)
        ]
        lines.append(
            f"| {cores:,} | {walls[0]:.0f} | {walls[1]:.0f} | {walls[0] * cores / 3600:.1f} |"
        )
    return lines


def main() -> None:
    """Run the study, or one fit of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--child")
    parser.add_argument("--folder")
    parser.add_argument("--resume")
    parser.add_argument("--kill", type=int, default=0)
    asked = parser.parse_args()
    if asked.child is not None:
        print(json.dumps(fit(asked.folder, asked.child, asked.resume, asked.kill)))
        return
    text = page(study(int(asked.rows)))
    print(text)
    if asked.write:
        (ROOT / "docs" / "benchmarks_scanned.md").write_text(text)


if __name__ == "__main__":
    main()

"""The posterior beside what long runs of other samplers find.

    pip install numpyro pandas; python -m benchmarks.long_run --seed 1

What must hold, written down before anything was run:

* For 2, 3, 5, 10 and 18 people, after 20 and after 50 adaptive answers, the posterior means of
  asinh p, of every weight and of log tau that `Posterior(decisions)` has lie within 0.1 posterior
  deviations of those of a long run, and the ends of their 95% intervals within 0.25.
* A long run counts where it agrees with itself: its halves by the same measures, and for the
  No-U-Turn sampler a potential scale reduction below 1.01 of every number. Where it does not, the
  figures stand beside it and nothing follows from them.

Two samplers run long, neither of which shares a line with the package: parallel tempering, from
chains that know no decision to chains that know all, with steps along differences of chains, which
goes on until ends of its halves are within 0.08 deviations, or its time is over; and the No-U-Turn
sampler of NumPyro, which is no dependency (without it there are no rows of it). For two people the
posterior is also summed over a grid, which is no sampler: that row decides. With `--interviews`,
without a criterion: what an interview believes while it asks, with 1,000 rules and an indifference
band, against tempering with the band.

Finished rows are kept in ``build/long_run.csv``; the page is ``docs/posterior_check.md``.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import welfarist as wf
from benchmarks.two_people import Told, summed

FloatArray = npt.NDArray[np.float64]
STORE, PAGE = Path("build/long_run.csv"), Path("docs/posterior_check.md")
MEANS, ENDS, SCALE = 0.1, 0.25, 1.01
LIMIT = float(np.arcsinh(1000.0))
PEOPLE = (2, 3, 5, 10, 18)
# Levels of tempering by the number of answers, chains on each, sweeps left out, and kept.
LEVELS, CHAINS, BURN_IN, THIN = {20: 11, 50: 26}, 100, 800, 5
# Sweeps after which halves are compared, how close they must be, and CPU seconds at most.
SWEEPS, CLOSE, SECONDS = 4000, 0.08, 900.0
# Chains of the No-U-Turn sampler, draws to warm up, and draws that are kept.
PARALLEL, WARM_UP, KEPT = 4, 1000, 40_000
# What was run before, so that it is seen which runs were chosen from.
EARLIER = (
    "Earlier runs: seed 517054 was ended by the clock after two people and 20 answers (held).",
    "Seed 9840635 went through 20 answers: all held beside tempering, and two people beside",
    "sums, which decide, missed (an end was 0.30 deviations off). Seed 1649688 held but for 18",
    "people after 20 answers (ends 0.268), and said nothing of 10 and 18 people after 50, where",
    "the long run did not agree with itself. Particles then remembered half of where they had",
    "been: they now walk until they do not. On data of seed 77 four runs for 18 people after 20",
    "answers had ends within 0.09 deviations of all of them, and within 0.12 of the No-U-Turn",
    "sampler, which knows the shape of what it samples now (a dense mass matrix) and draws",
    "eight times as often, so that it agrees with itself. The run below is of a seed that was",
    "drawn afterwards.",
)
COLUMNS = ("seed", "people", "answers", "who", "means", "ends", "own means", "own ends", "scale")


@dataclass(frozen=True)
class Wanted:
    """What is run, and how many CPU seconds tempering may take.

    Attributes
    ----------
    seconds : float
    tempering, no_u_turn, interviews : bool
    """

    seconds: float = SECONDS
    tempering: bool = True
    no_u_turn: bool = True
    interviews: bool = False


def asked(people: int, answers: int, seed: int) -> wf.Interview:
    """Return an interview with somebody who chooses by a power mean, tau = 20."""
    rng = np.random.default_rng([seed, people])
    table = rng.uniform(1.0, 100.0, (200, people))
    power = float(np.sinh(rng.uniform(-2.0, 1.0)))
    rule = wf.WelfareFunction(power, rng.dirichlet(np.ones(people)))
    interview = wf.Interview(table, random_state=seed, most=answers)
    for _ in range(answers):
        one, other = rule.log(table[list(interview.next())])
        chance = 1.0 / (1.0 + np.exp(-20.0 * (one - other)))
        interview.answer("first" if rng.random() < chance else "second")
    return interview


@dataclass(frozen=True, eq=False)
class Density:
    """Prior and likelihood, written down anew.

    Rows of numbers (S, q) are log ratios of the weights to the last one (d - 1), asinh p, log tau,
    logit rho, and the log of the band where there is one.
    """

    logs: FloatArray
    signs: FloatArray
    band: bool

    @classmethod
    def of(cls, decided: wf.Comparisons, band: bool) -> Density:
        """Take over what was decided."""
        return cls(np.log(decided.utilities)[decided.pairs], decided.outcomes.astype(float), band)

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.logs.shape[2])

    def drawn(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw from the prior."""
        shares = np.log(rng.standard_exponential((size, self.people)))
        t = np.full(size, np.inf)
        while (beyond := np.abs(t) > LIMIT).any():
            m = int(beyond.sum())
            side = np.where(rng.random(m) < 3.0 / 3.8, -3.0, 0.8)
            t[beyond] = np.abs(rng.standard_t(5, m)) * side
        normal = rng.standard_normal((size, 3))
        noise = [np.log(20.0) + 1.2 * normal[:, 0], np.log(0.03 / 0.97) + normal[:, 1]]
        if self.band:
            noise.append(np.log(0.02) + normal[:, 2])
        return np.column_stack([shares[:, :-1] - shares[:, -1:], t, *noise])

    def __call__(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log prior (S,), less a constant, and log chances (S, n) of what was decided."""
        d = self.people
        logits = np.column_stack([x[:, : d - 1], np.zeros(len(x))])
        logits -= logits.max(axis=1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        t, log_tau, logit = x[:, d - 1], x[:, d], x[:, d + 1]
        prior = logits.sum(axis=1) - 3.0 * np.log1p((t / np.where(t < 0, 3.0, 0.8)) ** 2 / 5.0)
        prior -= 0.5 * ((log_tau - np.log(20.0)) / 1.2) ** 2
        prior -= 0.5 * (logit - np.log(0.03 / 0.97)) ** 2
        p = np.sinh(np.clip(t, -LIMIT, LIMIT))
        p = np.where(np.abs(p) < 1e-6, 1e-6, p)
        tau, rho = np.exp(np.clip(log_tau, -50, 50)), 1.0 / (1.0 + np.exp(-logit))
        terms = logits[:, None, None, :] + p[:, None, None, None] * self.logs
        top = terms.max(axis=-1)
        terms -= top[..., None]
        means = (top + np.log(np.exp(terms, out=terms).sum(axis=-1))) / p[:, None, None]
        z = tau[:, None] * (means[..., 0] - means[..., 1]) * self.signs
        if self.band:
            prior -= 0.5 * (x[:, d + 2] - np.log(0.02)) ** 2
            z -= (tau * np.exp(np.clip(x[:, d + 2], -50, 50)))[:, None]
        rho = np.minimum(rho, 0.4999)[:, None]
        chance = rho + (1.0 - 2.0 * rho) / (1.0 + np.exp(-np.clip(z, -600, 600)))
        return np.where(np.abs(t) > LIMIT, -np.inf, prior), np.log(chance)

    def told(self, x: FloatArray) -> FloatArray:
        """Return asinh p, weights and log tau (S, d + 2)."""
        d = self.people
        weights = np.exp(np.column_stack([x[:, : d - 1], np.zeros(len(x))]))
        weights /= weights.sum(axis=1, keepdims=True)
        return np.column_stack([x[:, d - 1], weights, x[:, d]])


class Tempering:
    """Chains on levels that know more and more decisions, from none to all, and swap."""

    def __init__(self, density: Density, levels: int, seed: int, seconds: float) -> None:
        self.seconds = seconds
        self.density, self.rng = density, np.random.default_rng([seed, 5])
        self.known = np.linspace(0, len(density.signs), levels).round().astype(int)
        x = density.drawn(levels * CHAINS, self.rng)
        self.x = x.reshape(levels, CHAINS, -1)
        prior, likelihood = self._at(x)
        self.prior = prior.reshape(levels, CHAINS)
        self.likelihood = likelihood.reshape(levels, CHAINS, levels)

    def _at(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log prior (S,), and log likelihood (S, levels) of what each level knows."""
        prior, chances = self.density(x)
        sums = np.cumsum(np.pad(chances, ((0, 0), (1, 0))), axis=1)
        return prior, sums[:, self.known]

    def run(self) -> FloatArray:
        """Return asinh p, weights and log tau of the posterior's chains."""
        for _ in range(BURN_IN):
            self._sweep()
        kept: list[FloatArray] = []
        until = time.process_time() + self.seconds
        while True:
            for sweep in range(SWEEPS):
                self._sweep()
                if sweep % THIN == 0:
                    kept.append(self.density.told(self.x[-1]))
            found = np.concatenate(kept)
            half, spread = len(found) // 2, found.std(axis=0)
            close = off(found[:half], found[half:], spread)[1] <= CLOSE
            if close or time.process_time() > until:
                return found

    def _sweep(self) -> None:
        """Step on every level, draw the prior's chains anew, and swap."""
        halves = np.arange(CHAINS).reshape(2, -1)
        for mine, others in (halves, halves[::-1]):
            self._step(mine, others)
        self.x[0] = self.density.drawn(CHAINS, self.rng)
        self.prior[0], self.likelihood[0] = self._at(self.x[0])
        for low in (*range(0, len(self.known) - 1, 2), *range(1, len(self.known) - 1, 2)):
            self._swap(low)

    def _step(self, mine: npt.NDArray[np.intp], others: npt.NDArray[np.intp]) -> None:
        """Step along the difference of two chains of the other half, in some of the numbers."""
        rng, (levels, _, q) = self.rng, self.x.shape
        a, b = (rng.permuted(np.tile(others, (levels, 1)), axis=1) for _ in range(2))
        rows, size = np.arange(levels)[:, None], (levels, len(mine))
        length = 2.38 / np.sqrt(2.0 * q) * rng.choice([0.15, 0.4, 1.0], size)
        length = np.where(rng.random(size) < 0.1, 1.0, length)[..., None]
        there = self.x[:, mine] + length * (self.x[rows, a] - self.x[rows, b])
        there += 1e-4 * rng.standard_normal(there.shape)
        some = rng.random(there.shape) < rng.choice([0.25, 0.6, 1.0], (*size, 1))
        there = np.where(some, there, self.x[:, mine])
        prior, likelihood = (v.reshape(*size, *v.shape[1:]) for v in self._at(there.reshape(-1, q)))
        own = np.arange(levels)[:, None, None]
        more = np.take_along_axis(likelihood - self.likelihood[:, mine], own, axis=2)[..., 0]
        yes = np.log(rng.random(size)) < prior - self.prior[:, mine] + more
        self.x[:, mine] = np.where(yes[..., None], there, self.x[:, mine])
        self.prior[:, mine] = np.where(yes, prior, self.prior[:, mine])
        self.likelihood[:, mine] = np.where(yes[..., None], likelihood, self.likelihood[:, mine])

    def _swap(self, low: int) -> None:
        """Let chains on two neighbouring levels change places."""
        partner = self.rng.permutation(CHAINS)
        apart = self.likelihood[low : low + 2, :, low + 1] - self.likelihood[low : low + 2, :, low]
        gain = apart[0, partner] - apart[1]
        upper = np.flatnonzero(np.log(self.rng.random(CHAINS)) < gain)
        lower = partner[upper]
        for v in (self.x, self.prior, self.likelihood):
            v[low][lower], v[low + 1][upper] = v[low + 1][upper].copy(), v[low][lower].copy()


def no_u_turn(density: Density, seed: int) -> tuple[FloatArray, float] | None:
    """Return the same by the No-U-Turn sampler, and its scale reduction; None if not installed."""
    try:
        import jax
        import jax.numpy as jnp
        from numpyro.diagnostics import split_gelman_rubin
        from numpyro.infer import MCMC, NUTS
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    logs, signs, people = jnp.asarray(density.logs), jnp.asarray(density.signs), density.people

    def potential(x: Any) -> Any:
        logits = jax.nn.log_softmax(jnp.append(x["ratios"], 0.0))
        within = jnp.tanh(x["bounded"])
        t = LIMIT * within
        value = logits.sum() + jnp.log(1.0 - within**2)
        value -= 3.0 * jnp.log1p((t / jnp.where(t < 0, 3.0, 0.8)) ** 2 / 5.0)
        value -= 0.5 * ((x["log_tau"] - jnp.log(20.0)) / 1.2) ** 2
        value -= 0.5 * (x["logit"] - jnp.log(0.03 / 0.97)) ** 2
        p = jnp.sinh(t)
        p = jnp.where(jnp.abs(p) < 1e-6, 1e-6, p)
        means = jax.nn.logsumexp(logits + p * logs, axis=-1) / p
        z = jnp.exp(x["log_tau"]) * (means[:, 0] - means[:, 1]) * signs
        rho = jax.nn.sigmoid(x["logit"])
        return -value - jnp.log(rho + (1.0 - 2.0 * rho) * jax.nn.sigmoid(z)).sum()

    rng = np.random.default_rng([seed, 6])
    start = {
        "ratios": 0.3 * rng.standard_normal((PARALLEL, people - 1)),
        "bounded": 0.1 * rng.standard_normal(PARALLEL),
        "log_tau": 3.0 + 0.1 * rng.standard_normal(PARALLEL),
        "logit": -3.5 + 0.1 * rng.standard_normal(PARALLEL),
    }
    run = MCMC(
        NUTS(potential_fn=potential, dense_mass=True), num_warmup=WARM_UP,
        num_samples=KEPT, num_chains=PARALLEL, chain_method="vectorized", progress_bar=False,
    )  # fmt: skip
    run.run(jax.random.PRNGKey(seed), init_params=jax.tree.map(jnp.asarray, start))
    # Draw by draw, all chains in turn: halves are then halves of every chain.
    drawn = {k: np.asarray(v) for k, v in run.get_samples(group_by_chain=True).items()}
    scale = max(float(np.max(split_gelman_rubin(v))) for v in drawn.values())
    flat = {k: np.swapaxes(v, 0, 1).reshape(PARALLEL * KEPT, -1) for k, v in drawn.items()}
    numbers = [flat["ratios"], LIMIT * np.tanh(flat["bounded"]), flat["log_tau"], flat["logit"]]
    return density.told(np.column_stack(numbers)), scale


def believed(belief: wf.Posterior) -> FloatArray:
    """The same numbers of the package's posterior."""
    frame, people = belief.draws, len(belief.stakeholders)
    weights = frame.iloc[:, 1 : people + 1]
    return np.column_stack([np.arcsinh(frame["p"]), weights, np.log(frame["tau"])])


def off(found: FloatArray, truth: FloatArray, spread: FloatArray) -> tuple[float, float]:
    """Return the largest distance of means and of ends, in deviations."""
    means = np.abs(found.mean(axis=0) - truth.mean(axis=0)) / spread
    ends = [np.quantile(x, [0.025, 0.975], axis=0) for x in (found, truth)]
    return float(means.max()), float((np.abs(ends[0] - ends[1]) / spread).max())


def against(found: FloatArray, run: FloatArray, scale: float | None) -> list[Any]:
    """How far the package is from a long run, and the run's halves from each other."""
    spread, half = run.std(axis=0), len(run) // 2
    own = off(run[:half], run[half:], spread)
    return [*off(found, run, spread), *own, "" if scale is None else scale]


def beside_sums(found: FloatArray, sums: Told) -> list[Any]:
    """How far draws are from sums over a grid, which have no halves."""
    means = np.abs(found.mean(axis=0) - sums.means) / sums.spread
    ends = np.abs(np.quantile(found, [0.025, 0.975], axis=0) - [sums.low, sums.high]) / sums.spread
    return [float(means.max()), float(ends.max()), 0.0, 0.0, ""]


def measured(people: int, answers: int, seed: int, given: Wanted) -> list[list[Any]]:
    """Run one cell."""
    interview = asked(people, answers, seed)
    decided = interview.decisions
    plain, levels = Density.of(decided, False), LEVELS[answers]
    found = believed(wf.Posterior(decided, random_state=seed))
    rows: list[list[Any]] = []
    tempered = None
    if given.tempering:
        tempered = Tempering(plain, levels, seed, given.seconds).run()
        rows.append(["tempering", *against(found, tempered, None)])
        if people == 2:
            sums = summed(decided)
            rows.append(["sums", *beside_sums(found, sums)])
            rows.append(["tempering beside sums", *beside_sums(tempered, sums)])
    turned = no_u_turn(plain, seed) if given.no_u_turn else None
    if turned is not None:
        rows.append(["no-u-turn", *against(found, *turned)])
        if tempered is not None:
            rows.append(["tempering beside no-u-turn", *against(tempered, *turned)])
    if given.interviews:
        with_band = Tempering(Density.of(decided, True), levels, seed, given.seconds).run()
        rows.append(["interview", *against(believed(interview.posterior), with_band, None)])
    return [[seed, people, answers, *row] for row in rows]


def stored() -> list[list[str]]:
    """Rows that were finished."""
    if not STORE.exists():
        return []
    with STORE.open(newline="") as file:
        return list(csv.reader(file))[1:]


def keep(rows: list[list[Any]]) -> None:
    """Write finished rows down."""
    STORE.parent.mkdir(exist_ok=True)
    new = not STORE.exists()
    with STORE.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        writer.writerows(rows)


def verdict(row: list[str]) -> str:
    """Whether it holds, or says nothing."""
    means, ends, own_means, own_ends = map(float, row[4:8])
    if row[3] == "interview" or row[3].startswith("tempering beside"):
        return ""
    if own_means > MEANS or own_ends > ENDS or (row[8] and float(row[8]) > SCALE):
        return "the run does not agree with itself"
    return "holds" if means <= MEANS and ends <= ENDS else "missed"


def page(rows: list[list[str]]) -> str:
    """Return the page."""
    assert __doc__ is not None
    criteria = __doc__.split("run:\n\n")[1].split("\nFinished")[0].strip()
    lines = [
        "# The posterior beside long runs of other samplers",
        "",
        "Made by `python -m benchmarks.long_run --seed "
        f"{', '.join(sorted({row[0] for row in rows}))} --seconds 40`, in parts (without",
        "tempering for 10 and 18 people, without the No-U-Turn sampler for two); criteria were",
        "written down before.",
        "",
        *EARLIER,
        "",
        criteria,
        "",
        "Distances are in posterior deviations: the largest over asinh p, all weights and log tau.",
        "",
        "| people | answers | beside | means | ends | run's halves: means | ends | scale |  |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in sorted(rows, key=lambda row: (row[3] == "interview", int(row[2]), int(row[1]))):
        shown = [f"{float(x):.3f}" if x else "" for x in row[4:9]]
        lines.append(f"| {row[1]} | {row[2]} | {row[3]} | {' | '.join(shown)} | {verdict(row)} |")
    return "\n".join([*lines, *_not_run(rows)]) + "\n"


def _not_run(rows: list[list[str]]) -> list[str]:
    """What is missing, in a sentence; nothing if nothing is."""
    run = {(int(row[1]), int(row[2])) for row in rows}
    missing = [
        f"{people} people after {answers}"
        for answers in LEVELS
        for people in PEOPLE
        if (people, answers) not in run
    ]
    said = [f"Not run yet: {', '.join(missing)}."] if missing else []
    if not any(row[3] == "no-u-turn" for row in rows):
        said.append("The No-U-Turn sampler was not run.")
    return ["", " ".join(said)] if said else []


def main() -> None:
    """Run what was not run yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--people", type=int, nargs="+", default=PEOPLE)
    parser.add_argument("--answers", type=int, nargs="+", default=[20, 50])
    parser.add_argument("--seconds", type=float, default=SECONDS, help="CPU, for a long run")
    parser.add_argument("--without-tempering", action="store_true")
    parser.add_argument("--without-no-u-turn", action="store_true")
    parser.add_argument("--interviews", action="store_true")
    given = parser.parse_args()
    wanted = Wanted(
        given.seconds, not given.without_tempering, not given.without_no_u_turn, given.interviews
    )
    who = "tempering" if wanted.tempering else "no-u-turn"
    for answers in given.answers:
        for people in given.people:
            key = [str(given.seed), str(people), str(answers)]
            if not any(row[:4] == [*key, who] for row in stored()):
                keep(measured(people, answers, given.seed, wanted))
                print(*[row for row in stored() if row[:3] == key], sep="\n", flush=True)
    PAGE.write_text(page(stored()), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Scores of a food-rescue charity [PSPS24, Sec. 6, cardinal case]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import welfarist as wf
from replication import panels
from replication.charity import TEST, charity
from replication.experiment import Cell, Claim, Experiment, Row, curve, levels, select, values
from replication.measures import PRIOR, divergence, mean_squared, quiet
from welfarist.simulate import scores

TRUE_P = 2.72
NOISE = (0.01, 0.05, 0.1, 0.2)
SIZES = (50, 100, 200, 400, 800, 1600)


def cells(quick: bool) -> list[Cell]:
    sizes, repetitions = (SIZES[:4], 3) if quick else (SIZES, 10)
    return [
        {"nu": nu, "n": n, "repetition": r}
        for nu in (NOISE[1:3] if quick else NOISE)
        for n in sizes
        for r in range(repetitions)
    ]


def run(cell: Cell) -> Row:
    seed, n, nu = cell["repetition"], cell["n"], cell["nu"]
    train, test = charity(seed, SIZES[-1], TRUE_P)
    train = train[:n]
    noisy, noisy_test = (
        scores(train, nu, random_state=seed),
        scores(test, nu, random_state=seed + 1),
    )
    with quiet():
        fit = wf.WelfareRegressor().fit(train.utilities, noisy)
        smoothed = wf.WelfareRegressor(prior=PRIOR).fit(train.utilities, noisy)
    learned = fit.predict(test.utilities)
    return {
        "p": fit.p_,
        "train_loss": fit.loss_,
        "train_loss_true": mean_squared(train.welfare, noisy),
        "test_loss": mean_squared(learned, noisy_test),
        "test_loss_true": mean_squared(test.welfare, noisy_test),
        "noiseless_test_loss": mean_squared(learned, test.welfare),
        "kl": divergence(train.weights, fit.weights_),
        "kl_prior": divergence(train.weights, smoothed.weights_),
    }


def draw(rows: Sequence[Row], path: str) -> None:
    panels.draw(
        rows,
        path,
        x="n",
        line="nu",
        line_label="noise ν = {}",
        x_label="scored actions n",
        panels=[
            panels.Panel("test_loss", "test loss", truth="test_loss_true", log=True),
            panels.Panel("kl_prior", "KL(w* ‖ ŵ), Dirichlet prior", log=True),
            panels.Panel("p", "learned p (median)", constant=TRUE_P, power=True),
            panels.Panel("train_loss", "train loss", truth="train_loss_true", log=True),
            panels.Panel("noiseless_test_loss", "noiseless test loss", log=True),
        ],
    )


def check(rows: Sequence[Row]) -> list[Claim]:
    quietest, noisiest = levels(rows, "nu")[0], levels(rows, "nu")[-1]
    most, fewest = levels(rows, "n")[-1], levels(rows, "n")[0]
    excess = {
        (nu, n): float(
            np.mean(
                values(select(rows, nu=nu, n=n), "test_loss")
                / values(select(rows, nu=nu, n=n), "test_loss_true")
            )
        )
        for nu in levels(rows, "nu")
        for n in (fewest, most)
    }
    worst_start, worst = (max(excess[nu, n] for nu in levels(rows, "nu")) for n in (fewest, most))
    by_noise = [_mean(rows, "test_loss", nu=nu, n=most) for nu in levels(rows, "nu")]
    kl_by_noise = [_mean(rows, "kl_prior", nu=nu, n=most) for nu in levels(rows, "nu")]
    kl_falls = all(
        curve(select(rows, nu=nu), "n", "kl_prior")[1][0]
        > curve(select(rows, nu=nu), "n", "kl_prior")[1][-1]
        for nu in levels(rows, "nu")
    )
    infinite = float(np.mean(np.isinf(values(rows, "kl"))))
    off = {
        (nu, n): float(np.median(values(select(rows, nu=nu, n=n), "p"))) - TRUE_P
        for nu in (quietest, noisiest)
        for n in (fewest, most)
    }
    return [
        Claim(
            "Test loss falls with more samples.",
            f"test loss over that of the true rule falls from {worst_start:.3f} (n = {fewest}) "
            f"to {worst:.4f} (n = {most}) at the worst noise level",
            all(excess[nu, most] < excess[nu, fewest] for nu in levels(rows, "nu")),
        ),
        Claim(
            "Test loss falls with less noise.",
            f"at n = {most}: "
            + ", ".join(f"{v:.4g}" for v in by_noise)
            + " from least to most noise",
            by_noise == sorted(by_noise),
        ),
        Claim(
            "Test loss approaches that of the true parameters.",
            f"at n = {most} within {worst - 1:.1%}, at n = {fewest} within {worst_start - 1:.0%}",
            worst < 1.1,
        ),
        Claim(
            "KL divergence of the weights falls with more samples and with less noise.",
            f"at n = {most}: "
            + ", ".join(f"{v:.3g}" for v in kl_by_noise)
            + " from least to most noise",
            kl_falls and kl_by_noise == sorted(kl_by_noise),
            f"By maximum likelihood {infinite:.0%} of the runs give somebody who counts no weight, "
            f"and the divergence is infinite; shown under a Dirichlet({PRIOR:g}) prior.",
        ),
        Claim(
            f"Learned p approaches {TRUE_P}.",
            f"median error {off[quietest, fewest]:+.3f} (n = {fewest}) and "
            f"{off[quietest, most]:+.4f} (n = {most}) with least noise, "
            f"{off[noisiest, fewest]:+.3g} and {off[noisiest, most]:+.3f} with most",
            all(abs(off[nu, most]) < abs(off[nu, fewest]) for nu in (quietest, noisiest))
            and abs(off[quietest, most]) < 0.05,
        ),
    ]


def _mean(rows: Sequence[Row], column: str, **where: object) -> float:
    return float(np.mean(values(select(rows, **where), column)))


EXPERIMENT = Experiment(
    "charity_scores",
    "Scores of the charity",
    f"p* = {TRUE_P}, random weights, 18 stakeholders of the simulated food-rescue charity; scores "
    "with "
    "Gaussian noise of ν times the action's range, clipped to it; "
    f"{TEST:,} further actions for the test; mean and standard error over repetitions, each with "
    "its "
    "own charity. Dotted: the true rule. Learned p: "
    "median and quartiles.",
    cells,
    run,
    draw,
    check,
)

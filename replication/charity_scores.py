"""Scores of a food-rescue charity [PSPS24, Sec. 6, cardinal case]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import numpy as np

import welfarist as wf
from replication import methods, panels, trends
from replication.charity import TEST, charity
from replication.claims import Claim
from replication.experiment import Array, Cell, Experiment, Row, select, values
from replication.measures import PRIOR, divergence, mean_squared, power_error, quiet
from replication.settings import Settings, middle
from welfarist.simulate import scores

TRUE_P = 2.72
NOISE = (0.01, 0.05, 0.1, 0.2)
SIZES = (50, 100, 200, 400, 800, 1600)
METHOD_SIZES = (50, 200, 800)
# "Closely matches": a mean test loss this much above that of the true parameters at most.
CLOSE = 0.1


def cells(settings: Settings) -> list[Cell]:
    quick = settings.quick
    noise = settings.nu or (NOISE[1:3] if quick else NOISE)
    sizes = SIZES[:4] if quick else SIZES
    optimal = [
        {"nu": nu, "n": n, "repetition": r, "solver": methods.OPTIMUM}
        for nu in noise
        for n in sizes
        for r in range(settings.times(10, 3))
    ]
    few = SIZES[:2] if quick else METHOD_SIZES
    return optimal + [
        cell
        for solver in (methods.ALGORITHM_1, methods.TWO_STAGE)
        for cell in methods.cells(
            settings, solver, {"nu": middle(noise)}, few, settings.method_times(3, 1)
        )
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
        fit = wf.WelfareRegressor(**methods.options(cell)).fit(train.utilities, noisy)
    learned = fit.predict(test.utilities)
    return {
        "p": fit.p_,
        "train_loss": fit.loss_,
        "train_loss_true": mean_squared(train.welfare, noisy),
        "test_loss": mean_squared(learned, noisy_test),
        "test_loss_true": mean_squared(test.welfare, noisy_test),
        "noiseless_test_loss": mean_squared(learned, test.welfare),
        "kl": divergence(train.weights, fit.weights_),
        "kl_prior": _divergence_under_prior(cell, train.utilities, noisy, train.weights),
    }


def _divergence_under_prior(
    cell: Cell, utilities: Array, noisy: Array, weights: Array
) -> float | None:
    if cell["solver"] != methods.OPTIMUM:  # the paper's methods know no prior
        return None
    with quiet():
        smoothed = wf.WelfareRegressor(prior=PRIOR).fit(utilities, noisy)
    return divergence(weights, smoothed.weights_)


def draw(rows: Sequence[Row], file: IO[bytes]) -> None:
    panels.draw(
        methods.optimal(rows),
        file,
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
        extra=[
            methods.panel(
                rows, "test_loss", "test loss", by="nu", truth="test_loss_true", log=True
            ),
            methods.panel(rows, "noiseless_test_loss", "noiseless test loss", by="nu", log=True),
        ],
    )


def check(rows: Sequence[Row]) -> list[Claim]:
    """The claims, each judged at every noise level and every number of samples."""
    best = trends.with_column(
        methods.optimal(rows), "p_error", lambda row: power_error(row["p"], TRUE_P)
    )
    times = trends.repetitions(best)
    infinite = float(np.mean(np.isinf(values(best, "kl"))))
    own = select(rows, solver=methods.ALGORITHM_1)
    return [
        Claim(
            "Test loss falls with more samples.",
            trends.criterion("falls", "smallest n to the largest", "at each ν"),
            trends.trends(best, "test_loss", "n", ["nu"], rises=False),
            times,
        ),
        Claim(
            "Test loss falls with less noise.",
            trends.criterion("rises", "least ν to the largest", "at each n"),
            trends.trends(best, "test_loss", "nu", ["n"], rises=True),
            times,
        ),
        Claim(
            "Test loss closely matches that of the true parameters.",
            f"at each ν and n, the mean test loss is at most {CLOSE:.0%} above that of the true "
            "parameters",
            trends.settings(best, ["nu", "n"], _close),
            times,
            note="The paper names no n from which on.",
        ),
        Claim(
            "KL divergence of the weights falls uniformly with more samples and with less noise.",
            trends.criterion("falls", "smallest n to the largest", "at each ν")
            + "; the same from the largest ν to the least at each n",
            trends.trends(best, "kl_prior", "n", ["nu"], rises=False)
            + trends.trends(best, "kl_prior", "nu", ["n"], rises=True),
            times,
            "the divergence of the maximum-likelihood weights, which is infinite in "
            f"{infinite:.0%} of the runs, because somebody who counts gets no weight; judged under "
            f"a Dirichlet({PRIOR:g}) prior",
        ),
        Claim(
            f"Learned p resembles {TRUE_P} more with more samples and with less noise.",
            trends.criterion("falls", "smallest n to the largest", "at each ν")
            + "; the same from the largest ν to the least at each n. What is averaged is the "
            "distance of asinh p from the true one, |p| above 150 counting as 150",
            trends.trends(best, "p_error", "n", ["nu"], rises=False)
            + trends.trends(best, "p_error", "nu", ["n"], rises=True),
            times,
        ),
        methods.comparable(
            rows,
            methods.ALGORITHM_1,
            ("nu",),
            "Algorithm 1 finds a minimum whose empirical risk is comparable to that of the true "
            "parameters.",
        ),
        Claim(
            "Test loss falls with more samples: by Algorithm 1 itself.",
            trends.criterion("falls", "smallest n to the largest", "at the ν run"),
            trends.trends(own, "test_loss", "n", ["nu"], rises=False),
            trends.repetitions(own),
            methods.left_out(rows, methods.ALGORITHM_1),
        ),
        Claim(
            "KL divergence of the weights falls with more samples: by Algorithm 1 itself.",
            trends.criterion("falls", "smallest n to the largest", "at the ν run")
            + "; an infinite divergence meets nothing",
            trends.trends(own, "kl", "n", ["nu"], rises=False),
            trends.repetitions(own),
            methods.left_out(rows, methods.ALGORITHM_1),
        ),
    ]


def _close(part: Sequence[Row]) -> tuple[bool, str]:
    ratio = float(np.mean(values(part, "test_loss") / values(part, "test_loss_true")))
    return ratio <= 1 + CLOSE, f"{ratio - 1:+.1%}"


EXPERIMENT = Experiment(
    "charity_scores",
    "Scores of the charity",
    f"p* = {TRUE_P}, random weights, 18 stakeholders of the simulated food-rescue charity; scores "
    "with Gaussian noise of ν times the action's range, clipped to it; "
    f"{TEST:,} further actions for the test; mean and standard error over repetitions, each with "
    "its own charity. Dotted: the true rule. Learned p: median and quartiles.",
    cells,
    run,
    draw,
    check,
    by=("nu",),
)

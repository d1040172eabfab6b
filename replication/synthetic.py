"""Synthetic individuals: how error depends on n and d [PSPS24, App. on simulations]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import IO

import numpy as np

import welfarist as wf
from replication import methods, people_panels, trends
from replication.claims import Case, Claim
from replication.experiment import Cell, Experiment, Row, levels, select, values
from replication.measures import choice_loss, mean_squared, quiet
from replication.settings import Settings
from welfarist.simulate import comparisons, correct_share, individuals, scores, true_order

PEOPLE = (5, 10, 20, 50)
SIZES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000)
METHOD_SIZES = (100, 500, 1_000)
TEST = 5_000
SCORES_P, SCORES_NU = -2.0, 0.1
CHOICES_P, CHOICES_TAU, LARGEST_TAU = 0.9, 10.0, 50.0
# "Relatively little change": less than this share of the change with unknown weights.
LITTLE = 0.5
# The paper's figures: high accuracy, and the share of correct labels in the mean and at most.
HIGH, LABELS, MOST_LABELS = 0.93, 0.714, 0.865
# "Minimal" differences, "near-perfect" accuracy, and how near shares of labels must come.
MINIMAL, NEAR_PERFECT, NEAR = 0.02, 0.99, 0.05


def cells(settings: Settings, noise: str) -> list[Cell]:
    """What is run at each level of the noise, `noise` being "nu" for scores, "tau" for choices."""
    quick = settings.quick
    people = settings.d or ((5, 20) if quick else PEOPLE)
    usual = (SCORES_NU,) if noise == "nu" else (CHOICES_TAU,)
    strengths = (settings.nu if noise == "nu" else settings.tau) or usual
    sizes = SIZES[:4] if quick else SIZES
    optimal = [
        {"weights": weights, noise: strength, "d": d, "n": n, "repetition": r,
         "solver": methods.OPTIMUM}
        for strength in strengths
        for weights in ("known", "unknown")
        for d in people
        for n in sizes
        for r in range(settings.times(5, 2))
    ]  # fmt: skip
    few = METHOD_SIZES[:2] if quick else METHOD_SIZES
    # A fit by Algorithm 1 takes minutes with many people: it is run with the fewest.
    whom = {methods.TWO_STAGE: people, methods.ALGORITHM_1: (min(people),)}
    return optimal + [
        cell
        for solver, counts in whom.items()
        for strength in strengths
        for d in counts
        for cell in methods.cells(
            settings,
            solver,
            {"weights": "unknown", noise: strength, "d": d},
            few,
            settings.method_times(3, 1),
        )
    ]


def run_scores(cell: Cell) -> Row:
    n, seed = cell["n"], [cell["d"], cell["repetition"]]
    world = individuals(SIZES[-1] + TEST, cell["d"], p=SCORES_P, random_state=seed)
    noisy = scores(world, cell["nu"], random_state=seed)
    weights = world.weights if cell["weights"] == "known" else "learn"
    with quiet():
        learner = wf.WelfareRegressor(weights=weights, **methods.options(cell))
        fit = learner.fit(world.utilities[:n], noisy[:n])
    test = slice(SIZES[-1], None)
    return {
        "p": fit.p_,
        "train_loss": fit.loss_,
        "train_loss_true": mean_squared(world.welfare[:n], noisy[:n]),
        "noiseless_test_loss": mean_squared(
            fit.predict(world.utilities[test]), world.welfare[test]
        ),
    }


def run_choices(cell: Cell) -> Row:
    """Pairs of vectors of their own, as the paper draws them."""
    n, seed, tau = cell["n"], [cell["d"], cell["repetition"]], cell["tau"]
    world = individuals(2 * (SIZES[-1] + TEST), cell["d"], p=CHOICES_P, random_state=seed)
    pairs = np.arange(2 * (SIZES[-1] + TEST)).reshape(-1, 2)
    decided = comparisons(world, pairs, tau=tau, random_state=seed)[:n]
    weights = world.weights if cell["weights"] == "known" else "learn"
    with quiet():
        learner = wf.ComparisonClassifier(
            weights=weights, tau_max=LARGEST_TAU, **methods.LIKELIHOOD, **methods.options(cell)
        )
        fit = learner.fit(decided)
    test = pairs[SIZES[-1] :]
    welfare = fit.welfare_.log(world.utilities)
    answers = np.sign(welfare[test[:, 0]] - welfare[test[:, 1]])
    actual = np.asarray(world.rule.log(world.utilities))
    first, second = pairs[:n].T
    return {
        "p": fit.p_,
        "tau_learned": fit.tau_,
        "train_loss": fit.loss_,
        "train_loss_true": choice_loss(
            tau * (actual[first] - actual[second]), decided.outcomes.astype(float)
        ),
        "noiseless_accuracy": float(np.mean(answers == true_order(world, test))),
        "correct_labels": correct_share(world, decided),
    }


def draw_scores(rows: Sequence[Row], file: IO[bytes]) -> None:
    people_panels.draw(rows, file, "nu", "noiseless_test_loss", "noiseless test loss", log=True)


def draw_choices(rows: Sequence[Row], file: IO[bytes]) -> None:
    people_panels.draw(rows, file, "tau", "noiseless_accuracy", "noiseless test accuracy")


def check_scores(rows: Sequence[Row]) -> list[Claim]:
    """The claims, each judged at every number of people and of samples it is about."""
    best = methods.optimal(rows)
    times = trends.repetitions(best)
    fewest = levels(best, "n")[0]
    return [
        Claim(
            "With known weights test loss changes relatively little as n grows.",
            "at each d, the mean changes from the smallest n to the largest by less than "
            f"{LITTLE:.0%} of what it falls with unknown weights",
            trends.settings(best, ["nu", "d"], _little),
            times,
            "the numbers of samples between: change is from the first to the last",
        ),
        Claim(
            "With unknown weights test loss falls more with n for larger d.",
            trends.criterion("rises", "least d to the largest", f"at each n above {fewest}")
            + f". What is averaged is the fall from n = {fewest} to that n",
            trends.trends(
                _falls(select(best, weights="unknown"), fewest),
                "fall", "d", ["nu", "n"], rises=True, paired=False,
            ),
            times,
        ),
        Claim(
            "Test loss rises with d.",
            trends.criterion(
                "rises", "least d to the largest", "with known and with unknown weights, at each n"
            ),
            trends.trends(
                best, "noiseless_test_loss", "d", ["nu", "weights", "n"], rises=True, paired=False
            ),
            times,
        ),
        Claim(
            "The rise with d is stronger with unknown weights.",
            "at each n, the mean rises by more from the least d to the largest than with known "
            "weights",
            trends.settings(best, ["nu", "n"], _stronger),
            times,
            "the numbers of people between: the rise is from the first to the last",
        ),
        _good(rows, "nu"),
        Claim(
            "Test loss falls with n: by the two-stage method itself, unknown weights.",
            trends.criterion("falls", "smallest n to the largest", "at each d"),
            trends.trends(
                select(rows, solver=methods.TWO_STAGE), "noiseless_test_loss", "n", ["nu", "d"],
                rises=False,
            ),
            trends.repetitions(select(rows, solver=methods.TWO_STAGE)),
            methods.left_out(rows, methods.TWO_STAGE),
        ),
    ]  # fmt: skip


def _change(rows: Sequence[Row], column: str) -> float:
    """Mean at the first level of a column less that at the last, in noiseless test loss."""
    first, last = levels(rows, column)[0], levels(rows, column)[-1]
    one, other = (
        float(np.mean(values(select(rows, **{column: level}), "noiseless_test_loss")))
        for level in (first, last)
    )
    return one - other


def _little(part: Sequence[Row]) -> tuple[bool, str]:
    known, unknown = (_change(select(part, weights=w), "n") for w in ("known", "unknown"))
    return abs(known) < LITTLE * unknown, f"{known:.3g} against {unknown:.3g}"


def _stronger(part: Sequence[Row]) -> tuple[bool, str]:
    known, unknown = (-_change(select(part, weights=w), "d") for w in ("known", "unknown"))
    return unknown > known, f"{unknown:.3g} against {known:.3g}"


def _falls(rows: Sequence[Row], fewest: int) -> list[Row]:
    """By how much each run is below that of the same world at the smallest n."""
    start = {
        (row["nu"], row["d"], row["repetition"]): row["noiseless_test_loss"]
        for row in select(rows, n=fewest)
    }
    return trends.with_column(
        [row for row in rows if row["n"] > fewest],
        "fall",
        lambda r: float(start[r["nu"], r["d"], r["repetition"]] - r["noiseless_test_loss"]),
    )


def _good(rows: Sequence[Row], noise: str) -> Claim:
    return methods.comparable(
        rows,
        methods.TWO_STAGE,
        (noise, "d"),
        "The two-stage method yields good results across the values of d.",
    )


def check_choices(rows: Sequence[Row]) -> list[Claim]:
    """The claims, each judged at every number of people and of samples it is about."""
    best = methods.optimal(rows)
    times = trends.repetitions(best)
    known, unknown = (select(best, weights=weights) for weights in ("known", "unknown"))
    most = levels(best, "n")[-1]
    smaller = "smaller n, of which the paper does not say it"
    return [
        Claim(
            "Known weights: accuracy rises with n.",
            trends.criterion("rises", "smallest n to the largest", "at each d"),
            _accuracy_rises(known),
            times,
        ),
        Claim(
            "Known weights: mean accuracy stays above 93% across d.",
            f"at each d and n, the mean is above {HIGH:.0%}",
            trends.settings(known, ["tau", "d", "n"], partial(_above, least=HIGH)),
            times,
        ),
        Claim(
            "Known weights: differences between the curves of d are minimal.",
            f"at each n, the largest mean of a d is less than {100 * MINIMAL:g} points above the "
            "smallest",
            trends.settings(known, ["tau", "n"], _minimal),
            times,
        ),
        Claim(
            "Known weights: all curves approach near-perfect accuracy.",
            f"at the largest n and each d, the mean is above {NEAR_PERFECT:.0%}",
            trends.settings(
                select(known, n=most), ["tau", "d", "n"], partial(_above, least=NEAR_PERFECT)
            ),
            times,
            smaller,
        ),
        Claim(
            "Unknown weights: accuracy falls with d.",
            trends.criterion("falls", "least d to the largest", "at each n"),
            trends.trends(
                unknown, "noiseless_accuracy", "d", ["tau", "n"],
                rises=False, paired=False, form="{:.1%}",
            ),
            times,
        ),
        Claim(
            "Unknown weights: all settings achieve high accuracy as n grows.",
            trends.criterion("rises", "smallest n to the largest", "at each d")
            + f"; and at the largest n it is above {HIGH:.0%}, which the paper calls high",
            _accuracy_rises(unknown)
            + trends.settings(
                select(unknown, n=most), ["tau", "d", "n"], partial(_above, least=HIGH)
            ),
            times,
        ),
        _labels(unknown, times),
        _good(rows, "tau"),
        Claim(
            "Unknown weights: accuracy rises with n: by the two-stage method itself.",
            trends.criterion("rises", "smallest n to the largest", "at each d"),
            _accuracy_rises(select(rows, solver=methods.TWO_STAGE)),
            trends.repetitions(select(rows, solver=methods.TWO_STAGE)),
            methods.left_out(rows, methods.TWO_STAGE),
        ),
    ]  # fmt: skip


def _accuracy_rises(rows: Sequence[Row]) -> tuple[Case, ...]:
    return trends.trends(rows, "noiseless_accuracy", "n", ["tau", "d"], rises=True, form="{:.1%}")


def _above(part: Sequence[Row], least: float) -> tuple[bool, str]:
    mean = float(np.mean(values(part, "noiseless_accuracy")))
    return mean > least, f"{mean:.1%}"


def _minimal(part: Sequence[Row]) -> tuple[bool, str]:
    means = [
        float(np.mean(values(line, "noiseless_accuracy"))) for _, line in trends.lines(part, ["d"])
    ]
    apart = max(means) - min(means)
    return apart < MINIMAL, f"within {100 * apart:.2g} points"


def _labels(rows: Sequence[Row], times: int) -> Claim:
    shares = values(rows, "correct_labels")
    mean, most = float(shares.mean()), float(shares.max())
    by_people = ", ".join(
        f"{np.mean(values(line, 'correct_labels')):.1%} at {name}"
        for name, line in trends.lines(rows, ["d"])
    )
    return Claim(
        f"{LABELS:.1%} of the training labels are correct in the mean over settings, at most "
        f"{MOST_LABELS:.1%}.",
        f"the mean over all data sets is within {100 * NEAR:g} points of the first, the largest "
        "within as many of the second",
        (
            Case("mean", abs(mean - LABELS) < NEAR, f"{mean:.1%} ({by_people})"),
            Case("largest", abs(most - MOST_LABELS) < NEAR, f"{most:.1%}"),
        ),
        times,
        note="The paper gives neither its beta parameters nor its values of d; ours are uniform in "
        "[1, 10].",
    )


SCORES = Experiment(
    "synthetic_scores",
    "Synthetic scores",
    f"p = {SCORES_P:g}; beta distributed utilities in [1, 1000]; Gaussian noise of ν = "
    f"{SCORES_NU:g} of the action's range unless another was asked for, clipped; noiseless test "
    f"loss on {TEST:,} actions, by number of people d.",
    partial(cells, noise="nu"),
    run_scores,
    draw_scores,
    check_scores,
    by=("nu", "d"),
)
CHOICES = Experiment(
    "synthetic_comparisons",
    "Synthetic comparisons",
    f"p = {CHOICES_P:g}, τ* = {CHOICES_TAU:g} unless another was asked for, τ at most "
    f"{LARGEST_TAU:g}; pairs of independent utility vectors; noiseless accuracy on {TEST:,} pairs, "
    "by number of people d.",
    partial(cells, noise="tau"),
    run_choices,
    draw_choices,
    check_choices,
    by=("tau", "d"),
)

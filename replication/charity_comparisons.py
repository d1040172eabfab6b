"""Comparisons of a food-rescue charity [PSPS24, Sec. 6 and appendix, ordinal case]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import IO

import numpy as np
import numpy.typing as npt

import welfarist as wf
from replication import charity_scores, methods, panels, trends
from replication.charity import TEST, charity
from replication.claims import Case, Claim
from replication.experiment import Array, Cell, Experiment, Row, levels, select, values
from replication.measures import PRIOR, choice_loss, divergence, power_error, quiet
from replication.settings import Settings, middle
from welfarist.decisions import Comparisons
from welfarist.simulate import comparisons, pairs_with_others, true_order

TEMPERATURES = (0.1, 1.0, 10.0, 100.0)
SIZES = (50, 100, 200, 400, 800)
METHOD_SIZES = (50, 100, 200)
OTHERS = 10  # comparisons an action
# Small samples without an error would send tau to infinity, and with it the loss of one error.
LARGEST_TAU = 1_000.0
# Where the paper says so: the temperatures called small, and those of its last remark on them.
SMALL_TAU, NOISY_TAU = 1.0, (0.1, 1.0)
# "Matches": a mean test loss this much above that of the true parameters at most.
MATCHES = 0.01


def cells(settings: Settings, p: float) -> list[Cell]:
    quick = settings.quick
    temperatures = settings.tau or TEMPERATURES
    sizes = SIZES[:3] if quick else SIZES
    optimal = [
        {"p_true": p, "tau": tau, "n": n, "repetition": r, "solver": methods.OPTIMUM}
        for tau in temperatures
        for n in sizes
        for r in range(settings.times(8, 2))
    ]
    where = {"p_true": p, "tau": middle(temperatures)}
    # A fit by Algorithm 1 takes minutes with many comparisons, one by the two-stage method seconds.
    few = {
        methods.ALGORITHM_1: METHOD_SIZES[:2],
        methods.TWO_STAGE: METHOD_SIZES[:2] if quick else METHOD_SIZES,
    }
    return optimal + [
        cell
        for solver, sizes in few.items()
        for cell in methods.cells(settings, solver, where, sizes, settings.method_times(3, 1))
    ]


def run(cell: Cell) -> Row:
    seed, n, tau = cell["repetition"], cell["n"], cell["tau"]
    train, test = charity(seed, SIZES[-1], cell["p_true"])
    train = train[:n]
    compared = pairs_with_others(n, OTHERS, random_state=seed)
    decided = comparisons(train, compared, tau=tau, random_state=seed)
    pairs = pairs_with_others(TEST, OTHERS, random_state=seed + 1)
    noisy = comparisons(test, pairs, tau=tau, random_state=seed + 1).outcomes.astype(float)
    true = true_order(test, pairs).astype(float)
    with quiet():
        fit = wf.ComparisonClassifier(
            tau_max=LARGEST_TAU, **methods.LIKELIHOOD, **methods.options(cell)
        ).fit(decided)
    learned = fit.tau_ * _difference(fit.welfare_, test.utilities, pairs)
    actual = tau * _difference(test.rule, test.utilities, pairs)
    train_actual = tau * _difference(train.rule, train.utilities, compared)
    return {
        "p": fit.p_,
        "tau_learned": fit.tau_,
        "train_loss": fit.loss_,
        "train_loss_true": choice_loss(train_actual, decided.outcomes.astype(float)),
        "test_loss": choice_loss(learned, noisy),
        "test_loss_true": choice_loss(actual, noisy),
        "noiseless_test_loss": choice_loss(learned, true),
        "noiseless_test_loss_true": choice_loss(actual, true),
        "test_accuracy": float(np.mean(np.sign(learned) == noisy)),
        "noiseless_accuracy": float(np.mean(np.sign(learned) == true)),
        "kl": divergence(train.weights, fit.weights_),
        "kl_prior": _divergence_under_prior(cell, decided, train.weights),
    }


def _divergence_under_prior(cell: Cell, decided: Comparisons, weights: Array) -> float | None:
    if cell["solver"] != methods.OPTIMUM:  # the paper's methods know no prior
        return None
    with quiet():
        smoothed = wf.ComparisonClassifier(tau_max=LARGEST_TAU, prior=PRIOR).fit(decided)
    return divergence(weights, smoothed.weights_)


def _difference(rule: wf.WelfareFunction, utilities: Array, pairs: npt.NDArray[np.intp]) -> Array:
    """First less second in log welfare (n,)."""
    welfare = np.asarray(rule.log(utilities))
    return np.asarray(welfare[pairs[:, 0]] - welfare[pairs[:, 1]])


def draw(rows: Sequence[Row], file: IO[bytes]) -> None:
    truth = float(rows[0]["p_true"])
    panels.draw(
        methods.optimal(rows),
        file,
        x="n",
        line="tau",
        line_label="τ* = {}",
        x_label=f"actions, {OTHERS} comparisons each",
        panels=[
            panels.Panel("test_loss", "test loss", truth="test_loss_true", log=True),
            panels.Panel("kl_prior", "KL(w* ‖ ŵ), Dirichlet prior", log=True),
            panels.Panel("noiseless_accuracy", "noiseless test accuracy"),
            panels.Panel("train_loss", "train loss", truth="train_loss_true"),
            panels.Panel("p", "learned p (median)", constant=truth, power=True),
            panels.Panel("test_accuracy", "test accuracy"),
            panels.Panel(
                "noiseless_test_loss",
                "noiseless test loss",
                truth="noiseless_test_loss_true",
                log=True,
            ),
        ],
        extra=[
            methods.panel(rows, "noiseless_accuracy", "noiseless test accuracy", by="tau"),
        ],
    )


AT_EACH_TAU = ("smallest n to the largest", "at each τ*")
AT_EACH_N = ("least τ* to the largest", "at each n")


def check(rows: Sequence[Row]) -> list[Claim]:
    """The claims, each judged at every temperature and every number of samples it is about."""
    best = methods.optimal(rows)
    best = trends.with_column(best, "excess", lambda r: float(r["test_loss"] - r["test_loss_true"]))
    best = trends.with_column(best, "relative", lambda r: float(r["excess"] / r["test_loss_true"]))
    times = trends.repetitions(best)
    return [
        _matches(best, times),
        Claim(
            "The relative deviation of the learned test loss from the true one grows for smaller "
            "numbers of samples.",
            trends.criterion("falls", *AT_EACH_TAU),
            trends.trends(best, "relative", "n", ["tau"], rises=False, form="{:.2%}"),
            times,
        ),
        Claim(
            "The relative deviation grows for smaller τ*.",
            trends.criterion("falls", *AT_EACH_N),
            trends.trends(best, "relative", "tau", ["n"], rises=False, form="{:.2%}"),
            times,
            note="The paper's next sentence but one, which is the next claim here, says that the "
            "deviation is smaller for small τ*.",
        ),
        Claim(
            "The deviation of the learned test loss from the true one is smaller for small τ*.",
            trends.criterion("rises", *AT_EACH_N),
            trends.trends(best, "excess", "tau", ["n"], rises=True),
            times,
        ),
        _divergence_falls(best, times),
        Claim(
            "Noiseless test accuracy rises with more samples and with higher τ*.",
            trends.criterion("rises", *AT_EACH_TAU)
            + "; the same from the least τ* to the largest at each n",
            trends.trends(best, "noiseless_accuracy", "n", ["tau"], rises=True, form="{:.1%}")
            + trends.trends(best, "noiseless_accuracy", "tau", ["n"], rises=True, form="{:.1%}"),
            times,
        ),
        Claim(
            "For τ* = 0.1 and 1 accuracy on noiseless data is significantly higher than on noisy "
            "data.",
            "at both τ* and each n, the mean difference within repetitions is above two standard "
            "errors",
            trends.settings(
                [row for row in best if row["tau"] in NOISY_TAU], ["tau", "n"], _significantly
            ),
            times,
            "larger τ*, of which the paper does not say it",
        ),
        *_by_algorithm_1(rows),
    ]


def _matches(best: Sequence[Row], times: int) -> Claim:
    most = levels(best, "n")[-1]
    small = [row for row in select(best, n=most) if row["tau"] <= SMALL_TAU]
    coin = ", ".join(
        f"{np.log(2) / np.mean(values(select(small, tau=tau), 'test_loss_true')) - 1:.2%} at "
        f"{trends.called(tau=tau)}"
        for tau in levels(small, "tau")
    )
    return Claim(
        "Test loss of the learned parameters matches that of the true ones for small τ* and many "
        "samples.",
        f"at the largest n and each τ* up to {SMALL_TAU:g}, the mean test loss is at most "
        f"{MATCHES:.0%} above that of the true parameters",
        trends.settings(small, ["tau", "n"], _matching),
        times,
        f"τ* above {SMALL_TAU:g} and smaller n, of which the paper does not say it",
        f"There is little to lose here: the loss of a coin is above the true one by {coin}."
        if coin
        else "",
    )


def _matching(part: Sequence[Row]) -> tuple[bool, str]:
    mean = float(np.mean(values(part, "excess")) / np.mean(values(part, "test_loss_true")))
    return mean <= MATCHES, f"{mean:+.2%}"


def _divergence_falls(best: Sequence[Row], times: int) -> Claim:
    infinite = float(np.mean(np.isinf(values(best, "kl"))))
    return Claim(
        "KL divergence of the weights falls uniformly with more samples and with less noise.",
        trends.criterion("falls", *AT_EACH_TAU)
        + "; the same from the least τ* to the largest at each n",
        trends.trends(best, "kl_prior", "n", ["tau"], rises=False)
        + trends.trends(best, "kl_prior", "tau", ["n"], rises=False),
        times,
        "the divergence of the maximum-likelihood weights, which is infinite in "
        f"{infinite:.0%} of the runs, because somebody who counts gets no weight; judged under a "
        f"Dirichlet({PRIOR:g}) prior",
        "The paper writes “smaller τ*” here, which is more noise; larger τ* is meant.",
    )


def _significantly(part: Sequence[Row]) -> tuple[bool, str]:
    noisy, noiseless = (values(part, name) for name in ("test_accuracy", "noiseless_accuracy"))
    mean, error = trends.difference(noisy, noiseless, paired=True)
    return mean > trends.CLEAR * error, f"{noiseless.mean():.1%} against {noisy.mean():.1%}"


def _by_algorithm_1(rows: Sequence[Row]) -> list[Claim]:
    own = select(rows, solver=methods.ALGORITHM_1)
    skipped = methods.left_out(rows, methods.ALGORITHM_1)
    times = trends.repetitions(own)
    ends = ("smallest n to the largest", "at the τ* run")
    return [
        methods.comparable(
            rows,
            methods.ALGORITHM_1,
            ("tau",),
            "Algorithm 1 finds a minimum whose empirical risk is comparable to that of the true "
            "parameters.",
        ),
        Claim(
            "Noiseless test accuracy rises with more samples: by Algorithm 1 itself.",
            trends.criterion("rises", *ends),
            trends.trends(own, "noiseless_accuracy", "n", ["tau"], rises=True, form="{:.1%}"),
            times,
            skipped,
        ),
        Claim(
            "KL divergence of the weights falls with more samples: by Algorithm 1 itself.",
            trends.criterion("falls", *ends) + "; an infinite divergence meets nothing",
            trends.trends(own, "kl", "n", ["tau"], rises=False),
            times,
            skipped,
        ),
    ]


def spread(rows: Sequence[Row]) -> float:
    """Interquartile range of asinh p over repetitions."""
    shown = [power_error(p, 0.0) * np.sign(p) for p in values(rows, "p")]
    return float(np.subtract(*np.percentile(shown, [75, 25])))


def against_scores(found: Mapping[str, Sequence[Row]]) -> list[Claim]:
    """The claim that spans the cardinal and the ordinal case."""
    ordinal, cardinal = (
        methods.optimal(found[name]) for name in (NEGATIVE.name, charity_scores.EXPERIMENT.name)
    )
    shared = sorted(set(levels(ordinal, "n")) & set(levels(cardinal, "n")))
    cases = []
    for n in shared:
        mean = {
            column: float(
                np.mean([spread(line) for _, line in trends.lines(select(rows, n=n), [column])])
            )
            for column, rows in (("tau", ordinal), ("nu", cardinal))
        }
        text = f"{mean['tau']:.3f} against {mean['nu']:.3f}"
        cases.append(Case(trends.called(n=n), mean["tau"] > mean["nu"], text))
    return [
        Claim(
            "Learned p varies more than in the cardinal case.",
            "at each n that both have, the interquartile range of asinh p over repetitions, "
            "averaged over all τ*, is larger than that of the scores, averaged over all ν",
            tuple(cases),
            min(map(trends.repetitions, (ordinal, cardinal))),
        )
    ]


def against_negative(found: Mapping[str, Sequence[Row]]) -> list[Claim]:
    """The claims that span both signs of p*."""
    negative, positive = (methods.optimal(found[e.name]) for e in (NEGATIVE, POSITIVE))
    cases = []
    for name, rows in trends.lines(negative, ("tau", "n")):
        more = spread(rows)
        less = spread(select(positive, tau=rows[0]["tau"], n=rows[0]["n"]))
        cases.append(Case(name, more > less, f"{more:.3f} against {less:.3f}"))
    errors = trends.with_column(
        positive, "p_error", lambda row: power_error(row["p"], row["p_true"])
    )
    times = trends.repetitions(positive)
    return [
        Claim(
            "Learned p varies more for p* = -1.62 than for p* = 1.62.",
            "at each τ* and n, the interquartile range of asinh p over repetitions is larger for "
            "p* = -1.62",
            tuple(cases),
            times,
            note="The paper's own utilities are not public: those here are simulated.",
        ),
        Claim(
            "Learned p is much more consistent with p* = 1.62 with less noise.",
            trends.criterion("falls", *AT_EACH_N)
            + ". What is averaged is the distance of asinh p from the true one, |p| above 150 "
            "counting as 150",
            trends.trends(errors, "p_error", "tau", ["n"], rises=False),
            times,
            note="The paper writes “as τ* decreases”, which is more noise; larger τ* is meant.",
        ),
    ]


def _experiment(name: str, p: float) -> Experiment:
    return Experiment(
        name,
        f"Comparisons of the charity, p* = {p:g}",
        f"p* = {p:g}, random weights, the simulated charity's 18 stakeholders; each action "
        f"compared with {OTHERS} others under logistic noise of temperature τ*; {TEST:,} further "
        f"actions for the test. τ is learned up to {LARGEST_TAU:g}. Dotted: the true rule. Learned "
        "p: median and quartiles.",
        partial(cells, p=p),
        run,
        draw,
        check,
        by=("tau",),
        across=against_scores if p < 0 else against_negative,
    )


NEGATIVE = _experiment("charity_comparisons_negative", -1.62)
POSITIVE = _experiment("charity_comparisons_positive", 1.62)

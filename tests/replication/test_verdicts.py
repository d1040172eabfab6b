"""Claims of the paper: judged at every level, by a criterion that the page shows."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from replication.__main__ import EXPERIMENTS
from replication.claims import Case, Claim, count
from replication.settings import Settings
from replication.trends import trends

from replication import (
    charity_comparisons,
    charity_scores,
    collapse,
    methods,
    nonconvexity,
    report,
    synthetic,
)


def claim(*met: bool) -> Claim:
    return Claim(
        "it falls.", "it must", tuple(Case(f"case {k}", m, "") for k, m in enumerate(met)), 3
    )


@pytest.mark.parametrize(
    ("met", "verdict"),
    [
        ((True, True), "holds"),
        ((True, True, False), "partly"),
        ((True, False), "partly"),
        ((True, False, False), "does not hold"),
        ((False,), "does not hold"),
        ((), "not asked"),
    ],
)
def test_the_verdict_follows_from_the_cases(met, verdict):
    assert claim(*met).verdict == verdict


def test_the_count_follows_from_the_verdicts():
    claims = [claim(True), claim(True, False), claim(False), claim(False), claim()]
    assert list(count(claims).values()) == [1, 1, 2, 1]
    assert report.counted(claims) == "4 claims: 1 hold, 1 partly, 2 do not (1 not asked)."


# --- trends


def line(*means: float, noise: float = 0.01, runs: int = 4) -> list[dict[str, object]]:
    """A curve whose repetitions differ by as much as `noise`, each in a way of its own."""
    shake = noise * np.random.default_rng(0).standard_normal((len(means), runs))
    return [
        {"tau": 0.1, "n": 50 * 2**k, "repetition": r, "y": mean + shake[k, r]}
        for k, mean in enumerate(means)
        for r in range(runs)
    ]


def falls(rows: list[dict[str, object]]) -> Case:
    (case,) = trends(rows, "y", "n", ["tau"], rises=False)
    return case


def test_a_curve_falls_at_every_step_or_does_not():
    assert falls(line(3, 2, 1)).met
    # From end to end it falls, but not between.
    bumpy = falls(line(3, 1, 2))
    assert not bumpy.met
    assert "rises from n = 100 to 200" in bumpy.found


def test_a_curve_that_hardly_moves_does_not_fall():
    flat = falls(line(0.415, 0.418, 0.4149, noise=0.05, runs=8))
    assert not flat.met
    assert "does not clearly fall" in flat.found


def test_noise_within_two_standard_errors_is_no_rise():
    assert falls(line(3, 1.0, 1.001, noise=0.1)).met


def test_an_infinite_value_meets_nothing():
    rows = [*line(3, 2, 1)[:-1], {"tau": 0.1, "n": 200, "repetition": 3, "y": np.inf}]
    assert not falls(rows).met
    assert "not finite in 1 of 12 runs" in falls(rows).found


def test_one_repetition_counts_as_it_is():
    assert falls(line(3, 2, 1, runs=1)).met
    assert not falls(line(3, 2, 2.5, runs=1)).met


# --- the claims of each figure, on rows that are made up


def comparisons(kl: dict[float, tuple[float, float, float]]) -> list[dict[str, object]]:
    """Fits of the charity that are as the paper says, but for the divergence."""
    rows = []
    for tau, divergences in kl.items():
        for k, n in enumerate((50, 100, 200)):
            for r in range(3):
                accuracy = 0.6 + 0.05 * np.log10(10 * tau) + 0.03 * k + 0.001 * r
                excess = 0.01 * (1 + tau) / 2**k + 1e-5 * r
                rows.append({
                    "p_true": 1.62, "tau": tau, "n": n, "repetition": r, "solver": "newton",
                    "p": 1.62 + (1 + 0.1 * r) / (1 + tau + k), "tau_learned": tau,
                    "train_loss": 0.6, "train_loss_true": 0.61, "test_loss": 0.6 + excess,
                    "test_loss_true": 0.6, "noiseless_test_loss": 0.5,
                    "noiseless_test_loss_true": 0.5, "test_accuracy": accuracy - 0.2,
                    "noiseless_accuracy": accuracy, "kl": np.inf,
                    "kl_prior": divergences[k] + 1e-4 * r,
                })  # fmt: skip
    return rows


def about(claims: list[Claim], words: str) -> Claim:
    (found,) = [claim for claim in claims if words in claim.text]
    return found


def test_no_temperature_is_left_out_of_the_divergence():
    falling = {0.1: (0.5, 0.45, 0.42), 1.0: (0.4, 0.3, 0.2), 10.0: (0.2, 0.1, 0.05)}
    words = "KL divergence of the weights falls uniformly"
    assert about(charity_comparisons.check(comparisons(falling)), words).verdict == "holds"
    # At the noisiest level it goes up, between ends that are as they should be.
    risen = {**falling, 0.1: (0.415, 0.48, 0.41)}
    found = about(charity_comparisons.check(comparisons(risen)), words)
    assert found.verdict == "partly"
    assert [case.name for case in found.cases if not case.met] == ["τ* = 0.1, against n"]
    assert "infinite in 100% of the runs" in found.left_out


def test_both_of_two_sentences_that_contradict_each_other_are_judged():
    rows = comparisons({0.1: (3, 2, 1), 1.0: (0.3, 0.2, 0.1)})
    claims = charity_comparisons.check(rows)
    assert about(claims, "relative deviation grows for smaller τ*").verdict == "does not hold"
    assert about(claims, "is smaller for small τ*").verdict == "holds"


def test_claims_about_levels_that_were_not_run_are_not_asked():
    claims = charity_comparisons.check(comparisons({20.0: (3, 2, 1)}))
    assert about(claims, "For τ* = 0.1 and 1").verdict == "not asked"
    assert about(claims, "comparable").verdict == "not asked"


def test_claims_fail_when_the_curves_say_otherwise():
    rows = [
        {
            "tau": 10.0, "d": d, "n": n, "repetition": 0, "weights": "unknown", "solver": "newton",
            "noiseless_accuracy": 0.5 + 0.1 * d % 0.3,
        }
        for d in (5, 20)
        for n in (100, 1000, 10000)
    ]  # fmt: skip
    assert collapse.check(rows)[0].verdict == "does not hold"
    worse = [
        {
            "nu": nu, "n": n, "repetition": r, "p": 1.0 - n, "train_loss": 1.0, "solver": "newton",
            "train_loss_true": 1.0, "test_loss": n / nu, "test_loss_true": 1.0,
            "noiseless_test_loss": 1.0, "kl": np.inf, "kl_prior": n / nu,
        }
        for nu in (0.01, 0.1)
        for n in (50, 100)
        for r in range(2)
    ]  # fmt: skip
    verdicts = {claim.verdict for claim in charity_scores.check(worse) if claim.cases}
    assert verdicts == {"does not hold"}


def test_curves_that_share_nothing_are_named_as_left_out():
    rows = [
        {"tau": 10.0, "d": d, "n": n, "repetition": 0, "weights": "unknown",
         "solver": "two_stage", "noiseless_accuracy": 0.9}
        for d in (5, 50)
        for n in (100, 500)
    ]  # fmt: skip
    found = collapse.check(rows)[1]
    assert found.verdict == "not asked"
    assert "d = 5 and 50, whose rescaled curves share nothing" in found.left_out


# --- the paper's own methods


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
@pytest.mark.parametrize("quick", [True, False])
def test_every_figure_has_the_papers_own_methods(experiment, quick):
    cells = experiment.cells(Settings(quick=quick))
    solvers = {cell["solver"] for cell in cells}
    assert {methods.ALGORITHM_1, methods.TWO_STAGE} <= solvers
    # Beside each of them the optimum was found for the same data.
    if experiment is not nonconvexity.EXPERIMENT:
        told = [{k: v for k, v in c.items() if k not in ("solver", "step")} for c in cells]
        optimal = [t for t, c in zip(told, cells, strict=True) if c["solver"] == methods.OPTIMUM]
        assert all(t in optimal for t in told)


def test_a_method_is_held_to_the_risk_of_the_true_parameters():
    def row(solver: str, loss: float, n: int) -> dict[str, object]:
        return {"nu": 0.1, "n": n, "repetition": 0, "solver": solver, "train_loss": loss,
                "train_loss_true": 1.0}  # fmt: skip

    rows = [row(methods.OPTIMUM, 0.9, 50), row(methods.ALGORITHM_1, 1.09, 50),
            row(methods.OPTIMUM, 0.9, 100), row(methods.ALGORITHM_1, 1.11, 100)]  # fmt: skip
    found = methods.comparable(rows, methods.ALGORITHM_1, ("nu",), "comparable")
    assert [case.met for case in found.cases] == [True, False]
    assert "optimum 0.9" in found.cases[0].found


def test_a_method_is_set_beside_the_optimum_of_the_same_problem():
    def row(solver: str, weights: str, loss: float) -> dict[str, object]:
        return {"tau": 10.0, "d": 5, "n": 50, "repetition": 0, "solver": solver,
                "weights": weights, "train_loss": loss, "train_loss_true": 1.0}  # fmt: skip

    rows = [row(methods.OPTIMUM, "known", 0.9), row(methods.OPTIMUM, "unknown", 0.5),
            row(methods.TWO_STAGE, "unknown", 0.6)]  # fmt: skip
    found = methods.comparable(rows, methods.TWO_STAGE, ("tau", "d"), "good")
    assert "optimum 0.5" in found.cases[0].found


def test_methods_can_be_left_out():
    none = Settings(method_repetitions=0)
    for experiment in EXPERIMENTS:
        solvers = {cell["solver"] for cell in experiment.cells(none)}
        assert not solvers & {methods.ALGORITHM_1, methods.TWO_STAGE}


# --- settings of one's own


def test_settings_reach_every_experiment_they_are_about():
    own = Settings(d=(3, 7), tau=(2.0, 5.0), nu=(0.3,), repetitions=1)
    for experiment in EXPERIMENTS[:-1]:
        cells = experiment.cells(own)
        assert {cell["repetition"] for cell in cells} == {0}
        if "tau" in cells[0]:
            assert {cell["tau"] for cell in cells} == {2.0, 5.0}
        else:
            assert {cell["nu"] for cell in cells} == {0.3}
    assert {cell["d"] for cell in synthetic.SCORES.cells(own)} == {3, 7}


def test_several_temperatures_of_synthetic_comparisons_are_told_apart():
    rows = [
        {"weights": weights, "tau": tau, "d": d, "n": n, "repetition": r, "solver": "newton",
         "noiseless_accuracy": 0.7 + 0.00001 * n / d + 0.001 * tau + 0.0001 * r,
         "correct_labels": 0.7, "train_loss": 1.0, "train_loss_true": 1.0}
        for weights in ("known", "unknown")
        for tau in (1.0, 10.0)
        for d in (5, 20)
        for n in (100, 1000, 10000)
        for r in range(2)
    ]  # fmt: skip
    names = [case.name for case in synthetic.check_choices(rows)[0].cases]
    assert names[0] == "τ* = 1, d = 5, against n"
    assert len(names) == 4
    for draw in (synthetic.draw_choices, collapse.draw):
        draw([row for row in rows if row["weights"] == "unknown"], drawn := io.BytesIO())
        assert drawn.getvalue().startswith(b"\x89PNG")


# --- the page


def test_the_page_shows_criterion_repetitions_and_what_is_left_out():
    experiment = charity_comparisons.NEGATIVE
    rows = comparisons({0.1: (0.5, 0.4, 0.45), 1.0: (0.3, 0.2, 0.1)})
    claims = report.claims_of([experiment], {experiment.name: rows})
    text = report.page([experiment], {experiment.name: rows}, claims, Settings(tau=(0.1, 1.0)))
    everything = claims[experiment.name]
    assert report.counted(everything) in text
    assert text.count("- criterion: ") == len(everything)
    assert text.count("- repetitions: ") == len(everything)
    assert text.count("- left out: ") == len(everything)
    assert "This run has settings of its own: τ* = 0.1, 1." in text
    assert "rises from n = 100 to 200 (0.4 to 0.45)" in text
    told = report.to_dict([experiment], claims)
    assert sum(told["count"].values()) == len(told["experiments"][0]["claims"])


def test_the_page_in_the_documentation_is_that_of_its_data():
    """Figures, verdicts and data are of one run: judged again, the data say what the page says."""
    docs = Path(__file__).parents[2] / "docs"
    text = (docs / "replication.md").read_text(encoding="utf-8")
    found = {}
    for experiment in EXPERIMENTS:
        with (docs / "replication" / f"{experiment.name}.csv").open(encoding="utf-8") as file:
            found[experiment.name] = [_typed(row) for row in csv.DictReader(file)]
    claims = report.claims_of(EXPERIMENTS, found)
    assert report.page(EXPERIMENTS, found, claims, Settings()) == text


def _typed(row: dict[str, str]) -> dict[str, object]:
    whole = ("n", "d", "repetition", "wrong")
    texts = ("solver", "weights", "other")
    return {
        name: value if name in texts else int(value) if name in whole else float(value)
        for name, value in row.items()
        if value or name == "solver"
    }

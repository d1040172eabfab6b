"""Sketches beside what else is large: wide searches, attributes, and decisions in files."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import welfarist as wf
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.weighting import Weighting

# Two ways to the same optimum, each of which stops where a step promises nothing.
SAME = 1e-7
PLANS, GROUPS = 40, 4


@pytest.fixture(scope="module")
def sketch():
    rng = np.random.default_rng(8)
    group = rng.integers(0, GROUPS, 3000)
    level = rng.normal(size=(GROUPS, PLANS))[group]
    people = np.exp(0.6 * rng.normal(size=(3000, PLANS)) + 0.5 * level)
    frame = pl.DataFrame({f"plan {i}": people[:, i] for i in range(PLANS)})
    return wf.Sketch.of(frame.with_columns(pl.Series("region", group).cast(str)), groups="region")


@pytest.fixture(scope="module")
def decided(sketch):
    rng = np.random.default_rng(9)
    welfare = sketch.log_mean(-1.0, [0.4, 0.3, 0.2, 0.1])
    pairs = rng.integers(0, PLANS, (700, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    margin = 10 * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]])
    return pairs, np.where(rng.random(len(pairs)) < 1 / (1 + np.exp(-margin)), 1, -1)


@pytest.fixture(scope="module")
def folder(sketch, decided, tmp_path_factory):
    pairs, outcomes = decided
    names = np.array(sketch.actions)
    made = tmp_path_factory.mktemp("decisions")
    columns = {"first": names[pairs[:, 0]], "second": names[pairs[:, 1]], "outcome": outcomes}
    pl.DataFrame(columns).write_parquet(made / "part.parquet")
    return made


@pytest.mark.parametrize("p", [-30.0, -1.0, 0.0, 0.5, 20.0])
def test_many_rules_are_judged_by_the_means_of_groups(sketch, p):
    people = sketch.seen_by(POWER_MEAN, Weighting(GROUPS))
    weights = np.random.default_rng(1).dirichlet(np.ones(GROUPS), 3)
    seen = people.log_means(np.log(weights), np.array([p, p, -1.0]))
    rules = zip(weights, (p, p, -1.0), strict=True)
    expected = [people.log_mean(row, power).value for row, power in rules]
    assert seen == pytest.approx(np.array(expected), abs=1e-4)  # near 0 it is that of p = 0


def test_powers_are_measured_by_what_everybody_has(sketch):
    rng = np.random.default_rng(2)
    table = np.exp(0.7 * rng.normal(size=(500, 3)))
    people = wf.Sketch.of(table).seen_by(POWER_MEAN, Weighting(1))
    assert people.spread == pytest.approx(np.log(table).std(), rel=1e-6)


def test_decisions_know_the_names_of_a_sketch(sketch, decided):
    pairs, outcomes = decided
    assert wf.Comparisons(sketch, pairs, outcomes).names == sketch.actions
    assert wf.Sketch.of(np.ones((4, 2))).row_names is None


def test_files_of_decisions_about_a_sketch_teach_what_they_teach_in_memory(sketch, decided, folder):
    in_memory = wf.ComparisonClassifier(random_state=0).fit(wf.Comparisons(sketch, *decided))
    scanned = wf.Comparisons.scan(folder, actions=sketch, share=300)
    learned = wf.ComparisonClassifier(random_state=0).fit(scanned)
    assert learned.p_ == pytest.approx(in_memory.p_, abs=SAME)
    assert learned.weights_ == pytest.approx(in_memory.weights_, abs=SAME)


def test_attributes_of_groups_count_their_heads(sketch, decided, folder):
    ages = {"age": [20.0, 35.0, 50.0, 65.0]}
    comparisons = wf.Comparisons(sketch, *decided)
    weights = wf.ByAttributes(ages)
    learned = wf.ComparisonClassifier(weights=weights).fit(comparisons)
    told = wf.ComparisonClassifier(weights=wf.ByAttributes(ages, heads=sketch.heads))
    assert learned.theta_ == told.fit(comparisons).theta_
    free = np.log(learned.weights_ / sketch.heads)
    slope = learned.theta_["age"]
    assert np.diff(free) == pytest.approx(slope * np.diff(ages["age"]), abs=1e-10)
    scanned = wf.Comparisons.scan(folder, actions=sketch, share=300)
    by_files = wf.ComparisonClassifier(weights=weights, random_state=0).fit(scanned)
    assert by_files.theta_["age"] == pytest.approx(slope, abs=SAME)


@pytest.mark.parametrize("learner", [wf.ComparisonClassifier, wf.ChoiceLearner])
def test_errors_are_not_counted_on_sketches(sketch, decided, learner):
    with pytest.raises(wf.InputError, match="utilities"):
        learner(noise="none").fit(wf.Comparisons(sketch, *decided))

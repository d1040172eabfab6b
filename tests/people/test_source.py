"""People who are not all in memory take the place of utilities, and what needs them all refuses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import welfarist as wf
from welfarist.families.columns import Columns
from welfarist.people.source import is_source
from welfarist.people.table import columns_of

# Both fits take the same steps on the same numbers.
SAME = 1e-12


@dataclass(frozen=True)
class Hidden:
    """What a family sees of people, without the people: a stand-in for sums over millions."""

    seen: Columns

    table = None

    def __getattr__(self, name):
        return getattr(self.seen, name)

    def take(self, actions):
        return Hidden(self.seen.take(actions))


@dataclass(frozen=True)
class Elsewhere:
    """People whose utilities are nowhere to be had as a table."""

    utilities: np.ndarray
    stakeholders: tuple[str, ...] | None = None

    @property
    def shape(self):
        return self.utilities.shape

    def __len__(self):
        return len(self.utilities)

    def __getitem__(self, actions):
        return Elsewhere(self.utilities[actions], self.stakeholders)

    def any(self):
        return bool(self.utilities.any())

    def seen_by(self, family, weighting):
        return Hidden(columns_of(self.utilities, family, weighting))

    def __array__(self, dtype=None, copy=None):
        raise wf.InputError("this needs everybody's utilities; found people who are elsewhere.")


RNG = np.random.default_rng(3)
TABLE = RNG.uniform(1, 10, (60, 3))
PAIRS = wf.simulate.random_pairs(60, 800, random_state=3)
WELFARE = wf.log_power_mean(TABLE, -1, [0.5, 0.3, 0.2])
CHANCE = 1 / (1 + np.exp(-6 * (WELFARE[PAIRS[:, 0]] - WELFARE[PAIRS[:, 1]])))
FIRST = RNG.random(800) < CHANCE
NAMES = ("north", "centre", "south")
DENSE = wf.Comparisons(TABLE, PAIRS, FIRST)
HIDDEN = wf.Comparisons(Elsewhere(TABLE, NAMES), PAIRS, FIRST)


def test_a_fit_to_hidden_people_is_the_fit_to_the_table():
    one = wf.ComparisonClassifier().fit(DENSE).result_
    other = wf.ComparisonClassifier().fit(HIDDEN).result_
    assert other.stakeholders == NAMES
    assert other.p == pytest.approx(one.p, rel=SAME)
    assert other.weights == pytest.approx(one.weights, rel=SAME)
    assert other.conf_int() == pytest.approx(one.conf_int(), rel=SAME)
    assert other.bse.data == pytest.approx(one.bse.data, rel=SAME)
    assert other.cov_params("robust") == pytest.approx(one.cov_params("robust"), rel=1e-9)
    assert other.test("Nash").statistic == pytest.approx(one.test("Nash").statistic, rel=1e-9)
    assert other.bootstrap(9).draws == pytest.approx(one.bootstrap(9).draws, rel=1e-9)
    assert "power p" in other.summary()


def test_weights_of_hidden_people_may_follow_from_attributes():
    ages = {"age": {"south": 70, "north": 30, "centre": 45}}
    one = wf.ComparisonClassifier(weights=wf.ByAttributes({"age": [30, 45, 70]})).fit(DENSE)
    other = wf.ComparisonClassifier(weights=wf.ByAttributes(ages)).fit(HIDDEN)
    assert other.theta_ == pytest.approx(one.theta_, rel=SAME)
    assert other.result_.interval("age") == pytest.approx(one.result_.interval("age"), rel=SAME)
    tests = [fit.result_.test(theta="age").statistic for fit in (one, other)]
    assert tests[1] == pytest.approx(tests[0], rel=1e-9)


@pytest.mark.parametrize("solver", ["grid", "two_stage"])
def test_methods_that_read_the_table_refuse_before_any_work(solver):
    with pytest.raises(wf.InputError, match="people who are not all in memory"):
        wf.ComparisonClassifier(solver=solver).fit(HIDDEN)


def test_counting_and_checks_say_why_they_cannot():
    with pytest.raises(wf.InputError, match="memory"):
        wf.ComparisonClassifier(noise="none").fit(HIDDEN)
    result = wf.ComparisonClassifier(weights="equal").fit(HIDDEN).result_
    assert result.certificate is None
    assert "memory" in result.misfit().reason
    with pytest.raises(wf.InputError, match="elsewhere"):
        result.surprises()


def test_tables_are_no_sources():
    assert is_source(Elsewhere(TABLE))
    for other in (TABLE, TABLE.tolist(), None, "table"):
        assert not is_source(other)

"""Sketches in the place of utilities: fits, rules, checks, and what is refused."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import welfarist as wf

RNG = np.random.default_rng(3)
PEOPLE, ACTIONS, GROUPS = 1500, 30, 4
GROUP = np.sort(RNG.choice(GROUPS, PEOPLE, p=[0.4, 0.3, 0.2, 0.1]))
NAMES = np.array(["east", "north", "south", "west"])
UTILITIES = np.exp(RNG.normal(8, 0.7, (PEOPLE, 1)) + RNG.normal(0, 0.3, (PEOPLE, ACTIONS)))
UTILITIES *= np.exp(RNG.normal(0, 0.5, (GROUPS, ACTIONS)))[GROUP]
SKETCH = wf.Sketch.of(UTILITIES, NAMES[GROUP])
TRUE = np.array([0.1, 0.4, 0.3, 0.2])
PAIRS = wf.simulate.random_pairs(ACTIONS, 1500, random_state=3)
WORTH = SKETCH.log_mean(-0.7, TRUE)
FIRST = RNG.random(1500) < 1 / (1 + np.exp(-6 * (WORTH[PAIRS[:, 0]] - WORTH[PAIRS[:, 1]])))
DECIDED = wf.Comparisons(SKETCH, PAIRS, FIRST)
TABLE = wf.Comparisons(UTILITIES.T, PAIRS, FIRST)
RESULT = wf.ComparisonClassifier().fit(DECIDED).result_
# Fits on sketches and on tables follow the same steps on numbers that agree to about 1e-12.
SAME, SAME_ENDS = 1e-8, 1e-6


def by_group(weights):
    return np.bincount(GROUP, weights)


@pytest.fixture(scope="module")
def of_table():
    return wf.ComparisonClassifier(groups=GROUP).fit(TABLE).result_


def test_a_fit_to_a_sketch_is_the_fit_to_its_people(of_table):
    assert RESULT.stakeholders == tuple(NAMES)
    assert pytest.approx(of_table.p, abs=SAME) == RESULT.p
    assert pytest.approx(of_table.tau, abs=SAME * 10) == RESULT.tau
    assert pytest.approx(by_group(of_table.weights), abs=SAME) == RESULT.weights
    assert RESULT.interval("p") == pytest.approx(of_table.interval("p"), abs=SAME_ENDS)
    assert RESULT.test("Nash").statistic == pytest.approx(
        of_table.test("Nash").statistic, abs=SAME_ENDS
    )


@pytest.mark.filterwarnings("ignore:at p = :welfarist.NotIdentifiedWarning")
@pytest.mark.parametrize("p", [-np.inf, np.inf, 0.0, -30.0, 2.0])
def test_known_powers_on_the_whole_line(p):
    one = wf.ComparisonClassifier(p=p, groups=GROUP).fit(TABLE).result_
    # No rules are looked at beforehand, as they are in tables: far out more starts are needed.
    starts = 20 if p == -30.0 else "auto"
    other = wf.ComparisonClassifier(p=p, n_starts=starts, random_state=1).fit(DECIDED).result_
    assert other.loss == pytest.approx(one.loss, abs=SAME)


def test_equal_weights_are_those_of_people():
    found = wf.ComparisonClassifier(weights="equal").fit(DECIDED).result_
    assert found.weights == pytest.approx(SKETCH.heads / PEOPLE, abs=1e-15)
    table = wf.ComparisonClassifier(weights="equal").fit(TABLE).result_
    assert found.p == pytest.approx(table.p, abs=SAME)
    known = wf.ComparisonClassifier(weights=SKETCH.heads).fit(DECIDED).result_
    assert known.p == pytest.approx(table.p, abs=SAME)


def test_groups_of_groups_share_by_heads():
    shared = ["a", "a", "b", "b"]
    found = wf.ComparisonClassifier(groups=shared).fit(DECIDED).result_
    per_head = found.weights / SKETCH.heads
    assert per_head[0] == pytest.approx(per_head[1], rel=1e-12)
    assert per_head[2] == pytest.approx(per_head[3], rel=1e-12)
    table = wf.ComparisonClassifier(groups=np.array(shared)[GROUP]).fit(TABLE).result_
    assert found.weights == pytest.approx(by_group(table.weights), abs=SAME)
    assert found.interval("weight of east") == pytest.approx(
        np.array(table.interval("weight of person 0")) * SKETCH.heads[0], abs=SAME_ENDS
    )
    each = RESULT.test(weights="equal")
    known = RESULT.test(weights=SKETCH.heads)
    assert each.statistic == pytest.approx(known.statistic, rel=1e-9)


def test_people_with_nothing():
    utilities = UTILITIES.copy()
    utilities[RNG.random(utilities.shape) < 0.01] = 0
    sketch = wf.Comparisons(wf.Sketch.of(utilities, GROUP), PAIRS, FIRST)
    table = wf.Comparisons(utilities.T, PAIRS, FIRST)
    with pytest.warns(wf.SearchRangeWarning):
        one = wf.ComparisonClassifier(groups=GROUP).fit(table)
    with pytest.warns(wf.SearchRangeWarning):
        other = wf.ComparisonClassifier().fit(sketch)
    assert other.p_ == pytest.approx(one.p_, abs=SAME)
    with pytest.raises(wf.ZerosError):
        wf.ComparisonClassifier(p=-1).fit(sketch)


def test_choices_and_scores_take_sketches():
    menus = [RNG.choice(ACTIONS, 4, replace=False).tolist() for _ in range(600)]
    chosen = [m[int(np.argmax(6 * WORTH[m] + RNG.gumbel(size=4)))] for m in menus]
    one = wf.ChoiceLearner(groups=GROUP).fit(wf.Choices(UTILITIES.T, menus, chosen))
    choices = wf.Choices(SKETCH, menus, chosen)
    other = wf.ChoiceLearner().fit(choices)
    assert other.p_ == pytest.approx(one.p_, abs=SAME)
    assert other.score(choices) == one.score(wf.Choices(UTILITIES.T, menus, chosen))
    assert len(other.result_.calibration(5).to_frame()) == 5
    assert len(other.result_.surprises(3).to_frame()) == 3
    scores = np.exp(WORTH + RNG.normal(0, 0.02, ACTIONS))
    first = wf.WelfareRegressor(groups=GROUP).fit(UTILITIES.T, scores)
    second = wf.WelfareRegressor().fit(SKETCH, scores)
    assert second.p_ == pytest.approx(first.p_, abs=1e-6)
    assert second.predict(SKETCH) == pytest.approx(first.predict(UTILITIES.T), rel=1e-8)
    assert second.score(SKETCH, scores) == pytest.approx(first.score(UTILITIES.T, scores))


def test_rules_judge_sketches():
    each = TRUE[GROUP] / np.bincount(GROUP)[GROUP]
    rule = wf.WelfareFunction(-0.7, dict(zip(NAMES[::-1], TRUE[::-1], strict=True)))
    plain = wf.WelfareFunction(-0.7, each)
    assert rule(SKETCH) == pytest.approx(plain(UTILITIES.T), rel=1e-11)
    assert rule.log(SKETCH) == pytest.approx(WORTH, abs=1e-12)
    assert rule.rank(SKETCH).tolist() == plain.rank(UTILITIES.T).tolist()
    shares = wf.WelfareFunction(-0.7, TRUE).shares(SKETCH)
    expected = np.array([by_group(row) for row in plain.shares(UTILITIES.T)])
    assert shares == pytest.approx(expected, abs=1e-10)
    everybody = wf.WelfareFunction(0)(SKETCH)
    assert everybody == pytest.approx(wf.WelfareFunction(0)(UTILITIES.T), rel=1e-11)
    with pytest.raises(wf.InputError, match="shift must be 0"):
        wf.WelfareFunction(1, TRUE, shift=1)(SKETCH)


def test_checks_reports_and_saved_models(tmp_path):
    assert len(RESULT.calibration(5).to_frame()) == 5
    assert "memory" in RESULT.misfit().reason
    assert len(RESULT.surprises(4).to_frame()) == 4
    assert RESULT.bootstrap(5, random_state=1).draws.shape[0] == 5
    wf.write_report(RESULT, tmp_path / "report.html")
    assert "north" in (tmp_path / "report.html").read_text()
    learner = wf.ComparisonClassifier().fit(DECIDED)
    wf.save_model(learner, tmp_path / "model.json")
    assert wf.load_model(tmp_path / "model.json").welfare.rank(SKETCH)[0] == np.argmax(
        learner.welfare_.log(SKETCH)
    )
    side = wf.compare([learner, "utilitarian", "Nash"], DECIDED)
    assert "utilitarian" in str(side)


def test_decisions_about_the_same_sketch_are_the_same():
    again = wf.Comparisons(wf.Sketch.of(UTILITIES, NAMES[GROUP]), PAIRS, FIRST)
    assert DECIDED.same_as(again)
    assert DECIDED.digest() == again.digest()
    other = wf.Comparisons(wf.Sketch.of(UTILITIES * 2, NAMES[GROUP]), PAIRS, FIRST)
    assert not DECIDED.same_as(other)
    assert DECIDED.digest() != other.digest()


def test_choosing_what_gives_nothing_is_impossible():
    utilities = UTILITIES[:, :2].copy()
    utilities[:, 0] = 0
    decided = wf.Comparisons(wf.Sketch.of(utilities, GROUP), [[0, 1]], [1])
    with pytest.raises(wf.ImpossibleDecisionsError):
        wf.ComparisonClassifier(weights="equal").fit(decided)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"noise": "none"}, "counts errors exactly"),
        ({"noise": "flip"}, "counts errors exactly"),
        ({"solver": "grid"}, "people who are not all in memory"),
        ({"solver": "two_stage"}, "people who are not all in memory"),
        ({"shift": 1}, "shift must be 0"),
    ],
)
def test_what_sketches_cannot_do_is_refused_in_words(options, said):
    with pytest.raises(wf.InputError, match=said):
        wf.ComparisonClassifier(**options).fit(DECIDED)


def test_other_families_are_refused_in_words():
    class Sum(wf.families.Family):
        name = "sum"
        shape = wf.families.POWER_MEAN.shape

    with pytest.raises(wf.InputError, match="power means only"):
        wf.ComparisonClassifier(family=Sum()).fit(DECIDED)
    with pytest.raises(wf.InputError, match="needs everybody's utilities"):
        np.asarray(SKETCH)


@pytest.mark.parametrize("p", [1e-300, 1e-200, 1e-40, 1e-31, 1e-29, 1e-12])
def test_enclosures_hold_at_tiny_powers_where_somebody_has_nothing(p):
    """Where groups lie at log(share) / p: powers that small are no zero."""
    people = np.array([0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 5.0, 6.0])
    sketch = wf.Sketch.of(people, groups=["a"] * 4 + ["b"] * 4)
    with mpmath.workdps(60):
        power = mpmath.mpf(p)
        total = sum(mpmath.mpf(float(u)) ** power for u in people if u) / 8
        truth = mpmath.log(total) / power
        low, high = (float(end[0]) for end in sketch.enclosure(p))
        assert low <= truth <= high


def test_counts_that_rounding_would_change_are_refused():
    with pytest.raises(wf.InputError, match="counts must be about 1 in the mean"):
        wf.Sketch.of(np.ones(3), counts=[1e-5, 2e-5, 3e-5])
    exact = wf.Sketch.of(np.array([1.0, 2.0]), counts=[2.0**-20, 3 * 2.0**-20])
    assert float(np.exp(exact.log_mean(1.0)[0])) == pytest.approx(1.75, rel=1e-12)


def test_a_mean_below_all_numbers_is_that_of_nothing():
    sketch = wf.Sketch.of(np.array([0.0, 1.0, 2.0]))
    assert sketch.log_mean(1e-310).tolist() == [-np.inf]

"""Figures: what is drawn is what was learned, and anybody can read it."""

from __future__ import annotations

import subprocess
import sys
import warnings
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import welfarist as wf
from welfarist.counting.loss_steps import compact, expanded
from welfarist.show.plots.names import person_of, shown
from welfarist.show.symbols import MINUS, in_symbols, rounded

mpl.use("Agg")

# A curve is bisected to 1e-20 of its radius, and welfare within 1e-10 counts as equal.
SAME_WELFARE = 1e-8
# One ray goes through the point; where the curve meets it is found by halving.
CLOSE_TO_POINT = 1e-6
# The curve is drawn straight between places that are a fortieth of the interval apart.
DRAWN = 5e-3


def decisions(people, count, p, tau, weights=None, names=None, seed=1, actions=80):
    import pandas as pd

    rng = np.random.default_rng(seed)
    table = rng.uniform(1, 10, (actions, people))
    weights = rng.dirichlet(np.ones(people)) if weights is None else np.array(weights)
    pairs = np.column_stack(
        [rng.integers(0, actions // 2, count), rng.integers(40, actions, count)]
    )
    logs = wf.log_power_mean(table, p, weights)
    margin = logs[pairs[:, 0]] - logs[pairs[:, 1]]
    noise = 0.0 if np.isinf(tau) else rng.logistic(scale=1 / tau, size=count)
    outcomes = np.where(margin + noise > 0, 1, -1)
    frame = table if names is None else pd.DataFrame(table, columns=names)
    return wf.Comparisons(frame, pairs, outcomes)


def fit(decided, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        return wf.ComparisonClassifier(**options).fit(decided).result_


NAMES = ["patients", "the $staff$ and <others>", "payers" * 20]
CHOICES = decisions(3, 300, -1, 15, weights=[0.5, 0.3, 0.2], names=NAMES)
RESULT = fit(CHOICES)
PROFILE = RESULT.profile(points=41)


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture
def axes():
    return plt.subplots()[1]


def drawn(axes):
    """Draw everything, so that warnings of the drawing become errors."""
    axes.figure.canvas.draw()
    return axes


def ends_of(patch):
    """Where a shaded strip begins and ends; its kind depends on matplotlib's version."""
    corners = patch.get_patch_transform().transform(patch.get_path().vertices)
    return corners[:, 0].min(), corners[:, 0].max()


def lines(axes):
    return {line.get_label(): line for line in axes.lines}


def test_profile_is_1_at_the_estimate_and_shades_the_interval(axes):
    assert wf.plots.profile(PROFILE, axes) is axes
    x, y = lines(drawn(axes))["relative likelihood"].get_data()
    assert y.max() == pytest.approx(1.0, abs=1e-6)
    assert expanded(x[np.argmax(y)]) == pytest.approx(RESULT.p, abs=1e-6)
    ends = compact(PROFILE.interval)
    np.testing.assert_allclose(np.interp(ends, x, y), np.exp(-PROFILE.allowed / 2), atol=DRAWN)
    box = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    np.testing.assert_allclose([box.x0, box.x1], ends)
    assert axes.get_title() == f"p = {rounded(RESULT.p)}, 95% interval " + " to ".join(
        rounded(end) for end in PROFILE.interval
    )


def test_the_line_of_powers_reaches_both_infinities_and_names_doctrines(axes):
    wf.plots.profile(PROFILE, axes)
    labels = {
        t.get_text(): x for t, x in zip(axes.get_xticklabels(), axes.get_xticks(), strict=True)
    }
    assert labels["\N{MINUS SIGN}\N{INFINITY}\negalitarian"] == -1
    assert labels["1\nutilitarian"] == 0.5
    assert labels["\N{INFINITY}\nbest off"] == 1
    above = drawn(axes).child_axes[0]
    aversions = [t.get_text() for t in above.get_xticklabels()]
    assert aversions[0] == "\N{INFINITY}"
    assert aversions[list(axes.get_xticks()).index(0.5)] == "0"


def test_numbers_as_symbols():
    assert [in_symbols(x) for x in (-np.inf, -2.0, 0.0, 0.5)] == ["−∞", "−2", "0", "½"]  # noqa: RUF001
    assert [rounded(x) for x in (-0.001, -1.234, 20.65, 302.2, np.inf)] == [
        "0.00",
        "\N{MINUS SIGN}1.23",
        "20.6",
        "302",
        "\N{INFINITY}",
    ]
    assert rounded(-0.0013, (-0.0013, 0.27)) == f"{MINUS}0.001"
    assert rounded(0.9996, (0.5, 0.9996)) == "0.9996"
    assert rounded(0.996, (0.5, 0.996)) == "0.996"
    assert rounded(-1e-12, (-1e-12, 0.5)) == "0.00"
    assert rounded(0.0, (0.0, 0.5)) == "0.00"


def test_a_narrow_interval_is_drawn_by_itself(axes):
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (300, 3))
    scores = wf.power_mean(table, 0.001) + rng.normal(0, 0.003, 300)
    profile = wf.WelfareRegressor(weights="equal").fit(table, scores).result_.profile(points=41)
    low, high = profile.interval
    assert 1e-4 < high - low < 1e-2
    wf.plots.profile(profile, axes)
    left, right = axes.get_xlim()
    assert (low - left, right - high) == pytest.approx([0.7 * (high - low)] * 2)
    assert "Nash" in [text.get_text().strip() for text in axes.texts]
    assert axes.get_xlabel().split("        ") == [
        f"← harmonic, {in_symbols(-1.0)}",
        "power p",
        "utilitarian, 1 →",
    ]
    shown = [word for word in axes.get_title().replace(MINUS, "-").split() if "0." in word]
    digits = [float(word.rstrip(",")) for word in shown]
    assert digits == pytest.approx([profile.estimate, low, high], abs=0.05 * (high - low))
    curve = axes.get_lines()[
        [line.get_label() for line in axes.get_lines()].index("relative likelihood")
    ]
    powers, heights = curve.get_data()
    inside = (powers > low) & (powers < high)
    assert inside.sum() > 50
    assert heights[inside].min() > np.exp(-profile.allowed / 2) * 0.999


def test_loss_is_that_of_the_profile_and_lowest_at_the_estimate(axes):
    wf.plots.loss(PROFILE, axes)
    curve, limits, best = axes.lines[-3:]
    finite = np.isfinite(PROFILE.p)
    np.testing.assert_array_equal(curve.get_ydata(), PROFILE.loss[finite])
    np.testing.assert_array_equal(limits.get_ydata(), PROFILE.loss[[0, -1]])
    assert expanded(best.get_xdata()[0]) == pytest.approx(RESULT.p)
    assert best.get_ydata()[0] == pytest.approx(RESULT.loss)


def test_loss_of_counted_errors_is_the_exact_step_function(axes):
    result = fit(decisions(3, 150, -1, np.inf), noise="none")
    wf.plots.loss(result, axes)
    values, edges, _ = drawn(axes).patches[0].get_data()
    middles = expanded((edges[1:] + edges[:-1]) / 2)
    np.testing.assert_array_equal(values, result.exact.steps(middles))
    best = lines(axes)["lowest"]
    assert set(best.get_ydata()) == {0.0}
    middle = float(expanded(np.mean(best.get_xdata())))
    assert any(middle in interval for interval in result.exact.intervals)


def test_weights_are_dots_with_intervals_beside_the_equal_one(axes):
    ends = RESULT.interval("weights")
    wf.plots.weights(RESULT, axes)
    reference, dots = axes.lines
    assert reference.get_xdata() == [1 / 3, 1 / 3]
    np.testing.assert_array_equal(dots.get_xdata(), RESULT.weights)
    segments = axes.collections[0].get_segments()
    np.testing.assert_allclose([s[:, 0] for s in segments], ends)
    assert "95% interval" in axes.get_xlabel()
    names = [t.get_text() for t in drawn(axes).get_yticklabels()]
    assert names[1] == NAMES[1].replace("$", r"\$")  # dollars are no mathematics
    assert len(names[2]) < 40


def test_weights_by_size_the_largest_above(axes):
    wf.plots.weights(RESULT, axes, order="weight", level=None)
    drawn(axes)
    heights = dict(zip(axes.lines[1].get_ydata(), axes.lines[1].get_xdata(), strict=True))
    assert [heights[i] for i in range(3)] == sorted(RESULT.weights, reverse=True)
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    with pytest.raises(wf.InputError, match="order must be"):
        wf.plots.weights(RESULT, axes, order="size")


def test_people_who_do_not_count_are_hollow_and_fits_without_intervals_have_none(axes):
    given = fit(CHOICES, weights=[0.5, 0.5, 0.0])
    wf.plots.weights(given, axes)
    hollow = lines(axes)["does not count"]
    assert hollow.get_xdata().tolist() == [0.0]
    assert hollow.get_markerfacecolor() == "white"
    assert not axes.collections
    assert axes.get_xlabel() == "weight (share of the total)"


def test_a_hundred_people_can_be_read():
    result = fit(decisions(100, 400, 0, 20), p=0, prior=2)
    axes = drawn(wf.plots.weights(result))
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    tops = sorted((box.y0, box.y1) for box in boxes)
    assert len(tops) == 100
    assert all(below[1] <= above[0] + 1 for below, above in pairwise(tops))


@pytest.mark.parametrize("p", [-np.inf, -2.0, 0.0, 0.5, 1.0, np.inf])
def test_points_of_an_indifference_curve_are_equally_good(p, axes):
    result = fit(CHOICES, p=p, weights=[0.5, 0.3, 0.2])
    wf.plots.indifference(result, people=("patients", 2), ax=axes, through=[(3, 2), (5, 6)])
    # Others change nothing; at the limits they are better (worse) off than the two.
    others = {-np.inf: 99.0, np.inf: 1e-3}
    rules = {"utilitarian": 1.0, "Nash": 0.0, "egalitarian": -np.inf}
    by_label = lines(drawn(axes))
    rules[next(label for label in by_label if label.startswith("learned"))] = p
    for label, power in rules.items():
        rule = wf.WelfareFunction(power, [0.5, 0.3, 0.2])
        points = np.column_stack(by_label[label].get_data())
        points = points[np.isfinite(points).all(axis=1)]
        assert len(points) > 100
        for other in [others[power]] if power in others else [0.5, 4.0]:
            table = np.insert(points, 1, other, axis=1)
            np.testing.assert_allclose(rule(table), rule([3, other, 2]), rtol=SAME_WELFARE)
        # Every curve passes through its point.
        distance = np.abs(points - [3, 2]).max(axis=1).min()
        assert distance < CLOSE_TO_POINT
    assert "egalitarian: everybody else is better off" in axes.get_xlabel()


def test_curves_are_those_of_people_of_different_groups(axes):
    rng = np.random.default_rng(2)
    table = rng.uniform(1, 10, (80, 4))
    scores = wf.power_mean(table, 0.5, [0.35, 0.35, 0.2, 0.1]) + rng.normal(0, 0.1, 80)
    groups = ["staff", "staff", "payers", "public"]
    result = wf.WelfareRegressor(groups=groups).fit(table, scores).result_
    wf.plots.indifference(result, ax=axes)
    assert axes.get_xlabel().startswith("utility of person 0")
    assert axes.get_ylabel() == "utility of person 2"


def test_profile_shades_the_interval_of_the_summary_and_says_which(axes):
    by = np.arange(len(CHOICES.outcomes)) % 20
    known = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    result = fit(known).with_covariance("clustered")
    wf.plots.profile(result, axes, level=0.9)
    shaded = axes.patches[0]
    row = result.estimates(0.9).rows[0]
    assert expanded(ends_of(shaded)) == pytest.approx([row.low, row.high])
    assert shaded.get_label() == "90% interval,\nclustered standard errors"
    fisher = fit(known)
    axes.clear()
    wf.plots.profile(fisher, axes, method="wald")
    assert expanded(ends_of(axes.patches[0])) == pytest.approx(fisher.interval("p", method="wald"))


def test_indifference_tells_rules_apart_without_colour_and_takes_the_heaviest_two(axes):
    wf.plots.indifference(RESULT, ax=axes)
    rules = [line for name, line in lines(axes).items() if not name.startswith("_")]
    styles = {(str(line._unscaled_dash_pattern), line.get_linewidth()) for line in rules}
    assert len(styles) == 4
    assert axes.get_xlabel().startswith("utility of patients")


def test_indifference_of_somebody_who_does_not_count_is_a_straight_line(axes):
    given = fit(decisions(2, 100, 0, 5), p=0, weights=[1.0, 0.0])
    wf.plots.indifference(given, people=(0, 1), ax=axes)
    x = axes.lines[0].get_xdata()
    assert np.ptp(x[np.isfinite(x)]) < 1e-6
    assert axes.get_xlabel() == "utility of person 0"


def test_people_who_cannot_be_drawn_are_refused():
    for people, message in [
        ((0, 0), "two different"),
        ((0,), "two names or numbers"),
        ("ab", "two names or numbers"),
        ((0, 9), "from 0 to 2"),
        ((0, "nobody"), "must be one of patients"),
    ]:
        with pytest.raises(wf.InputError, match=message):
            wf.plots.indifference(RESULT, people=people)
    nobody = fit(CHOICES, p=0, weights=[1, 0, 0])
    with pytest.raises(wf.InputError, match="somebody who counts"):
        wf.plots.indifference(nobody, people=(1, 2))
    with pytest.raises(wf.InputError, match="positive, finite"):
        wf.plots.indifference(RESULT, through=[(0, 1)])
    with pytest.raises(wf.InputError, match="pairs of utilities"):
        wf.plots.indifference(RESULT, through=[1, 2, 3])
    with pytest.raises(wf.InputError, match="without them"):
        wf.plots.indifference(RESULT.without_data())


def test_calibration_draws_bins_with_their_intervals(axes):
    found = RESULT.calibration(5)
    wf.plots.calibration(RESULT, axes, bins=5)
    dots = drawn(axes).containers[0]
    np.testing.assert_array_equal(dots.lines[0].get_xdata(), found.predicted)
    np.testing.assert_array_equal(dots.lines[0].get_ydata(), found.observed)
    bars = np.array([segment[:, 1] for segment in dots.lines[2][0].get_segments()])
    np.testing.assert_allclose(bars, np.column_stack([found.low, found.high]), atol=1e-12)
    assert axes.get_ylim()[0] < found.low.min()


def test_residuals_against_what_is_fitted(axes):
    rng = np.random.default_rng(0)
    table = rng.uniform(1, 10, (60, 2))
    scores = wf.power_mean(table, 0, [0.6, 0.4]) + rng.normal(0, 0.2, 60)
    est = wf.WelfareRegressor().fit(table, scores)
    wf.plots.residuals(est.result_, axes)
    dots = lines(drawn(axes))["an action"]
    np.testing.assert_allclose(dots.get_xdata(), est.predict(table))
    np.testing.assert_allclose(dots.get_ydata(), scores - est.predict(table), atol=1e-12)


def test_learning_curves_of_every_measure():
    world = wf.simulate.individuals(50, 2, p=0.5, random_state=1)
    curve = wf.bounds.learning_curve(world, "scores", nu=0.1, n=(20, 50), repetitions=3)
    for measure in ("accuracy", "p_error", "weights_kl"):
        axes = drawn(wf.plots.learning_curve(curve, measure=measure))
        np.testing.assert_array_equal(lines(axes)["mean"].get_ydata(), curve.columns[measure])
    assert lines(wf.plots.learning_curve(curve))["bound"].get_ydata().tolist() == list(curve.bound)
    with pytest.raises(wf.InputError, match="measure must be one of"):
        wf.plots.learning_curve(curve, measure="speed")
    known = wf.bounds.learning_curve(
        world, "scores", weights="known", nu=0.1, n=(20, 50), repetitions=2
    )
    with pytest.raises(wf.InputError, match="not all 0"):
        wf.plots.learning_curve(known, measure="weights_kl")


def test_every_figure_draws_itself_in_hard_cases_without_a_warning():
    table = CHOICES.utilities.copy()
    table[3, 1] = 0.0
    cases = [
        fit(decisions(3, 200, -np.inf, 20, weights=[1, 1, 1]), weights="equal"),
        fit(decisions(2, 200, np.inf, 20)),
        fit(wf.Comparisons(table, CHOICES.pairs, CHOICES.outcomes)),
        fit(decisions(2, 25, -1, 3)),
    ]
    for result in cases:
        profile = result.profile(points=11)
        drawn(wf.plots.profile(profile))
        drawn(wf.plots.loss(profile))
        drawn(wf.plots.weights(result))
        drawn(wf.plots.indifference(result))
        drawn(wf.plots.calibration(result))


def test_names_on_one_line():
    assert shown("two\nlines") == "two lines"
    assert shown("ab" * 40).endswith("…")
    assert person_of(np.int64(1), ("a", "b")) == 1
    with pytest.raises(wf.InputError):
        person_of(True, ("a", "b"))


def test_without_matplotlib_a_plot_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(wf.InputError, match=r'pip install "welfarist\[plots\]"'):
        wf.plots.weights(RESULT, level=None)


def test_plots_load_matplotlib_only_to_draw():
    code = "import sys, welfarist; welfarist.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def clustered():
    by = np.random.default_rng(3).integers(0, 20, len(CHOICES))
    data = wf.Comparisons(CHOICES.utilities, CHOICES.pairs, CHOICES.outcomes, by=by)
    return fit(data).with_covariance("clustered")


def test_figures_show_the_intervals_of_the_result_and_say_how_they_were_made(axes):
    result = clustered()
    low, high = result.interval("p", covariance="clustered")
    assert (low, high) != pytest.approx(RESULT.interval("p"), rel=0.01)
    wf.plots.profile(result, axes)
    shaded = {patch.get_label(): patch for patch in axes.patches}
    box = shaded["95% interval,\nclustered standard errors"].get_extents()
    found = axes.transData.inverted().transform(box)[:, 0]
    np.testing.assert_allclose(expanded(found), (low, high), rtol=1e-6)
    assert PROFILE.interval_by == "profile likelihood"
    axes = wf.plots.weights(result)
    segments = axes.collections[0].get_segments()
    ends = result.interval("weights", covariance="clustered")
    np.testing.assert_allclose([s[:, 0] for s in segments], ends)
    assert axes.get_xlabel().endswith("95% interval, clustered standard errors")


def test_somebody_without_an_interval_is_drawn_without(axes):
    result = fit(decisions(3, 300, 0, 15, weights=[0.7, 0.3, 0.0], seed=2))
    robust = result.with_covariance("robust")
    held = [name for name in result.on_edge if name.startswith("weight")]
    assert held == ["weight of person 2"]  # where no Wald interval applies
    wf.plots.weights(robust, axes)
    assert len(axes.collections[0].get_segments()) == 3  # where the likelihood stands in
    assert axes.get_xlabel().endswith("robust standard errors; on an edge, profile likelihood")
    rows = robust.estimates(method="wald").rows[1:4]
    ends = np.array([(row.low, row.high) for row in rows], dtype=float)
    axes.clear()
    wf.plots.weights(robust, axes, intervals=ends)
    assert len(axes.collections[0].get_segments()) == 2


def test_figures_take_learners_and_refuse_anything_else(axes):
    learner = wf.ComparisonClassifier().fit(CHOICES)
    assert wf.plots.weights(learner, axes, level=None) is axes
    assert wf.plots.calibration(learner, axes) is axes
    # Those of other records have tests of their own: test_several_plots, test_posterior_plots.
    others = {"individuals", "membership", "number_of_types", "posterior", "types"}
    every = [getattr(wf.plots, name) for name in wf.plots.__all__ if name not in others]
    for draw in every:
        for nothing in (None, 5, wf.ComparisonClassifier(), wf.Model.of(learner)):
            with pytest.raises(wf.InputError, match=type(nothing).__name__):
                draw(nothing)
        if draw is not wf.plots.learning_curve:
            result = RESULT
            if draw is wf.plots.residuals:
                result = (
                    wf.WelfareRegressor()
                    .fit(CHOICES.utilities, CHOICES.utilities[:, 0] + 1)
                    .result_
                )
            with pytest.raises(wf.InputError, match="ax must be axes of matplotlib; found int"):
                draw(result, ax=5)
    with pytest.raises(wf.InputError, match="n must be the smallest and the largest"):
        wf.bounds.plot("scores", d=3, u_max=1.0, n=5)


def test_groups_have_one_dot_each(axes):
    rng = np.random.default_rng(2)
    table = rng.uniform(1, 10, (60, 5))
    scores = wf.power_mean(table, 0.5, [0.1, 0.1, 0.3, 0.3, 0.2]) + rng.normal(0, 0.1, 60)
    groups = ["staff", "staff", "payers", "payers", "public"]
    result = wf.WelfareRegressor(groups=groups).fit(table, scores).result_
    drawn = wf.plots.weights(result, axes)
    assert [label.get_text() for label in drawn.get_yticklabels()] == [
        "staff (2)", "payers (2)", "public (1)",
    ]  # fmt: skip
    dots = np.concatenate([line.get_xdata() for line in drawn.lines if line.get_marker() == "o"])
    assert sorted(dots) == pytest.approx(sorted(result.weights[[0, 2, 4]]))
    assert "each person in the group" in drawn.get_xlabel()

"""Figures of several decision makers: what is drawn is what was learned."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection

import welfarist as wf
from tests.show.panels import TWO, deciders, panel, quietly, types
from welfarist.counting.loss_steps import compact
from welfarist.show.plots import triangle
from welfarist.show.plots.individual_figures import density
from welfarist.show.plots.membership_figures import sorted_people

mpl.use("Agg")

# A density on a grid of a few hundred steps, by a kernel that widens it a little.
ABOUT_ONE = 0.02


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture
def axes():
    return plt.subplots()[1]


def drawn(axes):
    axes.figure.canvas.draw()
    return axes


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def disks_of(axes):
    return [
        c for c in axes.collections if isinstance(c, PathCollection) and len(c.get_sizes()) == 1
    ]


def dots_of(axes):
    return next(line for line in axes.lines if line.get_label() == "one decision maker")


def test_everybody_is_on_the_line_of_powers_in_order(axes):
    result = deciders()
    assert wf.plots.individuals(result, axes) is axes
    x, y = dots_of(drawn(axes)).get_data()
    columns = result.individual_columns()
    np.testing.assert_array_equal(x, np.sort(compact(columns["p"])))
    np.testing.assert_array_equal(y, np.arange(16))
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[0] == columns["who"][int(np.argmin(columns["p"]))]
    low, middle, high = compact(result.population.quantiles("p"))
    lines = {line.get_label(): line.get_xdata()[0] for line in axes.lines}
    assert lines["its median"] == middle
    assert lines["its quartiles: half of people lie between"] == low
    assert high in [line.get_xdata()[0] for line in axes.lines]


def test_another_number_of_everybody(axes):
    result = deciders()
    wf.plots.individuals(result, axes, number="weight of self")
    x = dots_of(drawn(axes)).get_xdata()
    np.testing.assert_array_equal(x, np.sort(result.individual_columns()["weight of self"]))
    assert axes.get_xlabel() == "weight of self (share of the total)"
    other = wf.plots.individuals(result, number="tau")
    np.testing.assert_allclose(
        10 ** dots_of(drawn(other)).get_xdata(), np.sort(result.individual_columns()["tau"])
    )
    with pytest.raises(wf.InputError, match="number must be one of p, tau, weight of self"):
        wf.plots.individuals(result, number="age")


def test_where_the_power_was_given_the_first_weight_is_drawn(axes):
    fixed = deciders(learner=wf.ComparisonClassifier(p=0))
    assert "weight of self" in wf.plots.individuals(fixed, axes).get_xlabel()


def test_a_population_of_types_is_drawn_as_shares(axes):
    result = deciders(population="types")
    wf.plots.individuals(result, axes)
    assert "shares of types" in legend(drawn(axes))
    assert "the population" not in legend(axes)


def test_of_a_crowd_some_intervals_are_drawn_and_every_dot(axes):
    result = deciders()
    many = {
        name: np.tile(np.asarray(column), 30)
        for name, column in result.individual_columns().items()
    }
    crowd = replace(result)
    crowd._individuals[0.95] = many
    wf.plots.individuals(crowd, axes)
    assert len(dots_of(drawn(axes)).get_xdata()) == 480
    assert "95% interval of 160 of them" in legend(axes)
    assert axes.get_ylabel() == "480 decision makers, ordered by p"
    assert not axes.get_yticks().size


def test_a_density_is_that_of_a_normal_population():
    rng = np.random.default_rng(0)
    x = np.linspace(-5, 5, 401)
    found = density(rng.normal(size=20000), np.ones(20000), x)
    found /= found.sum() * (x[1] - x[0])
    normal = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(found, normal, atol=ABOUT_ONE)


def test_types_of_two_people_stand_at_weight_and_power(axes):
    result = types()
    assert wf.plots.types(result, axes) is axes
    places = [tuple(c.get_offsets()[0]) for c in disks_of(drawn(axes))]
    for one in result.types:
        assert any(np.allclose(p, (one.weights[0], compact(one.p))) for p in places)
    sizes = [c.get_sizes()[0] for c in disks_of(axes)]
    assert sizes[0] / sizes[1] == pytest.approx(result.shares[0] / result.shares[1])
    assert legend(axes)[0].startswith("type 1: 50% of people, p = ")
    assert legend(axes)[-1] == "95% intervals"
    assert [t.get_text() for t in axes.texts] == ["1", "2"]
    low, high = next(
        (row.low, row.high) for row in result.estimates()
        if row.type == 0 and row.parameter == "weight of self"
    )  # fmt: skip
    ends = [
        s[:, 0] for c in axes.collections if hasattr(c, "get_segments") for s in c.get_segments()
    ]
    assert any(np.allclose(end, (low, high)) for end in ends)


def test_types_at_infinity_and_doubtful_ones_are_drawn(axes):
    result = types(types=("egalitarian", "utilitarian"))
    wf.plots.types(result, axes)
    heights = [c.get_offsets()[0][1] for c in disks_of(drawn(axes))]
    assert sorted(heights) == [-1.0, 0.5]
    doubtful = replace(result)
    edge = [wf.WelfareFunction(one.p, [1, 0]) for one in result.types]
    made = [replace(k, explained=0.1, welfare=w) for k, w in zip(result.types, edge, strict=True)]
    object.__setattr__(doubtful, "types", tuple(made))
    other = wf.plots.types(doubtful, level=None)
    assert all("may follow no such rule" in text for text in legend(drawn(other)))
    assert all(c.get_hatch() for c in disks_of(other))


def test_types_of_three_people_are_in_a_triangle(axes):
    result, people = types("three"), deciders("three")
    wf.plots.types(result, axes, individuals=people)
    texts = [t.get_text() for t in drawn(axes).texts]
    assert any(text.startswith("patients <script> alone") for text in texts)
    assert r"the \$staff\$ & others alone" in texts
    disks = [tuple(c.get_offsets()[0]) for c in axes.collections if len(c.get_offsets()) == 1]
    for place in triangle.places(np.array([one.weights for one in result.types])):
        assert any(np.allclose(place, disk) for disk in disks)
    dots = next(c for c in axes.collections if len(c.get_offsets()) == 24)
    assert len(np.unique(dots.get_facecolors(), axis=0)) == 2
    with pytest.raises(wf.InputError, match="individuals must be about the same people"):
        wf.plots.types(result, individuals=deciders())


def test_a_triangle_keeps_distances_between_weights():
    corners = triangle.places(np.eye(3))
    sides = [np.linalg.norm(corners[i] - corners[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
    np.testing.assert_allclose(sides, 1.0)
    np.testing.assert_allclose(triangle.places(np.full((1, 3), 1 / 3))[0], corners.mean(axis=0))
    moved = triangle.towards(np.array([1.0, 0.0, 0.0]), 0, np.array([0.4]))
    np.testing.assert_allclose(moved, [[0.4, 0.3, 0.3]])


def test_types_of_more_people_are_a_table(axes):
    rules = [
        wf.WelfareFunction(0, [0.4, 0.3, 0.2, 0.1]),
        wf.WelfareFunction(1, [0.1, 0.1, 0.2, 0.6]),
    ]
    result = quietly(
        wf.Types(n_types=2, population=False, n_starts=2), panel(rules, np.arange(8) % 2, each=60)
    )
    wf.plots.types(result, axes)
    written = [text.get_text() for text in drawn(axes).texts]
    assert written == [f"{x:.2f}" for one in result.types for x in one.weights]
    np.testing.assert_array_equal(axes.images[0].get_array(), [one.weights for one in result.types])


def test_membership_is_stacked_and_sorted(axes):
    result = types("three")
    wf.plots.membership(result, axes)
    assert axes.get_ylim() == (0.0, 1.0)
    counts = np.bincount(result.membership.argmax(axis=1))
    assert legend(drawn(axes)) == [f"type {k + 1}: {n} people" for k, n in enumerate(counts)]
    names = [label.get_text() for label in axes.get_xticklabels()]
    order = sorted_people(result.membership)
    assert names[0] == result.names[order[0]]
    hatches = {c.get_hatch() for c in axes.collections if c.get_hatch() is not None}
    assert hatches  # told apart without colour


def test_people_are_sorted_by_type_and_then_by_how_sure_it_is():
    belongs = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.6, 0.1, 0.3], [0.9, 0.1, 0.0]])
    assert sorted_people(belongs).tolist() == [3, 0, 2, 1]
    assert sorted_people(np.ones((3, 1))).tolist() == [0, 1, 2]


def test_the_number_of_types_shows_what_was_tried(axes):
    result = types("two", n_types="auto", max_types=3, population=True)
    wf.plots.number_of_types(result, axes)
    bic = next(line for line in drawn(axes).lines if line.get_label() == "BIC")
    tried = [one for one in result.candidates if one.types is not None]
    assert bic.get_xdata().tolist() == [one.types for one in tried]
    np.testing.assert_array_equal(bic.get_ydata(), [one.bic for one in tried])
    across = next(line for line in axes.lines if "normal population" in line.get_label())
    assert set(across.get_ydata()) == {result.population.bic}
    only = wf.plots.number_of_types(deciders())
    assert [t.get_text() for t in drawn(only).get_xticklabels()] == ["one\nrule"]


def test_figures_of_several_refuse_anything_else():
    one = wf.ComparisonClassifier().fit(TWO)
    for draw, other in (
        (wf.plots.types, deciders()), (wf.plots.membership, deciders()),
        (wf.plots.individuals, types()), (wf.plots.number_of_types, one),
    ):  # fmt: skip
        for nothing in (None, 5, one, wf.Types(), other):
            with pytest.raises(wf.InputError, match=type(nothing).__name__):
                draw(nothing)
    for draw, result in (
        (wf.plots.types, types()), (wf.plots.membership, types()),
        (wf.plots.individuals, deciders()), (wf.plots.number_of_types, types()),
    ):  # fmt: skip
        with pytest.raises(wf.InputError, match="ax must be axes of matplotlib; found int"):
            draw(result, ax=5)

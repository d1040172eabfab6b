"""How many choices a person are enough: judged against the truth, and said in words."""

from __future__ import annotations

import numpy as np
import pytest

from welfarist import InputError, WelfareFunction, bounds, simulate
from welfarist.bounds import panels
from welfarist.bounds.panels import PanelOutcome, PanelStudy, _expected_log_loss, _true_chances

# Sums of a few terms in another order.
ROUNDING = 1e-12
WORLD = simulate.individuals(40, 2, p=0, weights="equal", random_state=1)


def study_of(each=(1, 2, 5, 20), **runs):
    """A study with given errors, all of whose other measures are 1."""
    told = {name: np.ones((len(each), 1)) for name in PanelOutcome._fields}
    told |= {name: np.asarray(values, dtype=float) for name, values in runs.items()}
    return PanelStudy(3, 160, 10.0, 1.0, tuple(each), told)


def test_what_is_known_is_said_in_words():
    study = study_of(
        mean_error=[[0.6], [0.4], [0.4], [0.1]],
        spread_error=[[0.1], [0.4], [0.1], [0.1]],
        p_error=[[0.5], [0.5], [0.8], [0.5]],
    )
    assert study.findings == (
        "1 choice a person: not even the average.",
        "2 choices a person: the average only.",
        "5 choices a person: the average, and how much people differ.",
        "20 choices a person: the average, how much people differ, and who follows which rule.",
    )
    assert study.columns["explained"] == pytest.approx([0.75, 0.75, 0.36, 0.75], abs=ROUNDING)


def test_one_choice_a_person_never_tells_how_people_differ():
    best = study_of((1, 2), **{name: np.zeros((2, 1)) for name in ("mean_error", "spread_error")})
    assert best.columns["identified"][0] == "the average only"
    assert best.columns["identified"][1] == "the average, and how much people differ"


def test_what_is_known_is_known_often_and_with_more_choices_too():
    errors = np.full((3, 5), 0.1)
    errors[1, :2] = 0.9  # twice of five times
    errors[2, 0] = 0.9
    study = study_of((2, 5, 20), mean_error=errors, spread_error=np.full((3, 5), 0.1))
    differ = "the average, and how much people differ"
    assert study.columns["identified"] == ["not even the average"] * 2 + [differ]


def test_medians_are_shown_and_nothing_explained_is_zero():
    study = study_of((5,), mean_error=[[0.1, 0.2, 9.0]], p_error=[[2.0, 0.5, 3.0]],
                     p_error_of_average=[[1.0, 1.0, 1.0]])  # fmt: skip
    row = study.rows[0]
    assert (row["mean_error"], row["p_error"], row["explained"]) == (0.2, 2.0, 0.0)
    assert study.repetitions == 3
    assert list(study.to_frame()["each"]) == [5]


def test_the_expected_loss_is_least_for_the_truth():
    chance, other = np.array([0.2, 0.7, 1.0]), np.array([0.3, 0.6, 0.9])
    entropy = -(0.2 * np.log(0.2) + 0.8 * np.log(0.8) + 0.7 * np.log(0.7) + 0.3 * np.log(0.3)) / 3
    assert _expected_log_loss(chance, chance) == pytest.approx(entropy, abs=ROUNDING)
    assert _expected_log_loss(chance, other) > entropy
    assert np.isfinite(_expected_log_loss(chance, np.array([1.0, 0.0, 0.0])))


def test_true_chances_are_those_of_the_formula():
    crowd = simulate.Crowd(("ann", "bo"), [1, -2], [[1, 1], [1, 3]], [2, 8])
    asked = simulate.crowd_comparisons(WORLD, crowd, each=3)
    found = _true_chances(WORLD, crowd, asked)
    for k, (first, second) in enumerate(asked.pairs):
        rule, tau = crowd.rule(k // 3), crowd.taus[k // 3]
        ratio = (rule(WORLD.utilities[first]) / rule(WORLD.utilities[second])) ** tau
        assert found[k] == pytest.approx(ratio / (1 + ratio), rel=1e-9)


def test_digits_depend_on_the_seed_alone(monkeypatch):
    def drawn(_setting, cell):
        return PanelOutcome(*simulate.streams.stream(cell[1], "a test").random(7))

    monkeypatch.setattr(panels, "_run", drawn)
    options = dict(repetitions=3, random_state=4)
    several = bounds.choices_per_person(WORLD, each=[8, 4, 8], **options)
    assert several.each == (4, 8)
    alone = bounds.choices_per_person(WORLD, each=8, **options)
    for name, runs in several.runs.items():
        assert (alone.runs[name][0] == runs[1]).all()
        assert len(np.unique(runs)) == 6


def test_what_is_learned_is_set_beside_the_truth():
    study = bounds.choices_per_person(WORLD, deciders=12, each=8, tau=20, repetitions=1)
    row = study.rows[0]
    assert 0 < row["log_loss_truth"] < min(row["log_loss"], row["log_loss_one_rule"])
    # Twelve people differ by 1 from their mean, give or take a fifth.
    assert 0.3 < row["p_error_of_average"] < 2.0
    assert row["p_error"] < 5.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(each=()), "number of choices a person"),
        (dict(each="5"), "number of choices a person"),
        (dict(each=0), "each must be"),
        (dict(deciders=1), "deciders must be"),
        (dict(spread=0), "spread"),
        (dict(tau=-1), "tau"),
        (dict(world=simulate.individuals(10, 6, p=0)), "at most 5 people"),
        (dict(world=simulate.World(WORLD.utilities, WelfareFunction(np.inf, [1, 1]))), "finite p"),
        (dict(world=None), "must be a World"),
    ],
)
def test_what_cannot_be_studied_is_said(options, words):
    world = options.pop("world", WORLD)
    with pytest.raises(InputError, match=words):
        bounds.choices_per_person(world, **options)

"""Saved models: the same digits back, and nothing that is not one."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import welfarist as wf
from welfarist.people.present_rule import PresentRule

FORMULA = dict(rtol=1e-13)  # the same formula in another order of operations


def world(noise: float | None = 1 / 12, people: int = 3):
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(rng.uniform(1, 10, (60, people)), schema=[f"s{i}" for i in range(people)])
    pairs = rng.permuted(np.tile(np.arange(60), (400, 1)), axis=1)[:, :2]
    rule = wf.WelfareFunction(-0.7, rng.dirichlet(np.ones(people)))
    welfare = rule.log(frame.to_numpy())
    margin = welfare[pairs[:, 0]] - welfare[pairs[:, 1]]
    luck = 0 if noise is None else rng.logistic(scale=noise, size=400)
    return frame, wf.Comparisons(frame, pairs, np.sign(margin + luck)), rule


@pytest.fixture(scope="module")
def fitted():
    frame, decisions, _ = world()
    return frame, decisions, wf.ComparisonClassifier().fit(decisions)


@pytest.fixture(scope="module")
def saved(fitted, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.json"
    wf.save_model(fitted[2], path, {"level": 0.95, "p": (-np.inf, 0.1)})
    return path


def test_the_same_digits_come_back(fitted, saved):
    frame, decisions, est = fitted
    model = wf.load_model(saved)
    assert model.welfare == est.welfare_
    assert model.welfare.weights.tobytes() == est.weights_.tobytes()
    assert (model.tau, model.rho, model.scale) == (est.tau_, None, None)
    assert (model.loss, model.decisions, model.kind) == (est.loss_, 400, "comparisons")
    assert model.accuracy == est.result_.accuracy
    assert model.version == wf.__version__
    assert model.intervals == {"level": 0.95, "p": (-np.inf, 0.1)}
    assert model.caveats == tuple(c.message for c in est.result_.caveats)
    assert wf.Model.from_dict(model.to_dict()) == model
    # Columns in another order are matched by name.
    turned = frame.select(frame.columns[::-1])
    assert model.welfare(turned) == pytest.approx(est.welfare_(frame), rel=1e-14)
    u, v = (decisions.utilities[decisions.pairs[:, i]] for i in (0, 1))
    np.testing.assert_allclose(
        model.probabilities(u, v), est.predict_proba(decisions)[:, 1], **FORMULA
    )


def test_every_kind_of_fit_can_be_saved(tmp_path):
    frame, decisions, rule = world()
    path = tmp_path / "m.json"
    scores = 2.5 * rule(frame.to_numpy()) * np.exp(np.random.default_rng(0).normal(0, 0.1, 60))
    regressor = wf.WelfareRegressor(scale=True).fit(frame, scores)
    wf.save_model(regressor.result_, path)
    model = wf.load_model(path)
    assert (model.kind, model.scale, model.tau) == ("scores", regressor.scale_, None)
    assert model.r_squared == regressor.result_.r_squared
    assert model.probabilities([[1, 1, 1]], [[2, 2, 2]]).tolist() == [0]
    lapse = wf.ComparisonClassifier(noise="lapse", p="Nash", weights="equal").fit(decisions)
    wf.save_model(lapse, path)
    model = wf.load_model(path)
    assert (model.tau, model.rho, model.given) == (lapse.tau_, lapse.rho_, ("p", "weights"))
    u, v = (decisions.utilities[decisions.pairs[:, i]] for i in (0, 1))
    np.testing.assert_allclose(
        model.probabilities(u, v), lapse.predict_proba(decisions)[:, 1], **FORMULA
    )


def menus_of(rng, count: int = 300):
    """Rankings of four of 60 actions, of which some do not affect everybody."""
    table = np.where(rng.random((60, 3)) < 0.2, np.nan, rng.uniform(1, 10, (60, 3)))
    table[:, 0] = np.where(np.isnan(table).all(axis=1), 5.0, table[:, 0])
    frame = pl.DataFrame(table, schema=["s0", "s1", "s2"])
    menus = rng.permuted(np.tile(np.arange(60), (count, 1)), axis=1)[:, :4]
    rule = PresentRule(wf.WelfareFunction(-0.7, [0.2, 0.3, 0.5]))
    value = 8 * rule.value(table)[menus] + rng.gumbel(size=menus.shape)
    return frame, menus, np.take_along_axis(menus, np.argsort(-value, axis=1), axis=1)


def test_models_of_choices_keep_all_that_was_learned(tmp_path):
    frame, menus, ranked = menus_of(np.random.default_rng(4))
    choices = wf.Choices.from_rankings(frame, ranked, absent=True)
    learned = wf.ChoiceLearner(tau_by_stage=True, size_effect=True, noise="lapse").fit(choices)
    wf.save_model(learned, tmp_path / "m.json")
    model = wf.load_model(tmp_path / "m.json")
    assert model.kind == "choices"
    assert model.welfare == learned.welfare_
    assert model.taus == tuple(learned.taus_)
    assert len(model.taus) == 3
    assert (model.tau, model.rho, model.gamma) == (learned.tau_, learned.rho_, learned.gamma_)
    assert (model.outside, model.absent) == (None, True)
    assert wf.Model.from_dict(model.to_dict()) == model
    assert wf.Model.of(learned.result_.without_data()).absent
    first = wf.Choices(frame, menus, ranked[:, 0], absent=True)
    for menu, expected in zip(menus[:20], learned.predict_proba(first[:20]), strict=True):
        np.testing.assert_allclose(model.chances(frame[menu.tolist()]), expected, **FORMULA)
    turned = frame.select(["s2", "s0", "s1"])
    np.testing.assert_array_equal(model.worth(turned), model.worth(frame))
    pair = wf.Choices(frame, [[3, 4]], [3], absent=True)
    np.testing.assert_allclose(
        model.probabilities(frame[3], frame[4]), learned.predict_proba(pair)[0][:1], **FORMULA
    )


def test_models_of_choices_know_none_of_these(tmp_path):
    frame, menus, ranked = menus_of(np.random.default_rng(4))
    chosen = [None if i % 4 == 0 else int(best) for i, best in enumerate(ranked[:, 0])]
    choices = wf.Choices(frame.fill_nan(5.0), menus, chosen, outside=True)
    learned = wf.ChoiceLearner().fit(choices)
    wf.save_model(learned, tmp_path / "m.json")
    model = wf.load_model(tmp_path / "m.json")
    assert (model.outside, model.gamma, model.absent) == (learned.outside_, None, False)
    table = choices.utilities[menus[0]]
    np.testing.assert_allclose(
        model.chances(table, outside=True), learned.predict_proba(choices)[0], **FORMULA
    )
    with pytest.raises(wf.InputError, match="complete"):
        model.chances(np.where(table > 5, np.nan, table))
    plain = wf.Model.of(
        wf.ChoiceLearner().fit(wf.Choices(frame.fill_nan(5.0), menus, ranked[:, 0]))
    )
    with pytest.raises(wf.InputError, match="learned from such choices"):
        plain.chances(table, outside=True)


CHOICE_CHANGES = [
    (dict(taus=[]), "'taus'", "a list of numbers from 0"),
    (dict(taus=[1, "x"]), "'taus'", "a list of numbers from 0"),
    (dict(taus=[-1]), "'taus'", "found [-1]"),
    (dict(gamma="inf"), "'gamma'", "a finite number"),
    (dict(outside=-1), "'outside'", "from 0 to inf; found -1"),
    (dict(absent=1), "'absent'", "true or false"),
    (dict(kind="comparisons"), "'taus'", "other decisions than choices"),
]


@pytest.mark.parametrize(("change", "where", "what"), CHOICE_CHANGES)
def test_changed_models_of_choices_are_refused(change, where, what):
    frame, menus, ranked = menus_of(np.random.default_rng(4), 50)
    choices = wf.Choices(frame, menus, ranked[:, 0], absent=True)
    record = wf.Model.of(wf.ChoiceLearner(p=0).fit(choices)).to_dict()
    with pytest.raises(wf.InputError) as caught:
        wf.Model.from_dict(record | change)
    assert where in str(caught.value)
    assert what in str(caught.value)


def test_rules_at_the_ends_and_counted_errors(tmp_path):
    path = tmp_path / "m.json"
    _, decisions, _ = world(people=2)
    est = wf.ComparisonClassifier(noise="flip", p=-np.inf, weights="equal").fit(decisions)
    wf.save_model(est, path)
    assert "Infinity" not in path.read_text()
    model = wf.load_model(path)
    assert (model.welfare.p, model.tau, model.rho) == (-np.inf, np.inf, est.rho_)
    u, v = (decisions.utilities[decisions.pairs[:, i]] for i in (0, 1))
    assert (model.probabilities(u, v) == est.predict_proba(decisions)[:, 1]).all()
    assert model.probabilities([[1.0, 2.0]], [[1.0, 2.0]]).tolist() == [0.5]


def test_strange_names_survive(tmp_path):
    names = ['a "b"', "[bold]", "é,\n", "p"]
    _, decisions, _ = world(people=4)
    decisions.stakeholders = tuple(names)
    wf.save_model(wf.ComparisonClassifier().fit(decisions), tmp_path / "m.json")
    assert wf.load_model(tmp_path / "m.json").welfare.stakeholders == tuple(names)


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(wf.InputError, match="fitted estimator or its result_; found int"):
        wf.save_model(3, tmp_path / "m.json")
    with pytest.raises(wf.InputError, match=r"found ComparisonClassifier\. Call fit first"):
        wf.save_model(wf.ComparisonClassifier(), tmp_path / "m.json")
    assert os.listdir(tmp_path) == []


CHANGES = [
    (dict(version=2), "version 1 or earlier; found 2", "update the package"),
    (dict(version="1"), "'version'", "'1'"),
    (dict(version=True), "'version'", "True"),
    (dict(format="welfarist.WelfareFunction"), "'welfarist.Model'", "another file"),
    (dict(extra=1), "the unknown 'extra'", "by hand"),
    (dict(p="one"), "'p'", "must be a number; found 'one'"),
    (dict(p=None), "'p'", "found None"),
    (dict(p=True), "'p'", "found True"),
    (dict(p=[1]), "'p'", "found [1]"),
    (dict(tau=10**400), "'tau'", "from 0 to inf; found 1000"),
    (dict(tau=-1), "'tau'", "from 0 to inf; found -1"),
    (dict(rho=0.7), "'rho'", "from 0 to 0.5; found 0.7"),
    (dict(kind="menus"), "'kind'", "scores, comparisons"),
    (dict(converged=1), "'converged'", "true or false"),
    (dict(welfarist=1), "'welfarist'", "a text"),
    (dict(caveats="none"), "'caveats'", "a list of texts"),
    (dict(given=[1]), "'given'", "a list of texts"),
    (dict(intervals=[1]), "'intervals'", "pairs of numbers"),
    (dict(intervals={"p": [1]}), "'intervals'", "found [1]"),
    (dict(intervals={"p": ["a", 1]}), "'intervals'", "pairs of numbers"),
    (dict(weights={"a": 1}), "'weights'", "a list of entries"),
    (dict(weights=[]), "'weights'", "found []"),
    (dict(weights=[{"stakeholder": "a"}]), "'weights'", "stakeholder"),
    (dict(weights=[{"stakeholder": "a", "weight": "1"}]), "'weights'", "from 0 to 1"),
    (dict(weights=[{"stakeholder": 1, "weight": 1}]), "'weights'", "from 0 to 1"),
    (dict(weights=[{"stakeholder": "a", "weight": 0.5}]), "'weights'", "sum to 1; found 0.5"),
    (dict(weights=[{"stakeholder": "a", "weight": 0.5}] * 2), "'weights'", "one entry per"),
]


@pytest.mark.parametrize(("change", "where", "what"), CHANGES)
def test_changed_models_are_refused(saved, tmp_path, change, where, what):
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(json.loads(saved.read_text()) | change))
    with pytest.raises(wf.InputError) as caught:
        wf.load_model(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert where in message
    assert what in message
    assert "\n" not in message


@pytest.mark.parametrize("key", ["p", "weights", "kind", "caveats"])
def test_entries_that_are_gone(saved, tmp_path, key):
    record = json.loads(saved.read_text())
    del record[key]
    (tmp_path / "m.json").write_text(json.dumps(record))
    with pytest.raises(wf.InputError, match=f"found no '{key}'"):
        wf.load_model(tmp_path / "m.json")


def test_other_files_are_refused(saved, tmp_path):
    text = saved.read_text()
    path = tmp_path / "m.json"
    for cut in range(0, len(text) - 2, 37):  # truncated anywhere
        path.write_text(text[:cut])
        with pytest.raises(wf.InputError, match="may be truncated"):
            wf.load_model(path)
    for other in ("[1, 2]", "3", "null", '{"p": 1}'):
        path.write_text(other)
        with pytest.raises(wf.InputError, match="This is another file"):
            wf.load_model(path)
    for token in ("NaN", "Infinity", "-Infinity"):
        path.write_text(text.replace('"tau": ', f'"tau": {token}, "old": ', 1))
        with pytest.raises(wf.InputError, match=f"found {token}, which is no number"):
            wf.load_model(path)
    path.write_text('{"p": 1,' + text[1:])
    with pytest.raises(wf.InputError, match="an entry that is there twice"):
        wf.load_model(path)
    path.write_text("[" * 100_000)
    with pytest.raises(wf.InputError, match=str(path)):
        wf.load_model(path)
    path.write_text(text.replace('"tau": ', f'"tau": 1{"0" * 5_000}, "old": ', 1))
    with pytest.raises(wf.InputError, match="too many digits"):
        wf.load_model(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(wf.InputError, match="no text in UTF-8"):
        wf.load_model(path)
    with pytest.raises(wf.InputError, match="there is no such file"):
        wf.load_model(tmp_path / "none.json")
    with pytest.raises(wf.InputError, match="is a folder"):
        wf.load_model(tmp_path)


def test_nothing_heavy_is_needed_to_load(saved):
    code = (
        "import sys, welfarist as wf; m = wf.load_model(sys.argv[1]); m.welfare([1.0, 2.0, 3.0]);"
        "print(*{n.split('.')[0] for n in sys.modules} & {'sklearn', 'polars', 'pandas'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(saved)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_an_interrupted_save_leaves_the_old_model(fitted, tmp_path, monkeypatch):
    path = Path(tmp_path / "m.json")
    wf.save_model(fitted[2], path)
    before = path.read_bytes()

    def fail(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(wf.InputError, match=r"No space left on device\. Nothing was changed"):
        wf.save_model(fitted[2], path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.json"]


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
@pytest.mark.parametrize("noise", ["none", "flip"])
def test_a_rule_with_the_fewest_wrong_menus(noise, tmp_path):
    rng = np.random.default_rng(4)
    utilities = rng.uniform(1, 10, (20, 3))
    utilities[:5, 2] = np.nan
    menus = rng.permuted(np.tile(np.arange(20), (30, 1)), axis=1)[:, :3]
    decided = wf.Choices(utilities, menus, menus[:, 0], absent=True)
    est = wf.ChoiceLearner(noise=noise, weights="equal").fit(decided)
    wf.save_model(est, tmp_path / "model.json")
    model = wf.load_model(tmp_path / "model.json")
    assert model.tau == math.inf
    assert model.taus == (math.inf,)
    for menu, chances in zip(menus, est.predict_proba(decided), strict=True):
        assert model.chances(utilities[menu]) == pytest.approx(chances, abs=1e-12)
    value = model.worth(utilities)
    assert model.probabilities(utilities[0], utilities[9])[0] == pytest.approx(
        1 - est.rho_ if value[0] > value[9] else est.rho_
    )
    assert model.probabilities(utilities[3], utilities[3])[0] == 0.5

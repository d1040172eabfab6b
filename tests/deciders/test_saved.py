"""Saved types and populations: predictions come back, and nothing that is not a model does."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import welfarist as wf
from tests.deciders.small_panels import small_menus, small_panel

# The same formula in another order of operations.
FORMULA = dict(atol=1e-12)
# What 256 draws in the place of everything that is believed may cost; see `DecidersModel`.
THINNED = 0.02

pytestmark = pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")


@pytest.fixture(scope="module")
def decisions():
    return small_panel()


@pytest.fixture(scope="module")
def types(decisions):
    learner = wf.ComparisonClassifier(noise="lapse", shift=0.5)
    return wf.Types(learner, 2, population=False, n_starts=4).fit(decisions)


@pytest.fixture(scope="module")
def each(decisions):
    return wf.Deciders(n_nodes=2048).fit(decisions)


@pytest.fixture(scope="module")
def saved(types, each, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    wf.save_model(types, folder / "types.json")
    wf.save_model(each.result_, folder / "each.json")
    return folder


def sides(decisions):
    table = decisions.utilities
    return tuple(table[decisions.pairs[:30, side]] for side in (0, 1))


def asked(decisions, who):
    some = decisions[:30]
    some.by = np.array([who] * 30)
    return some


def test_types_come_back_digit_for_digit(decisions, types, saved):
    model = wf.load_model(saved / "types.json")
    assert (model.kind, model.decided, model.shift) == ("types", "comparisons", 0.5)
    assert model.deciders == types.result_.names
    assert model.membership.tobytes() == types.result_.membership.tobytes()
    for one, other in zip(model.types, types.types_, strict=True):
        assert (one.welfare, one.noise, one.share) == (other.welfare, other.noise, other.share)
    first, second = sides(decisions)
    for who in (*model.deciders[:3], "somebody else"):
        expected = types.predict_proba(asked(decisions, who))[:, 1]
        known = who if who in model.deciders else None
        np.testing.assert_allclose(model.chances(first, second, known), expected, **FORMULA)
    assert model.individuals()["type"].to_list() == types.membership_["type"].to_list()


def test_a_population_predicts_nearly_as_its_fit(decisions, each, saved):
    model = wf.load_model(saved / "each.json")
    first, second = sides(decisions)
    for who in (*model.deciders, "somebody else"):
        expected = each.predict_proba(asked(decisions, who))[:, 1]
        known = who if who in model.deciders else None
        assert np.abs(model.chances(first, second, known) - expected).max() < THINNED
    frame, expected = model.individuals(), each.individuals_
    assert list(frame) == list(expected)
    assert frame["p"].to_list() == expected["p"].to_list()
    assert frame["who"].to_list() == list(each.result_.names)
    population = model.population
    assert population["numbers"] == list(each.population_.names)
    assert population["covariance"] == each.population_.covariance.tolist()
    assert population["columns"] == ["constant"]


def test_records_come_back_as_they_are(types, each):
    for learned in (types, each):
        record = wf.DecidersModel.of(learned).to_dict()
        text = json.dumps(record, allow_nan=False)
        assert wf.DecidersModel.from_dict(json.loads(text)).to_dict() == record


def test_shares_of_people_leave_errors_out(types, saved):
    model = wf.load_model(saved / "types.json")
    selfish = int(np.argmax([one.weights[0] for one in types.types_]))
    [share] = model.agreeing([[9.0, 1.0]], [[4.0, 4.0]])
    assert share == pytest.approx(types.shares_[selfish])
    assert model.agreeing([[2.0, 3.0]], [[2.0, 3.0]]).tolist() == [0.5]


def test_columns_are_matched_by_name(saved):
    import polars as pl

    model = wf.load_model(saved / "each.json")
    one = pl.DataFrame({"staff": [9.0], "patients": [1.0]})
    turned = one.select(["patients", "staff"])
    two = pl.DataFrame({"staff": [4.0], "patients": [4.0]})
    assert model.chances(one, two) == model.chances(turned, two)


@pytest.mark.parametrize("kind", ["types", "each"])
def test_choices_from_menus_or_none_of_these(kind):
    outside = kind == "types"  # which a population takes long to learn
    choices = small_menus(outside=outside)
    if kind == "types":
        learned = wf.Types(n_types=2, population=False, n_starts=3).fit(choices)
    else:
        learned = wf.Deciders(n_nodes=512).fit(choices)
    model = wf.DecidersModel.from_dict(wf.DecidersModel.of(learned).to_dict())
    assert model.decided == "choices"
    expected = learned.predict_proba(choices[:20])
    menus = choices.first_menus()
    for i in range(20):
        rows = menus.rows[menus.starts[i] : menus.starts[i + 1]]
        table = choices.utilities[rows[:3]]  # the fourth is none of these
        found = model.menu_chances(table, str(choices.by[i]), outside=outside)
        assert np.abs(found - expected[i]).max() < (1e-9 if kind == "types" else THINNED)
    with pytest.raises(wf.InputError, match="who must be one of the decision makers"):
        model.menu_chances(table, "nobody")


def test_questions_that_cannot_be_answered(saved):
    model = wf.load_model(saved / "types.json")
    with pytest.raises(wf.InputError, match="found 'Ann', who is none of 112010050600, "):
        model.chances([[1.0, 2.0]], [[2.0, 1.0]], "Ann")
    with pytest.raises(wf.InputError, match="found 2 and 3"):
        model.chances(np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(wf.InputError, match="none of these can be chosen only"):
        model.menu_chances(np.ones((2, 2)), outside=True)
    assert repr(model) == "DecidersModel(2 types of 16 people, 480 decisions)"


def test_what_cannot_be_saved(tmp_path, types):
    with pytest.raises(wf.InputError, match=r"found Types\. Call fit first"):
        wf.save_model(wf.Types(), tmp_path / "m.json")
    with pytest.raises(wf.InputError, match=r"Types or Deciders or their result_; found int"):
        wf.DecidersModel.of(3)
    assert os.listdir(tmp_path) == []
    model = wf.DecidersModel.of(types)
    assert wf.DecidersModel.of(model) is model


HALF = [{"stakeholder": "staff", "weight": 0.5}, {"stakeholder": "patients", "weight": 0.5}]
TYPE = dict(share=1, p=0, weights=HALF, noise={"tau": 1}, explained=0, given=None)
CHANGES = [
    ("types", dict(version=2), "version 1 or earlier; found 2"),
    ("types", dict(format="welfarist.Other"), "'welfarist.Model'; found 'welfarist.Other'"),
    ("types", dict(extra=1), "the unknown 'extra'"),
    ("types", dict(kind="menus"), "one of types, population; found 'menus'"),
    ("types", dict(decided="scores"), "one of comparisons, choices"),
    ("types", dict(shift="inf"), "a finite number"),
    ("types", dict(absent=0), "true or false"),
    ("types", dict(caveats="x"), "a list of texts"),
    ("types", dict(stakeholders=["a", "a"]), "each of them once"),
    ("types", dict(stakeholders=["a", "b"]), "a weight of each stakeholder"),
    ("types", dict(types=[]), "a list of types"),
    ("types", dict(types=[1]), "types with explained, given"),
    ("types", dict(types=[TYPE | {"share": 0.5}]), "shares sum to 1"),
    ("types", dict(types=[TYPE | {"p": None}]), "p and explained are numbers"),
    ("types", dict(types=[TYPE | {"noise": {}}]), "tau among them"),
    ("types", dict(types=[TYPE | {"noise": {"tau": 1, "rho": 0.7}}]), "tau among them"),
    ("types", dict(types=[TYPE | {"noise": {"tau": 1, "nu": 1}}]), "tau among them"),
    ("types", dict(types=[TYPE | {"given": 1}]), "given by a text"),
    ("types", dict(types=[TYPE | {"weights": HALF[:1]}]), "sum to 1; found 0.5"),
    ("types", dict(membership={}), "by name"),
    ("types", dict(membership={"a": [1]}), "2 chances"),
    ("types", dict(membership={"a": [0.5, 0.6]}), "sum to 1"),
    ("types", dict(membership={"a": [1.5, -0.5]}), "sum to 1"),
    ("each", dict(level=2), "from 0 to 1; found 2"),
    ("each", dict(noise=["rho"]), "tau among them"),
    ("each", dict(noise=["tau", "x"]), "names of numbers of the noise"),
    ("each", dict(rules=[[1, 2]]), "rules with 4 numbers each"),
    ("each", dict(rules=[[1, 0.5, 0.6, 1]]), "sum to 1"),
    ("each", dict(rules=[[1, 0.5, 0.5, -1]]), "a tau that can be one"),
    ("each", dict(rules=[[1, 0.5, 0.5, 1]]), "below 1"),
    ("each", dict(draws=[]), "numbers of rules by name"),
    ("each", dict(draws={"a": [0.5]}), "numbers of rules below"),
    ("each", dict(draws={"a": [True]}), "numbers of rules below"),
    ("each", dict(anybody=[-1]), "found [-1]"),
    ("each", dict(estimates={"p": [1]}), "columns of 16 numbers"),
    ("each", dict(estimates=[]), "columns of 16 numbers"),
    ("each", dict(population={}), "nothing, or coefficients"),
    ("each", dict(population=dict(numbers=["p"], columns=["c"], coefficients=[[1]],
                                  covariance=[[1, 2]])), "covariance with 1 rows of 1"),
    ("each", dict(population=dict(numbers=[1], columns=["c"], coefficients=[[1]],
                                  covariance=[[1]])), "nothing, or coefficients"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "change", "what"), CHANGES)
def test_changed_models_are_refused(saved, tmp_path, kind, change, what):
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(json.loads((saved / f"{kind}.json").read_text()) | change))
    with pytest.raises(wf.InputError) as caught:
        wf.load_model(path)
    assert str(caught.value).startswith(str(path))
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


def test_types_with_other_noise_than_each_other_are_refused(saved):
    record = json.loads((saved / "types.json").read_text())
    del record["types"][1]["noise"]["rho"]
    with pytest.raises(wf.InputError, match="the same numbers of the noise"):
        wf.DecidersModel.from_dict(record)


@pytest.mark.parametrize("kind", ["types", "each"])
def test_truncated_files_are_refused(saved, tmp_path, kind):
    text = (saved / f"{kind}.json").read_text()
    path = tmp_path / "m.json"
    for cut in range(0, len(text) - 2, max(len(text) // 40, 1)):
        path.write_text(text[:cut])
        with pytest.raises(wf.InputError, match="may be truncated"):
            wf.load_model(path)
    for key in json.loads(text):
        record = json.loads(text)
        del record[key]
        path.write_text(json.dumps(record))
        with pytest.raises(wf.InputError):
            wf.load_model(path)


def test_files_are_strict_and_small(saved):
    for kind, most in (("types", 5_000), ("each", 150_000)):
        text = (saved / f"{kind}.json").read_text()
        assert "Infinity" not in text
        assert len(text) < most
    record = json.loads((saved / "each.json").read_text())
    assert max(len(f"{x!r}".strip("-0.").replace(".", "")) for x in record["rules"][0]) <= 7


def test_powers_at_the_end_are_texts():
    decisions = small_panel(6, 10)
    learned = wf.Types(types=["egalitarian", "learn"], population=False, n_starts=2).fit(decisions)
    record = wf.DecidersModel.of(learned).to_dict()
    given = [one for one in record["types"] if one["given"] is not None]
    assert [one["p"] for one in given] == ["-inf"]
    model = wf.DecidersModel.from_dict(record)
    assert -math.inf in [one.p for one in model.types]


def test_nothing_heavy_is_needed_to_load(saved):
    code = (
        "import sys, welfarist as wf; m = wf.load_model(sys.argv[1]);"
        "m.chances([1.0, 2.0], [2.0, 1.0]);"
        "print(*{n.split('.')[0] for n in sys.modules} & {'sklearn', 'polars', 'pandas'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(saved / "each.json")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == ""


def test_one_rule_is_still_saved_and_told_from_several(decisions, saved, tmp_path):
    learned = wf.ComparisonClassifier().fit(decisions)
    wf.save_model(learned, tmp_path / "one.json")
    assert isinstance(wf.load_model(tmp_path / "one.json"), wf.Model)
    assert isinstance(wf.load_model(saved / "each.json"), wf.DecidersModel)
    from welfarist.results.saved_models import load_model

    with pytest.raises(wf.InputError, match="found one of several decision makers"):
        load_model(saved / "types.json")


def test_an_interrupted_save_leaves_the_old_model(types, tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    wf.save_model(types, path)
    before = path.read_bytes()

    def fail(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(wf.InputError, match=r"Nothing was changed"):
        wf.save_model(types, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.json"]

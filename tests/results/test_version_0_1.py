"""What version 0.1.0 pickled and saved is still read, and gives the same answers."""

from __future__ import annotations

import json
import pickle
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import welfarist as wf
from welfarist.base.former_names import _NOW

KEPT = Path(__file__).parent / "version_0_1"
ANSWERS = json.loads((KEPT / "answers.json").read_text())
# Intervals are worked out anew; on another machine rounding moves their last printed digit.
NUMBER = 1e-12
# Lines of a summary that version 0.1.0 did not have.
SINCE = ("  null log-likelihood", "  pseudo R squared")


def loaded(name):
    return pickle.loads((KEPT / f"{name}.pickle").read_bytes())


@pytest.mark.parametrize("name", ANSWERS)
def test_pickled_learners_are_what_they_were(name):
    est, answer = loaded(name), ANSWERS[name]
    assert est.p_ == answer["p"]
    assert est.weights_.tolist() == answer["weights"]
    assert est.result_.p == est.p_
    # Nor did it say where the family does not describe the decisions.
    text = str(est.result_.summary()).partition("\nNote: The family does not")[0]
    summary = [line for line in text.splitlines() if not line.startswith(SINCE)]
    before = answer["summary"].splitlines()
    assert [line[:24] for line in summary] == [line[:24] for line in before]
    assert est.get_params()["family"] == "power"
    assert "family" in repr(est.set_params(family="power").get_params())


@pytest.mark.filterwarnings("ignore::welfarist.WelfaristWarning")
@pytest.mark.parametrize("name", ANSWERS)
def test_pickled_learners_go_on_working(name):
    est = loaded(name)
    decided = est.result_.decided
    assert np.isfinite(est.result_.loss)
    again = est.fit_decisions(decided)
    assert again.p_ == pytest.approx(ANSWERS[name]["p"], rel=1e-6, abs=1e-6)
    assert pickle.loads(pickle.dumps(again)).p_ == again.p_


def test_statistics_of_a_pickled_fit_are_those_of_a_new_one():
    for name in ("scores", "scaled", "logistic", "lapse", "known"):
        old = loaded(name).result_
        # Version 0.1.0 took decisions as independent where it was known who decided.
        new = loaded(name).fit_decisions(old.decided).result_.with_covariance(old.covariance)
        assert old.param_names == new.param_names
        assert old.conf_int() == pytest.approx(new.conf_int(), rel=1e-5, abs=1e-6)
        assert old.bse.filled(0.0) == pytest.approx(new.bse.filled(0.0), rel=1e-6)
        assert str(old.misfit())[:20] == str(new.misfit())[:20]


def test_proofs_and_groups_of_pickled_fits():
    known = loaded("known").result_
    assert known.certificate.gap <= 1e-5 * known.loss
    assert loaded("lapse").result_.members == {"x": [0, 1], "y": [2]}
    assert loaded("explained").result_.exact.explanations.power_intervals


def test_other_pickled_things():
    assert str(loaded("summary")).splitlines()[2].startswith("  power p")
    assert loaded("rule") == wf.WelfareFunction(-1, [0.5, 0.3, 0.2])
    assert len(loaded("comparisons")) == 120
    assert loaded("without_data").decided is None
    low, high = loaded("bootstrap").interval("tau", 0.8)
    assert 0 < low < high


@pytest.mark.parametrize("name", ANSWERS)
def test_saved_models_are_read(name):
    model = wf.load_model(KEPT / f"{name}.json")
    assert model.welfare.p == ANSWERS[name]["p"]
    assert model.welfare.weights.tolist() == pytest.approx(ANSWERS[name]["weights"], rel=NUMBER)


@pytest.mark.parametrize(
    ("old", "name"),
    [
        ("welfarist.plots", "profile"),
        ("welfarist.fit", "FitResult"),
        ("welfarist.fit", "Caveat"),
        ("welfarist.goodness.misfit", "Misfit"),
        ("welfarist.errors", "InputError"),
        ("welfarist.solvers.consistent.rules", "ConsistentRules"),
    ],
)
def test_modules_are_found_under_their_former_names(old, name):
    module = import_module(old)
    assert getattr(module, name).__module__.startswith("welfarist.")
    assert module.__name__ != old  # the module itself, not a copy


def test_names_that_never_were_are_not_found():
    with pytest.raises(ModuleNotFoundError):
        import_module("welfarist.nonsense")


def test_former_names_hide_no_public_one():
    """Importing a module makes it an attribute of the package, in place of what was there."""
    assert set(_NOW) & set(wf.__all__) <= {"plots"}  # which is that module
    with pytest.raises(ModuleNotFoundError):
        import_module("welfarist.power_mean")
    assert wf.power_mean([1.0, 4.0], 0) == 2.0

"""A fitted learner as a record that JSON can hold."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import tempfile
import warnings
from collections.abc import Mapping
from html import unescape
from pathlib import Path

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import welfarist as wf

# Rows of the data that are predicted, and rows of long tables that are kept.
_SHOWN = 5
_RESAMPLES = 19
_DOCTRINES = ("utilitarian", "Nash", "harmonic")


def record_of(case):
    """Fit a case and return what there is to say of it, with one thread and every warning kept."""
    with threadpool_limits(1), warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        data = case.data()
        learner = data.learner(**case.options)
        try:
            learner.fit(*_arguments(data))
        except wf.WelfaristError as refusal:
            return _refused(refusal)
        kinds = [w.category.__name__ for w in given if issubclass(w.category, wf.WelfaristWarning)]
        return plain({**_parts(learner, data, case.extras), "warned": kinds})


def _arguments(data):
    """What `fit` takes: comparisons hold their outcomes."""
    return (data.X,) if data.y is None else (data.X, data.y, data.sample_weight)


def _parts(learner, data, extras):
    """The plain part and the extras of one fit."""
    result = learner.result_
    return {
        "estimates": _estimates(learner),
        "ended": _ended(result),
        "caveats": [[caveat.kind.__name__, caveat.message] for caveat in result.caveats],
        "statistics": _statistics(result),
        "exact": _exact(result),
        "texts": _texts(result),
        "predictions": _predictions(learner, data),
        "extras": {name: tried(lambda n=name: EXTRAS[n](learner, data)) for name in extras},
    }


def plain(value):
    """Turn arrays, tuples and NumPy's numbers into what JSON holds; infinities become text."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())  # masked entries become None
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)


def tried(ask):
    """Return an answer, or what was said in place of one."""
    try:
        return plain(ask())
    except wf.WelfaristError as refusal:
        return _refused(refusal)


def _refused(refusal):
    return {"refused": type(refusal).__name__, "message": str(refusal)}


def _attributes(thing, names):
    return {name: getattr(thing, name) for name in names.split()}


def _estimates(learner):
    result = learner.result_
    stored = [name for name in ("p_", "tau_", "rho_", "scale_", "loss_") if hasattr(learner, name)]
    names = "p weights tau rho scale loss accuracy r_squared decisions"
    return _attributes(result, names) | {name: getattr(learner, name) for name in stored}


def _ended(result):
    names = "converged reason n_iter start_values agreeing given weight_notes first_label spread"
    return _attributes(result, names) | {"stakeholders": result.stakeholders}


def _statistics(result):
    """What users of statsmodels ask for, of each kind of standard error."""
    if result.exact is not None:
        return tried(lambda: result.params)  # which is refused, as everything else is
    names = ["param_names", "params", "bse", "nobs", "on_edge", "llf", "aic", "bic"]
    if "p" not in result.given:
        names += ["tvalues", "pvalues"]  # they are about p
    found = {name: tried(lambda n=name: getattr(result, n)) for name in names}
    kinds = ("fisher", "robust", "clustered")
    found["cov_params"] = {kind: tried(lambda k=kind: result.cov_params(k)) for kind in kinds}
    found["wald"] = tried(lambda: result.conf_int(0.1, method="wald"))
    return found


def _exact(result):
    """What was found where errors were counted: all powers, all rules, and the proof."""
    exact = result.exact
    if exact is None:
        return None
    steps, rules = exact.steps, exact.explanations
    return {
        "intervals": [
            [*dataclasses.astuple(interval), str(interval)] for interval in exact.intervals
        ],
        "steps": steps and [len(steps.powers), steps.minimum, steps.powers[:_SHOWN]],
        "rules": rules
        and _attributes(rules, "p weights margin power_intervals weight_low weight_high"),
        "counted": dataclasses.asdict(exact.counted),
        "lines": exact.lines(),
        "correction": [exact.corrected_loss, exact.independent_rho],
        "proof": _proof(result),
    }


def _proof(result):
    found = result.certificate
    return found and _attributes(found, "loss lower_bound gap method")


def _texts(result):
    summary = result.summary()
    return {
        "text": summary.as_text(),
        "latex": summary.as_latex(),
        "digits": summary.to_dict()["parameters"],
        "robust": str(result.with_covariance("robust").summary(0.9)),
        "repr": repr(result),
        # What starts say of optima not seen follows from what they reached, which is kept.
        "dictionary": {k: v for k, v in result.to_dict().items() if k != "search"},
    }


def _predictions(learner, data):
    """Answers to the first rows, by every method there is."""
    rows = data.X[:_SHOWN]
    target = () if data.y is None else (data.y[:_SHOWN],)
    methods = ("predict", "predict_proba", "decision_function")
    found = {name: getattr(learner, name)(rows) for name in methods if hasattr(learner, name)}
    return found | {"score": learner.score(rows, *target)}


def _profile(learner, data):
    """Profile intervals, of each parameter where all together are refused."""
    result = learner.result_
    found = {name: tried(lambda n=name: result.interval(n)) for name in result.param_names}
    return {"each": found, "all": tried(lambda: result.conf_int(0.1, method="profile"))}


def _tested(test):
    names = "null statistic distribution degrees p_value llf null_llf note kind smallest"
    return _attributes(test, names) | {"text": str(test)}


def _tests(learner, data):
    """Likelihood ratios, without simulations."""
    test = learner.result_.test
    found = {name: tried(lambda n=name: _tested(test(n))) for name in _DOCTRINES}
    found["equal"] = tried(lambda: _tested(test(weights="equal")))
    found["both"] = tried(lambda: _tested(test(p=0.5, weights="equal")))
    found["edge"] = tried(lambda: _tested(test("egalitarian", resamples=None)))
    return found


def _edge_test(learner, data):
    """The worst off alone count: an edge, where the reference is simulated."""
    return _tested(learner.result_.test("egalitarian", resamples=_RESAMPLES))


def _wald_tests(learner, data):
    result = learner.result_
    kinds = ("fisher", "robust", "clustered")
    found = {
        kind: tried(lambda k=kind: _tested(result.test("Nash", covariance=k))) for kind in kinds
    }
    found["equal"] = tried(lambda: _tested(result.test(weights="equal", covariance="robust")))
    found["edge"] = tried(lambda: _tested(result.test("egalitarian", covariance="robust")))
    return found


def _misfit(learner, data):
    found = learner.result_.misfit()
    names = "name null statistic distribution degrees p_value gain share finding reason"
    checks = [_attributes(check, names) for check in found.checks]
    return {"text": str(found), "verdict": found.verdict, "clear": found.clear, "checks": checks}


def _checks(learner, data):
    result = learner.result_
    return {
        "calibration": tried(lambda: _calibration(result)),
        "surprises": tried(lambda: _surprises(result)),
        "residuals": tried(lambda: _residuals(result)),
    }


def _calibration(result):
    found = result.calibration(bins=_SHOWN)
    names = "predicted observed low high counts gap statistic degrees p_value distribution reason"
    return _attributes(found, names) | {"text": str(found)}


def _surprises(result):
    found = result.surprises(3)
    return {"text": str(found), "total": found.total, "dominated": found.dominated}


def _residuals(result):
    found = result.residuals()
    names = "step utility_steps expected found p_value worst beyond ratio compatible"
    return {
        "first": [found.fitted[:_SHOWN], found.residual[:_SHOWN], found.standardised[:_SHOWN]],
        "rounding": _attributes(found.rounding, names),
        "text": str(found),
    }


def _bootstrap(learner, data):
    found = learner.result_.bootstrap(_RESAMPLES)
    return {
        "text": str(found),
        "draws": found.draws[:_SHOWN],
        "bse": tried(lambda: found.bse),
        "intervals": {name: found.interval(name, 0.8) for name in found.names},
    }


def _curve(learner, data):
    found = learner.result_.profile(points=11)
    return _attributes(found, "p deviance loss estimate interval level allowed at_limits")


def _model(learner, data):
    """The text of the saved model, and what is learned when it is read again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        wf.save_model(learner, path)
        text, model = path.read_text(encoding="utf-8"), wf.load_model(path)
    people = len(model.welfare.weights)
    up, down = np.arange(1.0, people + 1), np.arange(people, 0.0, -1.0)
    return {"text": text, "chance": model.probabilities([up], [down]), "welfare": model.welfare(up)}


def _rivals(learner, data):
    """The fit beside two doctrines, held-out decisions included."""
    # A fresh learner: what a comparison fits is part of what it says.
    items = {"learned": clone(learner), "Nash": "Nash", "sum": "utilitarian"}
    arguments = (data.X,) if data.y is None else (data.X, data.y)
    found = wf.compare(items, *arguments, folds=3)
    return {"text": str(found), "rows": found.to_dict(), "best": tried(lambda: found.best("bic"))}


def _report(learner, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        learner.result_.report(path, title="Who counts?")
        return page_of(path.read_text(encoding="utf-8"))


def page_of(page):
    """A report without its pictures, which are drawn differently by each matplotlib."""
    bare = re.sub(r'data:[^"\']*', "data:", page)
    body = re.sub(r"<style>.*?</style>", "", bare, flags=re.DOTALL)
    words = unescape(re.sub(r"<[^>]*>", " ", body)).split()
    return {"sha256": hashlib.sha256(bare.encode()).hexdigest(), "text": " ".join(words)}


EXTRAS = {
    "profile": _profile,
    "tests": _tests,
    "edge test": _edge_test,
    "wald tests": _wald_tests,
    "misfit": _misfit,
    "checks": _checks,
    "bootstrap": _bootstrap,
    "curve": _curve,
    "proof": lambda learner, data: _proof(learner.result_),
    "model": _model,
    "rivals": _rivals,
    "report": _report,
}

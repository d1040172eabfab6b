"""What is asked of a fit once it is made, and what may not come of that."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import welfarist as wf
from fuzz.sound_numbers import json_complaints, where_nan
from welfarist.results.saved_models import Model

# Of a menu and of the saved model: margins are off by rounding, which large tau enlarges.
_CHANCES_ALIKE = 1e-6

# What a question gives: complaints about the answer.
Question = Callable[[Any], list[str]]
# Questions by name, with how often they are asked.
Questions = dict[str, tuple[Question, float]]


def _summary(learner: Any) -> list[str]:
    made = learner.result_.summary()
    found = json_complaints(made.as_json())
    if not (str(made).strip() and made.as_html() and made.as_latex() and len(made.to_frame())):
        found.append("an empty form")
    found += ["nan in the text"] if "nan" in str(made).lower().split() else []
    return found


def _quick_summary(learner: Any) -> list[str]:
    return json_complaints(learner.result_.summary(level=None).as_json())


def _saved(learner: Any) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        wf.save_model(learner, path)
        found = json_complaints(path.read_text())
        model = wf.load_model(path)
    same = model.welfare == learner.welfare_
    return found if same else [*found, "the rule that was loaded is another"]


def _pickled(learner: Any) -> list[str]:
    again = pickle.loads(pickle.dumps(learner))
    return [] if again.p_ == learner.p_ else ["another p"]


def _report(learner: Any) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        learner.result_.report(path)
        text = path.read_text()
    return ["nan in the page"] if ">nan<" in text.lower() else []


def _certificate(learner: Any) -> list[str]:
    return where_nan(learner.result_.certificate)


def _interval_of_power(learner: Any) -> list[str]:
    return where_nan(learner.result_.interval("p"))


def _interval_of_weights(learner: Any) -> list[str]:
    found = np.asarray(learner.result_.interval("weights"))
    inside = bool(((found >= 0) & (found <= 1)).all())
    return [] if inside else [f"not within 0 and 1: {found.tolist()}"]


def _all_intervals(learner: Any) -> list[str]:
    return where_nan(learner.result_.conf_int(method="wald"))


def _figures(learner: Any) -> list[str]:
    result, found = learner.result_, []
    for name in ("params", "bse", "tvalues", "pvalues", "llf", "llnull", "aic", "bic"):
        answer = getattr(result, name)
        found += [f"{name} {place}" for place in where_nan(answer)]
        if isinstance(answer, float) and not np.isfinite(answer):
            found.append(f"{name} is {answer}")
    return found


def _robust(learner: Any) -> list[str]:
    return where_nan(learner.result_.cov_params("robust"))


def _test(learner: Any) -> list[str]:
    return where_nan(learner.result_.test("utilitarian", resamples=None))


def _test_of_weights(learner: Any) -> list[str]:
    return where_nan(learner.result_.test(weights="equal", resamples=None))


def _simulated_test(learner: Any) -> list[str]:
    if learner.result_.likelihood is not None and learner.result_.likelihood.learned_weights:
        return []  # its samples take longer than all the rest
    return where_nan(learner.result_.test("egalitarian", resamples=5))


def _wald_test(learner: Any) -> list[str]:
    return where_nan(learner.result_.wald_test("p = 1"))


def _bootstrap(learner: Any) -> list[str]:
    made = learner.result_.bootstrap(5, progress=False)
    return where_nan(made.draws) + where_nan(made.cov_params())


def _shifts(learner: Any) -> list[str]:
    largest = float(np.nanmax(learner.result_.decided.utilities))
    made = learner.result_.shifts([0.0, 0.5 * largest])
    return [] if str(made) else ["an empty table"]


def _compared(learner: Any) -> list[str]:
    made = wf.compare([learner, "utilitarian", "best off"], folds=None)
    return json_complaints(made.as_json()) + ([] if str(made) else ["an empty table"])


def _profile(learner: Any) -> list[str]:
    return where_nan(learner.result_.profile(points=11))


def _misfit(learner: Any) -> list[str]:
    found = learner.result_.misfit()
    return where_nan(found) + ([] if found.verdict else ["no verdict"])


def _calibration(learner: Any) -> list[str]:
    return where_nan(learner.result_.calibration())


def _surprises(learner: Any) -> list[str]:
    return [] if str(learner.result_.surprises()) else ["nothing said"]


def _residuals(learner: Any) -> list[str]:
    return where_nan(learner.result_.residuals())


def _score(learner: Any) -> list[str]:
    return where_nan(learner.score(learner.result_.decided))


# Of every fit.
QUESTIONS: Questions = {
    "summary": (_summary, 0.4),
    "quick summary": (_quick_summary, 0.3),
    "saved model": (_saved, 0.3),
    "pickle": (_pickled, 0.3),
    "report": (_report, 0.1),
    "certificate": (_certificate, 0.3),
    "interval of p": (_interval_of_power, 0.2),
    "intervals of weights": (_interval_of_weights, 0.1),
    "all intervals": (_all_intervals, 0.2),
    "figures": (_figures, 0.4),
    "robust errors": (_robust, 0.2),
    "test": (_test, 0.2),
    "test of weights": (_test_of_weights, 0.2),
    "simulated test": (_simulated_test, 0.1),
    "Wald test": (_wald_test, 0.2),
    "bootstrap": (_bootstrap, 0.05),
    "shifts": (_shifts, 0.05),
    "comparison": (_compared, 0.05),
    "profile": (_profile, 0.1),
    "misfit": (_misfit, 0.3),
    "calibration": (_calibration, 0.3),
    "surprises": (_surprises, 0.3),
    "residuals": (_residuals, 0.3),
    "score": (_score, 0.3),
}


def _stages(learner: Any) -> list[str]:
    return where_nan(learner.result_.stages())


def _chances(learner: Any) -> list[str]:
    """New menus of the same actions: chances that are those of the saved model."""
    decided = learner.result_.decided
    rows = list(range(min(decided.actions, 4)))
    options = dict(outside=decided.outside, absent=decided.absent, least=-learner.welfare_.shift)
    menu = wf.Choices(decided.utilities, [rows], [0], **options)
    here = learner.predict_proba(menu)[0]
    saved = Model.of(learner).chances(decided.utilities[rows], outside=decided.outside)
    if here.shape != saved.shape or np.abs(here - saved).max() > _CHANCES_ALIKE:
        return [f"{here.tolist()}, but of the saved model {saved.tolist()}"]
    return [] if abs(here.sum() - 1.0) < _CHANCES_ALIKE else [f"they sum to {here.sum()!r}"]


def _part(learner: Any) -> list[str]:
    part = learner.result_.decided[::2]
    if len(learner.predict(part)) != len(part) or len(learner.predict_proba(part)) != len(part):
        return ["not one for each decision"]
    return where_nan(learner.score(part)) + where_nan(learner.log_loss(part))


def _compared_with_recommenders(learner: Any) -> list[str]:
    made = wf.compare([learner, "average", "least misery"], folds=2)
    return json_complaints(made.as_json()) + ([] if str(made) else ["an empty table"])


# Of fits to choices from menus.
OF_CHOICES: Questions = {
    **QUESTIONS,
    "stages": (_stages, 0.2),
    "chances": (_chances, 0.4),
    "part": (_part, 0.2),
    "comparison with recommenders": (_compared_with_recommenders, 0.05),
}


def draw(rng: np.random.Generator, questions: Questions) -> list[str]:
    """Return some of the questions, by name."""
    return [name for name, (_, often) in questions.items() if rng.random() < often]


def ask(learner: Any, question: str, questions: Questions) -> list[str]:
    """Ask a question by name; return what is wrong with the answer."""
    return questions[question][0](learner)

"""What may not come of a fit, whatever it was made to.

A fit gives an answer in valid numbers, or refuses in words; the same digits each time, in a thread
too; its loss is that of its own predictions; and nothing but our own warnings leaves it. What is
asked of the fit afterwards is held to the same.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import welfarist as wf
from fuzz import asked_after
from fuzz.attack import Case, described
from fuzz.sound_numbers import loss_complaints, number_complaints

# Makes the fitted learner of a case.
Fit = Callable[[Case], Any]

# CPU seconds that a fit may take.
LONGEST = 5.0
# The paper's methods take as long as they do: thousands of steps at each of many powers.
_AS_PUBLISHED = ("grid", "two_stage")
# The share of fits that are made again, and again in threads, and those that are asked more.
_AGAIN, _IN_THREADS, _ASKED = 0.3, 0.1, 0.3
_THREADS = 2


def draw_checks(rng: np.random.Generator, questions: asked_after.Questions) -> Case:
    """Return what is done with a fit beside making it."""
    return {
        "again": bool(rng.random() < _AGAIN),
        "threads": bool(rng.random() < _IN_THREADS),
        "ask": asked_after.draw(rng, questions) if rng.random() < _ASKED else [],
    }


def fit_complaints(case: Case, fit: Fit, questions: asked_after.Questions) -> list[str]:
    """Fit, and return what is wrong."""
    start = time.process_time()
    found, learner = watched("fit", lambda: fit(case))
    seconds = time.process_time() - start
    if seconds > LONGEST and case["options"].get("solver") not in _AS_PUBLISHED:
        found.append(f"fit: took {seconds:.1f} CPU seconds")
    if learner is None:
        return found
    found += number_complaints(learner)
    more, _ = watched("predictions", lambda: found.extend(loss_complaints(learner)))
    found += more
    quick = seconds <= LONGEST  # what takes long is made once
    if case["again"] and quick:
        _, again = watched("fit", lambda: fit(case))
        if again is None or _digits(again) != _digits(learner):
            found.append("fit: other digits when made again")
    if case["threads"] and quick:
        found += _thread_complaints(case, fit, learner)
    for question in case["ask"]:
        wrong, answer = watched(question, partial(asked_after.ask, learner, question, questions))
        found += wrong
        found += [f"{question}: {said}" for said in answer or []]
    return found


def watched(what: str, act: Callable[[], Any]) -> tuple[list[str], Any]:
    """Do something; return what is wrong with how it ended, and what came of it if anything."""
    found: list[str] = []
    made = None
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            made = act()
        except wf.WelfaristError as refusal:
            if not str(refusal).strip():
                found.append(f"{what}: refused without a word")
        except Exception as problem:
            found.append(f"{what}: {described(problem)}")
    for warning in given:
        if not issubclass(warning.category, wf.WelfaristWarning):
            path = warning.filename.replace("\\", "/").split("/src/")[-1]
            said = f"{warning.category.__name__}: {warning.message}"
            found.append(f"{what}: leaks {said} (at {path}:{warning.lineno})")
    return sorted(set(found)), made


def _digits(learner: Any) -> dict[str, Any]:
    """Everything of a fit that must be the same each time."""
    names = (
        "p_", "tau_", "rho_", "scale_", "loss_", "n_iter_", "converged_", "gamma_", "outside_",
    )  # fmt: skip
    found = {name: getattr(learner, name, None) for name in names}
    for name in ("weights_", "taus_"):
        found[name] = np.asarray(getattr(learner, name, 0.0)).tobytes()
    found["caveats"] = [caveat.message for caveat in learner.result_.caveats]
    return found


def _thread_complaints(case: Case, fit: Fit, learner: Any) -> list[str]:
    """Fit in several threads at once; return what is other than without."""
    digits: list[Any] = [None] * _THREADS

    def work(place: int) -> None:
        try:
            digits[place] = _digits(fit(case))
        except Exception as problem:
            digits[place] = described(problem)

    with warnings.catch_warnings():  # they are the process's, and were looked at before
        warnings.simplefilter("ignore")
        threads = [threading.Thread(target=work, args=(i,)) for i in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    here = _digits(learner)
    return ["fit: other digits in a thread"] if any(found != here for found in digits) else []

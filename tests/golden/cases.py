"""Every learner, option and edge, as a table of named cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import welfarist as wf
from tests.golden.data import (
    REAL,
    Data,
    charity,
    choices,
    development,
    dictators,
    equality,
    from_arrays,
    scores,
    shanghai,
    wide,
)

NAMES = ("patients", "staff", "payers")
SIDES = [f"{name}_{side}" for side in "xy" for name in NAMES]

# What is cheap for a small fit with statistics; a case says what else it records.
USUAL = ("profile", "tests", "misfit", "checks")
EVERYTHING = (*USUAL, "bootstrap", "wald tests", "curve", "model", "rivals")
# A simulated null takes seconds; a few cases have one.
EDGE = "edge test"

# The proof of a tiny case takes a fraction of a second: the clock never stops this one.
PATIENT = wf.Exact(time_limit=600.0)
UNPROVEN = wf.Exact(time_limit=0.0)
COARSE = wf.Grid(lower=-2.0, upper=1.0, step=1.0)
ANNEALED = wf.Grid(lower=-2.0, upper=1.0, outer="annealing", annealing_iter=2)
SHORT = wf.TwoStage(samples_per_person=20, descent_iter=60)


@dataclass(frozen=True)
class Case:
    """Decisions, the options of the learner, and what is recorded beside the plain part.

    `determined` is false where many rules are as good: another machine may end at another one.
    `real` marks data that are not part of the project.
    """

    data: Callable[[], Data]
    options: dict[str, Any] = field(default_factory=dict)
    extras: tuple[str, ...] = ()
    determined: bool = True
    real: bool = False

    @property
    def missing(self) -> bool:
        """Whether the data are not there."""
        return self.real and not REAL.is_dir()


def _case(maker, options=None, extras=(), *, determined=True, real=False, **decisions):
    return Case(partial(maker, **decisions), options or {}, tuple(extras), determined, real)


def _many(**options):
    """An open case: many rules explain the decisions equally well."""
    return dict(determined=False, **options)


# The likelihood itself, also where decisions are few.
_ALONE = {"small_sample": "none"}
_SMALL = dict(people=3, decisions=30, actions=12)
_TINY = dict(people=2, decisions=24, actions=8, tau=6.0)
_CLEAR = dict(people=3, decisions=60, actions=20, tau=np.inf)

LOGISTIC = {
    "logistic": _case(choices, {}, EVERYTHING),
    "lapse": _case(choices, {"noise": "lapse"}, USUAL, rho=0.1, decisions=400, tau=25.0),
    "lapse without slips": _case(choices, {"noise": "lapse"}, ("profile",), tau=5.0, seed=4),
    "equal weights": _case(choices, {"weights": "equal"}, ("profile", "tests", "proof")),
    "known weights": _case(choices, {"weights": [3, 2, 1]}, ("profile", "proof"), seed=1),
    "known weights by name": _case(
        choices, {"weights": {"payers": 1, "patients": 3, "staff": 2}}, ("model",), names=NAMES
    ),
    "groups": _case(choices, {"groups": ["a", "b", "a", "b"]}, USUAL, people=4),
    "groups by name": _case(
        choices, {"groups": {"care": ["patients", "staff"], "money": ["payers"]}}, names=NAMES
    ),
    "fixed power": _case(choices, {"p": -0.5}, ("profile", "tests", "curve")),
    "fixed doctrine": _case(choices, {"p": "Nash"}, ("profile", "tests")),
    "fixed at minus infinity": _case(choices, {"p": -np.inf}, ("tests",)),
    "fixed at infinity": _case(choices, {"p": np.inf, "weights": "equal"}, ("proof",)),
    "fixed beyond the search": _case(choices, {"p": -5000.0} | _ALONE, people=2, decisions=100),
    "everything given": _case(choices, {"p": -1, "weights": [3, 2, 1]}, ("misfit", "checks")),
    "prior": _case(choices, {"prior": 2.0}, ("checks",)),
    "prior per person": _case(choices, {"prior": [1.0, 3.0, 2.0]}),
    "prior by group": _case(
        choices, {"groups": ["a", "b", "a"], "prior": {"a": 3.0, "b": 2.0}}, ("model",)
    ),
    "counts": _case(choices, {}, ("profile", "misfit", "checks", "bootstrap"), counts=True),
    "sample weights": _case(wide, {}, ("profile", "checks"), counts=True),
    "zeros": _case(choices, {}, USUAL, zeros=0.15, p=0.5),
    "near Nash with zeros": _case(choices, {}, ("profile",), zeros=0.02, p=0.05, tau=4.0),
    "ties": _case(choices, {}, (*USUAL, "model"), ties=0.2),
    "separable": _case(choices, _ALONE, **_many(), **_CLEAR),
    "reversed": _case(choices, _ALONE, turned=True, decisions=60, people=2, **_many()),
    "random": _case(choices, _ALONE, ("profile",), tau=0.0, people=2, decisions=100, **_many()),
    "one person": _case(choices, {}, USUAL, people=1, **_many()),
    "two people": _case(choices, _ALONE, EVERYTHING, people=2, decisions=120),
    "twins": _case(choices, {}, ("profile",), twins=True, **_many()),
    "everybody the same": _case(choices, same=True, **_many()),
    "text labels": _case(wide, {}, ("checks",), labels=("no", "yes")),
    "guessed labels": _case(wide, {}, labels=("left", "right")),
    "truth values": _case(wide, labels=(False, True), columns=SIDES),
    "names": _case(choices, {}, ("checks", "model", "report"), names=NAMES),
    "from arrays": _case(from_arrays, {}, ("checks",)),
    "clustered": _case(choices, {}, EVERYTHING, deciders=12, names=NAMES),
    "few decisions": _case(choices, _ALONE, ("profile",), decisions=4, actions=5, **_many()),
    "somebody does not count": _case(choices, {}, USUAL, weights=[0.7, 0.3, 0.0], tau=8.0, seed=5),
    "best off": _case(choices, {"weights": "equal"}, USUAL, p=np.inf, tau=60.0, seed=3),
    "worst off": _case(
        choices, {"weights": "equal"} | _ALONE, (*USUAL, "curve"), p=-np.inf, tau=60.0
    ),
    "far out": _case(choices, {}, ("profile", "tests"), p=np.inf, tau=30.0, people=2),
    "edge of the search": _case(choices, _ALONE, ("misfit",), p=np.inf, tau=60.0, people=2),
    "overfitted": _case(choices, _ALONE, people=4, decisions=80, tau=2.0, seed=3),
    "many people": _case(choices, {}, ("misfit",), people=12, decisions=800, actions=100),
    "simulated null": _case(
        choices, {"weights": "equal"} | _ALONE, (EDGE,), people=2, decisions=80, p=-4.0
    ),
    "large": _case(choices, decisions=100_000, actions=1500, counts=True),
    "coarse grid": _case(choices, {"solver": COARSE}, **_SMALL),
    "annealing": _case(choices, {"solver": ANNEALED, "random_state": 1}, **_SMALL),
    "two stages": _case(choices, {"solver": SHORT, "random_state": 1}, **_SMALL),
    "three starts": _case(choices, {"n_starts": 3, "random_state": 7}),
    "forty starts": _case(choices, {"n_starts": 40, "random_state": 5}, tau=2.0, people=4, seed=3),
    "one step": _case(choices, {"max_iter": 1, "n_starts": 2}, ("tests", "misfit"), **_many()),
    "capped temperature": _case(choices, {"tau_max": 5.0}, ("profile",), tau=30.0),
    "loose tolerance": _case(choices, {"tol": 1e-3}),
    "charity": _case(charity, {"prior": 1.5}),
    "small sample": _case(choices, {}, EVERYTHING, people=2, decisions=100, tau=15.0),
    "small sample with slips": _case(choices, {"noise": "lapse"}, USUAL, decisions=120, rho=0.1),
    "small separable sample": _case(choices, {}, USUAL, **_CLEAR),
    "small sample, known weights": _case(choices, {"weights": "equal"}, USUAL, decisions=40),
    "smallest sample": _case(choices, {}, ("profile",), decisions=4, actions=5),
}

COUNTED = {
    "explained": _case(choices, {"noise": "none"}, ("checks", "model"), **_CLEAR),
    "explained by groups": _case(
        choices, {"noise": "none", "groups": [0, 1, 0]}, weights=[0.3, 0.4, 0.3], **_CLEAR
    ),
    "explained at a power": _case(choices, {"noise": "none", "p": -1}, **_CLEAR),
    "explained with zeros": _case(choices, {"noise": "none"}, p=0.7, zeros=0.1, **_CLEAR),
    "explained by the worst off": _case(choices, {"noise": "none"}, p=-np.inf, **_CLEAR),
    "equal weights counted": _case(choices, {"noise": "none", "weights": "equal"}, ("checks",)),
    "kernel of NumPy": _case(
        choices, {"noise": "none", "weights": "equal", "solver": wf.Exact(kernel="numpy")}
    ),
    "ties counted": _case(
        choices, {"noise": "none", "weights": "equal"}, ties=0.1, actions=10, decisions=150
    ),
    "all given counted": _case(choices, {"noise": "none", "p": "Nash", "weights": [3, 2, 1]}),
    "proven": _case(choices, {"noise": "flip", "solver": PATIENT}, **_TINY),
    "proven at a power": _case(choices, {"noise": "flip", "p": -1, "solver": PATIENT}, **_TINY),
    "unproven": _case(
        choices,
        {"noise": "none", "solver": UNPROVEN},
        ("checks", "rivals"),
        decisions=80,
        people=2,
        **_many(),
    ),
    "flips of a known rate": _case(
        choices, {"noise": "flip", "rho": 0.1, "weights": "equal"}, ("model",), rho=0.1, tau=np.inf
    ),
    "flips by error rate": _case(
        choices, {"noise": "flip", "rho": "error rate", "solver": UNPROVEN}, rho=0.1, tau=np.inf
    ),
    "flips by cross-validation": _case(
        choices,
        {"noise": "flip", "rho": "cross-validation", "solver": UNPROVEN, "random_state": 2},
        rho=0.1,
        tau=np.inf,
        people=2,
        decisions=120,
    ),
    "reversed counted": _case(
        choices, {"noise": "flip", "weights": "equal"}, turned=True, tau=np.inf
    ),
}

SCORES = {
    "scores": _case(scores, {}, (*EVERYTHING, EDGE), actions=60),
    "scale": _case(scores, {"scale": True}, EVERYTHING, scale=7.0),
    "scores, equal weights": _case(scores, {"weights": "equal"}, ("profile", "tests", "proof")),
    "scores, known weights": _case(scores, {"weights": [3, 2, 1]}, ("profile", "proof")),
    "scores, groups": _case(scores, {"groups": ["a", "b", "a", "b"]}, USUAL, people=4),
    "scores, fixed doctrine": _case(scores, {"p": "harmonic"}, ("profile", "tests")),
    "scores, fixed at infinity": _case(scores, {"p": np.inf}, ("tests",), p=np.inf),
    "scores, fixed at minus infinity": _case(scores, {"p": -np.inf, "scale": True}),
    "scores, fixed beyond the search": _case(scores, {"p": 1e6}, p=np.inf),
    "scores, everything given": _case(scores, {"p": -1, "weights": [3, 2, 1]}, ("checks",)),
    "scores, prior": _case(scores, {"prior": 5.0, "scale": True}, ("checks", "model")),
    "scores, sample weights": _case(scores, {}, (*USUAL, "bootstrap"), counts=True),
    "scores, zeros": _case(scores, {}, USUAL, zeros=0.15, p=0.5),
    "scores without noise": _case(scores, {}, ("tests", "misfit"), p=-0.7, noise=0.0, decimals=15),
    "rounded scores": _case(scores, {}, USUAL, noise=0.0, decimals=2, p=0.0),
    "scores, one person": _case(scores, {}, ("profile",), people=1, **_many()),
    "scores, two people": _case(
        scores, {}, (*USUAL, "report"), people=2, actions=50, columns=["us", "them"]
    ),
    "scores, twins": _case(scores, {}, ("profile",), twins=True, **_many()),
    "scores, everybody the same": _case(scores, same=True, **_many()),
    "scores the wrong way": _case(scores, {}, ("checks", "misfit"), scale=-1.0, **_many()),
    "scores outside the range": _case(scores, {}, ("misfit",), scale=3.0, **_many()),
    "few scores": _case(scores, {}, ("profile",), actions=2, **_many()),
    "scores, somebody does not count": _case(
        scores, {}, USUAL, weights=[0.7, 0.3, 0.0], seed=6, noise=0.6
    ),
    "scores of the best off": _case(scores, {}, USUAL, p=np.inf, people=2, noise=0.1, seed=2),
    "scores, edge of the search": _case(scores, p=np.inf),
    "scores of the worst off": _case(scores, {}, USUAL, p=-np.inf, noise=0.0, decimals=3),
    "scores, lower edge": _case(scores, {}, ("profile",), p=-np.inf, noise=0.5, people=2),
    "large scores": _case(scores, actions=150_000, people=4, counts=True),
    "scores, coarse grid": _case(scores, {"solver": COARSE}, actions=40),
    "scores, two stages": _case(scores, {"solver": SHORT}, actions=40),
    "scores, one step": _case(scores, {"max_iter": 1, "n_starts": 1}, ("tests",), **_many()),
    "scores by name": _case(
        scores, {"weights": {"payers": 1, "patients": 3, "staff": 2}}, ("model",), columns=NAMES
    ),
}

REFUSED = {
    "refused: power with zeros": _case(choices, {"p": -1}, zeros=0.15, p=0.5),
    "refused: prior where errors are counted": _case(choices, {"noise": "none", "prior": 2}),
    "refused: solver for scores": _case(scores, {"solver": "exact"}),
}

PUBLIC_DATA = {
    "human development": _case(development, {}, ("tests", "misfit"), real=True),
    "gender equality": _case(equality, {}, ("tests", "checks"), real=True),
    "Shanghai ranking": _case(shanghai, {"scale": True}, ("misfit",), zeros=True, real=True),
    "Shanghai ranking without zeros": _case(
        shanghai, {"scale": True}, ("profile", "tests"), zeros=False, real=True
    ),
    "dictators": _case(dictators, {}, EVERYTHING, clustered=True, real=True),
    "dictators as a table": _case(dictators, {"noise": "lapse"}, clustered=False, real=True),
}

CASES = LOGISTIC | COUNTED | SCORES | REFUSED | PUBLIC_DATA

"""Axioms as tests: which properties of a rule decisions speak against.

Each axiom is what some family has and others have not. A score test adds to the fit what a rule
without the axiom would have; where a likelihood ratio within the family asks the same, that is
taken. Derivatives come from one pass over the decisions, and so do those that speak loudest. Where
decisions have no noise, circles among them are looked for instead, which is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import chi2, norm

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import strict
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.checks.alternatives import row_of_zero
from welfarist.checks.other_families import loss_again
from welfarist.checks.revealed import Kind, Revealed, circle
from welfarist.checks.score_test import score_test, slopes_of
from welfarist.families.base import Family
from welfarist.families.differences.family import OnDifferences
from welfarist.families.kolm_pollak.family import KOLM_POLLAK, KolmPollakFamily
from welfarist.families.power_mean.derivatives import welfare_shares
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.inference.covariance import face_of
from welfarist.inference.doctrine_tests import likelihood_ratio
from welfarist.inference.likelihood import Likelihood
from welfarist.losses.observed import Slopes
from welfarist.people.absent import PartlyPresent
from welfarist.people.source import in_its_place, is_source

# A p-value below this is called a rejection.
LEVEL = 0.05
# How many decisions are named, and of how many people pairs are looked at.
_LOUDEST, _MOST_PEOPLE = 5, 6
# Values further from the middle than this many standard deviations are taken as there.
_FAR = 4.0

_NULLS = {
    "scale invariance": "a percentage more for everybody changes no choice",
    "translation invariance": "the same amount more for everybody changes no choice",
    "separability": "what people have who are not affected makes no difference",
    "anonymity": "it makes no difference who has what",
    "Pareto": "nobody's gain is a loss",
    "transfer": "a gain counts no less for somebody who has less",
}


@dataclass(frozen=True)
class Axiom:
    """A test of one property of the rule behind decisions.

    Attributes
    ----------
    name : str
        "scale invariance", "translation invariance", "separability", "anonymity", "Pareto" or
        "transfer".
    null : str
        What is tested, in words.
    statistic, p_value : float or None
        None if there is no test.
    distribution : str
        What the statistic follows if the axiom holds, in words.
    loudest : tuple of int
        The numbers of the decisions that speak loudest against it, where it is rejected and they
        are known.
    reason : str
        Why there is no test; empty if there is one.
    exact : bool
        Whether it is no matter of chance: `loudest` then go round in a circle, in this order, and
        the statistic is how many they are.
    """

    name: str
    null: str
    statistic: float | None = None
    distribution: str = ""
    p_value: float | None = None
    loudest: tuple[int, ...] = ()
    reason: str = ""
    exact: bool = False

    @property
    def rejected(self) -> bool:
        """Whether the decisions speak against it: a p-value below 0.05."""
        return self.p_value is not None and self.p_value < LEVEL

    def __str__(self) -> str:
        if self.p_value is None:
            return f"{self.name}: not tested, because {self.reason}"
        said = f"{self.name} ({self.null}): "
        said += "rejected" if self.rejected else "nothing speaks against it"
        if self.exact:
            said += f"; {self.distribution}"
            return said + f": {', '.join(map(str, self.loudest))}" * bool(self.loudest)
        said += f"; {self.statistic:.4g}, {self.distribution}; p-value {self.p_value:.3g}"
        if self.loudest:
            said += f"; loudest: decisions {', '.join(map(str, self.loudest))}"
        return said


@dataclass(frozen=True)
class Axioms:
    """All axioms that were asked about; prints as a list.

    Attributes
    ----------
    tests : tuple of Axiom
    """

    tests: tuple[Axiom, ...]

    def __getitem__(self, name: str) -> Axiom:
        for one in self.tests:
            if one.name == name:
                return one
        known = ", ".join(one.name for one in self.tests)
        raise InputError(f"an axiom must be one of: {known}; found {name!r}.")

    def __iter__(self) -> Iterator[Axiom]:
        return iter(self.tests)

    def __len__(self) -> int:
        return len(self.tests)

    @property
    def verdict(self) -> str:
        """What all of it comes to, in a sentence."""
        against = [one.name for one in self.tests if one.rejected]
        if not any(one.p_value is not None for one in self.tests):
            return "No axiom could be tested."
        if not against:
            return "No axiom that was tested is rejected."
        return f"Rejected: {', '.join(against)}."

    def __str__(self) -> str:
        return "\n".join([self.verdict, *(f"  {one}" for one in self.tests)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts."""
        found: dict[str, Any] = strict({one.name: asdict(one) for one in self.tests})
        return found

    def to_frame(self) -> Any:
        """Return one row per axiom as a data frame."""
        names = ("name", "null", "statistic", "distribution", "p_value", "reason")
        return to_frame({name: [getattr(one, name) for one in self.tests] for name in names})


def axioms_of(likelihood: Likelihood | None, shift: float, without_noise: Any = None) -> Axioms:
    """Test the axioms on the decisions of a fit, whose utilities had a shift.

    `without_noise` are the decisions, if they are free of noise and there is no likelihood.
    """
    if without_noise is not None:
        return _exactly(without_noise, shift)
    tests = {
        "scale invariance": lambda fit: _scale(fit, shift),
        "translation invariance": lambda fit: _translation(fit, shift),
        "separability": _separability,
        "anonymity": _anonymity,
        "Pareto": _pareto,
        "transfer": _transfer,
    }
    found = []
    for name, test in tests.items():
        try:
            found.append(test(_required(likelihood)))
        except InputError as refusal:
            found.append(Axiom(name, _NULLS[name], reason=str(refusal)))
    return Axioms(tuple(found))


_NOT_EXACTLY = "nobody knows an exact test, and without noise there is no other."
_CIRCLES: dict[str, Kind] = {
    "scale invariance": "ratios",
    "translation invariance": "differences",
    "Pareto": "order",
}


def _exactly(decided: Any, shift: float) -> Axioms:
    """Look for circles among decisions without noise."""
    found = []
    for name, null in _NULLS.items():
        if name not in _CIRCLES:
            found.append(Axiom(name, null, reason=_NOT_EXACTLY))
            continue
        try:
            kind = _CIRCLES[name]
            least = 0.0 if kind == "ratios" else -np.inf
            found.append(_round(name, null, kind, decided.shifted(shift, least=least)))
        except InputError as refusal:
            found.append(Axiom(name, null, reason=str(refusal)))
    return Axioms(tuple(found))


def _round(name: str, null: str, kind: Kind, decided: Any) -> Axiom:
    round_about = circle(Revealed.of(decided), kind)
    if round_about:
        words = f"{_RULES[kind]} cannot make these decisions, which go round in a circle"
        many = float(len(round_about))
        return Axiom(name, null, many, words, 0.0, round_about, exact=True)
    words = f"{_RULES[kind]} can make all of them"
    return Axiom(name, null, 0.0, words, 1.0, exact=True)


_RULES: dict[Kind, str] = {
    "ratios": "a rule that rises with everybody's utility and for which only ratios count",
    "differences": "a rule that rises with everybody's utility and for which only gaps count",
    "order": "a rule that rises with everybody's utility",
}


def _required(likelihood: Likelihood | None) -> Likelihood:
    """The likelihood, if it is one of which axioms can be asked."""
    if likelihood is None:
        raise InputError("errors were counted, so that there is no likelihood.")
    likelihood.require()
    if is_source(likelihood.decided.utilities):
        found = in_its_place(likelihood.decided.utilities)
        raise InputError(f"axioms need everybody's utilities; found {found}.")
    return likelihood


def _table(fit: Likelihood) -> FloatArray:
    """What everybody has (d, N), as the family sees it."""
    table = fit.loss.people.table
    if isinstance(fit.loss.people, PartlyPresent):
        raise InputError("somebody is absent from some actions, where nothing can be changed.")
    if table is None:
        raise InputError("it needs everybody's utilities; found people who are not in memory.")
    return np.asarray(table)


def _scale(fit: Likelihood, shift: float) -> Axiom:
    """Power means, against those of utilities with a constant added."""
    seen = fit.loss.family
    kept = isinstance(seen, OnDifferences) and seen.of == POWER_MEAN  # noise on differences
    own = _under(fit, seen if kept else POWER_MEAN, shift)
    _table(own)  # which everybody has to have
    if own.loss.has_zeros:
        raise InputError("a constant cannot be looked at where a utility is 0.")
    row = np.clip(row_of_zero(own.loss.family, own.loss.people, own), -_FAR, _FAR)
    return _tested("scale invariance", own, row)


def _translation(fit: Likelihood, shift: float) -> Axiom:
    """Kolm-Pollak functions, against power means of utilities with a large constant added."""
    own = _under(fit, KOLM_POLLAK, shift)
    table = _table(own)
    unit = max(float(table.std()), 1e-300)
    q = welfare_shares(table / unit, own.weights, -own.point.p * unit)
    return _tested(
        "translation invariance", own, _standard((q * np.square(table / unit)).sum(axis=0))[None]
    )


def _separability(fit: Likelihood) -> Axiom:
    """Products of what two people have, beyond squares of what each has."""
    if fit.loss.family.by_place:
        raise InputError("weights of places look at everybody by construction.")
    if fit.loss.has_zeros:
        raise InputError("products cannot be looked at where a utility is 0.")
    table = _table(fit)
    heavy = np.argsort(-fit.weights, kind="stable")[:_MOST_PEOPLE]
    heavy = np.sort(heavy[fit.weights[heavy] > 0])
    if len(heavy) < 3:
        raise InputError("somebody has to be unaffected: three people who count are needed.")
    away = np.array([_standard(table[i]) for i in heavy])
    squares = np.square(away)
    products = np.array([away[i] * away[j] for i, j in combinations(range(len(heavy)), 2)])
    slopes = slopes_of(fit, np.vstack([squares, products]))
    every, without = score_test(slopes, slice(None)), score_test(slopes, slice(0, len(squares)))
    if every is None:
        raise InputError("the fit has these terms already, or too few decisions for them.")
    gained = 2.0 * (every.gain - (0.0 if without is None else without.gain))
    degrees = every.degrees - (0 if without is None else without.degrees)
    p_value = float(chi2.sf(gained, degrees))
    words = f"chi-squared with {degrees} degrees of freedom"
    loud = _loudest(fit, products, slice(None)) if p_value < LEVEL else ()
    return Axiom("separability", _NULLS["separability"], max(gained, 0.0), words, p_value, loud)


def _anonymity(fit: Likelihood) -> Axiom:
    if fit.loss.family.by_place:
        raise InputError("weights of places do not look at persons by construction.")
    if not fit.learned_weights:
        raise InputError("the weights were given.")
    found = likelihood_ratio(fit, weights="equal")
    return Axiom(
        "anonymity",
        _NULLS["anonymity"],
        found.statistic,
        found.distribution + _by_itself(fit),
        found.p_value,
    )


def _by_itself(fit: Likelihood) -> str:
    """What a likelihood ratio takes for granted where it is known who decided."""
    known = fit.single.deciders
    alone = known is None or known.max() == 0
    return "" if alone else ", as if decisions of one person were independent"


def _pareto(fit: Likelihood) -> Axiom:
    """Whether somebody whose weight ended at 0 would rather have one below."""
    if not fit.learned_weights or fit.loss.weighting.free != fit.loss.weighting.people:
        raise InputError("weights were given, or shared in groups.")
    nobody = np.flatnonzero(fit.point.weights == 0.0)
    words = "normal, one-sided"
    if not len(nobody):
        return Axiom("Pareto", _NULLS["Pareto"], 0.0, f"{words}: all weights are above 0", 1.0)
    face = face_of(fit)
    by_weight = face.loss.judge(face.point).welfare.by_weight
    roots, rows = [], []
    for person in nobody.tolist():
        row = by_weight[person][None]
        found = score_test(slopes_of(fit, row), slice(None))
        if found is not None:
            roots.append(found.root)
            rows.append(row)
    if not roots:
        raise InputError("the decisions say nothing of those whose weight is 0.")
    worst = int(np.argmin(roots))
    p_value = min(1.0, len(roots) * float(norm.cdf(roots[worst])))
    many = "" if len(roots) == 1 else f", the lowest of {len(roots)}"
    loud = _loudest(fit, rows[worst], slice(None)) if p_value < LEVEL else ()
    return Axiom("Pareto", _NULLS["Pareto"], roots[worst], f"{words}{many}", p_value, loud)


def _transfer(fit: Likelihood) -> Axiom:
    """One-sided: whether the shape is on the side where a gain counts more for the well off."""
    family = fit.loss.family
    family = family.of if isinstance(family, OnDifferences) else family
    if family != POWER_MEAN and not isinstance(family, KolmPollakFamily):
        raise InputError(f"no shape of a {family.noun} says so by itself.")
    if not fit.loss.learn_power:
        raise InputError(f"{family.shape.name} was given.")
    edge = 0.0 if isinstance(family, KolmPollakFamily) else 1.0
    found = likelihood_ratio(fit, p=edge)
    wrong = family.like_power(fit.point.p) > family.like_power(edge)
    root = np.sqrt(max(found.statistic, 0.0)) * (1.0 if wrong else -1.0)
    return Axiom(
        "transfer",
        f"{_NULLS['transfer']} ({family.shape.name} {'<=' if edge else '>='} {edge:g})",
        float(root),
        "normal, one-sided" + _by_itself(fit),
        float(norm.sf(root)),
    )


def _under(fit: Likelihood, family: Family, shift: float) -> Likelihood:
    """The same decisions under the best rule of a family with their noise."""
    if type(fit.loss.family) is type(family):
        if not fit.loss.learn_power:
            raise InputError(f"{fit.loss.shape.name} was given; it has to be learned.")
        return fit
    if fit.loss.restraint is not None:
        raise InputError("decisions are few, and certainty is charged for.")
    if fit.loss.family.by_place or fit.loss.family.own:
        raise InputError(f"a {fit.loss.family.noun} has other numbers than {family.title}.")
    loss = loss_again(fit, family.suited_to(fit.decided.utilities), True, shift)
    best = fit.solver.minimise(
        loss,
        np.random.default_rng(0),
        p=None,
        observations=loss.observed.total,
        progress=Progress(False),
    )
    refusal = None if best.converged else "the search for another rule did not converge."
    return Likelihood(
        loss, best.point, best.weights, fit.stakeholders, fit.decided, fit.solver, refusal
    ).require()


def _tested(name: str, fit: Likelihood, row: FloatArray) -> Axiom:
    """A score test of one new term (1, N) of the value."""
    if fit.power_on_edge:
        raise InputError(f"{fit.loss.shape.name} lies where its range ends.")
    found = score_test(slopes_of(fit, row), slice(None))
    if found is None or not np.isfinite(found.statistic):
        raise InputError("rules with and without it are the same here.")
    loud = _loudest(fit, row, slice(None)) if found.p_value < LEVEL else ()
    return Axiom(name, _NULLS[name], found.statistic, found.distribution, found.p_value, loud)


def _loudest(fit: Likelihood, rows: FloatArray, chosen: slice) -> tuple[int, ...]:
    """The numbers of decisions that new terms (e, N) gain most from, the loudest first."""
    decided, face = fit.decided, face_of(fit)
    counted = np.flatnonzero(decided.counts > 0)
    if len(counted) > 100_000 or fit.loss.squared:
        return ()
    alone = np.arange(len(counted))
    slopes: Slopes = fit.single.slopes(
        face.loss.judge(face.point), face.loss.noise_at(face.point), face.basis, rows, None, alone,
        fit.value_of_decisions,
    )  # fmt: skip
    if slopes.by_person is None:
        return ()
    m = slopes.estimated
    J = slopes.information
    new = np.arange(m, len(slopes.slope))[chosen]
    taken = J[np.ix_(new, np.arange(m))] @ np.linalg.pinv(J[:m, :m], hermitian=True)
    each = slopes.by_person[:, new] - slopes.by_person[:, :m] @ taken.T
    spread = J[np.ix_(new, new)] - taken @ J[:m, new]
    gained = each @ np.linalg.pinv(spread, hermitian=True) @ each.sum(axis=0)
    order = np.argsort(-gained, kind="stable")[:_LOUDEST]
    return tuple(int(counted[i]) for i in order if gained[i] > 0)


def _standard(values: FloatArray) -> FloatArray:
    """Values (N,) less their median, in standard deviations, none far out."""
    spread = float(values.std())
    away = (values - np.median(values)) / (spread if spread > 0 else 1.0)
    return np.asarray(np.clip(away, -_FAR, _FAR))

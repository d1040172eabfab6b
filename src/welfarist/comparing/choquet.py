"""Who complements whom: a 2-additive Choquet integral, fitted to see what people do together.

It is a diagnosis. Its weights are not unique, which its Shapley values and interactions are, and
it needs far more decisions than a mean: one number for every two people.
"""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import chi2
from sklearn.base import clone

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError, WelfaristWarning
from welfarist.base.exports import Table, as_json, number, strict
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.comparing.held_out import learn
from welfarist.comparing.rivals import rivals_of
from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.decisions.folds import counted_part
from welfarist.families.choquet.columns import (
    from_weights,
    moves,
    pairs_of,
    rank_of,
    widened,
)
from welfarist.families.choquet.rule import Choquet, matrix_of
from welfarist.families.kolm_pollak.family import KOLM_POLLAK
from welfarist.learners import WelfareLearner, learner_for
from welfarist.losses.point import weight_units
from welfarist.people.source import is_source
from welfarist.results.learned import named_people
from welfarist.results.record import FitResult

# Beyond so many people nobody has the decisions that their interactions need.
_MOST_PEOPLE = 40
# Decisions for each number that is learned, below which there are few.
_FEW = 50.0
# Standard errors by which an interaction is told from 0; the level of the test of all of them.
_FAR, _LEVEL = 2.0, 0.05
# Weights up to this, on their scale of one, are at the edge.
_EDGE = 1e-7


@dataclass(frozen=True, eq=False, repr=False)
class Interactions:
    """How much people count, and who complements whom; prints as a table with a sentence.

    Attributes
    ----------
    stakeholders : tuple of str
    shapley, shapley_errors : (d,) arrays
        How much each person counts on average, and standard errors; NaN where there are none.
    matrix, errors : (d, d) arrays
        Interactions of every two, above 0 where they complement each other, and standard errors.
    log_likelihood, bic : float
    learned : int
        How many numbers were learned: the rank of the columns, for weights are not unique.
    statistic, degrees, p_value
        The likelihood ratio of a weighted mean, in which nobody complements anybody.
    decisions : float
    on_edge : bool
        Whether somebody's gain counts for nothing in some case: errors are rough then.
    people : int
        How many decided, if that is known; else 0.
    result : FitResult
        The fit of a weighted sum to what each has, and the less and the more of every two.
    """

    stakeholders: tuple[str, ...]
    shapley: FloatArray
    shapley_errors: FloatArray
    matrix: FloatArray
    errors: FloatArray
    log_likelihood: float
    bic: float
    learned: int
    statistic: float
    degrees: int
    p_value: float
    decisions: float
    on_edge: bool
    people: int
    result: FitResult = field(repr=False)

    @property
    def rule(self) -> Choquet:
        """The integral, ready to judge actions."""
        people = len(self.stakeholders)
        return Choquet.of_weights(self.result.weights, people, self.stakeholders)

    @property
    def told(self) -> tuple[tuple[str, str, float], ...]:
        """Every two whose interaction is told from 0, the strongest first."""
        found = []
        for i, j in pairs_of(len(self.stakeholders)).tolist():
            each, error = float(self.matrix[i, j]), float(self.errors[i, j])
            if np.isfinite(error) and abs(each) > _FAR * error:
                found.append((self.stakeholders[i], self.stakeholders[j], each))
        return tuple(sorted(found, key=lambda one: -abs(one[2])))

    @property
    def verdict(self) -> str:
        """What it comes to, in a sentence."""
        chance = f"p-value {self.p_value:.2g}"
        if not self.degrees:
            return "Utilities do not vary enough to tell who complements whom."
        if self.p_value >= _LEVEL:
            return f"Nothing says that people complement or stand in for each other ({chance})."
        with_whom = [f"{a} and {b} complement each other" for a, b, each in self.told if each > 0]
        instead = [f"{a} and {b} stand in for each other" for a, b, each in self.told if each < 0]
        if not (with_whom or instead):
            return f"People do not count each for themselves ({chance}), but no two stand out."
        pairs = self.degrees == len(pairs_of(len(self.stakeholders)))
        if pairs and len(with_whom) == self.degrees and self.degrees > 1:
            return (
                f"All complement each other ({chance}): gaps cost, whoever has less, as under any "
                "rule that is averse to inequality."
            )
        said = listed([*with_whom, *instead])
        return f"{said[:1].upper()}{said[1:]} ({chance})."

    @property
    def strongest(self) -> str:
        """The largest interaction in a few words."""
        pairs = pairs_of(len(self.stakeholders))
        i, j = max(pairs.tolist(), key=lambda pair: abs(self.matrix[pair[0], pair[1]]))
        value = float(self.matrix[i, j])
        return f"{self.stakeholders[i]} and {self.stakeholders[j]}: {value:+.4g}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know."""
        found = []
        if self.decisions < _FEW * self.learned:
            found.append(
                f"{self.decisions:.15g} decisions are few for {self.learned} numbers: have about "
                f"{_FEW * self.learned:.0f} before you trust single ones."
            )
        if self.people > 1 and self.degrees:
            found.append(
                f"The p-value takes decisions of the same of {self.people} decision makers as "
                "independent."
            )
        if self.on_edge:
            found.append(
                "A rule in which no gain is a loss is at its edge here: standard errors and the "
                "p-value are rough."
            )
        return tuple(found)

    def as_text(self) -> str:
        """Return the table as text."""
        return self._table().as_text()

    def as_html(self) -> str:
        """Return the table as a piece of HTML."""
        return self._table().as_html()

    def __str__(self) -> str:
        return self.as_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.as_html()

    def _table(self) -> Table:
        names = self.stakeholders
        rows = []
        for i, name in enumerate(names):
            cells = [
                _shown(self.matrix[i, j], self.errors[i, j]) if j < i else ""
                for j in range(len(names) - 1)
            ]
            rows.append((name, _shown(self.shapley[i], self.shapley_errors[i]), *cells))
        lines = [
            self.verdict,
            "counts: Shapley value; then, for every two, how much they complement each other: "
            "above 0 a gap between them costs, below 0 it pays (in brackets standard errors)",
            f"log-likelihood {self.log_likelihood:.2f}, BIC {self.bic:.2f} with {self.learned} "
            "numbers learned",
        ]
        return Table(
            f"Who complements whom, by {self.decisions:.15g} decisions",
            ("", "counts", *names[:-1]),
            tuple(rows),
            ("left", *("right",) * len(names)),  # type: ignore[arg-type]
            (*lines, *(f"Note: {note}" for note in self.notes)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts; what is not known is None."""
        pairs = [
            {
                "first": self.stakeholders[i],
                "second": self.stakeholders[j],
                "interaction": float(self.matrix[i, j]),
                "standard_error": _known(self.errors[i, j]),
            }
            for i, j in pairs_of(len(self.stakeholders)).tolist()
        ]
        people = [
            {"stakeholder": name, "shapley": float(x), "standard_error": _known(e)}
            for name, x, e in zip(self.stakeholders, self.shapley, self.shapley_errors, strict=True)
        ]
        names = ("log_likelihood", "bic", "learned", "statistic", "degrees", "p_value", "decisions")
        found: dict[str, Any] = strict(
            {
                "shapley": people,
                "interactions": pairs,
                **{name: getattr(self, name) for name in names},
                "on_edge": self.on_edge,
                "verdict": self.verdict,
                "notes": list(self.notes),
            }
        )
        return found

    def as_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return as_json(self.to_dict())

    def to_frame(self) -> Any:
        """Return one row for every two people as a data frame; errors not known are NaN."""
        pairs = pairs_of(len(self.stakeholders))
        one, other = pairs.T
        return to_frame(
            {
                "first": [self.stakeholders[i] for i in one],
                "second": [self.stakeholders[j] for j in other],
                "interaction": self.matrix[one, other],
                "standard_error": self.errors[one, other],
            }
        )


def interactions(
    learner: WelfareLearner | FitResult | None = None, X: Any = None, y: Any = None
) -> Interactions:
    """Fit a 2-additive Choquet integral, to see who complements whom.

    Parameters
    ----------
    learner : ComparisonClassifier, ChoiceLearner, a fit or its result_, optional
        Whose noise is used.
    X, y : Comparisons or Choices; or arrays as in the learners' `fit`
        The decisions; left out, those of the fit.

    Returns
    -------
    Interactions
        Prints as a table; ``to_frame()``, ``as_html()``, ``to_dict()``, and a `rule`.

    Notes
    -----
    The integral is ``sum phi_i u_i - 1/2 sum I_ij |u_i - u_j|``, on the scale of utilities, and
    noise acts on differences. A constant that is added to all utilities changes nothing.

    Examples
    --------
    Two crops of one field are worth what the smaller gives, and a third comes on top:

    >>> import numpy as np
    >>> import welfarist as wf
    >>> rng = np.random.default_rng(0)
    >>> fields = rng.uniform(0, 10, (300, 3))
    >>> value = 0.7 * fields[:, :2].min(axis=1) + 0.3 * fields[:, 2]
    >>> pairs = wf.simulate.random_pairs(300, 3000, random_state=0)
    >>> first = rng.random(3000) < 1 / (1 + np.exp(-2 * (value[pairs[:, 0]] - value[pairs[:, 1]])))
    >>> found = wf.interactions(X=wf.Comparisons(fields, pairs, first))
    >>> found.verdict.split(" (")[0]
    'Person 0 and person 1 complement each other'
    >>> found.shapley.round(1), float(found.matrix[0, 1].round(1))
    (array([0.4, 0.4, 0.3]), 0.7)
    """
    if learner is None:
        if X is None:
            raise InputError(
                "interactions need decisions: pass a fit, or Comparisons or Choices as X."
            )
        learner = learner_for(counted_part(X).kind)()
    (rival,), data = rivals_of([learner], X, y)
    if not isinstance(rival.learner, WelfareLearner):
        raise InputError(
            "interactions need a learner with a likelihood; found a fit that does not say how it "
            "was made. Pass its learner."
        )
    return interactions_in(rival.learner, data)


def interactions_in(learner: WelfareLearner, data: Any) -> Interactions:
    """Fit the integral with the noise of a learner to decisions."""
    wide = wide_decisions(data)
    wide_learner = summing(learner)
    with warnings.catch_warnings():
        # Weights of the columns are not unique, and nobody looks at them.
        warnings.simplefilter("ignore", WelfaristWarning)
        result = learn(wide_learner, wide).result_
        plain = learn(wide_learner, data).result_
    likelihood = result.likelihood
    if likelihood is None:
        raise InputError(
            "interactions need a likelihood; found a fit that counts errors. Use "
            'noise="logistic" or "lapse".'
        )
    people = data.people
    shapley, each = from_weights(result.weights, people)
    rank = rank_of(wide.utilities)
    extras = len(likelihood.loss.parameters)
    learned = rank - 1 + extras
    degrees = rank - rank_of(data.utilities)
    statistic = max(2.0 * (result.llf - plain.llf), 0.0)
    shapley_errors, errors = _errors(likelihood, people)
    return Interactions(
        named_people(data.stakeholders, people),
        shapley,
        shapley_errors,
        matrix_of(each, people),
        matrix_of(errors, people),
        float(result.llf),
        float(learned * np.log(likelihood.observations) - 2.0 * result.llf),
        learned,
        statistic,
        degrees,
        float(chi2.sf(statistic, degrees)) if degrees else 1.0,
        float(data.total),
        _is_on_edge(shapley, each, people),
        0 if getattr(data, "by", None) is None else len(np.unique(data.by)),
        result,
    )


def summing(learner: WelfareLearner) -> WelfareLearner:
    """Return a learner of weighted sums with the noise of another."""
    given = learner.get_params()
    asked = {
        "groups": given["groups"] is not None,
        "weights that are not learned": not _is_learned(given["weights"]),
        "a prior": given["prior"] is not None,
    }
    found = [name for name, is_there in asked.items() if is_there]
    if found:
        raise InputError(
            f"interactions are learned of every two people; found {listed(found)}. Leave that out."
        )
    held: dict[str, Any] = {"family": KOLM_POLLAK.name, "p": 0.0, "shift": 0.0, "n_starts": 1}
    known = {"margin": "auto", "small_sample": "none", "warm_start": False, "solver": "newton"}
    held |= {name: value for name, value in known.items() if name in given}
    made: WelfareLearner = clone(learner).set_params(**held)
    return made


def wide_decisions(data: Any) -> Any:
    """Return decisions about what each has, and the less and the more of every two."""
    utilities, people = data.utilities, data.people
    if is_source(utilities) or not isinstance(data, Comparisons | Choices | Scores):
        raise InputError("interactions need everybody's utilities; found people not in memory.")
    if np.isnan(utilities).any():
        raise InputError(
            "interactions need everybody in every action; found somebody who is absent. Leave "
            "those actions out."
        )
    if not 2 <= people <= _MOST_PEOPLE:
        raise InputError(f"interactions are learned of 2 to {_MOST_PEOPLE} people; found {people}.")
    table = widened(np.asarray(utilities, dtype=np.float64))
    if isinstance(data, Scores):
        return replace(data, utilities=table, stakeholders=None)
    made: Any = copy(data)
    made.utilities, made.stakeholders = table, None
    return made


def _is_learned(weights: Any) -> bool:
    return isinstance(weights, str) and weights == "learn"


def _is_on_edge(shapley: FloatArray, each: FloatArray, people: int) -> bool:
    """Whether a gain of somebody counts for nothing where others have more, or less."""
    alone = shapley.copy()
    for side in pairs_of(people).T:
        np.subtract.at(alone, side, np.abs(each) / 2.0)
    return bool(alone.min() < _EDGE)


def _errors(likelihood: Any, people: int) -> tuple[FloatArray, FloatArray]:
    """Standard errors (d,), (k,) of Shapley values and interactions; NaN where there are none.

    From the Fisher information about moves of them that keep the sum of the weights.
    """
    pairs = len(pairs_of(people))
    nothing = np.full(people, np.nan), np.full(pairs, np.nan)
    loss, point = likelihood.loss, likelihood.point
    if loss.squared:
        return nothing
    fisher = loss.evaluate(point).model().curvature * loss.observed.total
    k = people * people
    units = np.append(weight_units(point.weights), np.ones(len(fisher) - k))
    fisher = fisher / np.outer(units, units)
    shared = np.vstack([np.eye(people - 1), -np.ones(people - 1)])
    inner = np.zeros((people + pairs, people - 1 + pairs))
    inner[:people, : people - 1] = shared
    inner[people:, people - 1 :] = np.eye(pairs)
    whole = np.zeros((len(fisher), inner.shape[1] + len(fisher) - k))
    whole[:k, : inner.shape[1]] = moves(people) @ inner
    whole[k:, inner.shape[1] :] = np.eye(len(fisher) - k)
    information = whole.T @ fisher @ whole
    if np.linalg.matrix_rank(information, hermitian=True) < len(information):
        return nothing
    covariance = np.linalg.inv(information)[: inner.shape[1], : inner.shape[1]]
    variances = np.einsum("ij,jk,ik->i", inner, covariance, inner)
    found = np.sqrt(np.maximum(variances, 0.0))
    return found[:people], found[people:]


def _shown(value: float, error: float) -> str:
    shown = number(float(value) + 0.0)
    return f"{shown} ({number(float(error))})" if np.isfinite(error) else shown


def _known(error: float) -> float | None:
    return float(error) if np.isfinite(error) else None

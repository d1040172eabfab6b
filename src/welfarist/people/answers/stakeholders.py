"""From stakeholders' answers to their utilities: the first stage of learning a rule from people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray, is_real
from welfarist.base.wording import listed
from welfarist.people.answers.hierarchy import ROUNDS, STEADY, Hierarchy, Population, alone
from welfarist.people.answers.likelihoods import Chosen, Rated, Said, first_cuts, moved_cuts
from welfarist.people.answers.tables import Answers, Features, Menus, as_answers, as_features
from welfarist.people.estimated.people import People

Pooling = Literal["hierarchical", "none"]
# The anchors of a table of sensitivity: best over worst action of each stakeholder.
_ANCHORS = (2.0, 10.0, 100.0)
# What is said of utilities that were learned from answers.
COMPARABILITY = (
    "Utilities were learned from answers, which do not tell whether one stakeholder wants "
    "something more than another does: {scale}, and weights are relative to that."
)
_AS_ANSWERED = "everybody's have a geometric mean of 1"
_ANCHORED = "everybody's go from {worst:g} to {best:g}, as was stated"


def comparability(anchor: tuple[float, float] | None) -> str:
    """Return what answers cannot tell, and what was stated in its place."""
    if anchor is None:
        return COMPARABILITY.format(scale=_AS_ANSWERED)
    return COMPARABILITY.format(scale=_ANCHORED.format(worst=anchor[0], best=anchor[1]))


class StakeholderUtilities(BaseEstimator):  # type: ignore[misc]
    """Learn everybody's utilities, with their errors, from what stakeholders answered.

    Parameters
    ----------
    anchor : None or (float, float)
        How logit utilities become utilities on a ratio scale. None takes their exponentials, with
        a geometric mean of 1 for each stakeholder; (worst, best) gives each stakeholder's worst and
        best action these utilities, and others in between on a logarithmic scale.
    pooling : "hierarchical" or "none"
        Whether stakeholders' coefficients are drawn towards those of all, by an amount that is
        estimated; or each is on their own, which leaves rules biased where answers are few.

    Attributes
    ----------
    people_ : People
        Utilities with errors, which go wherever a table of utilities does.
    stakeholders_, actions_ : tuples of str
    coef_ : (d, k) array
        What each stakeholder makes of each feature (of mean 0 and standard deviation 1); without
        features of each action.
    coef_errors_ : (d, k) array
        Their standard errors.
    population_mean_, population_cov_ : (k,), (k, k) arrays
    feature_names_ : tuple of str or None
    converged_ : bool
    note_ : str
        What answers cannot tell.

    Notes
    -----
    Choices and rankings have the chances of a logit, ratings those of an ordered logit with cut
    points that are shared and a level of each stakeholder's own. Coefficients are normal over
    stakeholders, with a covariance of largest marginal likelihood (Laplace, EM).

    Examples
    --------
    >>> features = {"action": ["bus", "clinic", "park"], "distance": [1.0, 5.0, 2.0]}
    >>> answers = {
    ...     "stakeholder": ["ann", "ann", "bo", "bo"],
    ...     "first": ["bus", "park", "clinic", "park"],
    ...     "second": ["clinic", "clinic", "bus", "bus"],
    ...     "choice": ["first", "park", "bus", "second"],
    ... }
    >>> model = StakeholderUtilities().fit(features, answers)
    >>> model.people_
    People(3 actions, 2 people, errors of about 1.2)
    >>> model.people_.utilities.round(1)
    array([[4.6, 4.7],
           [0.1, 0.1],
           [1.8, 1.9]])
    """

    def __init__(
        self,
        *,
        anchor: tuple[float, float] | None = None,
        pooling: Pooling = "hierarchical",
    ) -> None:
        self.anchor = anchor
        self.pooling = pooling

    def fit(
        self,
        features: object,
        answers: object,
        *,
        action: str = "action",
        stakeholders: Sequence[str] | None = None,
    ) -> Self:
        """Learn from answers about actions.

        Parameters
        ----------
        features : (N, k) array-like, data frame or mapping of columns, or None
            One row per action, named by the index or by a column. None takes each action for
            itself (Bradley-Terry).
        answers : data frame or mapping of columns
            One row per answer: stakeholder, first, second and choice (first, second, tie, or the
            action's name); or stakeholder, action and rating; or stakeholder, ranking, action and
            rank, 1 the best.
        action : str
            The column of `features` that names actions.
        stakeholders : sequence of str, optional
            Who must have answered, in this order; left out, whoever did.
        """
        if self.pooling not in ("hierarchical", "none"):
            raise InputError(
                f'pooling must be "hierarchical" or "none"; found {self.pooling!r:.60}.'
            )
        _check_anchor(self.anchor)
        known = None if features is None else as_features(features, action)
        names = None if known is None else known.names
        read, named = as_answers(answers, names, stakeholders)
        table = np.eye(len(named)) if known is None else known.table
        self.feature_names_ = None if known is None else known.columns
        self.n_features_in_ = 0 if known is None else len(known.columns)
        if known is not None and known.named:
            self.feature_names_in_ = np.array(known.columns, dtype=object)
        self.features_: Features | None = known
        self.stakeholders_, self.actions_ = read.stakeholders, named
        self.cuts_: FloatArray | None = None
        found = self._learned(read, table)
        k = table.shape[1]
        self.coef_ = found.coefficients[:, :k]
        self.coef_cov_ = found.covariances[:, :k, :k]
        self._common = found.common[:, :k]
        self.coef_errors_ = np.sqrt(np.einsum("ijj->ij", self.coef_cov_))
        self.population_mean_ = found.mean[:k]
        self.population_cov_ = found.covariance[:k, :k]
        self.converged_, self.n_iter_ = found.steady, found.rounds
        self._table = table - table.mean(axis=0)
        self.people_ = self.people(self.anchor)
        self.note_ = self.people_.note
        return self

    def _learned(self, read: Answers, table: FloatArray) -> Hierarchy:
        """Coefficients of all stakeholders, and of their population."""
        people = len(read.stakeholders)
        given = read.given
        if isinstance(given, Menus):
            fixed: list[Said] = [Chosen.of(given.of(i), table) for i in range(people)]
            return self._with_population(lambda _: fixed, people, table.shape[1])
        own = [given.of(i) for i in range(people)]
        self.cuts_ = first_cuts(given.level, len(given.labels))

        def said(coefficients: FloatArray | None) -> list[Said]:
            assert self.cuts_ is not None
            if coefficients is not None:
                values = [
                    table[r.actions] @ c[:-1] + c[-1]
                    for r, c in zip(own, coefficients, strict=True)
                ]
                levels = np.concatenate([r.level for r in own])
                self.cuts_ = moved_cuts(self.cuts_, levels, np.concatenate(values))
            return [Rated.of(r, table, self.cuts_) for r in own]

        return self._with_population(said, people, table.shape[1] + 1)

    def _with_population(
        self, said: Callable[[FloatArray | None], list[Said]], people: int, size: int
    ) -> Hierarchy:
        """Go round until the population has settled, or learn each one's alone."""
        if self.pooling == "none":
            return self._each_alone(said, size)
        population = Population(people, size, alike=self.features_ is None)
        change, rounds = np.inf, 0
        while change > STEADY and rounds < ROUNDS:
            population.expect(said(population.coefficients if rounds else None))
            change = population.maximise()
            rounds += 1
        return population.found(rounds, change <= STEADY)

    def _each_alone(self, said: Callable[[FloatArray | None], list[Said]], size: int) -> Hierarchy:
        """Learn each one's alone; cut points of ratings are nevertheless those of all."""
        found = alone(said(None), size)
        for _ in range(ROUNDS if self.cuts_ is not None else 0):
            before = found.coefficients
            found = alone(said(before), size)
            if np.abs(found.coefficients - before)[:, :-1].max() <= STEADY:
                break
        return found

    def people(self, anchor: tuple[float, float] | None = None) -> People:
        """Return everybody's utilities with their errors, under an anchor as in the parameters."""
        check_is_fitted(self)
        _check_anchor(anchor)
        logits = self._table @ self.coef_.T
        apart = self.coef_cov_ - self._common @ self._common.transpose(0, 2, 1)
        roots = [
            np.hstack([_root(own), both]) for own, both in zip(apart, self._common, strict=True)
        ]
        factors = np.array([self._table @ root for root in roots])
        if anchor is not None:
            span = np.ptp(logits, axis=0)
            if not (span > 0).all():
                silent = self.stakeholders_[int(np.argmin(span))]
                raise InputError(
                    "an anchor needs stakeholders who prefer something; found that all is equal "
                    f"to {silent!r}. Leave anchor out."
                )
            worst, best = np.log(anchor[0]), np.log(anchor[1])
            scale = (best - worst) / span
            share = (logits - logits.min(axis=0)) / span
            for i, root in enumerate(roots):
                low, high = self._table[logits[:, i].argmin()], self._table[logits[:, i].argmax()]
                # What is stated has no error, and what lies between has less.
                between = self._table - low - np.multiply.outer(share[:, i], high - low)
                factors[i] = scale[i] * (between @ root)
            logits = worst + (best - worst) * share
        k = self.coef_.shape[1]
        common = factors[:, :, k:]
        made = People(
            np.exp(logits),
            factors=factors[:, :, :k],
            common=common if common.any() else None,
            shrink=self.pooling == "none",
            stakeholders=self.stakeholders_,
            names=self.actions_,
            note=comparability(anchor),
        )
        if made.unknown:
            made.note += (
                f" Answers of {listed(made.unknown)} alone tell nothing, as they are few or never "
                "contradict each other: utilities were taken to be the same for all actions."
            )
        return made

    def sensitivity(
        self, learn: Callable[[People], Any], anchors: Sequence[float] = _ANCHORS
    ) -> Any:
        """Return what a rule would be under other scales of utility, one row a scale.

        Parameters
        ----------
        learn : callable
            Fits a learner to people and returns it:
            ``lambda people: ComparisonClassifier().fit(Comparisons(people, pairs, outcomes))``.
        anchors : sequence of float
            How many times better each stakeholder's best action is than the worst.
        """
        rows: dict[str, list[Any]] = {"scale": [], "p": [], "tau": []}
        weights: dict[str, list[float]] = {name: [] for name in self.stakeholders_}
        for ratio in anchors:
            if not (is_real(ratio) and 1 < ratio < np.inf):
                raise InputError(f"anchors must be numbers above 1; found {ratio!r:.60}.")
        for anchor in (None, *anchors):
            fit = learn(self.people(None if anchor is None else (1.0, float(anchor))))
            if not hasattr(fit, "p_"):
                raise InputError(
                    "learn must return a fitted learner of welfare functions; "
                    f"found {type(fit).__name__}."
                )
            rows["scale"].append("as answered" if anchor is None else f"best {anchor:g} x worst")
            rows["p"].append(float(fit.p_))
            rows["tau"].append(float(getattr(fit, "tau_", np.nan)))
            for name, weight in zip(self.stakeholders_, fit.weights_.tolist(), strict=True):
                weights[name].append(weight)
        return to_frame({**rows, **{f"weight of {n}": w for n, w in weights.items()}})

    def score(self, answers: object) -> float:
        """Return the share of other choices or rankings that is foreseen, by the same people."""
        check_is_fitted(self)
        read, _ = as_answers(answers, self.actions_, None)
        strange = sorted(set(read.stakeholders) - set(self.stakeholders_))
        if strange:
            raise InputError(
                f"answers must be by those who were learned from; found {strange[0]!r}."
            )
        if not isinstance(read.given, Menus):
            raise InputError("what is foreseen must be choices or rankings; found ratings.")
        place = [self.stakeholders_.index(name) for name in read.stakeholders]
        both = [
            Chosen.of(read.given.of(i), self._table).right(self.coef_[j])
            for i, j in enumerate(place)
        ]
        return sum(right for right, _ in both) / sum(asked for _, asked in both)


def _root(covariance: FloatArray) -> FloatArray:
    """A factor (k, r) of a covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _check_anchor(anchor: object) -> None:
    """Require None or a worst and a best utility."""
    if anchor is None:
        return
    pair = tuple(anchor) if isinstance(anchor, tuple | list | np.ndarray) else ()
    if len(pair) != 2 or not all(is_real(x) and 0 < x < np.inf for x in pair) or pair[0] >= pair[1]:
        raise InputError(
            "anchor must be the utilities of each stakeholder's worst and best action, such as "
            f"(1, 10); found {anchor!r:.60}."
        )

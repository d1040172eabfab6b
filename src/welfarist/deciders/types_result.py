"""What was learned of types of decision makers, and everything that can be asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import Table, number, pair
from welfarist.base.validation import FloatArray, check_level
from welfarist.deciders import candidates as weighed
from welfarist.deciders.answered import DecidersRecord
from welfarist.deciders.beliefs import Beliefs, Rules
from welfarist.deciders.candidates import Candidate
from welfarist.deciders.climbing import climb
from welfarist.deciders.covariates import Covariates
from welfarist.deciders.forms import Told
from welfarist.deciders.kinds import DeciderType
from welfarist.deciders.membership import Membership
from welfarist.deciders.mixture import Mixture
from welfarist.deciders.panel import Panel
from welfarist.deciders.type_errors import ErrorsName, TypeErrors, TypeEstimate, check_errors
from welfarist.deciders.type_tests import What, ratio_test, wald_between
from welfarist.inference.doctrine_tests import DoctrineTest
from welfarist.results.learned import Caveat

# Numbers from this on are printed with three digits: a p so far out is as good as infinite.
_SHORTLY = 100.0
# Differences in BIC below this are hardly any evidence.
_CLOSE = 10.0
# Rounds of a search that begins at the rule of the same types.
_ROUNDS = 500


@dataclass(frozen=True, eq=False)
class TypesResult(DecidersRecord):
    """Types of decision makers: their rules, shares and members.

    Attributes
    ----------
    mixture : Mixture
    candidates : tuple of Candidate
        One rule, the numbers of types that were tried, and the normal population if it was.
    covariates : Covariates
        What is known of the decision makers.
    caveats : tuple of Caveat
    chosen : int
        Which of the candidates these types are.
    """

    mixture: Mixture = field(repr=False)
    candidates: tuple[Candidate, ...]
    covariates: Covariates = field(repr=False)
    caveats: tuple[Caveat, ...] = ()
    chosen: int = 0

    @property
    def panel(self) -> Panel:
        """The decisions, under the rules that were asked for."""
        return self.mixture.panel

    @property
    def n_types(self) -> int:
        """How many types there are."""
        return self.mixture.types

    @property
    def shares(self) -> FloatArray:
        """The share (K,) of everybody who follows each type."""
        return self.mixture.shares

    @property
    def membership(self) -> FloatArray:
        """How likely each decision maker (G, K) belongs to each type, after what they decided."""
        return self.mixture.belongs

    @cached_property
    def types(self) -> tuple[DeciderType, ...]:
        """The types, the largest first."""
        return tuple(self._type(k) for k in range(self.n_types))

    def _type(self, k: int) -> DeciderType:
        mixture, setup = self.mixture, self.mixture.panel.setup
        model, point, weighted = mixture.models[k], mixture.points[k], mixture.weighted(k)
        rule = model.loss.family.rule(point.p, mixture.rule_weights(k), setup.people)
        extras = model.loss.noise_at(point).tolist()
        pairs = zip(model.loss.observed.parameters, extras, strict=True)
        lost = weighted.evaluate(point).value / weighted.observed.null_loss()
        return DeciderType(
            rule.shifted(setup.shift) if setup.shift else rule,
            float(self.shares[k]),
            {parameter.name: parameter.coordinate.back(x) for parameter, x in pairs},
            float(1.0 - lost),
            model.called,
        )

    @property
    def best(self) -> Candidate:
        """These types, as one of the candidates."""
        return self.candidates[self.chosen]

    @property
    def icl(self) -> float | None:
        """BIC that also asks that types can be told apart."""
        return self.best.icl

    @property
    def entropy(self) -> float | None:
        """How well people are sorted into types: 1 is without doubt; None for one type."""
        return self.best.entropy

    @property
    def population(self) -> Candidate | None:
        """The normal population beside them, if it was fitted."""
        return next((one for one in self.candidates if one.types is None), None)

    @property
    def headline(self) -> str:
        """What there is to say about how people differ, in a sentence."""
        people = len(self.names)
        beside = self.population
        if beside is not None and beside.bic < min(
            one.bic for one in self.candidates if one is not beside
        ):
            gain = self.bic - beside.bic
            return (
                "People differ by degree: a normal population of rules describes the decisions of "
                f"these {people} people better than types do (BIC lower by {gain:.0f}). Types are "
                "a summary."
            )
        if self.n_types == 1:
            return f"No sign that these {people} people follow different rules."
        one = next(c for c in self.candidates if c.types == 1)
        gain = one.bic - self.bic
        if gain <= 0:
            return (
                f"These {people} people may as well follow one rule: {self.n_types} types do not "
                f"describe them better (BIC higher by {-gain:.0f})."
            )
        said = (
            f"These {people} people are of {self.n_types} types (BIC lower by {gain:.0f} than for "
            "one rule)."
        )
        fewer = [
            c.types
            for c in self.candidates
            if c.types is not None and 1 < c.types < self.n_types and c.bic - self.bic < _CLOSE
        ]
        if fewer:
            said += f" There is hardly any evidence against {min(fewer)} types."
        return said

    @property
    def beliefs(self) -> Beliefs:
        """How likely each type is whose."""
        rules = Rules.of([model.loss for model in self.mixture.models], list(self.mixture.points))
        return Beliefs(rules, self.mixture.panel.names, self.membership, self.shares)

    def introduced(self, deciders: Any) -> Beliefs:
        """Return what is believed of new people of whom something is known."""
        names, rows = self.covariates.rows_of(deciders)
        logs = Membership(rows, self.mixture.membership.gamma).log_chances()
        return self.beliefs.joined(names, logs)

    def errors(self, covariance: ErrorsName = "clustered") -> TypeErrors:
        """Return the errors of all numbers together, worked out once."""
        kind = check_errors(covariance)
        if kind not in self._errors:
            self._errors[kind] = TypeErrors(self.mixture, kind)
        return self._errors[kind]

    @cached_property
    def _errors(self) -> dict[str, TypeErrors]:
        return {}

    @cached_property
    def _estimates(self) -> dict[Any, list[TypeEstimate]]:
        return {}

    def estimates(
        self, level: float | None = 0.95, covariance: ErrorsName = "clustered"
    ) -> list[TypeEstimate]:
        """Return every number of every type, with errors and intervals.

        Parameters
        ----------
        level : float, optional
            Of the intervals; None leaves them out.
        covariance : "clustered" or "observed"
            Whether standard errors allow for rules that describe people only nearly.
        """
        if level is not None:
            level = check_level(level)
        asked = level, check_errors(covariance)
        if asked not in self._estimates:
            self._estimates[asked] = self.errors(covariance).estimates(level)
        return self._estimates[asked]

    def test(
        self,
        *,
        between: Sequence[int] | None = None,
        what: What = "rule",
        same: Sequence[str] | None = None,
        covariance: ErrorsName = "clustered",
    ) -> DoctrineTest:
        """Test whether two types are the same, or whether subgroups are of the same types.

        Parameters
        ----------
        between : two numbers of types, optional
            As `types` has them, from 0.
        what : "rule", "p", "weights" or "tau"
            In what they may be the same; a rule is p and the weights.
        same : list of str, optional
            Groups of one column of what is known of the decision makers, such as ``["women",
            "men"]``, or the name of a column: whether they belong to the types alike.
        covariance : "clustered" or "observed"
            Of a test between types.
        """
        if (between is None) == (same is None):
            raise InputError(
                "a test needs one null: between=(0, 1), or same=[…] for subgroups; found "
                f"{'neither' if between is None else 'both'}."
            )
        if between is not None:
            return wald_between(self.errors(covariance), between, what)
        assert same is not None
        return self._test_same(same)

    def _test_same(self, same: Sequence[str]) -> DoctrineTest:
        if self.n_types == 1:
            raise InputError(
                "subgroups can belong to different types only where there are several; found one."
            )
        less = self.covariates.without_differences(same)
        mixture = self.mixture
        fitted = Membership.even(less.design, mixture.types).fitted(mixture.belongs)
        found = climb(replace(mixture, membership=fitted), _ROUNDS)
        degrees = mixture.membership.parameters - found.mixture.membership.parameters
        groups = [same] if isinstance(same, str) else [str(name) for name in same]
        null = f"{' and '.join(groups)} belong to the types alike"
        if len(groups) == 1:
            null = f"{groups[0]} says nothing about who belongs to which type"
        note = "rejects somewhat too often where people are few"
        if not found.converged:
            note = "the search under the null did not end well"
        return ratio_test(null, mixture.log_likelihood, found.log_likelihood, degrees, note)

    def number_of_types(self) -> Any:
        """Return one rule, the numbers of types and the normal population, as a data frame."""
        return weighed.frame_of(self.candidates)

    def membership_frame(self) -> Any:
        """Return one row a decision maker: who, the likeliest type, and how likely each is."""
        belongs = self.membership
        columns: dict[str, Any] = {"who": list(self.names), "type": belongs.argmax(axis=1)}
        columns |= {f"type {k}": belongs[:, k] for k in range(self.n_types)}
        return to_frame(columns)

    def coefficients(self) -> Any:
        """Return how membership depends on what is known, as a data frame.

        Log odds of each type against the last, by unit of each column, with standard errors; the
        constant is that of somebody of whom all numbers are 0.
        """
        membership, errors = self.mixture.membership, self.errors("clustered")
        turned = self.covariates.to_units
        moves = np.zeros((membership.parameters, len(errors.covariance)))
        moves[:, errors.blocks[-1]] = np.kron(np.eye(self.n_types - 1), turned)
        found = errors.errors_of(moves)
        names = self.covariates.names
        labels = [(k, j) for k in range(self.n_types - 1) for j in range(len(names))]
        return to_frame(
            {
                "type": [k for k, _ in labels],
                "column": [names[j] for _, j in labels],
                "log_odds": (membership.gamma[:-1] @ turned.T).reshape(-1).tolist(),
                "standard_error": [np.nan if error is None else error for error in found],
            }
        )

    def summary(self, level: float | None = 0.95, covariance: ErrorsName = "clustered") -> Told:
        """Return tables of the types and of how many there are: a text with other forms.

        Parameters
        ----------
        level : float, optional
            Of the intervals; None leaves them and standard errors out.
        covariance : "clustered" or "observed"
            Where standard errors come from.
        """
        rows = self.estimates(level, covariance)
        tables = (self._table(rows, level, covariance), weighed.table_of(self.candidates))
        return Told(tables, self.to_dict(level, covariance), _columns(rows))

    def to_frame(self, level: float | None = 0.95, covariance: ErrorsName = "clustered") -> Any:
        """Return every number of every type as a data frame, one row each."""
        return self.summary(level, covariance).to_frame()

    def to_dict(
        self, level: float | None = 0.95, covariance: ErrorsName = "clustered"
    ) -> dict[str, Any]:
        """Return what a program reads: plain numbers and texts, by name."""
        rows = self.estimates(level, covariance)
        return {
            "headline": self.headline,
            "types": [self._type_record(k, rows) for k in range(self.n_types)],
            "membership": dict(zip(self.names, self.membership.tolist(), strict=True)),
            "candidates": [one.to_dict() for one in self.candidates],
            "n_types": self.n_types,
            "people": len(self.names),
            "decisions": self.decisions,
            "log_likelihood": self.log_likelihood,
            "bic": self.bic,
            "entropy": self.entropy,
            "level": level,
            "covariance": covariance,
            "converged": self.converged,
            "caveats": [caveat.message for caveat in self.caveats],
        }

    def _type_record(self, k: int, rows: Sequence[TypeEstimate]) -> dict[str, Any]:
        one = self.types[k]
        own = [row for row in rows if row.type == k]
        return {
            "share": one.share,
            "p": one.p if one.sole is None else None,
            "doctrine": one.doctrine,
            "given": one.called is not None,
            "weights": dict(zip(self.stakeholders, one.weights.tolist(), strict=True)),
            **one.noise,
            "explained": one.explained,
            "doubtful": one.doubtful,
            "standard_errors": {row.parameter: row.standard_error for row in own},
            "intervals": {row.parameter: [row.low, row.high] for row in own if row.low is not None},
        }

    def _table(
        self, rows: Sequence[TypeEstimate], level: float | None, covariance: ErrorsName
    ) -> Table:
        parameters = list(dict.fromkeys(row.parameter for row in rows))
        numbers = {(row.parameter, row.type): row for row in rows}
        cells = []
        for parameter in parameters:
            own = [numbers.get((parameter, k)) for k in range(self.n_types)]
            cells.append((parameter, *(_estimate(row) for row in own)))
            if level is not None and any(row is not None and row.low is not None for row in own):
                cells.append(("", *(_interval(row) for row in own)))
        cells.append(("explained", *(f"{one.explained:.2f}" for one in self.types)))
        loose = {row.type for row in rows if _estimate(row) == "not determined"}
        called = (
            "" if k in loose and one.sole is None and not one.doubtful else _called(one)
            for k, one in enumerate(self.types)
        )
        cells.append(("", *called))
        header = ("", *(f"type {k + 1}" for k in range(self.n_types)))
        sides = ("left", *("right",) * self.n_types)
        people, decisions = len(self.names), self.decisions
        title = f"Learned from {decisions:.15g} decisions of {people} people"
        return Table(title, header, tuple(cells), sides, self._lines(level, covariance))  # type: ignore[arg-type]

    def _lines(self, level: float | None, covariance: ErrorsName) -> tuple[str, ...]:
        said = [self.headline]
        if level is not None:
            by = "clustered by decision maker" if covariance == "clustered" else "observed"
            said.append(
                f"In brackets {100 * level:.6g}% intervals by standard errors ({by}); beside an "
                "edge by profile likelihood"
            )
        said.append(
            "explained: the share of what chance leaves open that a type's rule explains of its "
            "members' decisions"
        )
        said += [f"Note: {caveat.message}" for caveat in self.caveats]
        return tuple(said)

    def __repr__(self) -> str:
        return (
            f"TypesResult({self.n_types} types of {len(self.names)} people, "
            f"{self.decisions:.15g} decisions, {'' if self.converged else 'not '}converged)"
        )


def _estimate(row: TypeEstimate | None) -> str:
    if row is None:
        return ""
    if not row.determined or (row.low == -np.inf and row.high == np.inf):
        return "not determined"
    if abs(row.estimate) >= _SHORTLY:
        return f"{row.estimate:.3g}"
    return number(row.estimate) + (" (given)" if row.method == "given" else "")


def _interval(row: TypeEstimate | None) -> str:
    if row is None or row.low is None:
        return ""
    low, high = pair(row.low, row.high)
    return f"[{low}, {high}]"


def _called(one: DeciderType) -> str:
    return "may follow no such rule" if one.doubtful else one.doctrine.split(", ")[-1]


def _columns(rows: Sequence[TypeEstimate]) -> dict[str, list[Any]]:
    names = ("type", "parameter", "estimate", "standard_error", "low", "high", "method")
    found = {name: [getattr(row, name) for row in rows] for name in names}
    for name in ("standard_error", "low", "high"):
        found[name] = [np.nan if x is None else x for x in found[name]]
    found["method"] = [method or "" for method in found["method"]]
    return found

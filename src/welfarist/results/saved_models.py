"""Learned rules kept in files: saved digit for digit, loaded only if everything is in order."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, Literal, get_args

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.exports import strict
from welfarist.base.inert import in_json
from welfarist.base.validation import FloatArray
from welfarist.base.version import __version__
from welfarist.families.base import Family
from welfarist.families.known import FAMILIES, is_known, member
from welfarist.families.rule import WelfareFunction
from welfarist.noise.choices import LAPSE, LOGISTIC, preference_probability
from welfarist.people.estimated.drawing import TIMES, averaged, drawn_tables
from welfarist.people.source import has_errors
from welfarist.results import saved_choices
from welfarist.results.family_fits import FamilyFit
from welfarist.results.learned import Learned
from welfarist.results.rule_draws import RuleDraws
from welfarist.results.saved_records import Fields, Form, record_in

Kind = Literal["scores", "comparisons", "choices"]

FORMAT = "welfarist.Model"
# What models of several decision makers say they are; a later room knows them.
SEVERAL = "welfarist.Deciders"
VERSION = 1
_KINDS: tuple[str, ...] = get_args(Kind)
# What only some models have.
_OPTIONAL = (
    "shift", "small_sample", "theta", "family", "family_numbers", "draws", "families",
    *saved_choices.KEYS,
)  # fmt: skip
_KEYS = (
    "format", "version", "welfarist", "kind", "p", "weights", "tau", "rho", "scale", "decisions",
    "loss", "accuracy", "r_squared", "converged", "given", "intervals", "caveats",
)  # fmt: skip
FORM = Form(FORMAT, VERSION, _KEYS, _OPTIONAL)
_LARGEST_RHO = 0.5


@dataclass(frozen=True)
class Model:
    """What was learned, ready to be applied to new actions.

    Attributes
    ----------
    welfare : WelfareFunction, or the rule of another family
        The rule, with the stakeholders' names; it adds its `shift` to utilities.
    kind : "scores", "comparisons" or "choices"
        What it was learned from.
    tau, rho, scale : float or None
        Temperature and flip probability of choices, scale of scores; None where the model has
        none. Where errors were counted tau is infinite.
    decisions : float
        How many decisions it was learned from, counts included.
    loss : float
        Their mean loss.
    accuracy, r_squared : float or None
    converged : bool
    given : tuple of str
        What was not learned: "p", "weights".
    intervals : mapping
        Pairs of numbers by name, such as "p"; with their "level". Empty if there are none.
    caveats : tuple of str
        What a reader of the estimates must know.
    version : str
        The version of welfarist that learned it.
    small_sample : bool
        Whether certainty was charged for, because decisions are few.
    taus : tuple of float
        Of choices from menus: the temperature of each choice of a ranking, one where they share it.
    gamma, outside : float or None
        Of choices from menus: the size effect, and the welfare of none of these, where learned.
    absent : bool
        Whether a NaN utility means that somebody is not affected by an action.
    theta : mapping
        By how much the logarithm of a weight changes with a unit of each attribute, by name, where
        weights follow from attributes; empty elsewhere.
    draws : RuleDraws or None
        Rules that are equally likely after the decisions, if the model was saved with some.
    families : tuple of FamilyFit
        Rules of several families, this one first, that were fitted to the same decisions; empty if
        the model was saved without.
    """

    welfare: Any
    kind: Kind
    tau: float | None
    rho: float | None
    scale: float | None
    decisions: float
    loss: float
    accuracy: float | None = None
    r_squared: float | None = None
    converged: bool = True
    given: tuple[str, ...] = ()
    intervals: Mapping[str, Any] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    version: str = ""
    small_sample: bool = False
    taus: tuple[float, ...] = ()
    gamma: float | None = None
    outside: float | None = None
    absent: bool = False
    theta: Mapping[str, float] = field(default_factory=dict)
    draws: RuleDraws | None = field(default=None, repr=False)
    families: tuple[FamilyFit, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        learned: Any,
        intervals: Mapping[str, Any] | None = None,
        draws: RuleDraws | None = None,
        families: tuple[FamilyFit, ...] = (),
    ) -> Model:
        """Return what a fitted estimator or its ``result_`` has learned."""
        result = getattr(learned, "result_", learned)
        if isinstance(result, Model):
            return result if draws is None else replace(result, draws=draws)
        if not isinstance(result, Learned):
            raise InputError(
                "what is saved must be a fitted estimator or its result_; found "
                f"{type(learned).__name__}. Call fit first."
            )
        _require_savable(result)
        chosen = result.kind != "scores"
        return cls(
            welfare=result.welfare,
            kind=result.kind,  # type: ignore[arg-type]
            tau=math.inf if chosen and result.tau is None else result.tau,
            rho=result.rho,
            scale=result.scale,
            decisions=float(result.decisions),
            loss=float(result.loss),
            accuracy=result.accuracy,
            r_squared=result.r_squared,
            converged=bool(result.converged),
            given=result.given,
            intervals=dict(intervals or {}),
            caveats=tuple(caveat.message for caveat in result.caveats),
            small_sample=result.small_sample,
            version=__version__,
            theta={name: float(value) for name, value in result.theta.items()},
            draws=draws,
            families=families,
            **saved_choices.terms_of(result),
        )

    def worth(self, actions: Any) -> FloatArray:
        """Return what choices depend on differences of (n,): log welfare, and the size effect.

        Parameters
        ----------
        actions : (n, d) array-like or data frame
            NaN where somebody is not affected, if the model was learned so.
        """
        if has_errors(actions):
            return averaged(self._in_order(actions), self.worth)
        utilities = saved_choices.utilities_for(self.welfare, actions, self.absent)
        return saved_choices.worth(self.welfare, utilities, self.gamma)

    def chances(self, actions: Any, *, outside: bool = False) -> FloatArray:
        """Return how likely each action of a menu is chosen (K,), for a model of choices.

        Parameters
        ----------
        actions : (K, d) array-like or data frame
            The menu.
        outside : bool
            Whether none of these could be chosen as well: its chance is the last of (K + 1,).
        """
        if self.kind == "scores" or self.tau is None:
            raise InputError(
                "chances need a model that was learned from choices or comparisons; found one of "
                f"{self.kind}."
            )
        if has_errors(actions):
            return averaged(
                self._in_order(actions), lambda table: self.chances(table, outside=outside)
            )
        value = self.worth(actions)
        if outside:
            value = saved_choices.with_outside(value, self.outside)
        return saved_choices.chances(value, self.tau, self.rho or 0.0)

    def probabilities(self, first: Any, second: Any) -> FloatArray:
        """Return how likely the first action is preferred to the second (n,).

        Parameters
        ----------
        first, second : (n, d) array-like or data frames

        Notes
        -----
        Rules learned from scores, and where errors were counted, have no temperature: the better
        action is preferred for sure, up to the probability of a slip; two that tie are a toss-up.

        Of :class:`~welfarist.People` it is the mean over what their utilities could be; those of
        `first` are taken to have no errors in common with those of `second`.
        """
        if has_errors(first) or has_errors(second):
            return self._probabilities_drawn(first, second)
        told = self.kind == "choices" or (self.kind == "comparisons" and self.tau != math.inf)
        if told and self.tau is not None:
            value = self.welfare.value if self.kind == "comparisons" else self.worth
            one, other = (np.atleast_1d(value(actions)) for actions in (first, second))
            if len(one) != len(other) and 1 not in (len(one), len(other)):
                raise InputError(
                    "first and second must hold as many actions as each other, or one; found "
                    f"{len(one)} and {len(other)}."
                )
            margins = saved_choices.margins_of(one, other, self.tau)
        else:
            order = np.asarray(self.welfare.compare(first, second), dtype=np.float64)
            margins = np.where(order == 0, 0.0, np.copysign(np.inf, order))
        return np.asarray(preference_probability(np.atleast_1d(margins), self.rho or 0.0))

    def _probabilities_drawn(self, first: Any, second: Any) -> FloatArray:
        """The probabilities (n,), averaged over what utilities could be."""
        each = [
            drawn_tables(self._in_order(one), rng=np.random.default_rng(place))
            if has_errors(one)
            else repeat(one, TIMES)
            for place, one in enumerate((first, second))
        ]
        found = [self.probabilities(one, other) for one, other in zip(*each, strict=True)]
        return np.asarray(np.mean(found, axis=0))

    def _in_order(self, people: Any) -> Any:
        """People with errors in the order of the rule's."""
        names = self.welfare.stakeholders
        return people if names is None else people.in_order(names)

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary that strict JSON can hold; infinite numbers are texts."""
        rule = self.welfare
        assert rule.weights is not None
        assert rule.stakeholders is not None
        people = zip(rule.stakeholders, rule.weights.tolist(), strict=True)
        values = (
            FORMAT, VERSION, self.version, self.kind, rule.p,
            [{"stakeholder": name, "weight": weight} for name, weight in people],
            self.tau, self.rho, self.scale, self.decisions, self.loss, self.accuracy,
            self.r_squared, self.converged, list(self.given), dict(self.intervals),
            list(self.caveats),
        )  # fmt: skip
        record = dict(zip(_KEYS, values, strict=True))
        if rule.shift:  # what does not know of it must not take this for a rule without
            record["shift"] = rule.shift
        if self.small_sample:
            record["small_sample"] = True
        if not isinstance(rule, WelfareFunction):  # nor this for a power mean
            record["family"] = rule.family.name
            if rule.family.numbers():
                record["family_numbers"] = rule.family.numbers()
        if self.theta:
            record["theta"] = dict(self.theta)
        if self.draws is not None:
            record["draws"] = self.draws.to_dict()
        if self.families:
            record["families"] = [fit.to_dict() for fit in self.families]
        return dict(strict(record | saved_choices.entries_of(self)))

    def as_text(self) -> str:
        """Return what a file of the model holds: strict JSON."""
        return in_json(self.to_dict(), indent=1) + "\n"

    @classmethod
    def from_dict(cls, record: Any, source: str = "the record") -> Model:
        """Return the model that :meth:`to_dict` described; `source` is named in messages."""
        fields = Fields(record, source, FORM)
        weights, names = fields.people()
        kind, shift = fields.one_of("kind", _KINDS), fields.shift()
        family = _family_in(fields, len(weights))
        return cls(
            welfare=family.rule(fields.number("p"), weights, names).shifted(shift),
            kind=kind,
            tau=fields.optional("tau", 0.0),
            rho=fields.optional("rho", 0.0, _LARGEST_RHO),
            scale=fields.optional("scale", 0.0),
            decisions=fields.number("decisions", 0.0),
            loss=fields.number("loss"),
            accuracy=fields.optional("accuracy", 0.0, 1.0),
            r_squared=fields.optional("r_squared"),
            converged=fields.flag("converged"),
            given=fields.texts("given"),
            intervals=fields.intervals(),
            caveats=fields.texts("caveats"),
            version=fields.text("welfarist"),
            small_sample=fields.flag("small_sample") if fields.has("small_sample") else False,
            theta=fields.numbers_by_name("theta") if fields.has("theta") else {},
            draws=(
                RuleDraws.in_fields(fields, names, shift, family) if fields.has("draws") else None
            ),
            families=FamilyFit.in_fields(fields, shift) if fields.has("families") else (),
            **saved_choices.terms_in(fields, kind),
        )


def _family_in(fields: Fields, people: int) -> Family:
    """The family of a saved rule, with what it needs to know of the people."""
    name = fields.one_of("family", tuple(FAMILIES)) if fields.has("family") else "power"
    numbers = fields.entry("family_numbers") if fields.has("family_numbers") else {}
    try:
        return member(name, numbers, people)
    except ValueError as form:
        raise fields.wrong("family_numbers", str(form), numbers) from None


def _require_savable(result: Learned) -> None:
    """Refuse rules that a file cannot hold: those of a family or a noise model of one's own."""
    own = [] if result.kind in _KINDS else [result.kind]
    refuse_own([*own, *named_own(result.family, result.noise)])


def named_own(family: Any, noise: Any) -> list[str]:
    """Return what a family and a noise model are called, if they are not the package's own."""
    own = [] if is_known(family) else [family.called]
    return own if noise is None or noise in (LOGISTIC, LAPSE) else [*own, noise.called]


def refuse_own(own: Sequence[str]) -> None:
    """Refuse rules of families or noise models of one's own, which a file cannot hold."""
    if own:
        raise InputError(
            "a saved model holds numbers and no code, and so rules of the package's own families "
            f"and noise models only; found {own[0]}. Keep the numbers with result_.to_dict()."
        )


def load_model(path: str | os.PathLike[str]) -> Model:
    """Load a saved model of one rule, or say why it cannot be trusted."""
    record, name = record_in(path), os.fspath(path)
    if isinstance(record, Mapping) and record.get("format") == SEVERAL:
        raise InputError(
            f"{name}: a model of one rule is needed here; found one of several decision makers. "
            "Fit one rule to their decisions."
        )
    return Model.from_dict(record, name)

"""Learned rules kept in files: saved digit for digit, loaded only if everything is in order."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.exports import strict
from welfarist.base.half_written import settle
from welfarist.base.inert import in_json
from welfarist.base.ordinary_files import open_ordinary, read_within
from welfarist.base.validation import FloatArray
from welfarist.base.version import __version__
from welfarist.base.whole_files import write_whole
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rule import WelfareFunction
from welfarist.noise.choices import LAPSE, LOGISTIC, preference_probability
from welfarist.results import saved_choices
from welfarist.results.learned import Learned

Kind = Literal["scores", "comparisons", "choices"]

FORMAT = "welfarist.Model"
VERSION = 1
_KINDS: tuple[str, ...] = get_args(Kind)
# What only some models have.
_OPTIONAL = ("shift", "small_sample", "theta", *saved_choices.KEYS)
_KEYS = (
    "format", "version", "welfarist", "kind", "p", "weights", "tau", "rho", "scale", "decisions",
    "loss", "accuracy", "r_squared", "converged", "given", "intervals", "caveats",
)  # fmt: skip
# Weights that were saved sum to 1 up to rounding of their sum.
_SUM_ROUNDING = 1e-9
_LARGEST_RHO = 0.5
# Bytes of a file: those of a million people are fewer.
_MOST_BYTES = 250 * 10**6


@dataclass(frozen=True)
class Model:
    """What was learned, ready to be applied to new actions.

    Attributes
    ----------
    welfare : WelfareFunction
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
    """

    welfare: WelfareFunction
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

    @classmethod
    def of(cls, learned: Any, intervals: Mapping[str, Any] | None = None) -> Model:
        """Return what a fitted estimator or its ``result_`` has learned."""
        result = getattr(learned, "result_", learned)
        if isinstance(result, Model):
            return result
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
            **saved_choices.terms_of(result),
        )

    def worth(self, actions: Any) -> FloatArray:
        """Return what choices depend on differences of (n,): log welfare, and the size effect.

        Parameters
        ----------
        actions : (n, d) array-like or data frame
            NaN where somebody is not affected, if the model was learned so.
        """
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
        """
        told = self.kind == "choices" or (self.kind == "comparisons" and self.tau != math.inf)
        if told and self.tau is not None:
            value = self.welfare.log if self.kind == "comparisons" else self.worth
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
        if self.theta:
            record["theta"] = dict(self.theta)
        return dict(strict(record | saved_choices.entries_of(self)))

    def as_text(self) -> str:
        """Return what a file of the model holds: strict JSON."""
        return in_json(self.to_dict(), indent=1) + "\n"

    @classmethod
    def from_dict(cls, record: Any, source: str = "the record") -> Model:
        """Return the model that :meth:`to_dict` described; `source` is named in messages."""
        fields = _Fields(record, source)
        fields.check_format()
        weights, names = fields.people()
        kind = fields.one_of("kind", _KINDS)
        return cls(
            welfare=WelfareFunction(fields.number("p"), weights, names, fields.shift()),
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
            **saved_choices.terms_in(fields, kind),
        )


def _require_savable(result: Learned) -> None:
    """Refuse rules that a file cannot hold: those of a family or a noise model of one's own."""
    own = [] if result.kind in _KINDS else [result.kind]
    if result.family != POWER_MEAN:
        own.append(result.family.called)
    if result.noise is not None and result.noise not in (LOGISTIC, LAPSE):
        own.append(result.noise.called)
    if own:
        raise InputError(
            "a saved model holds numbers and no code, and so rules of the package's own families "
            f"and noise models only; found {own[0]}. Keep the numbers with result_.to_dict()."
        )


def save_model(
    learned: Any, path: str | os.PathLike[str], intervals: Mapping[str, Any] | None = None
) -> None:
    """Save what was learned to a file, whole or not at all.

    Parameters
    ----------
    learned : fitted estimator, FitResult or Model
    path : str or path
        Text in JSON; by custom it ends in ``.json``.
    intervals : mapping, optional
        Intervals to keep with it, by name.

    Examples
    --------
    >>> import tempfile
    >>> from welfarist import WelfareRegressor
    >>> utilities = [[1.0, 4.0], [9.0, 1.0], [4.0, 4.0], [2.0, 8.0], [1.0, 9.0]]
    >>> learned = WelfareRegressor().fit(utilities, [2.0, 3.0, 4.0, 4.0, 3.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(learned, f"{folder}/model.json")
    ...     model = load_model(f"{folder}/model.json")
    >>> model.welfare == learned.welfare_
    True
    """
    write_whole(path, Model.of(learned, intervals).as_text())


def load_model(path: str | os.PathLike[str]) -> Model:
    """Load what :func:`save_model` saved, or say why it cannot be trusted."""
    name = os.fspath(path)
    settle([name])
    text = _text_of(name)
    try:
        record = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_once)
    except json.JSONDecodeError as problem:
        raise InputError(
            f"{name}, line {problem.lineno}, column {problem.colno}: a saved model must be JSON; "
            "found text that is not. The file may be truncated: save the model again."
        ) from None
    except (RecursionError, InputError) as problem:
        raise InputError(
            f"{name}: a saved model must be strict JSON; found {problem}. Save the model again."
        ) from None
    except ValueError:  # Python reads whole numbers of some thousand digits only
        raise InputError(
            f"{name}: a saved model must be strict JSON; found a number with too many digits. "
            "Save the model again."
        ) from None
    return Model.from_dict(record, name)


def _text_of(name: str) -> str:
    """What stands in a file that may be a model."""
    try:
        with open_ordinary(name) as file:
            return read_within(file, _MOST_BYTES, name, "It is no saved model.").decode("utf-8")
    except FileNotFoundError:
        raise InputError(
            f"{name}: there is no such file. Save a model first: welfarist fit … --save {name}"
        ) from None
    except (UnicodeDecodeError, OSError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no text in UTF-8"
        raise InputError(f"{name}: cannot be read as a model: {reason}. Check the name.") from None


def _refuse_constant(token: str) -> float:
    raise InputError(f"{token}, which is no number in JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError("an entry that is there twice")
    return found


class _Fields:
    """The entries of a saved model, each checked when it is taken."""

    def __init__(self, record: Any, source: str) -> None:
        self._source = source
        if not isinstance(record, Mapping) or record.get("format") != FORMAT:
            found = record.get("format") if isinstance(record, Mapping) else type(record).__name__
            raise InputError(
                f"{source}: a saved model must have the format {FORMAT!r}; found {found!r:.80}. "
                "This is another file: models are written by save_model, or welfarist fit --save."
            )
        self._record = record

    def check_format(self) -> None:
        """Require the version that is known, and all entries and no others."""
        version = self._record.get("version")
        if type(version) is not int or version < 1:
            raise self._wrong("version", "a whole number from 1 on", version)
        if version > VERSION:
            raise InputError(
                f"{self._source}: a saved model must have version {VERSION} or earlier; found "
                f"{version}. It was written by a later welfarist: update the package."
            )
        unknown = [key for key in self._record if key not in (*_KEYS, *_OPTIONAL)]
        missing = [key for key in _KEYS if key not in self._record]
        if unknown or missing:
            what = f"the unknown {unknown[0]!r:.80}" if unknown else f"no {missing[0]!r}"
            raise InputError(
                f"{self._source}: a saved model must have the entries {', '.join(_KEYS)}; found "
                f"{what}. It was changed by hand: save the model again."
            )

    def number(self, key: str, least: float = -math.inf, most: float = math.inf) -> float:
        """A number in a range, perhaps infinite."""
        value = _number(self._record[key])
        if value is None or not least <= value <= most:
            bounds = "" if least == -math.inf else f" from {least:g} to {most:g}"
            raise self._wrong(key, f"a number{bounds}", self._record[key])
        return value

    def optional(self, key: str, least: float = -math.inf, most: float = math.inf) -> float | None:
        """A number in a range, or nothing."""
        return None if self._record[key] is None else self.number(key, least, most)

    def shift(self) -> float:
        """What the rule adds to every utility; 0 if nothing is said."""
        value = self.number("shift") if "shift" in self._record else 0.0
        if not math.isfinite(value):
            raise self._wrong("shift", "a finite number", self._record["shift"])
        return value

    def has(self, key: str) -> bool:
        """Whether there is such an entry."""
        return key in self._record

    def flag(self, key: str) -> bool:
        """True or False."""
        if not isinstance(self._record[key], bool):
            raise self._wrong(key, "true or false", self._record[key])
        return bool(self._record[key])

    def text(self, key: str) -> str:
        """A text."""
        if not isinstance(self._record[key], str):
            raise self._wrong(key, "a text", self._record[key])
        return str(self._record[key])

    def one_of(self, key: str, known: tuple[str, ...]) -> Any:
        """One of several texts."""
        if self._record[key] not in known:
            raise self._wrong(key, f"one of {', '.join(known)}", self._record[key])
        return self._record[key]

    def numbers(self, key: str, least: float) -> tuple[float, ...]:
        """A list of numbers, at least one."""
        value = self._record[key]
        found = [_number(entry) for entry in value] if isinstance(value, list) else []
        kept = [entry for entry in found if entry is not None and entry >= least]
        if not kept or len(kept) < len(found):
            raise self._wrong(key, f"a list of numbers from {least:g} on", value)
        return tuple(kept)

    def numbers_by_name(self, key: str) -> dict[str, float]:
        """Finite numbers by name, at least one."""
        value = self._record[key]
        entries = value.items() if isinstance(value, dict) else ()
        found = {name: _number(entry) for name, entry in entries}
        kept = {n: x for n, x in found.items() if x is not None and math.isfinite(x)}
        if not kept or len(kept) < len(found):
            raise self._wrong(key, "finite numbers by name", value)
        return kept

    def wrong(self, key: str, form: str) -> InputError:
        """Say what an entry must be."""
        return self._wrong(key, form, self._record.get(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._record[key]
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise self._wrong(key, "a list of texts", value)
        return tuple(value)

    def people(self) -> tuple[FloatArray, tuple[str, ...]]:
        """The weights (d,), which sum to 1, and the names they belong to."""
        value = self._record["weights"]
        form = 'a list of entries such as {"stakeholder": "staff", "weight": 0.5}'
        if not isinstance(value, list) or not value:
            raise self._wrong("weights", form, value)
        names: dict[str, None] = {}  # in their order
        weights = []
        for entry in value:
            if not isinstance(entry, dict) or set(entry) != {"stakeholder", "weight"}:
                raise self._wrong("weights", form, entry)
            weight = _number(entry["weight"])
            if not isinstance(entry["stakeholder"], str) or weight is None or not 0 <= weight <= 1:
                raise self._wrong("weights", f"{form}, each weight from 0 to 1", entry)
            if entry["stakeholder"] in names:
                raise self._wrong("weights", "one entry per stakeholder", entry)
            names[entry["stakeholder"]] = None
            weights.append(weight)
        if abs(math.fsum(weights) - 1.0) > _SUM_ROUNDING:
            raise self._wrong("weights", "numbers that sum to 1", math.fsum(weights))
        return np.array(weights), tuple(names)

    def intervals(self) -> dict[str, Any]:
        """Pairs of numbers by name, and single numbers such as their level."""
        value = self._record["intervals"]
        if not isinstance(value, dict):
            raise self._wrong("intervals", "pairs of numbers by name", value)
        return {name: self._interval(entry) for name, entry in value.items()}

    def _interval(self, entry: Any) -> Any:
        ends = [_number(end) for end in entry] if isinstance(entry, list) else [_number(entry)]
        if None in ends or len(ends) != (2 if isinstance(entry, list) else 1):
            raise self._wrong("intervals", "pairs of numbers by name", entry)
        return tuple(ends) if isinstance(entry, list) else ends[0]

    def _wrong(self, key: str, form: str, found: Any) -> InputError:
        return InputError(
            f"{self._source}: the entry {key!r} of a saved model must be {form}; found "
            f"{found!r:.80}. It was changed by hand: save the model again."
        )


def _number(value: Any) -> float | None:
    """A number as JSON holds it, infinite ones as texts; None for anything else."""
    if value in ("inf", "-inf") and isinstance(value, str):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if abs(value) <= sys.float_info.max else None
    return None

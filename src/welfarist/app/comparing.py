"""Doctrines, saved models and a learned rule side by side on the same decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from welfarist.app.decisions import Decided, DecisionOptions, TableOptions, read_decisions
from welfarist.app.learning import LearnerOptions, check_together, learner_of
from welfarist.app.targets import check_targets
from welfarist.app.texts import listed
from welfarist.app.usage import UsageError
from welfarist.app.warned import heard
from welfarist.base.whole_files import write_whole
from welfarist.families.base import Family
from welfarist.families.known import FAMILIES
from welfarist.families.power_mean.doctrines import DOCTRINES, power_of
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.families.rule import WelfareFunction
from welfarist.files import is_sketch
from welfarist.people.source import has_errors

if TYPE_CHECKING:  # it takes seconds to import: whatever is wrong with the files is said before
    from welfarist.comparing.families import FamilyTable
    from welfarist.comparing.side_by_side import SideBySide

_LOGIT = "linear logit"
# The families that are compared where nobody says which, and the name of one more.
DEFAULT, RANK_POWER = ("power", "kolm", "rank"), "rank power"
# What goes by another name than its family: with which family's learner it is read.
_CARRIERS = {RANK_POWER: "rank", "difference": "power", "choquet": "kolm"}
_FLATTERED = (
    "a saved model counts as learning nothing from these decisions: if it was learned from them, "
    "it looks better than it is, held out as well."
)
_NO_EXTREMES = (
    "utilities are estimates, with errors, so that doctrines that look at one person alone "
    "(egalitarian, best off) are left out: what errors do to them is not known well enough."
)


@dataclass(frozen=True)
class CompareRequest:
    """What is to be compared, on which decisions.

    Attributes
    ----------
    actions : str
        The file of the actions, or of decisions that hold utilities themselves.
    table : TableOptions
    decision : DecisionOptions
    learner : LearnerOptions
        Doctrines take all but p from it.
    doctrines : str or None
        Their names, or "none"; None is all of them.
    models : tuple of str
        Files of saved models.
    learn : bool
        Whether a rule is learned as well.
    folds : int
        Parts in which decisions are held out; 0 for none.
    logit : bool
        Whether the linear logit of utility differences competes as well.
    latex : str or None
        Where the table will be written for a paper.
    types : str or None
        How many types of decision makers compete as well, or "auto".
    each : bool
        Whether everybody's own rule competes as well.
    families : str or None
        Families of welfare functions that are compared in place of all that; "all" of them.
    """

    actions: str
    table: TableOptions = field(default_factory=TableOptions)
    decision: DecisionOptions = field(default_factory=DecisionOptions)
    learner: LearnerOptions = field(default_factory=LearnerOptions)
    doctrines: str | None = None
    models: tuple[str, ...] = ()
    learn: bool = True
    folds: int = 5
    logit: bool = False
    latex: str | None = None
    types: str | None = None
    each: bool = False
    families: str | None = None

    @property
    def least(self) -> float:
        """The smallest utility that may be read: some family takes it, when that is added."""
        if self.families is None:
            return -self.learner.shift
        least = [carrier_of(name).least for name in self.wanted]
        return min(least) - self.learner.shift

    @property
    def wanted(self) -> list[str]:
        """The families that are compared, by name."""
        told = [name.strip() for name in (self.families or "").split(",") if name.strip()]
        nested = ["nested"] if self.learner.groups is not None else []
        return [*DEFAULT, *nested] if told in ([], ["all"]) else told


@dataclass(frozen=True)
class Contest:
    """What is compared, read from files.

    Attributes
    ----------
    asked : CompareRequest
    rules : dict of WelfareFunction
        Of saved models, by the names of their files.
    decided : Decided
    """

    asked: CompareRequest
    rules: dict[str, WelfareFunction]
    decided: Decided


@dataclass(frozen=True)
class Compared:
    """How rules fare side by side.

    Attributes
    ----------
    found : SideBySide
    caveats : tuple of str
    notes : tuple of str
        What was guessed when the decisions were read.
    """

    found: SideBySide | FamilyTable
    caveats: tuple[str, ...]
    notes: tuple[str, ...]

    def said(self, words: Callable[[str], str] = str) -> list[str]:
        """The caveats, each once, put by `words`."""
        return list(dict.fromkeys(map(words, self.caveats)))

    def to_dict(self, words: Callable[[str], str] = str) -> dict[str, Any]:
        """What a program reads; caveats are put by `words`."""
        said = {"caveats": self.said(words), "notes": list(self.notes)}
        return {**self.in_words(words).to_dict(), **said}

    def in_words(self, words: Callable[[str], str] = str) -> SideBySide | FamilyTable:
        """What was found, the lines below its table put by `words`."""
        from welfarist.comparing.families import FamilyTable

        if isinstance(self.found, FamilyTable):
            why = {name: words(text) for name, text in self.found.left_out.items()}
            return replace(self.found, left_out=why)
        return replace(self.found, notes=tuple(map(words, self.found.notes)))

    def tables(self, words: Callable[[str], str] = str) -> list[Any]:
        """What was found, and who complements whom if that was asked for."""
        found = self.in_words(words)
        more = getattr(found, "interactions", None)
        return [found] if more is None else [found, more]

    def write_latex(self, path: str) -> None:
        """Write the table with the models in columns, for a paper."""
        from welfarist.comparing.side_by_side import SideBySide

        assert isinstance(self.found, SideBySide)
        write_whole(path, self.found.as_latex() + "\n")


def read(asked: CompareRequest) -> Contest:
    """Read saved models, and then what was decided, which may take longer."""
    inputs = (asked.actions, asked.decision.file, *asked.models)
    check_targets({"latex": asked.latex}, inputs)
    check_together(asked.learner)
    _check_families(asked)
    if asked.logit and is_sketch(asked.actions):
        raise UsageError(
            "{logit} needs everybody's utilities, which a sketch does not know. Leave it out."
        )
    rules = _saved(asked.models) if asked.models else {}
    shift = asked.learner.shift
    decided = read_decisions(asked.actions, asked.table, asked.decision, shift, asked.least)
    return Contest(asked, rules, decided)


def _saved(paths: tuple[str, ...]) -> dict[str, WelfareFunction]:
    """The rules of saved models, by the names of their files."""
    from welfarist.results.saved_models import load_model

    rules: dict[str, WelfareFunction] = {}
    for path in paths:
        name = Path(path).name
        rules[name if name not in rules else path] = load_model(path).welfare
    return rules


def compare(contest: Contest) -> Compared:
    """Put everything that competes side by side."""
    from welfarist.comparing.contest import compare as side_by_side

    asked, decided = contest.asked, contest.decided
    if asked.families is not None:
        return _families(asked, decided)
    items = _items(contest, learner_of(asked.learner, decided))
    with heard() as said:
        found = side_by_side(
            items,
            decided.X,
            decided.scores,
            folds=asked.folds or None,
            random_state=asked.learner.seed,
        )
    caveats = (*said, *([_FLATTERED] if contest.rules else []))
    if asked.doctrines is None and has_errors(getattr(decided.X, "utilities", None)):
        caveats += (_NO_EXTREMES,)
    return Compared(found, caveats, decided.notes)


def _check_families(asked: CompareRequest) -> None:
    """Refuse what does not go with a comparison of families, and names of none."""
    if asked.families is None:
        return
    others = {
        "doctrines": asked.doctrines is not None, "model": bool(asked.models),
        "logit": asked.logit, "latex": asked.latex is not None, "types": asked.types is not None,
        "each": asked.each, "learn": not asked.learn,
    }  # fmt: skip
    for name, given in others.items():
        if given:
            raise UsageError(
                f"{{families}} compares families of one rule for all; found {{{name}}} as well. "
                "Leave out one of the two."
            )
    for name in asked.wanted:
        if name not in (*FAMILIES, *_CARRIERS):
            raise UsageError(
                f"{{families}} must be all, or some of {', '.join((*FAMILIES, *_CARRIERS))}; found "
                "{found!r}.",
                found=name,
            )


def carrier_of(name: str) -> Family:
    """Return the family with whose learner one that is compared is read.

    Examples
    --------
    >>> carrier_of("choquet").title
    'Kolm-Pollak functions'
    """
    return FAMILIES[_CARRIERS.get(name, name)] if name in (*FAMILIES, *_CARRIERS) else POWER_MEAN


def _families(asked: CompareRequest, decided: Decided) -> Compared:
    """Put families of welfare functions side by side."""
    from welfarist.comparing.families import compare_families

    learner = learner_of(replace(asked.learner, family=_carrier(asked)), decided)
    with heard() as said:
        found = compare_families(
            asked.wanted,
            learner,
            decided.X,
            decided.scores,
            folds=asked.folds or None,
            random_state=asked.learner.seed,
        )
    return Compared(found, tuple(said), decided.notes)


def _carrier(asked: CompareRequest) -> str:
    """The family whose learner reads decisions for all: the one that takes the most utilities."""
    return min(map(carrier_of, asked.wanted), key=lambda family: family.least).name


def _items(contest: Contest, base: Any) -> dict[str, Any]:
    """Who competes, by name: doctrines take all but p from the learner."""
    from sklearn.base import clone

    from welfarist.comparing.recommenders import recommender_of

    asked = contest.asked
    items: dict[str, Any] = {"learned": base} if asked.learn else {}
    told = listed(asked.doctrines)
    wanted = [doctrine.name for doctrine in DOCTRINES] if told is None else told
    if told is None and has_errors(getattr(contest.decided.X, "utilities", None)):
        wanted = [name for name in wanted if np.isfinite(power_of(name))]
    for doctrine in wanted if wanted != ["none"] else []:
        # Weights of recommenders' rules are equal, those of doctrines as they are learned or told.
        known = recommender_of(doctrine)
        held = {"p": power_of(doctrine)} if known is None else known.options(base.get_params())
        items[doctrine] = clone(base).set_params(**held)
    items.update(_several(asked, base))
    if asked.logit:
        items[_LOGIT] = _linear_logit(contest.decided)
    for name, rule in contest.rules.items():
        items[name if name not in items else f"{name} (saved)"] = rule
    if not items:
        raise UsageError(
            "name what to compare: {doctrines}, {model}, {types}, {each}, {logit} or {learn}."
        )
    return items


def _several(asked: CompareRequest, base: Any) -> dict[str, Any]:
    """Types of decision makers and everybody's own rule, with the options of the learner."""
    from sklearn.base import clone

    from welfarist.deciders.deciders import Deciders
    from welfarist.deciders.types import Types

    found: dict[str, Any] = {}
    seed = asked.learner.seed
    if asked.types is not None:
        told = asked.types.strip().lower()
        wanted: Any = told if told == "auto" else int(told)
        name = "types" if told == "auto" else f"{wanted} types" if wanted > 1 else "1 type"
        found[name] = Types(clone(base), wanted, population=False, random_state=seed)
    if asked.each:
        found["individuals"] = Deciders(clone(base), random_state=seed)
    return found


def _linear_logit(decided: Decided) -> Any:
    """A logit of differences in utility, in which nobody is preferred for standing first."""
    if decided.kind != "comparisons":
        raise UsageError(f"{{logit}} is for comparisons; found {decided.kind}. Leave it out.")
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    # Utilities in thousands would otherwise take the optimiser long.
    logit = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-8, max_iter=10_000)
    return make_pipeline(MaxAbsScaler(), logit)

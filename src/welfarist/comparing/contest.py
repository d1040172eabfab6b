"""Fits, doctrines, rules and models of other packages, held against the same decisions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

import numpy as np

from welfarist.base.errors import (
    ImpossibleDecisionsError,
    InputError,
    WelfaristWarning,
    ZerosError,
)
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import generator_of
from welfarist.base.wording import listed
from welfarist.comparing.columns import Fit
from welfarist.comparing.families import FamilyTable, compare_families
from welfarist.comparing.foretold import Twice, foretold_twice
from welfarist.comparing.held_out import Gain, gain_on
from welfarist.comparing.outsiders import OutsideFit, Outsider
from welfarist.comparing.panel_learners import PanelLearner
from welfarist.comparing.presented import FeaturesOption
from welfarist.comparing.rivals import Item, Rival, rivals_of
from welfarist.comparing.side_by_side import SideBySide, SideBySideRow
from welfarist.decisions import Scores
from welfarist.decisions.folds import folds_of
from welfarist.decisions.labels import numbered
from welfarist.families.base import Family
from welfarist.people.source import is_source
from welfarist.people.weighting import sole_person
from welfarist.results.record import FitResult


@overload
def compare(
    items: Sequence[Item] | Mapping[str, Item] | Item = None,
    X: Any = None,
    y: Any = None,
    *,
    families: None = None,
    folds: int | None = 5,
    features: FeaturesOption = "differences",
    random_state: Any = 0,
    progress: ProgressOption = "auto",
) -> SideBySide: ...
@overload
def compare(
    items: Sequence[Item] | Mapping[str, Item] | Item = None,
    X: Any = None,
    y: Any = None,
    *,
    families: Literal["all"] | Sequence[str | Family],
    folds: int | None = 5,
    features: FeaturesOption = "differences",
    random_state: Any = 0,
    progress: ProgressOption = "auto",
) -> FamilyTable: ...
def compare(
    items: Sequence[Item] | Mapping[str, Item] | Item = None,
    X: Any = None,
    y: Any = None,
    *,
    families: Literal["all"] | Sequence[str | Family] | None = None,
    folds: int | None = 5,
    features: FeaturesOption = "differences",
    random_state: Any = 0,
    progress: ProgressOption = "auto",
) -> SideBySide | FamilyTable:
    """Put fits, doctrines, rules and models of other packages side by side on the same decisions.

    Parameters
    ----------
    items : list, or mapping of names, of learners, fits, doctrines, rules and other models
        A learner is fitted unless it was fitted to these decisions before. A fit is the `result_`
        of a learner. A doctrine's name ("Nash") fixes p and takes all else but a prior from the
        first learner or fit in the list, or from a learner without options. So does the name of a
        rule of recommenders for groups, with equal weights: "average" (p = 1), "least misery"
        (-inf), "most pleasure" (inf), "multiplicative" (0). A WelfareFunction
        fixes p and weights, so that only tau, rho or scale is learned. A scikit-learn estimator
        (one with ``predict_proba`` for comparisons) is cloned and fitted to the decisions; a
        result of statsmodels must be of these decisions, in this order. Types and Deciders, or
        their `result_`, compete where it is known who decided.
    X, y : Comparisons or Choices; or arrays as in the learners' `fit`
        The decisions; left out, those of the fits.
    families : "all", or list of names and families, optional
        Compare families of welfare functions in place of items: rules of each are fitted with the
        options of one learner or fit, which is then passed as `items` (or left out, for the plain
        learner of the decisions). "rank" has weights of places alone (p = 1), "rank power" learns
        p on top; "nested" takes the learner's `groups` for its own; "difference" are power means
        whose noise acts on differences in welfare, "choquet" is what :func:`interactions` fits.
        "all" is the power mean, "kolm" and "rank", and "nested" where there are groups.
    folds : int, optional
        In how many parts decisions are held out, each predicted from the others; None leaves that
        out.
    features : "differences", "both" or callable
        What scikit-learn estimators see of the two actions of a comparison: the differences of
        utilities u - v (n, d), a column a person, so that ``LogisticRegression`` is the linear
        logit; both, side by side (n, 2d), as our own learners take them; or what a function of u
        and v (n, d) gives. Their y is 1 where the first action was preferred, else 0. Of scores
        they see utilities and scores.
    random_state : int, Generator or RandomState
        Draws the parts, the same for all.
    progress : bool or "auto"
        Whether to show a progress bar; "auto" does in a terminal.

    Returns
    -------
    SideBySide, or FamilyTable where families are compared
        Prints as a table; ``to_frame()``, ``as_html()``, ``to_dict()``; ``as_latex()`` has the
        models in columns.

    Notes
    -----
    The lower AIC and BIC, the better: they weigh the likelihood against how many numbers were
    learned. A WelfareFunction that was learned from these very decisions counts as learning
    nothing, which flatters it, held out as well. Where it is known who decided (``by``) whole
    decision makers are held out, otherwise all decisions on the same two actions, and choices from
    menus one by one, a ranking as a whole; standard errors
    are then clustered. Held-out R squared is about the mean of all scores. Of choices from menus
    the mean log loss is held out as well, which the chances of all actions enter; the lower, the
    better.

    Models of other packages have AIC and BIC where it is known how many numbers they learned to
    maximise the likelihood: results of statsmodels whose own ``llf`` is that of their
    probabilities, and linear models of scikit-learn without a penalty
    (``LogisticRegression(C=np.inf)``). Counts, and ties as half a row of each label, go to
    them as ``sample_weight``. Where the first action of every comparison was the preferred one,
    every second comparison is turned round for them. Results of statsmodels are made anew for each
    part from their own columns; where that cannot be, as with an offset, a note says so.

    Where :class:`Types` or :class:`Deciders` compete, decisions are held out twice: everybody's own
    decisions in parts (`held_out_same`: the same people) and whole decision makers
    (`held_out_new`: new people). Each has its mean log loss, how far that is above the lowest with
    a standard error by decision maker, and the share that was foretold; of a ranking the first
    choice counts. Types and individuals foretell by averages over everything that is believed of
    somebody; ``n_types="auto"`` is chosen anew in each part, and a `result_` is fitted again with
    as many types as it has. BIC then takes decision makers for observations, for all alike.

    Doctrines that have nothing to say where a utility is 0 are left out, and a line says so; a
    learner's `shift` brings them back.

    Examples
    --------
    >>> import numpy as np
    >>> import welfarist as wf
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (200, 2))
    >>> scores = wf.power_mean(utilities, -1, [0.6, 0.4]) + rng.normal(0, 0.3, 200)
    >>> learned = wf.WelfareRegressor().fit(utilities, scores)
    >>> print(wf.compare({"learned": learned, "Nash": "Nash", "sum": "utilitarian"}))
    Side by side on 200 decisions
                   p  aversion  learned  log-likelihood ...
      learned ...
      Nash ...
      sum ...
    * the best of its column; ...
    Held-out R squared: in 5 parts, by actions

    One rule for all, types and individuals:

    >>> pairs, who = wf.simulate.random_pairs(200, 900), np.repeat(np.arange(30), 30)
    >>> rules = [wf.WelfareFunction(1, [0.9, 0.1]), wf.WelfareFunction(-1, [0.4, 0.6])]
    >>> logs = np.array([rule.log(utilities) for rule in rules])[who % 2]
    >>> apart = logs[np.arange(900), pairs[:, 0]] - logs[np.arange(900), pairs[:, 1]]
    >>> outcomes = np.sign(apart + rng.logistic(scale=0.1, size=900))
    >>> decisions = wf.Comparisons(utilities, pairs, outcomes, by=who)
    >>> types = wf.Types(n_types=2, population=False, n_starts=3)
    >>> table = wf.compare([wf.ComparisonClassifier(), types], decisions, folds=2)
    >>> table.best("held_out_same"), table.best("held_out_new")
    (('2 types',), ('2 types',))
    >>> table.rows[0].held_out_same.behind > 5 * table.rows[0].held_out_same.error
    True
    """
    if families is not None:
        return compare_families(
            families, items, X, y, folds=folds, random_state=random_state, progress=progress
        )
    rivals, found = rivals_of(items, X, y, features)
    data: Any = found
    with warnings.catch_warnings():
        # Doctrines that do not fit are what a comparison is for; result_.caveats has the reasons.
        warnings.simplefilter("ignore", WelfaristWarning)
        rivals, results, left_out = _fitted(rivals, data, progress)
    notes: dict[str, list[str]] = {}
    held_out: list[_HeldOut] = [_HeldOut()] * len(rivals)
    people = None if data.by is None else int(numbered(data.by).max()) + 1
    several = any(isinstance(rival.learner, PanelLearner) for rival in rivals)
    if folds is not None:
        work = _held_out_twice if several else _held_out
        held_out = work(rivals, data, folds, random_state, progress, notes)
    measure, nothing = data.measure, _null(results)
    counted = people if several else None
    rows = [
        _row(
            rival.name, result, score, None if data.kind == Scores.kind else nothing, notes, counted
        )
        for rival, result, score in zip(rivals, results, held_out, strict=True)
    ]  # fmt: skip
    lines = [f"No {what.replace('NAMES', listed(names))}" for what, names in notes.items()]
    stopped = [rival.name for rival, fit in zip(rivals, results, strict=True) if not fit.converged]
    lines += [f"Did not converge: {listed(stopped)}"] if stopped else []
    lines += _about_few_decisions([rival.name for rival in rivals], results)
    lines += _about_sole_people([rival.name for rival in rivals], results)
    lines += _about_outsiders(rivals, results, folds)
    if several:
        lines = [*_about_several(people, folds, held_out), *lines]
    elif folds is not None:
        lines.insert(0, f"Held-out {measure}: in {folds} parts, by {data.unit}")
    lines += _about_those_left_out(left_out)
    return SideBySide(
        tuple(rows),
        measure,
        data.total,
        tuple(lines),
        results,
        nothing,
        people,
    )


@dataclass(frozen=True)
class _HeldOut:
    """How well decisions were predicted that were not fitted; None where that is not known."""

    score: float | None = None
    log_loss: float | None = None
    twice: Twice = field(default_factory=Twice)


def _about_several(
    people: int | None, folds: int | None, held_out: Sequence[_HeldOut]
) -> list[str]:
    """What must be said where types or individuals compete."""
    said = [f"BIC takes the {people} decision makers for observations, for all that are compared"]
    if folds is None:
        return said
    if any(one.twice.same is not None for one in held_out):
        said.append(
            f"Same people: everybody's decisions are held out in {folds} parts, each foretold from "
            "the others"
        )
    else:
        said.append("No held-out decisions of the same people: nobody decided twice")
    said.append(f"New people: decision makers are held out in {folds} parts")
    return said


def _about_few_decisions(names: Sequence[str], results: Sequence[Fit]) -> list[str]:
    """Say whose likelihood was penalised, so that it need not be the largest of its kind."""
    fits = zip(names, results, strict=True)
    few = [name for name, fit in fits if isinstance(fit, FitResult) and fit.small_sample]
    said = "Penalised, since decisions are few, so that log-likelihoods need not be the largest"
    return [f"{said}: {listed(few)}"] if few else []


def _null(results: Sequence[Fit]) -> float | None:
    """Log likelihood of knowing nothing; None where no model has a likelihood."""
    for result in results:
        try:
            return float(result.llnull)
        except InputError:  # errors were counted, or scores do not vary
            continue
    return None


def _about_sole_people(names: Sequence[str], results: Sequence[Fit]) -> list[str]:
    """Say whose learned weights leave one person alone, so that p, or a doctrine, means nothing."""
    alone: dict[tuple[str, str], list[str]] = {}
    for name, result in zip(names, results, strict=True):
        if not isinstance(result, FitResult) or "weights" in result.given:
            continue
        if is_source(getattr(result.decided, "utilities", None)):
            continue  # one group is many people, among whom p means something
        person = sole_person(result.weights)
        if person is not None:
            who = (result.stakeholders[person], result.family.shape.name)
            alone.setdefault(who, []).append(name)
    return [
        f"{listed(which)}: with learned weights nobody but {person} counts, so that "
        f"{'it is' if len(which) == 1 else 'each is'} the same rule at every {shape}; "
        'weights="equal" asks about everybody'
        for (person, shape), which in alone.items()
    ]


def _about_outsiders(
    rivals: Sequence[Rival], results: Sequence[Fit], folds: int | None
) -> list[str]:
    """What must be said of models of other packages."""
    outside = [rival for rival in rivals if isinstance(rival.learner, Outsider)]
    said = []
    as_they_are = [
        r.name for r in outside if isinstance(r.learner, Outsider) and r.learner.again == "as it is"
    ]
    if as_they_are and folds is not None:
        said.append(
            f"Not fitted again but taken as it is: {listed(as_they_are)}, whose held-out decisions "
            "may be those that it was fitted to"
        )
    impossible = [
        rival.name
        for rival, result in zip(rivals, results, strict=True)
        if isinstance(result, OutsideFit) and np.isneginf(result.llf)
    ]
    if impossible:
        said.append(
            f"A log-likelihood of -inf: {listed(impossible)} gave no chance at all to something "
            "that happened"
        )
    turned = [r.name for r in outside if isinstance(r.learner, Outsider) and r.learner.seen.turned]
    if turned:
        said.append(
            f"For {listed(turned)} every second comparison was turned round, because the first "
            "action was always the preferred one"
        )
    return said


_EXCLUDED = {
    ZerosError: (
        "Left out {names}, which {have} nothing to say where a utility is 0: such actions would "
        "all be worth 0. To compare all, add a constant to every utility (such as shift=1), or "
        "leave those actions out"
    ),
    ImpossibleDecisionsError: (
        "Left out {names}, under which a decision was made that is impossible: an action that "
        "gives nothing to anybody who counts was chosen. To compare all, add a constant to every "
        "utility (such as shift=1), or leave those decisions out"
    ),
}


def _fitted(
    rivals: Sequence[Rival], data: Any, progress: ProgressOption
) -> tuple[tuple[Rival, ...], tuple[Fit, ...], dict[type[InputError], list[str]]]:
    """Those that can be fitted, their fits, and the names of those that zeros exclude."""
    kept: list[Rival] = []
    results: list[Fit] = []
    excluded: dict[type[InputError], list[str]] = {}
    for rival in rivals:
        try:
            results.append(rival.fitted(data, progress))
        except (ZerosError, ImpossibleDecisionsError) as problem:
            if sum(map(len, excluded.values())) == len(rivals) - 1:
                raise  # there is nothing to compare
            excluded.setdefault(type(problem), []).append(rival.name)
        else:
            kept.append(rival)
    return tuple(kept), tuple(results), excluded


def _about_those_left_out(excluded: dict[type[InputError], list[str]]) -> list[str]:
    return [
        _EXCLUDED[why].format(names=listed(names), have="has" if len(names) == 1 else "have")
        for why, names in excluded.items()
    ]


def _held_out(
    rivals: Sequence[Rival],
    data: Any,
    folds: int,
    random_state: Any,
    progress: ProgressOption,
    notes: dict[str, list[str]],
) -> list[_HeldOut]:
    """What each learner gets right of the decisions it has not seen."""
    fold = folds_of(data, folds, generator_of(random_state))
    gains = [Gain(0.0, 0.0) for _ in rivals]
    work = [
        (i, rival.learner, part)
        for i, rival in enumerate(rivals)
        if rival.learner is not None and _can_be_held_out(rival)
        for part in range(folds)
    ]
    for i, learner, part in Progress(progress).track(work, len(work), "Held-out decisions"):
        assert not isinstance(learner, PanelLearner)
        gains[i] += gain_on(learner, data, fold == part)
    _note_unfair(rivals, notes)
    return [
        _shares(data, gain) if _can_be_held_out(rival) else _HeldOut()
        for rival, gain in zip(rivals, gains, strict=True)
    ]


def _held_out_twice(
    rivals: Sequence[Rival],
    data: Any,
    folds: int,
    random_state: Any,
    progress: ProgressOption,
    notes: dict[str, list[str]],
) -> list[_HeldOut]:
    """What each learner foretells of decisions of the same people, and of new people."""
    learners = [rival.learner if _can_be_held_out(rival) else None for rival in rivals]
    _note_unfair(rivals, notes)
    found = foretold_twice(learners, data, folds, generator_of(random_state), progress)
    return [_HeldOut(None if one.new is None else one.new.right, None, one) for one in found]


def _note_unfair(rivals: Sequence[Rival], notes: dict[str, list[str]]) -> None:
    """Note who cannot be fitted to a part of the decisions."""
    for rival in rivals:
        if not _can_be_held_out(rival):
            why = _UNKNOWN if rival.learner is None else _FOREIGN
            notes.setdefault(why, []).append(rival.name)


def _shares(data: Any, gain: Gain) -> _HeldOut:
    """What was got right of each decision, in the mean."""
    each = None if gain.loss is None else gain.loss / data.choices_made
    return _HeldOut(data.share_right(gain.right), each)


def _can_be_held_out(rival: Rival) -> bool:
    """Whether a rival can be fitted to a part of the decisions."""
    learner = rival.learner
    return learner is not None and not (
        isinstance(learner, Outsider) and learner.again == "not at all"
    )


_UNKNOWN = (
    "held-out score of NAMES: a fit that counts errors does not say how it was made. Pass the "
    "learner itself."
)


_FOREIGN = (
    "held-out score of NAMES: this result of another package cannot be made again from some of its "
    "rows. Pass an estimator that scikit-learn can clone."
)


def _row(
    name: str,
    result: Fit,
    held_out: _HeldOut,
    nothing: float | None,
    notes: dict[str, list[str]],
    people: int | None,
) -> SideBySideRow:
    """What is known of one of those that are compared; BIC counts people where there are some."""
    criteria: dict[str, float | None] = {}
    missing: dict[str, list[str]] = {}
    for what, attribute in (("log-likelihood", "llf"), ("AIC", "aic"), ("BIC", "bic")):
        try:
            criteria[what] = _criterion(result, attribute, people)
        except InputError as refusal:
            criteria[what] = None
            missing.setdefault(str(refusal), []).append(what)
    for refusal_text, absent in missing.items():
        notes.setdefault(f"{listed(absent)} of NAMES: {refusal_text}", []).append(name)
    reached = criteria["log-likelihood"]
    return SideBySideRow(
        name,
        result.p,
        result.inequality_aversion,
        _learned(result),
        criteria["log-likelihood"],
        criteria["AIC"],
        criteria["BIC"],
        result.accuracy if result.r_squared is None else result.r_squared,
        held_out.score,
        None if reached is None or nothing is None else 1.0 - reached / nothing,
        held_out.log_loss,
        held_out.twice.same,
        held_out.twice.new,
    )


def _criterion(result: Fit, attribute: str, people: int | None) -> float:
    """A log likelihood or information criterion, whose observations may be decision makers."""
    if attribute != "bic" or people is None:
        return float(getattr(result, attribute))
    _ = result.aic  # which is refused where there is no maximum
    numbers = _learned(result)
    assert numbers is not None
    return float(numbers * np.log(people) - 2.0 * result.llf)


def _learned(result: Fit) -> int | None:
    """How many numbers were learned."""
    if not isinstance(result, FitResult):
        return result.learned
    return None if result.likelihood is None else result.likelihood.parameters

"""What a reader of the estimates must be told: identification, separation, edges."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import (
    MisfitWarning,
    NotConvergedWarning,
    NotIdentifiedWarning,
    PairScalingWarning,
    SearchRangeWarning,
    SeparationWarning,
    WelfaristWarning,
)
from welfarist.base.parameters import Parameter
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.counting.loss_steps import PowerInterval
from welfarist.decisions.labels import Labels
from welfarist.families.base import Family
from welfarist.families.power_mean.derivatives import log_mean_of_logs
from welfarist.inference.stages import Stages
from welfarist.noise.base import SMALLEST_TAU
from welfarist.people.attribute_weighting import AttributeWeighting, theta_name
from welfarist.people.source import extremes_of, is_source
from welfarist.people.weighting import Weighting
from welfarist.results.learned import Caveat, Remark
from welfarist.solvers.base import Optimum

_MOST_NAMES = 5
_CERTAIN = 1e-6  # mean loss at which every choice is certain for all practical purposes
# A weight this close to 1 leaves the others nothing that a double could show.
_ALL_WEIGHT = 1.0 - 1e-9
# A parameter this near to the end of its range, relative to it, is there.
_AT_END = 1e-6
# Log welfares within this are the same to any reader.
_SAME_WELFARE = 1e-6
# Fewer right answers than this are no accident: the opposite answers are explained.
REVERSED_BELOW = 0.4
# Scores outside the range of the utilities by less than this share of it are rounding.
_ROUNDING = 1e-9
# Powers of which one is as good as the other are far apart if they span more than a fifth of the
# line, whose width is 2 on the scale p / (1 + |p|): from 0 to 0.7, or from 1.5 to infinity.
_FAR_APART = 0.4
# One temperature for all choices of a ranking is given up below this p-value.
_CLEARLY = 0.01
_RANDOM = "the choices look random: no rule of this family explains them better than chance."
# How messages begin that say that better and worse may have been mixed up.
_REVERSED = "the choices look reversed"
_FALLING = "no positive scale fits"
# The user's line is the first outside these packages.
_INNER = ("welfarist", "sklearn", "joblib")


def convergence_caveats(optimum: Optimum) -> list[Caveat]:
    """Say when the solver stopped too early."""
    if optimum.converged:
        return []
    message = (
        f"the fit did not converge: {optimum.reason}. The estimates are the best found. "
        f"{optimum.remedy}"
    )
    return [Caveat(NotConvergedWarning, message)]


def far_caveats(given: float | None, fitted: float | None) -> list[Caveat]:
    """Say when learned weights were fitted at a smaller power than was given."""
    if given is None or given == fitted:
        return []
    message = (
        f"p = {given:g} was given, and the weights were learned at p = {fitted:.6g}: beyond it "
        "larger powers make the same rules, with weights too small for any number. Give p = "
        f"{'-' if given < 0 else ''}inf for the limit itself."
    )
    return [Caveat(SearchRangeWarning, message)]


def power_caveats(
    optimum: Optimum,
    learned: bool,
    has_zeros: bool,
    largest: float,
    any_power: bool = False,
    has_prior: bool = False,
) -> list[Caveat]:
    """Say when the search over p was limited, or ended at an edge.

    Where `any_power` is as good (every choice is certain, or none says anything), none is an edge.
    """
    if not learned:
        return []
    found = []
    if has_zeros:
        message = (
            "some utility is 0, so that p <= 0 would make welfare 0: p was searched above 0 only. "
            "To search all powers add a constant to every utility (such as shift=1), or leave "
            "those actions out."
        )
        found.append(Caveat(SearchRangeWarning, message))
    at_edge = 0.999 * largest <= abs(optimum.point.p) < np.inf
    if at_edge and not any_power:
        message = (
            f"p reached the edge of the searched range, {optimum.point.p:g}: the loss still falls "
            "as |p| grows and small weights shrink, which is how noise is overfitted by a rule "
            "that looks at one person at a time. "
            + ("Fix p or use groups." if has_prior else "Fix p, use groups, or add a prior.")
        )
        found.append(Caveat(SearchRangeWarning, message))
    return found


def end_caveats(optimum: Optimum, learned: bool, family: Family) -> list[Caveat]:
    """Say when the parameter of a family other than the power mean ended where its range does."""
    shape, p = family.shape, optimum.point.p
    ends = [end for end in (shape.lowest, shape.highest) if np.isfinite(end)]
    if not learned or all(abs(p - end) > _AT_END * (1.0 + abs(end)) for end in ends):
        return []
    if family.at_end:
        return [
            Caveat(Remark, f"{shape.name} reached the end of its range, {p:g}: {family.at_end}")
        ]
    message = (
        f"{shape.name} reached the end of its range, {p:g}: the loss may fall further beyond it. "
        "Take it as a sign that the family does not fit, or widen the range."
    )
    return [Caveat(SearchRangeWarning, message)]


def identification_caveats(
    logs: FloatArray,
    weighting: Weighting,
    learn_power: bool,
    optimum: Optimum,
    names: Sequence[str],
    compared: bool,
    shape: str = "p",
    values: FloatArray | None = None,
) -> list[Caveat]:
    """Say when the data cannot determine p or somebody's weight.

    `logs` (d, N) are the log utilities of the actions that were judged, or what another family
    sees of them, with its `values` (N,) of the actions. `compared` tells
    comparisons from scores: a person whose utility never changes cannot sway a comparison, but
    does set the level of a score.
    """
    found = []
    learn_weights, learn_slopes = weighting.free > 1, bool(weighting.parameters)
    if (logs == logs[0]).all():
        if learn_power or learn_weights or learn_slopes:
            parts = (shape, learn_power), ("the weights", learn_weights), ("theta", learn_slopes)
            what = " and ".join(part for part, on in parts if on)
            message = (
                f"{what} cannot be determined: everybody has the same utility in every action, so "
                "that all rules agree. Add actions that treat people differently."
            )
            found.append(Caveat(NotIdentifiedWarning, message))
        return found
    if learn_power or (learn_weights and np.isinf(optimum.point.p)):
        found.extend(_sole_person(logs, optimum, names, shape, values, learn_power))
    if not learn_weights:
        return found
    if np.isinf(optimum.point.p):
        message = (
            f"at p = {optimum.point.p:g} weights only say who counts: those who do are given "
            "equal weights."
        )
        found.append(Caveat(NotIdentifiedWarning, message))
    if compared:
        same = np.flatnonzero((logs == logs[:, :1]).all(axis=1))
        if len(same):
            message = (
                f"the weight of {_named(same, names)} cannot be told from the noise: their utility "
                "is the same in every action."
            )
            found.append(Caveat(NotIdentifiedWarning, message))
    if weighting.group_of is None:
        found.extend(_twins(logs, names))
    return found


def slope_caveats(weighting: Weighting, optimum: Optimum) -> list[Caveat]:
    """Say when theta of an attribute ran off, or could be anything."""
    if not isinstance(weighting, AttributeWeighting):
        return []
    if np.isinf(optimum.point.p):
        message = (
            f"at p = {optimum.point.p:g} weights only say who counts, and all do: theta could be "
            "anything and is given as 0. Fix p, or add decisions that tell finite powers apart."
        )
        return [Caveat(NotIdentifiedWarning, message)]
    found = []
    lower, upper = weighting.bounds
    slopes = optimum.point.extras[: len(lower)]
    for i in np.flatnonzero((slopes <= lower) | (slopes >= upper)).tolist():
        name, rises = weighting.attributes[i], slopes[i] > 0
        alone = f"nobody counts but who has the {'largest' if rises else 'smallest'} {name}"
        if np.isin(weighting.table[i], (0.0, 1.0)).all():
            alone = f"nobody counts {'without' if rises else 'with'} {name}"
        message = (
            f"{theta_name(name)} ran off to where its search ends: decisions are explained best if "
            f"{alone}, and it could be {'larger' if rises else 'smaller'} still. Its interval is "
            "open at that end."
        )
        found.append(Caveat(SearchRangeWarning, message))
    return found


def count_caveats(
    decisions: int,
    weighting: Weighting,
    learn_power: bool,
    extras: Sequence[Parameter],
    has_prior: bool,
    from_menus: bool = False,
) -> list[Caveat]:
    """Say when there are fewer different decisions than numbers to learn from them.

    A prior determines the weights that the decisions do not. Choices from menus are counted by the
    comparisons that they are worth: K - 1 of K actions.
    """
    weights = 0 if has_prior else max(weighting.free - 1, 0)
    parts = ["p"] if learn_power else []
    if weights:
        parts.append("a weight" if weights == 1 else f"{weights} weights")
    parts.extend(parameter.name for parameter in extras)
    wanted = len(extras) + weights + learn_power
    if decisions >= wanted:
        return []
    found = _counted(decisions, "different decision")
    if from_menus:
        found = f"menus that are worth {_counted(decisions, 'different comparison')} of two actions"
    message = (
        f"{found} cannot determine "
        f"{_counted(wanted, 'parameter')}: {listed(parts)}. Other rules fit as well as this one. "
        "Add decisions, or fix what you know: p, the weights, groups or a prior."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def score_caveats(
    utilities: FloatArray,
    scores: FloatArray,
    counts: FloatArray,
    predicted: FloatArray,
    scale: bool,
    family: Family,
) -> list[Caveat]:
    """Say when the rule does not describe the scores (N,) of utilities (N, d)."""
    found = []
    if not scale and utilities.shape[1] > 1 and family.is_mean:
        found.extend(_outside_range(utilities, scores, counts))
    if scale and counts @ (scores * predicted) <= 0:
        message = (
            f"{_FALLING}: scores fall where welfare rises, or are mostly negative. "
            "Scores must be larger for better actions; change their sign or add a constant."
        )
        found.append(Caveat(MisfitWarning, message))
    explained = r_squared(scores, counts, predicted)
    if explained is not None and explained <= 0:
        message = (
            f"the rule explains the scores no better than their mean (R squared {explained:.3g}): "
            "p and the weights mean little. Check that larger scores mean better actions and "
            "that scores and utilities are on one scale"
            + ("." if scale else ", or set scale=True.")
        )
        found.append(Caveat(MisfitWarning, message))
    return found


def r_squared(scores: FloatArray, counts: FloatArray, predicted: FloatArray) -> float | None:
    """Share of the scores' variance that is explained; None if they do not vary."""
    around = float(counts @ np.square(scores - np.average(scores, weights=counts)))
    if around <= _ROUNDING**2 * float(counts @ np.square(scores)):
        return None
    return 1.0 - float(counts @ np.square(predicted - scores)) / around


def label_caveats(labels: Labels) -> list[Caveat]:
    """Say when only the alphabet told which label means that the first was preferred."""
    if not labels.guessed:
        return []
    message = (
        f"y holds {str(labels.classes[0])!r} and {str(labels.classes[1])!r}, of which "
        f"{str(labels.first_label)!r}, the later in the alphabet, was taken to mean that the first "
        "action was preferred. Use +1 and -1 to be sure."
    )
    return [Caveat(WelfaristWarning, message)]


def scaling_caveats(apart: str | None) -> list[Caveat]:
    """Say when the two actions of each pair seem to have been scaled each by itself."""
    if apart is None:
        return []
    message = (
        f"the two actions of each pair seem to be on different scales: {apart}, as after a scaler "
        "that treats every column by itself. The same utility then means one thing in the first "
        "action and another in the second, and weights and p mean little. Scale both actions "
        "alike: the table of actions before pairs are made of it, or the pairs with "
        "PairTransformer."
    )
    return [Caveat(PairScalingWarning, message)]


def tells_nothing(tau: float, loss: float, nothing: float, smallest: float = SMALLEST_TAU) -> bool:
    """Whether choices say no more of a rule than choosing at random, whose loss is `nothing`.

    `smallest` is the smallest tau that was searched.
    """
    return tau <= 1.001 * smallest or loss > nothing - 1e-12


def noise_caveats(
    tau: float,
    tau_ends: tuple[float, float],
    loss: float,
    accuracy: float,
    plain_accuracy: float,
    countable: bool = True,
    restrained: bool = False,
    nothing: float = float(np.log(2.0)),
) -> list[Caveat]:
    """Say when choices are noise-free under some rule, look random, or look reversed.

    `plain_accuracy` is that of adding up everybody's utility, a rule that is rarely much worse
    than chance unless the outcomes mean the opposite. `countable` says whether errors of such
    rules can be counted, `restrained` whether certainty was charged for; then `accuracy` is that
    of a rule nearby which bends to every choice. `nothing` is the loss of choosing at random.
    """
    chance, (tau_min, tau_max) = float(np.exp(-nothing)), tau_ends
    turned = _reversed(accuracy + 0.5 - chance, plain_accuracy + 0.5 - chance)
    if turned:
        return turned
    if accuracy == 1.0 and restrained:
        message = (
            f"the choices are noise-free under some rule, so that the likelihood alone has no "
            f"largest tau; {tau:.3g} allows for how few decisions there are. Many rules explain "
            "them all" + (': noise="none" finds their whole set.' if countable else ".")
        )
        return [Caveat(SeparationWarning, message)]
    if accuracy == 1.0 and (tau >= 0.999 * tau_max or loss < _CERTAIN):
        message = (
            f"the choices are noise-free under this rule, so that tau has no largest value but its "
            f"cap, {tau_max:g}. Many rules explain them all"
            + (': noise="none" finds their whole set.' if countable else ".")
        )
        return [Caveat(SeparationWarning, message)]
    if tau >= 0.999 * tau_max:
        message = f"tau reached its cap, {tau_max:g}: larger would fit better. Raise tau_max."
        return [Caveat(SearchRangeWarning, message)]
    if tells_nothing(tau, loss, nothing, tau_min):
        return [Caveat(NotIdentifiedWarning, _RANDOM)]
    return []


def unexplained_caveats(avoidable: float, both_ways: str) -> list[Caveat]:
    """Say when decisions that were said to be free of errors have this share of them.

    `both_ways` says which errors are left aside, because decisions contradict each other.
    """
    if avoidable <= 0:
        return []
    message = (
        f"no rule was found that explains every decision: {avoidable:.1%} are errors, those left "
        f"aside where {both_ways}, though "
        'noise="none" says that there are none. Use noise="flip" or noise="logistic" to learn how '
        "often they err."
    )
    return [Caveat(MisfitWarning, message)]


def exact_caveats(
    intervals: Sequence[PowerInterval],
    learned: bool,
    accuracy: float,
    plain_accuracy: float,
    opposite: float,
) -> list[Caveat]:
    """Say when choices look random or reversed, or when quite different powers are as good.

    Accuracies are such that chance is one half; `opposite` is the share of the choices whose
    opposite one of the two rules explains.
    """
    turned = _reversed(accuracy, plain_accuracy, opposite)
    if turned:
        return turned
    if accuracy <= 0.5:
        return [Caveat(NotIdentifiedWarning, _RANDOM)]
    if not learned:
        return []
    low, high = intervals[0].low, intervals[-1].high
    if PowerInterval(low, high, True, True).width <= _FAR_APART:
        return []
    where = f"p from {low:g} to {high:g}" if len(intervals) == 1 else "powers as far apart as "
    if len(intervals) > 1:
        where += f"{intervals[0]} and {intervals[-1]}"
    message = (
        f"p is hardly determined: {where} explain the decisions equally well. The p shown is one "
        "of them; result_.exact.intervals has them all."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def menu_caveats(without_choice: int, decisions: int) -> list[Caveat]:
    """Say how many menus offered no choice, and were counted for nothing."""
    if not without_choice:
        return []
    message = (
        f"{without_choice} of {decisions} menus hold one action only: they offered no choice, say "
        "nothing about the rule, and were left out."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def outside_caveats(refused: float, decisions: int) -> list[Caveat]:
    """Say when none of these was never chosen, so that nothing tells how little it is worth."""
    if refused:
        return []
    message = (
        f"none of these was never chosen in {decisions} decisions: it is worth less than what was "
        "on offer, and how much less cannot be told. The welfare shown for it is the lowest that "
        "is considered, and the rule is the same without outside."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def one_stage_caveats() -> list[Caveat]:
    """Say that temperatures by stage were asked for where there is one stage."""
    message = (
        "tau_by_stage=True has no effect: each decision is a single choice, and there are no "
        "later ones. Leave it out."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def stage_caveats(found: Stages, worst: bool) -> list[Caveat]:
    """Say when one temperature was fitted to choices of which the later are noisier, or less so.

    `worst` tells that of each menu the best was chosen, and then the worst.
    """
    if found.test.p_value >= _CLEARLY:
        return []
    how = "noisier" if found.ratio < 1 else "less noisy"
    which = "choices of the worst" if worst else "second choices"
    if len(found.taus) > 2:
        which = "choices further down the rankings"
    message = (
        f"{which} are {how}: their temperature is {found.ratio:.2g} of that of the first "
        f"(likelihood ratio {found.test.statistic:.1f}, p-value {found.test.p_value:.2g}), while "
        "one for all was fitted. tau_by_stage=True gives each its own."
    )
    return [Caveat(MisfitWarning, message)]


def _reversed(
    accuracy: float, plain_accuracy: float, opposite: float | None = None
) -> list[Caveat]:
    """Say when the opposite choices are explained much better than these."""
    if accuracy >= REVERSED_BELOW and plain_accuracy >= min(REVERSED_BELOW, 1.0 - accuracy):
        return []
    explained = 1.0 - min(accuracy, plain_accuracy) if opposite is None else opposite
    message = (
        f"{_REVERSED}: no rule of this family explains them well, but the "
        f"opposite choices are explained to {explained:.0%}. The "
        "labels may be reversed, or utilities may be harms: +1 must mean that the first was "
        "preferred, and more utility must be better."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def reversal(caveats: Sequence[Caveat]) -> Caveat | None:
    """Return the caveat that better and worse may have been mixed up; None if there is none."""
    turned = (c for c in caveats if c.message.startswith((_REVERSED, _FALLING)))
    return next(turned, None)


def give(caveats: Sequence[Caveat]) -> None:
    """Warn of each caveat, at the line of the user who called fit."""
    level = _levels_to_user()
    for caveat in caveats:
        if issubclass(caveat.kind, Remark):
            continue
        warnings.warn(caveat.message, caveat.kind, stacklevel=level)


def _levels_to_user() -> int:
    """How many calls above :func:`give` the user's line is, also through a pipeline."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and str(frame.f_globals.get("__name__")).split(".")[0] in _INNER:
        frame, level = frame.f_back, level + 1
    return level


def _sole_person(
    logs: FloatArray,
    optimum: Optimum,
    names: Sequence[str],
    shape: str,
    values: FloatArray | None,
    learn_power: bool,
) -> list[Caveat]:
    """With one person's utility alone, every p gives the same welfare."""
    weights, p = optimum.weights, optimum.point.p
    if len(weights) == 1 or weights.max() < _ALL_WEIGHT:
        return []
    person = int(weights.argmax())
    welfare = values
    if welfare is None:
        welfare = log_mean_of_logs(logs, weights, p, bool(np.isneginf(logs.min()))).value
    # Far out even a weight of 1e-20 sways welfare, and then p does matter.
    if not np.allclose(welfare, logs[person], rtol=0.0, atol=_SAME_WELFARE):
        return []
    if not learn_power:
        message = (
            f"nobody but {names[person]} counts, so that this is the same rule at every {shape} "
            f"and says nothing about {shape} = {p:g}: equal weights would ask about everybody."
        )
        return [Caveat(NotIdentifiedWarning, message)]
    message = (
        f"{shape} cannot be determined: all weight is on {names[person]}, so that every "
        f"{shape} gives the same welfare. The {shape} shown is one of many."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def _outside_range(utilities: FloatArray, scores: FloatArray, counts: FloatArray) -> list[Caveat]:
    known = extremes_of(utilities) if is_source(utilities) else (utilities, utilities)
    if known is None:
        return []
    low, high = known[0].min(axis=1), known[1].max(axis=1)
    outside = (scores < low * (1 - _ROUNDING)) | (scores > high * (1 + _ROUNDING))
    share = float(counts @ outside) / float(counts.sum())
    if share <= 0.5:
        return []
    message = (
        f"{share:.0%} of the scores lie outside the range of their action's utilities, where no "
        "welfare of this family can be. If scores are on another scale, set scale=True."
    )
    return [Caveat(MisfitWarning, message)]


def _twins(logs: FloatArray, names: Sequence[str]) -> list[Caveat]:
    """People whose utilities are the same in every action share one identified weight."""
    seen: dict[bytes, int] = {}
    pairs = []
    for person, row in enumerate(logs):
        # A few entries tell almost everybody apart without a look at the rest.
        first = seen.setdefault(row[:64].tobytes(), person)
        if first != person and np.array_equal(row, logs[first]):
            pairs.append((first, person))
    if not pairs:
        return []
    shown = "; ".join(f"{names[a]} and {names[b]}" for a, b in pairs[:_MOST_NAMES])
    message = (
        f"only the sum of some weights is determined, because the utilities are the same in every "
        f"action: {shown}. Put them in one group."
    )
    return [Caveat(NotIdentifiedWarning, message)]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _named(people: npt.NDArray[np.intp], names: Sequence[str]) -> str:
    shown = ", ".join(names[i] for i in people[:_MOST_NAMES])
    more = len(people) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown

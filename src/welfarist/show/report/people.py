"""Who counts how much, and two people's gains side by side."""

from __future__ import annotations

import numpy as np

from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.results.record import FitResult
from welfarist.show import plots
from welfarist.show.plots.indifference_curves import doctrines_beside, pair_of
from welfarist.show.plots.weight_figures import dots_of, height_for
from welfarist.show.report import words
from welfarist.show.report.facts import Ends, Facts
from welfarist.show.report.markup import NOTHING, Html, paragraph, section, table
from welfarist.show.report.pictures import WIDE, drawn

# Weights that differ by less are printed alike.
_TIED = 5e-4
_MOST_NAMES = 5


def who_counts(facts: Facts) -> Html:
    """Who counts how much, as a figure and a table."""
    result, ends = facts.result, _drawn_ends(facts)
    if result.reach is not None:
        return _who_reaches(facts)
    alike = facts.heads is None and _all_equal(result)
    if "weights" in result.given and alike:  # one number, of which a figure says less
        return section("Who counts how much", paragraph(_about_weights(facts)))
    parts = [paragraph(_about_weights(facts))]
    parts.append(
        drawn(
            lambda axes: plots.weights(
                result, axes, level=facts.level if ends is not None else None, intervals=ends
            ),
            (WIDE[0], height_for(dots_of(result))),
            f"The weights of {_everybody(result)}; the numbers are in the table below.",
            (
                f"Each dot is a {_one(result) if facts.heads is None else 'group'}'s weight"
                if result.members is None
                else "Each dot is the weight of every member of a group, whose size is in brackets"
            )
            + (f", the bar its {facts.percent} interval" if ends is not None else "")
            + (
                ". The dashed line is where everybody counts the same."
                if facts.heads is None
                else ". The dashed line is where every group counts the same, however many it has."
            ),
        )
    )
    return section("Who counts how much", *parts, _weight_table(facts))


def _all_equal(result: FitResult) -> bool:
    """Whether all weights are the same, as they are printed."""
    return bool(np.ptp(result.weights) < _TIED)


def _one(result: FitResult) -> str:
    """What a weight is of."""
    return "place" if result.family.by_place else "person"


def _everybody(result: FitResult) -> str:
    """How many people there are, and in how many groups."""
    people = words.counted(len(result.weights), _one(result)).replace("persons", "people")
    groups = "" if result.members is None else words.counted(len(result.members), "group")
    return f"{people} in {groups}" if groups else people


def _who_reaches(facts: Facts) -> Html:
    """Who counts where p is so far out that weights mislead."""
    result = facts.result
    given = "The weights were given, not learned. " if "weights" in result.given else ""
    said = result.family.reach_in_words(result.p, words.power(result.p, family=result.family))
    figure = drawn(
        lambda axes: plots.weights(result, axes, level=None),
        (WIDE[0], height_for(dots_of(result))),
        f"How far the weights of {_everybody(result)} reach; the numbers are in the table below.",
        f"Each dot is a {_one(result)}'s reach."
        if result.members is None
        else "Each dot is the reach of every member of a group, whose size is in brackets.",
    )
    return section("Who counts how much", paragraph(given + said), figure, _reach_table(facts))


def _reach_table(facts: Facts) -> Html:
    """Reach and weight: a row a person, or a group where there are groups."""
    result, groups = facts.result, facts.result.members
    assert result.reach is not None
    shown = list(range(len(result.weights)))
    columns = {_one(result): list(result.stakeholders)}
    if groups is not None:
        shown = [members[0] for members in groups.values()]
        columns = {"group": list(groups), "people": [str(len(m)) for m in groups.values()]}
    columns["reach"] = [f"{result.reach[i]:.2f}" for i in shown]
    columns["weight"] = [f"{result.weights[i]:.1g}" for i in shown]
    rows = list(zip(*columns.values(), strict=True))
    title = "How far weights reach, beside the weights themselves, which mislead here"
    return table(title, list(columns), rows, (0,))


def _drawn_ends(facts: Facts) -> FloatArray | None:
    """Ends of the bars (d, 2): a weight without an interval has a bar of no length."""
    if not facts.sure.weights:
        return None
    pairs = zip(facts.sure.weights, facts.result.weights.tolist(), strict=True)
    return np.array([(weight, weight) if ends is None else ends for ends, weight in pairs])


def _weight_table(facts: Facts) -> Html:
    """Weights with what is known about each: a row a person, or a group where there are groups."""
    result, groups = facts.result, facts.result.members
    shown = list(range(len(result.weights)))
    if groups is None:
        columns = _whose(facts)
        columns["weight"] = [_known_share(facts, person) for person in shown]
    else:
        shown = [members[0] for members in groups.values()]
        columns = {"group": list(groups), "people": [str(len(m)) for m in groups.values()]}
        columns["weight of each"] = [_known_share(facts, person) for person in shown]
    if facts.sure.weights:
        columns[f"{facts.percent} interval"] = [_range(facts.sure.weights[i]) for i in shown]
    ranges = None if result.exact is None else result.exact.quick_ranges(result.decisions)
    if ranges is not None:
        columns["range over all rules that explain everything"] = [
            _range((float(ranges[0][i]), float(ranges[1][i]))) for i in shown
        ]
    last: tuple[int, ...] = ()
    if groups is not None:
        columns["together"] = [_share(result.weights[m].sum()) for m in groups.values()]
    elif any(result.weight_notes):
        last = (len(columns),)
        columns["note"] = list(result.weight_notes)
    rows = list(zip(*columns.values(), strict=True))
    return table("Weights, as shares of the total", list(columns), rows, (0, *last))


def _whose(facts: Facts) -> dict[str, list[str]]:
    """Columns that say whose a weight is: a person's, or that of many in a sketch."""
    names = list(facts.result.stakeholders)
    if facts.heads is None:
        return {_one(facts.result): names}
    return {"group": names, "people": [f"{many:,.10g}" for many in facts.heads]}


def _by_heads(heads: FloatArray) -> str:
    """What groups would have if everybody counted the same."""
    shares = (heads / heads.sum()).tolist()
    if len(shares) > _MOST_NAMES:
        return "Were everybody to count the same, groups would count by how many they are."
    return f"Were everybody to count the same, it would be {listed(list(map(_share, shares)))}."


def _about_weights(facts: Facts) -> str:
    result = facts.result
    if "weights" in result.given and facts.heads is not None:
        return f"The weights were given, not learned. {_by_heads(facts.heads)}"
    if "weights" in result.given:
        same = " Everybody counts the same." if _all_equal(result) else ""
        return f"The weights were given, not learned.{same}"
    if result.theta:
        return (
            f"{_largest(result)} Weights follow from attributes, as the next section says; how "
            "sure they are is said there."
        )
    equal = f"Equal weights would be {_share(1.0 / len(result.weights))} each."
    if facts.heads is not None:
        equal = _by_heads(facts.heads)
    none = _who_does_not_count(result)
    reason = ""
    if result.exact is None and (not facts.sure.weights or None in facts.sure.weights):
        missing = (
            "Some weights have no interval" if facts.sure.weights else "There are no intervals"
        )
        said = facts.sure.power is None and "p" not in result.given
        none_of = f", as there is none of {result.family.shape.name}."
        reason = f" {missing}" + (none_of if said else f": {facts.sure.why_missing}")
    return f"{_largest(result)} {equal}{none}{reason}"


def _who_does_not_count(result: FitResult) -> str:
    """How many weights ended at 0: people's, or groups' where people are in groups."""
    gone = int((result.weights == 0).sum())
    if not gone:
        return ""
    if result.members is None:
        return f" {words.counted(gone, 'weight')} ended at 0: those people do not count."
    groups = [name for name, members in result.members.items() if result.weights[members[0]] == 0]
    one = len(groups) == 1
    said = f"{'weight' if one else 'weights'} of {'group' if one else 'groups'} {listed(groups)}"
    return f" The {said} ended at 0: those people do not count."


def _largest(result: FitResult) -> str:
    """Whose weight is the largest: a person's, a group's, or that of several."""
    largest = float(result.weights.max())
    tied = np.flatnonzero(result.weights > largest - _TIED).tolist()
    share = _share(largest)
    groups = result.members
    if len(tied) == len(result.weights) > 1:
        return "All weights are about the same."
    if groups is not None:
        names = [group for group, members in groups.items() if members[0] in tied]
        together = _share(float(result.weights[tied].sum()))
        of = f"group {names[0]}" if len(names) == 1 else f"groups {listed(names)}"
        if len(tied) > 1:
            who = words.counted(len(tied), "person").replace("persons", "people")
            return (
                f"The largest weight, {share} each, is that of {of} ({who}, together {together})."
            )
        return f"The largest weight, {share}, is that of {of}."
    if len(tied) == 1:
        the = "the " if result.family.by_place else ""
        return f"The largest weight, {share}, is that of {the}{result.stakeholders[tied[0]]}."
    names = [result.stakeholders[i] for i in tied[:_MOST_NAMES]]
    if len(tied) > _MOST_NAMES:
        names.append(f"{len(tied) - _MOST_NAMES} more")
    return f"The largest weights, {share} each, are those of {listed(names)}."


def _range(ends: Ends | None) -> str:
    return "none" if ends is None else f"{_share(ends[0])} to {_share(ends[1])}"


def _known_share(facts: Facts, person: int) -> str:
    """A weight; one that the data do not determine is one of many, and has no digits to show."""
    weight = float(facts.result.weights[person])
    return f"{100 * weight:.0f}%, one of many" if person in facts.flat else _share(weight)


def _share(weight: float) -> str:
    return f"{100 * weight:.1f}%"


def bargains(facts: Facts, pair: tuple[object, object] | None, unit: str | None = None) -> Html:
    """Indifference curves of two people; `unit` is that of utilities."""
    result = facts.result
    if len(result.weights) < 2 or facts.utilities is None or result.weights_mislead:
        return NOTHING  # far out a curve is a corner, and doctrines with such weights say nothing
    if result.family.least < 0 and facts.utilities.min() < 0:  # which no such axes show
        return NOTHING
    figure = drawn(
        lambda axes: plots.indifference(result, pair, axes),
        (4.6, 3.5),
        f"Curves of outcomes for two people that {_drawn_rules(result)} equally good.",
        "Outcomes on one curve are as good as the dot, which has the median utility of each"
        f"{_about_curves(result)}{_about_others(result)}"
        + (f" Utilities are in {unit}." if unit else "")
        + (f" {words.amount(result.shift)} was added to every utility." if result.shift else ""),
    )
    chosen = "those chosen for this report"
    if pair is None:
        chosen = "those with the largest weights"
        if result.family.by_place:
            chosen = "the first two, whose places change on the way"
        elif _all_equal(result):
            chosen = "the first two of those who count the same"
        if result.members is not None and len(result.members) > 1:
            chosen = "one of each of the two groups whose members have the largest weights"
    intro = paragraph(f"Two people side by side, {chosen}:") if figure else NOTHING
    return section("Gains of one person against gains of another", intro, figure)


def _drawn_rules(result: FitResult) -> str:
    """The rules whose curves are drawn, with the verb that follows."""
    names = list(doctrines_beside(result))
    if not names:
        return "the learned rule finds"
    rules = "rule" if len(names) == 1 else "rules"
    return f"the learned rule, and the {listed(names)} {rules}, find"


def _about_curves(result: FitResult) -> str:
    """How curves are read; that more is better is known of power means only."""
    if result.family == POWER_MEAN:
        return (
            "; those above it are better. The more a curve bends, the less one person's gain makes "
            "up for another's loss."
        )
    return (
        ". On a straight one somebody's gain makes up for the other's loss at the same rate "
        "everywhere."
    )


def _about_others(result: FitResult) -> str:
    """What the others have to do with the curves of two people."""
    if len(result.weights) == 2:
        return ""
    if result.family != POWER_MEAN:
        return " Everybody else has their median utility."
    best = " (for the learned rule: worse off)" if np.isposinf(result.p) else ""
    return (
        " What the others have changes none of the curves but the egalitarian one, for which they "
        f"are taken to be better off than these two{best}."
    )


def checked_people(result: FitResult, pair: object) -> None:
    """Refuse a pair of people whose curves cannot be drawn, before any work is done."""
    if pair is not None:
        pair_of(result, pair)

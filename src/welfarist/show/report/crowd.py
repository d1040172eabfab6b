"""The report on everybody's own rule, and on the population of rules."""

from __future__ import annotations

from collections.abc import Iterator

from welfarist.base.validation import check_level
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.show import plots
from welfarist.show.plots.individual_figures import height_for_people
from welfarist.show.report import sections, several, type_words, words
from welfarist.show.report.markup import (
    NOTHING,
    Html,
    box,
    bullets,
    folded,
    paragraph,
    section,
    table,
)
from welfarist.show.report.page import Asked, Contents
from welfarist.show.report.pictures import WIDE, drawn

# People of whose weights a sentence is said, and whose weights are in the table of everybody.
_MOST_WEIGHTS = 4


def crowd(result: DecidersResult, asked: Asked) -> Contents:
    """Return what there is to say of everybody's own rule."""
    several.refuse_options(asked)
    level = check_level(asked.level)
    always = [
        "What is said of somebody combines that person's decisions with how people differ: with "
        "few decisions it is drawn towards the middle of all.",
    ]
    return Contents(
        several.TITLE,
        several.warning(result),
        box(paragraph(_headline(result))),
        (
            _differences(result, level),
            _everybody(result, level),
            several.beside(result.candidates),
            several.subgroups(result, _changes(result, level)),
            several.caveats(result, result.panel, always),
            several.data_and_method(result, result.panel, asked, _how(result)),
            sections.citation(),
        ),
    )


def _headline(result: DecidersResult) -> str:
    these = f"these {type_words.of_people(len(result.names))}"
    family = result.panel.loss.family
    if result.population.kind == "types" and result.best.types != 1:
        return words.sentence(f"{these} are of {result.best.types} types")
    if result.candidates[0].bic <= result.bic:
        return f"There is no sign that {these} follow different rules."
    if not result.panel.loss.learn_power:
        return words.sentence(f"{these} differ in who counts how much, or in how often they err")
    low, middle, high = (float(x) for x in result.population.quantiles(family.shape.name))
    rule = words.rule(words.power(middle, family=family), middle, family)
    ends = words.power(low, family=family), words.power(high, family=family)
    said = words.sentence(f"the typical one of {these} has {rule}")
    return f"{said} Half of them lie between {ends[0]} and {ends[1]}."


def _differences(result: DecidersResult, level: float) -> Html:
    """The population in words, as a figure and a table."""
    family, population = result.panel.loss.family, result.population
    rows = [
        [
            _called(name),
            *(several.value(name, float(x), family) for x in population.quantiles(name)),
        ]
        for name in population.varying
        if result.panel.loss.learn_power or name not in (family.shape.name, "epsilon")
    ]
    figure = drawn(
        lambda axes: plots.individuals(result, axes, level=level),
        (WIDE[0], height_for_people(len(result.names))),
        "Everybody's own number with its interval, in order, before how it is distributed among "
        "people; the numbers are in the tables below.",
        "Every dot is somebody, the bar what their decisions leave open. Behind: how people "
        "differ as a whole. Intervals overlap, so that the order of neighbours says little.",
    )
    says = [paragraph(family.says)] if family.says and result.panel.loss.learn_power else []
    return section(
        "How people differ",
        *says,
        bullets(list(_in_words(result, level))),
        figure,
        table(
            "Among people",
            ["", "a quarter has less than", "half have less than", "a quarter has more than"],
            rows,
        ),
    )


def _called(name: str) -> str:
    return "inequality aversion" if name == "epsilon" else name


def _in_words(result: DecidersResult, level: float) -> Iterator[str]:
    family, population = result.panel.loss.family, result.population
    if result.panel.loss.learn_power:
        for name, share in population.doctrines.items():
            than = f"more averse to inequality than {name}" if family.has_aversion else (
                f"below {name}"
            )  # fmt: skip
            some = type_words.share(share)
            be = "are" if some.startswith("about") else "is"
            yield words.sentence(f"{some} ({words.percent(share)}) {be} {than}")
    people = result.stakeholders[:1] if len(result.stakeholders) == 2 else result.stakeholders
    for who in people[:_MOST_WEIGHTS]:
        low, _, high = (words.percent(float(x)) for x in population.quantiles(f"weight of {who}"))
        if low != high:
            yield f"For half of them the weight of {who} is between {low} and {high}."
    yield from _together(result, level)


def _together(result: DecidersResult, level: float) -> Iterator[str]:
    """What goes together among people, where that is sure."""
    if result.population.normal is None:
        return
    for row in result.population.estimates(level):
        prefix = "correlation of "
        if not row.parameter.startswith(prefix) or row.low is None or row.high is None:
            continue
        if row.low <= 0.0 <= row.high:
            continue
        one, other = row.parameter.removeprefix(prefix).split(" and ", 1)
        more = "larger" if row.estimate > 0 else "smaller"
        ends = f"{row.low:.2f} to {row.high:.2f}"
        yield several.minus(
            f"People with a larger {_plain(one)} tend to have a {more} {_plain(other)} "
            f"(correlation {row.estimate:.2f}, {words.percent(level)} interval {ends})."
        )


def _plain(name: str) -> str:
    """A number in which rules vary, without the function that makes it normal."""
    return name.removeprefix("asinh ").removeprefix("log ")


def _everybody(result: DecidersResult, level: float) -> Html:
    """One row a person, folded where there are many."""
    family, columns = result.panel.loss.family, result.individual_columns(level)
    weights = [f"weight of {who}" for who in result.stakeholders[:_MOST_WEIGHTS]]
    shown = [family.shape.name] if result.panel.loss.learn_power else []
    shown += [*weights, "tau"]
    rows = []
    for i, who in enumerate(columns["who"]):
        cells = [
            several.with_interval(
                name, columns[name][i], columns[f"{name}_low"][i], columns[f"{name}_high"][i],
                family,
            )
            for name in shown
        ]  # fmt: skip
        rows.append([who, f"{columns['decisions'][i]:,g}", *cells])
    caption = f"Everybody's own rule, in brackets {words.percent(level)} intervals"
    left = len(result.stakeholders) - _MOST_WEIGHTS
    if left > 0:
        caption += f"; weights of the first {type_words.number(_MOST_WEIGHTS)} people"
    made = table(caption, ["who", "decisions", *shown], rows, cards=True)
    if len(rows) > several.FEW_ROWS:
        made = folded(f"All {type_words.of_people(len(rows))}, by name", made)
    return section("Everybody", made)


def _changes(result: DecidersResult, level: float) -> Html:
    """By how much what is known moves the middle of people's rules."""
    names = result.covariates.names[1:]
    if not names or result.population.normal is None:
        return NOTHING
    rows = []
    for row in result.population.estimates(level):
        number, by, column = row.parameter.rpartition(" by ")
        if not by or column not in names:
            continue
        within = ""
        if row.low is not None and row.high is not None:
            within = f"{words.amount(row.low, 2)} to {words.amount(row.high, 2)}"
        change = words.amount(row.estimate, 2)
        rows.append([column, number, several.minus(change), several.minus(within)])
    return table(
        "By how much it changes, by unit of what is known",
        ["known of people", "number", "change", f"{words.percent(level)} interval"],
        rows,
        (0, 1),
    )


def _how(result: DecidersResult) -> str:
    if result.population.normal is None:
        return (
            "Rules have too many numbers for a smooth distribution: everybody follows one of a few "
            "rules, which were found with their shares by maximum likelihood."
        )
    return (
        "Rules are distributed normally among people, in numbers without ends: asinh p, logarithms "
        "of ratios of weights, and log tau. The distribution was found by maximum likelihood; what "
        "is said of somebody is the median of what is likely after their decisions, of weights the "
        "mean."
    )

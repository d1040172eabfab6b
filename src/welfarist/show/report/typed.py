"""The report on types of decision makers."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.validation import FloatArray, check_level
from welfarist.deciders.candidates import best_of
from welfarist.deciders.types_result import TypesResult
from welfarist.show import plots
from welfarist.show.plots.membership_figures import sorted_people
from welfarist.show.plots.type_figures import table_size
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

# Somebody this likely of a type is sorted without much doubt.
_SURE = 0.9
# Weights of more people are in the table alone.
_MOST_DRAWN = 14
# Height in inches of a figure of types by the number of people who are affected.
_HEIGHTS = {2: 5.4, 3: 6.0}


def typed(result: TypesResult, asked: Asked) -> Contents:
    """Return what there is to say of types."""
    several.refuse_options(asked)
    level = check_level(asked.level)
    panel = result.mixture.panel
    always = [
        "A type is a name for people who decide alike. Nobody was asked what they are, and a type "
        "says nothing about why people decide as they do."
    ]
    return Contents(
        several.TITLE,
        several.warning(result),
        _answer(result),
        (
            _types(result, level),
            _who_belongs(result),
            several.beside(result.candidates, several.number_figure(result)),
            _starts(result),
            several.subgroups(result, _odds(result)),
            several.caveats(result, panel, always),
            several.data_and_method(result, panel, asked, _how(level)),
            sections.citation(),
        ),
    )


def _answer(result: TypesResult) -> Html:
    """How people differ, in a sentence, and the types in one each."""
    if result.n_types == 1:
        return box(paragraph(_headline(result)), paragraph(words.sentence(_said(result, 0))))
    said = [
        words.sentence(f"type {k + 1}, {type_words.share(one.share)} ({words.percent(one.share)}): "
                       f"{_said(result, k)}")
        for k, one in enumerate(result.types)
    ]  # fmt: skip
    return box(paragraph(_headline(result)), bullets(said))


def _headline(result: TypesResult) -> str:
    these = f"these {type_words.of_people(len(result.names))}"
    best, kinds = best_of(result.candidates), type_words.number(result.n_types)
    types = "the rule below is" if result.n_types == 1 else f"the {kinds} types below are"
    if best.types is None:
        return words.sentence(
            f"{these} differ by degree: their rules shade into each other, and {types} a summary"
        )
    if best.types == result.n_types == 1:
        return f"There is no sign that {these} follow different rules."
    if best.types == result.n_types:
        return words.sentence(f"{these} are of {kinds} types, each with a rule of its own")
    better = several.description(best)
    return words.sentence(f"{these} are described better by {better}; {types} what was asked for")


def _said(result: TypesResult, k: int) -> str:
    """What a type does, in a clause or a few."""
    one, family = result.types[k], result.mixture.panel.loss.family
    parts = []
    if np.isfinite(one.p) and family.reach(one.p, one.weights) is None:
        parts.append(type_words.weights(one.weights, result.stakeholders))
    if _is_told(result, k):
        p = words.power(one.p, family=family)
        parts.append(words.rule(p, one.p, family).replace(": ", ", that is, ", 1))
    else:
        parts.append(f"their decisions do not tell {family.shape.name}")
    parts.append(type_words.errors(_accuracy(result, k)))
    if one.doubtful:
        parts.append("they may follow no rule of this kind at all")
    return "; ".join(parts)


def _is_told(result: TypesResult, k: int) -> bool:
    """Whether the interval of the shape leaves something out."""
    shape = result.mixture.panel.loss.family.shape
    for row in result.estimates():
        if row.type == k and row.parameter == shape.name:
            return (row.low, row.high) != (shape.lowest, shape.highest)
    return True


def _accuracy(result: TypesResult, k: int) -> float:
    """The share of its members' decisions that a type's rule gets right."""
    weighted = result.mixture.weighted(k)
    here = weighted.evaluate(result.mixture.points[k])
    observed: Any = weighted.observed  # of comparisons or of choices, which both know it
    return float(observed.accuracy(here.response))


def _types(result: TypesResult, level: float) -> Html:
    """The numbers of every type, as a figure and a table."""
    family = result.mixture.panel.loss.family
    rows = result.estimates(level)
    numbers = {(row.parameter, row.type): row for row in rows}
    cells = []
    for name in dict.fromkeys(row.parameter for row in rows):
        if name == "share" and result.n_types == 1:
            continue
        found = [name]
        for k in range(result.n_types):
            row = numbers.get((name, k))
            if row is None:
                found.append("")
                continue
            number = several.with_interval(name, row.estimate, row.low, row.high, family)
            found.append(number + (" (given)" if row.method == "given" else ""))
        cells.append(found)
    right = [words.percent(_accuracy(result, k)) for k in range(result.n_types)]
    cells.append(["decisions it gets right", *right])
    header = ["number", *(f"type {k + 1}" for k in range(result.n_types))]
    if result.n_types == 1:
        header = ["number", "estimate"]
    caption = f"In numbers, in brackets {words.percent(level)} intervals"
    heading = "The types" if result.n_types > 1 else "The rule"
    says = [paragraph(family.says)] if family.says else []
    return section(
        heading, *says, _figure(result, level), table(caption, header, cells, cards=True)
    )


def _figure(result: TypesResult, level: float) -> Html:
    people = len(result.stakeholders)
    if people > _MOST_DRAWN or result.n_types == 1:
        return NOTHING
    high = _HEIGHTS.get(people, table_size(result)[1])
    caption = "The larger a disk, the more people are of the type."
    if people > 3:
        caption = "The darker, the more somebody counts."
    return drawn(
        lambda axes: plots.types(result, axes, level=level),
        (WIDE[0], high),
        "The types by who counts how much; the numbers are in the table below.",
        caption,
    )


def _who_belongs(result: TypesResult) -> Html:
    """How clearly people are sorted, as a figure and tables."""
    if result.n_types == 1:
        return NOTHING
    belongs = result.membership
    likeliest, surest = belongs.argmax(axis=1), belongs.max(axis=1)
    sure = int((surest >= _SURE).sum())
    rows = []
    for k in range(result.n_types):
        own = likeliest == k
        rows.append([f"type {k + 1}", f"{own.sum():,}", f"{(own & (surest >= _SURE)).sum():,}"])
    figure = drawn(
        lambda axes: plots.membership(result, axes),
        (WIDE[0], WIDE[1] + 0.6),
        "How likely each person belongs to each type, sorted by the likeliest; the numbers are in "
        "the table below.",
        "Every person is a column, filled with how likely each type is. Full columns are people "
        "who are sorted without doubt.",
    )
    return section(
        "Who belongs where",
        paragraph(_how_clearly(sure, len(belongs))),
        figure,
        table(
            "For how many people each type is the likeliest",
            ["", "people", f"of them with at least {words.percent(_SURE)}"],
            rows,
        ),
        _everybody(result, belongs),
    )


def _how_clearly(sure: int, people: int) -> str:
    """How many people are sorted without much doubt."""
    certain = f"with a certainty of at least {words.percent(_SURE)}"
    if sure == people:
        return f"All {type_words.of_people(people)} can be sorted {certain}."
    return (
        f"Of {type_words.of_people(people)}, {sure:,} can be sorted {certain}. The others decided "
        "so that more than one type could be theirs: whatever is done with them should use how "
        "likely each type is."
    )


def _everybody(result: TypesResult, belongs: FloatArray) -> Html:
    order = sorted_people(belongs)
    header = ["who", "likeliest", *(f"type {k + 1}" for k in range(result.n_types))]
    rows = [
        [
            result.names[i],
            f"type {belongs[i].argmax() + 1}",
            *(words.percent(float(x)) for x in belongs[i]),
        ]
        for i in order.tolist()
    ]
    made = table("How likely everybody belongs to each type", header, rows, (0, 1))
    if len(rows) <= several.FEW_ROWS:
        return made
    return folded(f"All {type_words.of_people(len(rows))}, by name", made)


def _starts(result: TypesResult) -> Html:
    """Whether the search found the best there is."""
    best = result.best
    if best.starts is None or best.starts < 2 or best.agreeing is None:
        return NOTHING
    many = best.agreeing * 2 >= best.starts
    return section(
        "Was the best found?",
        paragraph(
            f"The search began in {best.starts} places; {best.agreeing} of these searches ended in "
            "the same types, and none in better ones."
            + ("" if many else " With so few that agree, better types may exist.")
        ),
    )


def _odds(result: TypesResult) -> Html:
    """How membership depends on what is known, as odds."""
    if not result.covariates.columns or result.n_types == 1:
        return NOTHING
    columns = result.coefficients()
    last = result.n_types
    rows = []
    for kind, name, log_odds, error in zip(
        *(list(columns[c]) for c in ("type", "column", "log_odds", "standard_error")), strict=True
    ):
        if name != "constant":
            known = "" if error != error else words.amount(error, 2)
            rows.append(
                [f"type {int(kind) + 1}", name, several.minus(words.amount(log_odds, 2)), known]
            )
    return table(
        f"Log odds of each type against type {last}, by unit of what is known of people: above 0 "
        "it is likelier",
        ["type", "known of people", "log odds", "standard error"],
        rows,
        (0, 1),
    )


def _how(level: float) -> str:
    return (
        "Everybody follows one of the rules, and nobody says which: rules, shares and who belongs "
        "where were found together, by maximum likelihood from many starts. Intervals "
        f"({words.percent(level)}) come from standard errors that are right even if a rule "
        "describes people only nearly; beside an edge they hold every value that a "
        "likelihood-ratio test does not reject."
    )

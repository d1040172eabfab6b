"""What reports on several decision makers share: candidates, subgroups, caveats, data, method."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from welfarist.base.errors import InputError
from welfarist.base.wording import listed
from welfarist.deciders.candidates import Candidate, best_of
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.panel import Panel
from welfarist.deciders.types_result import TypesResult
from welfarist.decisions import Choices
from welfarist.families.base import Family
from welfarist.noise.choices import RHO
from welfarist.show import plots
from welfarist.show.report import type_words, words
from welfarist.show.report.markup import NOTHING, Html, bullets, formula, paragraph, section, table
from welfarist.show.report.page import Asked
from welfarist.show.report.pictures import WIDE, drawn
from welfarist.show.report.plain_words import plain
from welfarist.show.symbols import MINUS

TITLE = "Which rules do these people follow?"
# Differences of BIC below these are hardly worth a word, or only some evidence.
_HARDLY, _CLEARLY = 2.0, 10.0
# With fewer rows than this a table is not folded.
FEW_ROWS = 20
# What stands before a number of a rule where it is without ends.
_FUNCTIONS = re.compile(r"\b(?:asinh|log) (?=p\b|weight|tau)")

Several = TypesResult | DecidersResult


def refuse_options(asked: Asked) -> None:
    """Refuse what makes sense for one rule only."""
    for name, value in (("method", asked.method), ("people", asked.people)):
        if value is not None:
            raise InputError(
                f"{name} is an option of a report on one rule; found {value!r} for several "
                "decision makers. Leave it out."
            )


def warning(result: Several) -> str:
    """That the search did not end well; empty if it did."""
    if result.converged:
        return ""
    return (
        "Warning: the search did not end well. The numbers in this report are the best that was "
        "found, and may be far from the best there is."
    )


def description(one: Candidate) -> str:
    """Return in words how a candidate describes people."""
    if one.types is None:
        return "everybody a rule of their own, differing by degree"
    return "one rule for all" if one.types == 1 else f"{type_words.number(one.types)} types"


def beside(candidates: Sequence[Candidate], figure: Html = NOTHING) -> Html:
    """Other ways to describe the same people, which describes them best, and a figure of it."""
    best = best_of(candidates)
    rows = [
        [
            description(one),
            str(one.parameters),
            f"{one.bic:,.1f}",
            "the best" if one is best else f"{one.bic - best.bic:,.1f} behind",
        ]
        for one in candidates
    ]
    return section(
        "Types, differences by degree, or one rule for all?",
        paragraph(
            "A description with more numbers always fits better. BIC sets against that how many "
            "had to be learned: the lower it is, the better a description. It takes people, not "
            "decisions, for observations."
        ),
        table(
            "Ways to describe the same decisions",
            ["description", "numbers learned", "BIC", "compared"],
            rows,
            (0, 3),
        ),
        figure,
        paragraph(verdict(candidates)),
    )


def verdict(candidates: Sequence[Candidate]) -> str:
    """Say which description is best, and how clearly."""
    best = best_of(candidates)
    others = sorted((one for one in candidates if one is not best), key=lambda one: one.bic)
    if not others:
        return "Nothing else was tried."
    gap = others[0].bic - best.bic
    how = "clear" if gap > _CLEARLY else "some" if gap > _HARDLY else "hardly any"
    said = (
        f"Best is: {description(best)}. There is {how} evidence for that against the next best: "
        f"{description(others[0])}."
    )
    degree = next((one for one in candidates if one.types is None), None)
    types = [one for one in candidates if one.types is not None and one.types > 1]
    if degree is not None and types and best is degree:
        said += (
            " Where differences by degree describe people better than types do, types are a "
            "summary: their borders are drawn by us, not found between people."
        )
    if degree is None and len(types) and best.types != 1:
        said += " Whether people differ by degree instead was not asked."
    if degree is not None and not types and best is degree:
        said += " Whether people are of a few types instead was not asked."
    return said


def number_figure(result: TypesResult) -> Html:
    """How well each number of types describes the decisions, where several were tried."""
    if sum(one.types is not None for one in result.candidates) < 3:
        return NOTHING
    return drawn(
        lambda axes: plots.number_of_types(result, axes),
        (WIDE[0], WIDE[1] + 1.2),
        "BIC and ICL against the number of types; the numbers of BIC are in the table.",
        "How well each number of types describes the decisions: lower is better.",
    )


def subgroups(result: Several, numbers: Html) -> Html:
    """Whether what is known of people says something about their rules; `numbers` say what."""
    columns = result.covariates.columns
    if not columns:
        return NOTHING
    if isinstance(result, TypesResult) and result.n_types == 1:
        return section(
            "Do subgroups differ?",
            paragraph("With one rule for all there is nothing in which subgroups could differ."),
        )
    rows = []
    for column in columns:
        test = result.test(same=[column.name])
        differ = test.p_value < words.REJECTED
        groups = listed(list(column.levels)) if column.levels else "a number"
        says = "they differ" if differ else "no sign of a difference"
        rows.append([column.name, groups, says, f"p-value {words.p_value(test.p_value)}"])
    about = "which type somebody belongs to" if isinstance(result, TypesResult) else "their rules"
    return section(
        "Do subgroups differ?",
        paragraph(
            f"Each line asks whether something that is known of people says anything about "
            f"{about}. "
            "A small p-value says that such a difference would be rare if it said nothing: below "
            f"{words.REJECTED:g} people are said to differ."
        ),
        table(
            "Tests by likelihood ratio", ["known of people", "groups", "found", "why"], rows,
            (0, 1, 2, 3),
        ),
        numbers,
    )  # fmt: skip


def caveats(result: Several, panel: Panel, always: Sequence[str]) -> Html:
    """What a reader of the numbers must know."""
    shape = panel.loss.family.shape.name
    messages = [_message(caveat.message, shape) for caveat in result.caveats]
    if not messages:
        messages = ["The fit gave no warnings."]
    scale = "the utilities are measured on a scale on which zero is to have nothing at all"
    if not panel.loss.family.ratios:
        scale = "the utilities of all people are measured on the same scale"
    shift = panel.setup.shift
    if shift:
        messages.append(
            f"{shift:g} was added to every utility before rules were learned: another number leads "
            f"to another {shape}."
        )
        scale = f"{scale} once that was added"
    assumed = (
        f"{shape} and the weights describe the decisions under the assumption that everybody "
        f"follows a rule of this family, the same one in all their decisions, and that {scale}."
    )
    return section("Caveats", bullets([*messages, *always, assumed]))


def _message(message: str, shape: str) -> str:
    """A caveat without code, and without functions that make numbers normal."""
    return words.sentence(_FUNCTIONS.sub("", plain(message)), shape)


def data_and_method(result: Several, panel: Panel, asked: Asked, how: str) -> Html:
    """What the numbers come from, and how."""
    family, counts = panel.loss.family, panel.counts
    fewest, most = f"{counts.min():,g}", f"{counts.max():,g}"
    rows = [
        *asked.given.rows(),
        ["decisions", f"{result.decisions:,g}"],
        ["people who decided", f"{panel.people:,}"],
        ["decisions a person", fewest if fewest == most else f"{fewest} to {most}"],
        ["people who are affected", str(len(result.stakeholders))],
    ]
    if panel.setup.shift:
        rows.append(["added to every utility", f"{panel.setup.shift:g}"])
    kind = panel.decided.in_words if isinstance(panel.decided, Choices) else "comparisons"
    names = [parameter.name for parameter in panel.loss.observed.parameters]
    slips = ", and sometimes slip" if RHO.name in names else ""
    rows.append(["kind of decisions", f"{kind} by people who err more often the closer a case is"])
    rows[-1][1] += slips
    rows.append(["log-likelihood", minus(f"{result.log_likelihood:,.2f}")])
    if not panel.loss.learn_power:
        rows.append(["given, not learned", family.shape.name])
    return section(
        "Data and method",
        table("What was fitted", (), rows, (0, 1)),
        asked.given.about_reading(),
        formula(f"The welfare of an action is {family.explain(0.5)}. {how}"),
        paragraph(_meaning_of_tau(names, family)),
    )


def _meaning_of_tau(names: Sequence[str], family: Family) -> str:
    if "tau" not in names:
        return ""
    unit = " It is measured in one over the unit of utility, since noise acts on differences in "
    unit += "welfare."
    return (
        "The temperature tau says how much better an action must be to be chosen without fail: the "
        "larger it is, the fewer errors." + unit * bool(family.noise_in_words(1.0))
    )


def value(name: str, number: float, family: Family) -> str:
    """Return a number of a rule as readers know it: shares in percent, powers with a few digits."""
    if name in ("share", RHO.name) or name.startswith("weight of "):
        return words.percent(number)
    if name in (family.shape.name, "epsilon"):
        return words.power(number, family=family)
    return words.amount(number)


def with_interval(name: str, number: float, low: Any, high: Any, family: Family) -> str:
    """Return a number with its interval in brackets, if it has one."""
    found = value(name, number, family)
    if low is None or high is None or low != low or high != high:
        return found
    return f"{found} ({value(name, low, family)} to {value(name, high, family)})"


def minus(text: str) -> str:
    """Return a number as it is written in a text, with a real minus."""
    return text.replace("-", MINUS)

"""The report on one rule for all decisions."""

from __future__ import annotations

from welfarist.inference.intervals import checked, kind_for
from welfarist.results.record import FitResult
from welfarist.show.report import answer, checks, menus, sections
from welfarist.show.report.attributes import attributes
from welfarist.show.report.facts import Facts
from welfarist.show.report.next_action import checked_recommendation, next_action
from welfarist.show.report.page import Asked, Contents
from welfarist.show.report.people import bargains, checked_people, who_counts
from welfarist.show.report.plain_facts import plain_facts
from welfarist.show.report.utility_scales import utilities

_TITLE = "Which welfare function explains these decisions?"


def one_rule(result: FitResult, asked: Asked) -> Contents:
    """Return what there is to say of one rule."""
    checked_people(result, asked.people)
    checked_recommendation(result, asked.recommendation)
    kind = kind_for(asked.method, None, result.covariance)
    level, _ = checked(asked.level, asked.method, kind)
    facts, given = plain_facts(Facts.of(result, level, asked.method)), asked.given
    return Contents(
        _TITLE,
        _warning(facts.result),
        answer.answer(facts),
        (
            answer.consequences(facts),
            next_action(asked.recommendation),
            sections.power(facts),
            who_counts(facts),
            attributes(facts),
            utilities(facts),
            bargains(facts, asked.people, given.unit),
            sections.doctrines(facts),
            menus.menus(facts),
            checks.description(facts),
            checks.axioms(facts),
            checks.surprises(facts, given.unit),
            sections.caveats(facts),
            sections.data_and_method(facts, given.rows(), given.about_reading()),
            sections.citation(),
        ),
    )


def _warning(result: FitResult) -> str:
    """That the search did not end well; empty if it did."""
    if result.converged:
        return ""
    return (
        f"Warning: the search for the rule did not end well ({result.reason}). The numbers in this "
        "report are the best that was found, and may be far from the best there is."
    )

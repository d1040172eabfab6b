"""Utilities that are estimates: what their errors do, and what hangs on their scale."""

from __future__ import annotations

from welfarist.base.errors import InputError
from welfarist.inference.likelihood import is_estimated, weight_name
from welfarist.inference.utility_scales import ScaleTable
from welfarist.results.record import FitResult
from welfarist.show.report import words
from welfarist.show.report.facts import Facts
from welfarist.show.report.markup import NOTHING, Html, join, paragraph, section, table


def utilities(facts: Facts) -> Html:
    """How errors of utilities show, and other scales; nothing where utilities are exact."""
    result = facts.result
    if not is_estimated(result.likelihood):
        return NOTHING
    return section(
        "Utilities are estimates",
        paragraph(words.sentence(result.utility_errors.sentence)),
        _beside_naive(result),
        _scales(result),
    )


def _beside_naive(result: FitResult) -> Html:
    found = result.utility_errors
    both = zip(found.names, found.corrected.tolist(), found.naive.tolist(), strict=True)
    rows = _once_a_group(result, [[name, f"{one:.3g}", f"{o:.3g}"] for name, one, o in both])
    header = ["number", "allowing for errors", "as if exact"]
    return table("What was learned, and what would be if utilities were exact", header, rows, (0,))


def _once_a_group(result: FitResult, rows: list[list[str]]) -> list[list[str]]:
    """Rows about weights, one for each group of people who share theirs."""
    if result.groups is None:
        return rows
    group_of = {
        weight_name(name): group
        for name, group in zip(result.stakeholders, result.groups, strict=True)
    }
    seen: set[str] = set()
    kept = []
    for name, *numbers in rows:
        group = group_of.get(name)
        if group is not None and group in seen:
            continue
        if group is not None:
            seen.add(group)
        kept.append([name if group is None else f"weight of each in {group}", *numbers])
    return kept


def _scales(result: FitResult) -> Html:
    """The rule under other scales; nothing of utilities whose scale is known."""
    try:
        found: ScaleTable = result.scales()
    except InputError:
        return NOTHING
    columns = zip(found.names, zip(*found.rows, strict=True), strict=True)
    every = [[name, *(f"{value:.3g}" for value in row)] for name, row in columns]
    rows = _once_a_group(result, every)
    return join(
        paragraph(
            "Utilities were learned from answers. Answers tell what somebody wants more, and not "
            "whether one person wants it more than another does: that is stated, by how many "
            "times better everybody's best action is than their worst. What would be learned "
            "under other statements:"
        ),
        table("The rule under other scales", ["number", *found.scales], rows, (0,)),
    )

"""What attributes have to do with who counts: whether the old count more, and how much."""

from __future__ import annotations

import numpy as np

from welfarist.people.attribute_weighting import AttributeWeighting, theta_name
from welfarist.results.record import FitResult
from welfarist.show.report import words
from welfarist.show.report.facts import Facts, Tested
from welfarist.show.report.markup import NOTHING, Html, paragraph, section, table

# Weights so many times as large are all but everything.
_EVERYTHING = 1e6


def attributes(facts: Facts) -> Html:
    """How weights change with attributes, one row for each; nothing where there are none."""
    weighting = weighting_of(facts.result)
    if weighting is None:
        return NOTHING
    header = ["attribute", "theta", f"{facts.percent} interval", "factor", "does it matter?"]
    rows = [_row(facts, weighting, i) for i in range(len(weighting.attributes))]
    return section(
        "Who counts more, by attributes",
        paragraph(_in_words(facts, weighting)),
        table("What weights follow from", header, rows, (0, 4)),
        paragraph(
            "A weight is in proportion to exp(theta x), x the attribute, theta a number that was "
            "learned, for every head. The factor is how much more somebody with the largest x "
            "counts than somebody with the smallest who is the same in all else; where people "
            "either have an attribute or not, how much more those count who have it.",
            "soft",
        ),
    )


def weighting_of(result: FitResult) -> AttributeWeighting | None:
    """Return what weights follow from, if they do from attributes."""
    found = None if result.likelihood is None else result.likelihood.loss.weighting
    return found if isinstance(found, AttributeWeighting) else None


def _row(facts: Facts, weighting: AttributeWeighting, i: int) -> list[str]:
    name = weighting.attributes[i]
    theta, ends = facts.result.theta[name], facts.sure.slopes.get(theta_name(name))
    reach = 2.0 * float(weighting.units[i])
    between = "none" if ends is None else f"{ends[0]:.3g} to {ends[1]:.3g}"
    factor = _factor(theta * reach)
    if ends is not None:
        factor += f" ({_factor(ends[0] * reach)} to {_factor(ends[1] * reach)})"
    return [name, f"{theta:.3g}", between, factor, _verdict(facts.attributes[i])]


def _factor(exponent: float) -> str:
    """How many times as large a weight is.

    Examples
    --------
    >>> _factor(0.0), _factor(float("inf")), _factor(-1.0)
    ('1', 'any', '0.368')
    """
    if abs(exponent) > np.log(_EVERYTHING):
        return "any" if exponent > 0 else "0"
    return f"{np.exp(exponent):.3g}"


def _verdict(tested: Tested) -> str:
    if tested.test is None:
        return f"not tested: {tested.reason}"
    value = tested.test.p_value
    said = "yes" if value < words.REJECTED else "not shown"
    return f"{said} (p-value {words.p_value(value)})"


def _in_words(facts: Facts, weighting: AttributeWeighting) -> str:
    """The one sentence for each attribute that matters."""
    said = []
    for i, name in enumerate(weighting.attributes):
        test = facts.attributes[i].test
        if test is None or test.p_value >= words.REJECTED:
            continue
        more = "more" if facts.result.theta[name] > 0 else "less"
        if np.isin(weighting.table[i], (0.0, 1.0)).all():
            said.append(f"Those with {name} count {more} than others.")
        else:
            said.append(f"The larger {name} is, the {more} people count.")
    return " ".join(said) or "Of no attribute can it be shown that it matters."

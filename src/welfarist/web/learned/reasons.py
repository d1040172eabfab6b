"""Why the first of the ordered actions is better than the second, and what would turn it."""

from __future__ import annotations

from collections.abc import Sequence

from welfarist.families.rule import WelfareFunction
from welfarist.recommending.reasons import why_preferred
from welfarist.web.asking.putting import label_of
from welfarist.web.learned.estimates import Estimate
from welfarist.web.learned.ordering import Order
from welfarist.web.models import Study


def why_first(study: Study, order: Order, power: Estimate, weights: Sequence[Estimate]) -> str:
    """Return why the first action is better than the second, or the other way round.

    It is said by the rule in the middle of all that go with the answers; nothing where there is one
    action only.
    """
    if len(order.rows) < 2:
        return ""
    rows = order.rows[:2].tolist()
    rule = WelfareFunction(power.middle, [weight.middle for weight in weights])
    first, second = (label_of(study.actions[row]) for row in rows)
    people = tuple(label_of(person) for person in study.stakeholders)
    return why_preferred(rule, study.table[rows], (first, second), people).sentence

"""What is known of one respondent's rule, worked out once for the same answers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from welfarist.asking.posterior import Posterior
from welfarist.base.validation import FloatArray
from welfarist.families.power_mean.doctrines import DOCTRINES, close_doctrine_of
from welfarist.web.asking.live import Kept
from welfarist.web.asking.rows import Rows
from welfarist.web.learned.estimates import Estimate
from welfarist.web.learned.ordering import Order, order_of
from welfarist.web.learned.reasons import why_first
from welfarist.web.learned.surprises import Surprise, surprises_in
from welfarist.web.learned.walking import walked
from welfarist.web.models import Respondent
from welfarist.web.pictures.power import density

_MOST = 1000


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of one respondent's rule.

    Attributes
    ----------
    answers : int
        How many, skipped ones left out.
    power : Estimate
    heights : array
        How densely p lies along its line, for the picture.
    regions : tuple of (str, float)
        Between which doctrines p lies, and how likely that is.
    weights : tuple of Estimate
    course : tuple of Estimate
        Of p, before the first answer and after each one.
    surprises : tuple of Surprise
    order : Order
    why : str
        Why the first action of the order is better than the second, by the rule in the middle.
    consistency : float or None
    """

    answers: int
    power: Estimate
    heights: FloatArray
    regions: tuple[tuple[str, float], ...]
    weights: tuple[Estimate, ...]
    course: tuple[Estimate, ...]
    surprises: tuple[Surprise, ...]
    order: Order
    why: str
    consistency: float | None

    @property
    def doctrine(self) -> str:
        """The power in words."""
        return close_doctrine_of(self.power.middle, 2)


KNOWN: Kept[Known] = Kept(_MOST)


def at_hand(respondent: int, rows: Rows) -> Known | None:
    """Return what was worked out before, if it was."""
    kept = KNOWN.take(respondent)
    if kept is None or kept[0] != rows.fingerprint:
        return None
    KNOWN.keep(respondent, *kept)
    return kept[1]


def known_of(respondent: Respondent, rows: Rows) -> Known:
    """Return what is known of a respondent after the answers that stand."""
    found = at_hand(respondent.pk, rows)
    if found is None:
        found = _worked_out(respondent, rows)
        KNOWN.keep(respondent.pk, rows.fingerprint, found)
    return found


def _worked_out(respondent: Respondent, rows: Rows) -> Known:
    walk, study = walked(respondent, rows), respondent.study
    belief = walk.interview.posterior
    weights = tuple(Estimate.of(belief, f"weight of {name}") for name in belief.stakeholders)
    order = order_of(belief, study.table)
    return Known(
        len(rows.answered) - walk.interview.answers.count("skip"),
        walk.course[-1],
        density(belief.rules.powers, belief.state.cloud.shares),
        _regions(belief),
        weights,
        tuple(walk.course),
        surprises_in(walk.interview),
        order,
        why_first(study, order, walk.course[-1], weights),
        walk.interview.consistency,
    )


def _regions(belief: Posterior) -> tuple[tuple[str, float], ...]:
    """How likely p lies between each two neighbours among the doctrines."""
    finite = list(belief.doctrines().values())
    below = [0.0, *finite, 1.0]
    names = [doctrine.name for doctrine in DOCTRINES]
    return tuple(
        (f"between {one} and {other}", below[k + 1] - below[k])
        for k, (one, other) in enumerate(itertools.pairwise(names))
    )

"""Types of respondents: looked for on request, beside the pages, so that nobody waits for them."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from welfarist.base.errors import WelfaristError
from welfarist.decisions import Comparisons
from welfarist.web.asking.rows import Fingerprint
from welfarist.web.learned.everybody import Answered
from welfarist.web.learned.one import outcome_of, percent
from welfarist.web.learned.powers import written
from welfarist.web.models import Study

# Fewer people, or fewer answers of each, say nothing of types; more are for the command line.
_FEWEST, _ANSWERS, _MOST, _STAKEHOLDERS = 3, 5, 500, 12
# The search is quicker, and rougher, than the one of a command.
_TYPES, _STARTS = 4, 5
_KEPT = 32
_SIGNS = {"first": 1, "second": -1, "equal": 0}


@dataclass(frozen=True)
class Kind:
    """One type, as the table shows it."""

    name: str
    share: str
    power: str
    weights: tuple[str, ...]
    members: str


@dataclass(frozen=True)
class Kinds:
    """What the search found, in a sentence, a table and what is to be held against it."""

    headline: str
    types: tuple[Kind, ...]
    caveats: tuple[str, ...]


@dataclass(frozen=True)
class Looked:
    """How far the search is: why there is none, what it found, whether it goes on."""

    why_not: str = ""
    found: Kinds | None = None
    working: bool = False
    before: bool = False


class Searches:
    """Searches by study, one at a time in each process; those of the last studies are kept."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="types")
        self._kept: OrderedDict[int, tuple[Fingerprint, Future[Kinds]]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, study: Study, people: Answered) -> None:
        """Begin a search, unless there is one with the same answers."""
        if self._why_not(study, people):
            return
        mark, panel = _mark(people), _panel(study, people)
        with self._lock:
            kept = self._kept.get(study.pk)
            if kept is not None and (kept[0] == mark or not kept[1].done()):
                return
            self._kept[study.pk] = mark, self._pool.submit(_search, panel)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def look(self, study: Study, people: Answered) -> Looked:
        """Return what there is to be seen of a search."""
        why = self._why_not(study, people)
        with self._lock:
            kept = self._kept.get(study.pk)
        if why or kept is None:
            return Looked(why_not=why)
        mark, search = kept
        if not search.done():
            return Looked(working=True)
        return Looked(found=search.result()) if mark == _mark(people) else Looked(before=True)

    def wait(self, study: Study) -> None:
        """Wait until a search is at its end."""
        self._kept[study.pk][1].result()

    @staticmethod
    def _why_not(study: Study, people: Answered) -> str:
        enough = _enough(people)
        if len(enough) < _FEWEST:
            return (
                f"Types can be looked for when {_FEWEST} respondents gave {_ANSWERS} answers each; "
                f"so far {len(enough)} did."
            )
        if len(enough) > _MOST or len(study.stakeholders) > _STAKEHOLDERS:
            return (
                f"For more than {_MOST} respondents or {_STAKEHOLDERS} stakeholders, export the "
                "decisions and look for types with the command “welfarist types”."
            )
        return ""


SEARCHES = Searches()


def _enough(people: Answered) -> Answered:
    return [
        (one, rows)
        for one, rows in people
        if sum(row.choice != "skip" for row in rows.answered) >= _ANSWERS
    ]


def _mark(people: Answered) -> Fingerprint:
    """What tells these answers from all others."""
    return tuple(row for _, rows in people for row in rows.fingerprint)


@dataclass(frozen=True, eq=False)
class _Panel:
    """Everybody's answers: what is needed of the database, read before the search begins."""

    outcomes: list[list[float]]
    signs: list[int]
    by: list[str]
    names: dict[str, str]


def _panel(study: Study, people: Answered) -> _Panel:
    outcomes: list[list[float]] = []
    signs: list[int] = []
    by: list[str] = []
    names = {str(one.number): str(one) for one, _ in people}
    for one, rows in _enough(people):
        for row in rows.answered:
            if row.choice in _SIGNS:
                outcomes += [outcome_of(study, row, place) for place in (row.first, row.second)]
                signs.append(_SIGNS[row.choice])
                by.append(str(one.number))
    return _Panel(outcomes, signs, by, names)


def _search(panel: _Panel) -> Kinds:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are among the caveats
            return _found(panel)
    except WelfaristError as problem:
        return Kinds(f"No types could be found: {problem}", (), ())


def _found(panel: _Panel) -> Kinds:
    from welfarist.deciders.types import Types  # learners take a second to import

    table, place = np.unique(np.array(panel.outcomes), axis=0, return_inverse=True)
    decisions = Comparisons(table, place.reshape(-1, 2), np.array(panel.signs), by=panel.by)
    search = Types(max_types=_TYPES, n_starts=_STARTS, population=False, progress=False)
    result = search.fit(decisions).result_
    likeliest = result.membership.argmax(axis=1)
    members = [
        [panel.names[who] for who, kind in zip(result.names, likeliest, strict=True) if kind == k]
        for k in range(result.n_types)
    ]
    kinds = tuple(
        Kind(
            f"type {k + 1}",
            percent(kind.share),
            written(kind.p),
            tuple(percent(weight) for weight in kind.weights.tolist()),
            ", ".join(members[k]) or "nobody",
        )
        for k, kind in enumerate(result.types)
    )
    return Kinds(result.headline, kinds, tuple(caveat.message for caveat in result.caveats))

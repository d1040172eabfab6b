"""How much is learned from questions: simulated decision makers, asked in several ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from welfarist.asking.prior import Prior, as_prior
from welfarist.asking.simulated import Seen, Setting, Truth, Way
from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError
from welfarist.base.exports import Table
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import seed_of
from welfarist.base.validation import check_count
from welfarist.people.source import is_source, refuse_source
from welfarist.people.utility_tables import as_utility_table

Questions = Sequence[int] | Mapping[Way, Sequence[int]]
_WAYS: tuple[Way, ...] = ("adaptive", "designed", "random")
_KEYS = (
    "people", "way", "questions", "deciders", "accuracy", "accuracy_error", "power_error",
    "power_covered", "weights_covered",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Study:
    """What came of it.

    Attributes
    ----------
    columns : dict
        One row for each number of people, way of asking and number of questions: the share of new
        pairs on which what is expected agrees with the truth, with its standard error, the mean
        error of asinh p, and how often 95% intervals of p and of weights hold the truth.
    """

    columns: dict[str, list[Any]]

    def to_frame(self) -> Any:
        """Return the rows as a data frame, of pandas if installed, else polars."""
        return to_frame(self.columns)

    def enough(self, accuracy: float, way: Way = "adaptive") -> int | None:
        """Return from how many questions of a way on so many new pairs are foreseen; None if never.

        With several numbers of people, from how many on it is so for all of them.
        """
        rows = list(zip(*(self.columns[key] for key in ("people", "way", "questions", "accuracy")),
                        strict=True))  # fmt: skip
        least: list[int] = []
        for people in sorted({row[0] for row in rows}):
            own = sorted(row[2:] for row in rows if row[:2] == (people, way))
            enough = None
            for count, share in reversed(own):
                if share < accuracy:
                    break
                enough = int(count)
            if enough is None:
                return None
            least.append(enough)
        return max(least)

    def __str__(self) -> str:
        rows = []
        for row in zip(*self.columns.values(), strict=True):
            d, way, count, _, share, error, power, held, weights = row
            shown = (f"{share:.3f} ± {error:.3f}", *(f"{x:.2f}" for x in (power, held, weights)))
            rows.append((way, str(d), str(count), *shown))
        header = ("", "people", "questions", "accuracy", "error of asinh p", "p covered", "weights")
        sides = ("left", *("right",) * 6)
        return Table("Learned from questions", header, tuple(rows), sides).as_text()  # type: ignore[arg-type]


def study(
    people: int | Sequence[int] = 5,
    *,
    questions: Questions = (5, 10, 20),
    ways: Sequence[Way] | None = None,
    deciders: int = 20,
    actions: Any = 200,
    tau: float = 20.0,
    rho: float = 0.0,
    truth: Truth = "spread",
    prior: Prior | None = None,
    random_state: Any = None,
    jobs: int = 1,
    progress: ProgressOption = "auto",
) -> Study:
    """Ask simulated decision makers in several ways, and see what is learned of them.

    Parameters
    ----------
    people : int or list of int
        Left out of account where `actions` are a table.
    questions : list of int, or dict of them by way
        After how many it is looked at.
    ways : list of "adaptive", "designed" and "random", optional
        Questions from the table or made up, chosen by what they are expected to tell; or pairs of
        actions drawn at random. Left out, those that `questions` names, or all.
    deciders : int
        How many decision makers; the same for every way.
    actions : int or (N, d) array-like
        How many actions everybody has of their own, with utilities between 1 and 100; or a table
        that is the same for all, of which new pairs are drawn as well.
    tau, rho : float
        How they err; with ``truth="prior"`` tau and rho are drawn as well, and a band within which
        they call two actions equal. With other truths nobody says "equal".
    truth : "spread", "prior", float, WelfareFunction or callable
        Their rules: weights drawn from the simplex and asinh p between -2 and 1, or all drawn from
        the prior; weights drawn from the simplex with this power; this rule; or what a function of
        a generator and the number of people returns, which has a method `log` for utilities
        (n, d): a rule of another family, say.
    prior : Prior, optional
        What is believed before the first answer.
    random_state : seed, optional
        The same seed gives the same digits, however many processes there are.
    jobs : int
        How many processes share the work. A script needs ``if __name__ == "__main__":`` around
        a call with more than one, and a function for the truth must be one of a module.
    progress : bool or "auto"

    Examples
    --------
    >>> found = study(3, questions=[8], ways=["adaptive", "random"], deciders=2, random_state=1)
    >>> adaptive, random = found.columns["accuracy"]
    >>> adaptive > random
    True
    """
    table, sizes = _table(actions, people)
    counts = _counts(questions, ways)
    times, processes = check_count(deciders, "deciders"), check_count(jobs, "jobs")
    setting = Setting(table, tau, rho, truth, as_prior(prior))
    if processes > 1:
        setting.check_sent()
    shared = _Shared(setting, counts, seed_of(random_state))
    cells: list[_Cell] = [(d, way, i) for d in sizes for way in counts for i in range(times)]
    found: dict[tuple[int, Way, int], list[Seen]] = {}
    outcomes = run_jobs(_run, shared, cells, processes, option="jobs")
    told = Progress(progress).track(outcomes, len(cells), "asking")
    for (d, way, _), each in zip(cells, told, strict=True):
        for count, seen in zip(counts[way], each, strict=True):
            found.setdefault((d, way, count), []).append(seen)
    rows = [(*key, len(seen), *_averages(seen)) for key, seen in found.items()]
    return Study(dict(zip(_KEYS, map(list, zip(*rows, strict=True)), strict=True)))


# So many people, asked in this way: the decision maker of this number.
_Cell = tuple[int, Way, int]


@dataclass(frozen=True, eq=False)
class _Shared:
    """What all decision makers have in common."""

    setting: Setting
    counts: Mapping[Way, list[int]]
    seed: int


def _run(shared: _Shared, cell: _Cell) -> list[Seen]:
    """Ask one decision maker in one way."""
    people, way, i = cell
    return shared.setting.asked(people, way, shared.counts[way], [shared.seed, people, i])


def _table(actions: Any, people: Any) -> tuple[Any, list[int]]:
    """How many actions or which, and the numbers of people they are about."""
    if np.ndim(actions) == 0 and not is_source(actions):
        sizes = [check_count(d, "people", 2) for d in np.atleast_1d(np.asarray(people)).tolist()]
        return check_count(actions, "actions", 2), sizes
    table = as_utility_table(actions)[0]
    refuse_source(table, "a study of questions")
    if min(table.shape) < 2:
        raise InputError(
            "questions need two actions and two people at least; found a table of shape "
            f"{table.shape}."
        )
    return table, [table.shape[1]]


def _counts(questions: Any, ways: Sequence[Way] | None) -> dict[Way, list[int]]:
    """After how many questions it is looked at, by way."""
    named = isinstance(questions, Mapping)
    asked = list(dict.fromkeys((questions if named else _WAYS) if ways is None else ways))
    for way in asked:
        if way not in _WAYS:
            raise InputError(f"a way must be adaptive, designed or random; found {way!r:.60}.")
        if named and way not in questions:
            raise InputError(f"questions must name every way; found none for {way!r}.")
    found = {}
    for way in asked:
        given = questions[way] if named else questions
        counts = sorted({check_count(k, "questions") for k in given})
        if not counts:
            raise InputError("questions must be one number at least; found none.")
        found[way] = counts
    return found


def _averages(seen: Sequence[Seen]) -> tuple[float, float, float, float, float]:
    shares = np.array([one.accuracy for one in seen])
    error = float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else float("nan")
    means = [
        float(np.mean([getattr(one, name) for one in seen]))
        for name in ("power_error", "power_covered", "weights_covered")
    ]
    return float(shares.mean()), error, means[0], means[1], means[2]

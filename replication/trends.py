"""Whether a curve falls or rises: at every step of it, not from end to end alone.

A curve *falls* if its mean over repetitions falls from the first place to the last by more than
two standard errors, and between no two neighbours rises by more than two. Differences are taken
within repetitions where the places share their worlds and seeds, and between means elsewhere. A
single repetition has no standard error: differences count as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from replication.claims import Case
from replication.experiment import Array, Row, levels, select, values

CLEAR = 2.0  # standard errors
_NAMES = {
    "n": "n = {:,}",
    "d": "d = {}",
    "tau": "τ* = {:g}",
    "nu": "ν = {:g}",
    "weights": "{} weights",
}
AXES = {"n": "n", "d": "d", "tau": "τ*", "nu": "ν"}


def called(**where: object) -> str:
    """A setting in words, such as "τ* = 0.1, n = 50"."""
    return ", ".join(_NAMES[column].format(level) for column, level in where.items())


def lines(rows: Sequence[Row], by: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of every combination of levels, with its name."""
    for combination in product(*(levels(rows, column) for column in by)):
        where = dict(zip(by, combination, strict=True))
        found = select(rows, **where)
        if found:
            yield called(**where), found


def criterion(word: str, along: str, where: str) -> str:
    """The criterion of a trend in words: `word` is "falls" or "rises"."""
    against = "rises" if word == "falls" else "falls"
    return (
        f"{where}, the mean {word} from the {along} by more than two standard errors, and between "
        f"no two neighbours {against} by more than two"
    )


def trends(
    rows: Sequence[Row],
    column: str,
    along: str,
    by: Sequence[str],
    *,
    rises: bool,
    paired: bool = True,
    form: str = "{:.3g}",
) -> tuple[Case, ...]:
    """Ask of every line whether it rises (or falls) along a column.

    Parameters
    ----------
    rows : sequence of dict
    column, along : str
        What is measured, and against what.
    by : sequence of str
        The columns that tell the lines apart.
    rises : bool
        Whether it must rise or fall.
    paired : bool
        Whether repetitions share their worlds along the line.
    form : str
        How a mean is written.

    Returns
    -------
    tuple of Case
        One for each line with two places or more.
    """
    found = []
    for name, line in lines(rows, by):
        if len(levels(line, along)) > 1:
            place = f"{name}, against {AXES[along]}" if name else f"against {AXES[along]}"
            found.append(_trend(place, line, column, along, rises, paired, form))
    return tuple(found)


def _trend(
    name: str, line: Sequence[Row], column: str, along: str, rises: bool, paired: bool, form: str
) -> Case:
    places = levels(line, along)
    runs = [_runs(select(line, **{along: place}), column) for place in places]
    infinite = sum(int((~np.isfinite(run)).sum()) for run in runs)
    if infinite:
        return Case(name, False, f"not finite in {infinite} of {sum(map(len, runs))} runs")
    sign = 1.0 if rises else -1.0
    text = f"{form.format(runs[0].mean())} to {form.format(runs[-1].mean())}"
    problems = []
    mean, error = difference(runs[0], runs[-1], paired)
    if not sign * mean > CLEAR * error:
        problems.append(f"does not clearly {'rise' if rises else 'fall'}")
    for (here, one), (there, other) in pairwise(zip(places, runs, strict=True)):
        mean, error = difference(one, other, paired)
        if -sign * mean > CLEAR * error:
            values_ = f"{form.format(one.mean())} to {form.format(other.mean())}"
            word = "falls" if rises else "rises"
            problems.append(f"{word} from {AXES[along]} = {here:g} to {there:g} ({values_})")
    return Case(name, not problems, "; ".join([text, *problems]))


def _runs(rows: Sequence[Row], column: str) -> Array:
    """One value a repetition, in their order."""
    return values(sorted(rows, key=lambda row: int(row["repetition"])), column)


def difference(one: Array, other: Array, paired: bool) -> tuple[float, float]:
    """Mean of other less one, and its standard error (0 for a single repetition)."""
    mean = float(other.mean() - one.mean())
    if min(len(one), len(other)) < 2:
        return mean, 0.0
    if paired:
        return mean, float((other - one).std(ddof=1) / np.sqrt(len(one)))
    return mean, float(np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other)))


def settings(
    rows: Sequence[Row],
    by: Sequence[str],
    judge: Callable[[Sequence[Row]], tuple[bool, str]],
) -> tuple[Case, ...]:
    """Ask of the rows of every setting by itself."""
    found = []
    for name, part in lines(rows, by):
        met, text = judge(part)
        found.append(Case(name, met, text))
    return tuple(found)


def with_column(rows: Sequence[Row], name: str, of: Callable[[Row], float]) -> list[Row]:
    """Return the rows with one more column, worked out from the others."""
    return [{**row, name: of(row)} for row in rows]


def repetitions(rows: Sequence[Row]) -> int:
    """How many runs stand behind each figure."""
    return len(levels(rows, "repetition"))

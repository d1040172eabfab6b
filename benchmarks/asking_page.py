"""What must hold of questions, written down before anything was run, and the page that says so.

:mod:`benchmarks.asking` makes the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from welfarist.base.validation import FloatArray

# Settings of the tables: people, tau and rho.
SETTINGS: dict[str, tuple[int, float, float]] = {
    "tau = 20, 3 people": (3, 20.0, 0.0),
    "tau = 20, 5 people": (5, 20.0, 0.0),
    "tau = 20, 10 people": (10, 20.0, 0.0),
    "tau = 5, 5 people": (5, 5.0, 0.0),
    "tau = 100, 5 people": (5, 100.0, 0.0),
    "10% lapses, 5 people": (5, 20.0, 0.1),
    "another family, 5 people": (5, 20.0, 0.0),
}
# Twenty adaptive questions must be worth so many random ones.
WORTH = {
    "tau = 20, 3 people": 100,
    "tau = 20, 5 people": 100,
    "tau = 20, 10 people": 50,
    "tau = 5, 5 people": 75,
    "10% lapses, 5 people": 20,
    "another family, 5 people": 20,
}
# Where the error of asinh p must be at most this share of that after as many random questions.
ERRORS, SHARE = ("tau = 20, 3 people", "tau = 20, 5 people", "tau = 20, 10 people"), 0.5
# Numbers of people for whom coverage is measured, and what it must be.
COVERED, COVERAGE = (2, 3, 5, 10), (0.93, 0.97)
# Where the best action is looked for: people and tau; how sure; and what must come true at 0.9.
STOPPED: dict[str, tuple[int, float | None]] = {
    f"tau {'from the prior' if tau is None else f'= {tau:g}'}, {people} people": (people, tau)
    for tau in (20.0, 5.0, None)
    for people in (3, 5, 10)
}
# How many decision makers a cell of each part has, written down before any was asked.
PLANNED = {"tables": 200, "coverage": 500, "stopping": 200, "ties": 100, "speed": 150}
SURE, ASKED_SURE, TRUE = (0.8, 0.9, 0.95), 0.9, (0.85, 0.95)
# Where time and memory are measured: people and actions; CPU time in ms, and growth of memory.
PLACES: dict[str, tuple[int, int]] = {
    "5 people, 200 actions": (5, 200),
    "5 people, 500 actions": (5, 500),
    "18 people, 300 actions": (18, 300),
}
MEDIAN, WORST, GROWTH = 150.0, 500.0, 1.1
# Differences in log welfare below which simulated people say "equal".
BANDS = {"band 0.02": 0.02, "band 0.1": 0.1}

_AFTER = {
    "answer": "an answer",
    "undo": "one of ten taken back in a row",
    "undo again": "one of ten more",
}
_MISSING = "Not run yet."
_EARLIER_COVERAGE = """\
An earlier run (seed 7445054) drew truths that never call two actions equal, while interviews
believe that they may. It covered p in 98.5%, 98.0%, 94.0% and 98.5%, and weights in 97.5%, 98.3%,
94.8% and 96.0% (2, 3, 5 and 10 people, 200 decision makers each): too wide for three of them. The
band was then drawn from the prior as well. The next run (seed 15582948) was ended by the clock
after 88 decision makers each: 96.6%, 92.0%, 95.5% and 95.5% of p, 95.5%, 94.3%, 93.6% and 94.7% of
weights; and the one after that (seed 56485825) after 325: 95.4%, 93.2%, 95.4% and 92.6% of p,
97.2%, 94.9%, 93.8% and 93.9% of weights. The last one and that with seed 492582812, between which
what is believed was only worked out in another order, together (453 or 454 each): 96.1%, 93.6%,
96.1% and 93.4% of p, 96.7%, 94.7%, 94.2% and 93.9% of weights."""
_EARLIER_STOPPING = """\
An earlier run (seed 56485825, 129 decision makers a row, ended by the clock) said 0.9 by the prior
alone: it was the best in 94.9%, 93.3% and 90.0% (tau = 20; 3, 5 and 10 people), and in 83.5%, 86.7%
and 78.0% (tau = 5), two of which miss; with tau from the prior 87.5%, 90.4% and 90.1%, where 92% to
93% was said. Of 32 others (seed 4242, for development, ended by hand) whoever knows tau found
94.7%, 94.0% and 92.2%, and 89.1%, 88.4% and 84.4%, with errors of half a point to two points: what
is said is true on average, but too much for somebody who errs more than was believed. To ask for
more answers, or for as many as a rule has numbers, changed nothing there; a wider prior alone
little. What is said now is the lesser of two chances, under the prior and with twice its spread of
log tau, on the ground that it should not rest on a guess at who answers, and not because it did
best: with a spread of 2 (1.2 in the prior) the same 32 had 95.3%, 95.1% and 92.6%, and 90.2%, 88.7%
and 86.4%. That is at the upper end where tau = 20, as was known before the run below: somebody who
is steadier than was believed is right more often than is said."""
_HEAD = """\
# What are questions worth?

Simulated decision makers, each with a table of 200 actions (100 where the best is looked for) of
their own and utilities from 1 to 100, are asked in several ways: *adaptive* questions are chosen
from the table by what they are expected to tell, *designed* ones are made up, *random* ones are
pairs drawn by lot. The same decision makers are asked in every way, and all is learned under the
default prior. What must hold was written down before anything was run. This page is made by

```text
python -m benchmarks.asking --seed {seed} --without designed "tau = 100"
```

Questions that are made up and tau = 100, of which nothing is asked, are left out. Where a row
counts fewer decision makers than were planned ({planned}), the run
was ended before it was finished, by the clock; its verdict is that of those who are in it.

## What must hold

* **Tables.** Weights are drawn from the simplex, asinh p between -2 and 1. On 1,000 new pairs, 20
  adaptive questions are at least as accurate as 100 random ones for 3 and for 5 people and as 50
  for 10 people, at tau = 20; as 75 random ones at tau = 5 (5 people). The mean error of asinh p
  after 20 of them is at most half of that after 20 random ones, at tau = 20. They are still ahead
  of as many random ones where a tenth of answers is turned round by lapses (rho = 0.1), and where
  the truth is of another family (Kolm's). 200 decision makers a row.
* **Coverage.** Truths come from the prior: rules, tau, lapses and the band within which two
  actions are called equal. After 20 adaptive questions 95% intervals of p and of weights hold the
  truth in 93% to 97%, for 2, 3, 5 and 10 people. It is reported, and nothing asked of it, where
  truths do not come from the prior.
* **Stopping.** Rules, lapses and bands come from the prior, tau is 20 or 5. Where the best of 100
  actions is said to be known with probability 0.9 or more, it is the best in 85% to 95%, for 3, 5
  and 10 people. For 0.8 and 0.95 it is reported; and where tau comes from the prior as well, which
  is what an interview believes: there what is said should be true on average, and 0.9 is passed,
  not met, so that more than 0.9 is said. Beside the share of those where it is the best stands the
  mean chance that it really is, after the same answers, for whoever knows tau: an estimate of the
  same with a fraction of the noise.
* **Speed.** From an answer to the next question, and from taking an answer back to its question and
  what was believed before it, it takes less than 150 ms of CPU time in the median and 500 ms at
  worst, for 5 people with 200 and with 500 actions and for 18 people with 300. Traced memory is
  constant: its peak over the ten answers up to the 200th is at most a tenth above that over those
  up to the 20th.
"""


class Found:
    """What has been found so far.

    Parameters
    ----------
    rows : list of dict
        Part, cell, number of the decision maker, what was measured and its value, as text.
    """

    def __init__(self, rows: Sequence[dict[str, str]]) -> None:
        self._values: dict[tuple[str, str, str], dict[int, list[float]]] = {}
        self._numbers: dict[tuple[str, str], set[int]] = {}
        for row in rows:
            number = int(row["number"])
            self._numbers.setdefault((row["part"], row["cell"]), set()).add(number)
            key = (row["part"], row["cell"], row["what"])
            self._values.setdefault(key, {}).setdefault(number, []).append(float(row["value"]))

    def values(self, part: str, cell: str, what: str) -> FloatArray:
        """All values of one measure, by decision maker."""
        found = self._values.get((part, cell, what), {})
        return np.array([value for number in sorted(found) for value in found[number]])

    def count(self, part: str, cell: str) -> int:
        """How many decision makers a cell has."""
        return len(self._numbers.get((part, cell), ()))

    def both(self, part: str, one: tuple[str, str], other: tuple[str, str]) -> Any:
        """Two measures (cell and what) of the decision makers who have both, (n, 2)."""
        first, second = (self._values.get((part, *key), {}) for key in (one, other))
        return np.array([(first[i][0], second[i][0]) for i in sorted(set(first) & set(second))])


def page(found: Found, seed: int, before: str = "") -> str:
    """The page: what must hold, then what was found.

    Parameters
    ----------
    found : Found
    seed : int
    before : str
        The page as it was: parts that were not run with this seed stay as they are in it.
    """
    parts = {
        "Adaptive beside random": _worth(found),
        "Tables": _tables(found),
        "Coverage": _coverage(found),
        "Where truths do not come from the prior": _coverage_elsewhere(found),
        "Stopping": _stopping(found),
        "Speed": _speed(found),
        "Memory": _memory(found),
        "Ties": _ties(found),
    }
    planned = ", ".join(f"{part} {count}" for part, count in PLANNED.items() if part != "speed")
    text = [_HEAD.format(seed=seed, planned=planned)]
    kept = _kept(before)
    for title, lines in parts.items():
        text += [f"## {title}", "", *(lines or kept.get(title) or [_MISSING]), ""]
    return "\n".join(text)


def _kept(before: str) -> dict[str, list[str]]:
    """What a page says by title, with the seed of each part that was found with another one."""
    seed = re.search(r"--seed (\d+)", before)
    found = {}
    for part in before.split("\n## ")[1:]:
        title, _, told = part.partition("\n")
        lines = told.strip().split("\n")
        if seed is not None and "\n|" in told:
            said = f"Not finished again: found with seed {seed[1]}, by code that has changed since."
            found[title] = (
                lines if lines[0].startswith("Not finished again") else [said, "", *lines]
            )
    return found


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines] if rows else []


def _error(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _share(held: FloatArray) -> str:
    """A share with its standard error, as text."""
    error = _error(held)
    return f"{held.mean():.1%}" + ("" if np.isnan(error) else f" ± {error:.1%}")


def _verdict(fine: bool) -> str:
    return "holds" if fine else "missed"


def _worth(found: Found) -> list[str]:
    rows = []
    for name, count in WORTH.items():
        cells = (f"{name}, adaptive", "20 accuracy"), (f"{name}, random", f"{count} accuracy")
        both = found.both("tables", *cells)
        if len(both):
            ahead = both[:, 0] - both[:, 1]
            fine = _verdict(ahead.mean() >= 0)
            rows.append([name, f"accuracy beside {count} random", f"{both[:, 0].mean():.4f}",
                         f"{both[:, 1].mean():.4f}", f"{ahead.mean():+.4f} ± {_error(ahead):.4f}",
                         "at least 0", str(len(both)), fine])  # fmt: skip
    for name in SETTINGS:
        cells = (f"{name}, adaptive", "20 power_error"), (f"{name}, random", "20 power_error")
        both = found.both("tables", *cells)
        if len(both) and not np.isnan(both).any():
            share = both[:, 0].mean() / both[:, 1].mean()
            asked = name in ERRORS
            rows.append([name, "error of asinh p beside 20 random", f"{both[:, 0].mean():.3f}",
                         f"{both[:, 1].mean():.3f}", f"{share:.2f} of it",
                         f"at most {SHARE:g} of it" if asked else "", str(len(both)),
                         _verdict(share <= SHARE) if asked else ""])  # fmt: skip
    lines = _table(["", "what", "20 adaptive", "random", "difference", "must be", "of", ""], rows)
    return lines and ["Differences are those of the same decision makers.", "", *lines]


def _tables(found: Found) -> list[str]:
    rows = []
    for name in SETTINGS:
        for way in ("adaptive", "designed", "random"):
            for count in (10, 20, 50, 75, 100):
                cell = ("tables", f"{name}, {way}")
                shares = found.values(*cell, f"{count} accuracy")
                if not len(shares):
                    continue
                wrong = found.values(*cell, f"{count} power_error")
                known = len(wrong) and not np.isnan(wrong).any()
                shown = f"{wrong.mean():.3f}" if known else ""
                rows.append([name, way, str(count), f"{shares.mean():.4f} ± {_error(shares):.4f}",
                             shown, str(len(shares))])  # fmt: skip
    return _table(["", "way", "questions", "accuracy", "error of asinh p", "of"], rows)


def _covered(found: Found, part: str, cell: str, questions: int) -> list[tuple[FloatArray, str]]:
    told = []
    for what in ("power_covered", "weights_covered"):
        held = found.values(part, cell, f"{questions} {what}")
        told.append((held, _share(held) if len(held) else ""))
    return told


def _coverage(found: Found) -> list[str]:
    low, high = COVERAGE
    rows = []
    for people in COVERED:
        for way in ("adaptive", "random"):
            (power, p), (weights, w) = _covered(found, "coverage", f"{people} people, {way}", 20)
            if not len(power):
                continue
            fine = all(low <= held.mean() <= high for held in (power, weights))
            asked = way == "adaptive"
            rows.append([f"{people} people", f"20 {way}", p, w, str(len(power)),
                         f"{low:.0%} to {high:.0%}" if asked else "",
                         _verdict(fine) if asked else ""])  # fmt: skip
    lines = _table(["", "questions", "p covered", "weights covered", "of", "must be", ""], rows)
    return lines and [_EARLIER_COVERAGE, "", *lines]


def _coverage_elsewhere(found: Found) -> list[str]:
    rows = []
    for name in SETTINGS:
        for way, count in (("adaptive", 20), ("designed", 20), ("random", 20), ("random", 100)):
            (power, p), (_, w) = _covered(found, "tables", f"{name}, {way}", count)
            if len(power) and not np.isnan(power).any():
                rows.append([name, f"{count} {way}", p, w, str(len(power))])
    return _table(["", "questions", "p covered", "weights covered", "of"], rows)


def _stopping(found: Found) -> list[str]:
    low, high = TRUE
    rows = []
    for name in STOPPED:
        for sure in SURE:
            best, said, asked = (
                found.values("stopping", name, f"{sure:g} {what}")
                for what in ("best", "said", "questions")
            )
            if not len(best):
                continue
            must = sure == ASKED_SURE and STOPPED[name][1] is not None
            over = said - best
            really = found.values("stopping", name, f"{sure:g} really")
            rows.append([name, f"{sure:g}", f"{len(best)} of {found.count('stopping', name)}",
                         f"{np.median(asked):.0f}", f"{said.mean():.1%}",
                         _share(best), _share(really) if len(really) else "",
                         f"{over.mean():+.1%} ± {_error(over):.1%}",
                         f"{low:.0%} to {high:.0%}" if must else "",
                         _stop_verdict(best, really) if must else ""])  # fmt: skip
    head = ["", "sure", "ended sure", "questions", "said", "is the best", "really",
            "said less true", "must be", ""]  # fmt: skip
    lines = _table(head, rows)
    return lines and [_EARLIER_STOPPING, "", *lines]


def _stop_verdict(best: FloatArray, really: FloatArray) -> str:
    """Of those who were right, and of how likely they really were, where that is known."""
    low, high = TRUE
    told = _verdict(low <= best.mean() <= high)
    return told + (f"; really: {_verdict(low <= really.mean() <= high)}" if len(really) else "")


def _speed(found: Found) -> list[str]:
    rows = []
    for name in PLACES:
        for aim, cell in (("the rule", name), ("the best action", f"{name}, aim")):
            for what, told in _AFTER.items():
                times = found.values("speed", cell, what)
                if len(times):
                    middle, worst = float(np.median(times)), float(times.max())
                    rows.append([name, aim, told, f"{middle:.0f}", f"{worst:.0f}", str(len(times)),
                                 _verdict(middle < MEDIAN and worst < WORST)])  # fmt: skip
    return _table(["", "aim", "after", "median, ms", "worst, ms", "of", ""], rows)


def _memory(found: Found) -> list[str]:
    rows = []
    for name in PLACES:
        early, late = (
            found.values("speed", f"{name}, memory", f"peak after {n}") for n in (20, 200)
        )
        if len(early):
            fine = _verdict(late.max() <= GROWTH * early.max())
            rows.append([name, f"{early.max():.1f}", f"{late.max():.1f}", fine])
    return _table(["", "peak up to 20 answers, MB", "up to 200, MB", ""], rows)


def _ties(found: Found) -> list[str]:
    rows = []
    for name in BANDS:
        ways = [found.values("ties", name, way) for way in ("ties", "band", "half", "left out")]
        if len(ways[0]):
            less = ways[1] - ways[2]
            rows.append([name, f"{ways[0].mean():.0%}", *(f"{x.mean():.4f}" for x in ways[1:]),
                         f"{less.mean():+.4f} ± {_error(less):.4f}", str(len(less))])  # fmt: skip
    head = ["", "ties", "band learned", "half of each", "left out", "band less half", "of"]
    told = "Four people, 20 adaptive questions; who sees a smaller difference says equal. Accuracy:"
    lines = _table(head, rows)
    return lines and [told, "", *lines]

"""The main job in small: learn a charity's rule from its past decisions. Run with ``make demo``."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist import simulate
from welfarist.decisions import Comparisons
from welfarist.families.rule import WelfareFunction
from welfarist.learners import ComparisonClassifier
from welfarist.results.record import FitResult
from welfarist.show.report import words
from welfarist.simulate import World

SEED = 4
# What the made-up charity follows; the learner sees none of it.
TRUE_POWER, TEMPERATURE = -1.0, 20.0
ORGANISATIONS, DECISIONS = 200, 300
# Organisations that are kept out of the decisions, and what those that wait tonight are called.
KEPT_OUT, WAITING = 5, "ABCDE"
# Doctrines that the charity could follow.
ASKED = ("utilitarian", "Nash", "harmonic")
TITLE = "Which rule does the food-rescue charity follow?"
NOTE = "An example: the charity, its organisations and its decisions are simulated."

NEXT = """\
What to type next, with your own files (docs/data.md says what to put into them):

  {command} fit actions.csv --comparisons decisions.csv --save model.json --report report.html
  {command} rank new-actions.csv --model model.json

or, to try that with simulated files like this charity's:

  {command} simulate charity --charity"""


def tell(
    report: str | os.PathLike[str] = "report.html", say: Callable[[str], object] = print
) -> None:
    """Tell the story of a charity whose rule is learned, and write a report on it.

    Parameters
    ----------
    report : path
        Where to write the report.
    say : callable
        What is called with each part of the story as soon as it is known.
    """
    for part in story(report):
        say(part)


def story(report: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the story part by part, some of which take a second; the report comes near its end."""
    world, decisions = charity(), past_decisions()
    yield _setting(world, decisions)
    result = _learned(world, decisions)
    yield _weights(world, result)
    yield _doctrine(world, result)
    yield _tonight(world, decisions, result)
    result.report(report, title=TITLE, note=NOTE)
    yield f"\nThe whole answer, with figures: {os.fspath(report)} (open it in a browser)\n"
    yield NEXT.format(command=command())


def facts(report: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a program reads of the story, and write the report on it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = facts(f"{folder}/report.html")
    >>> found["truth"]["p"], round(found["p"], 2)
    (-1.0, -1.03)
    """
    world, decisions = charity(), past_decisions()
    result = _learned(world, decisions)
    told = {
        "note": NOTE,
        "people": world.people,
        "decisions": len(decisions),
        "truth": {"p": world.p, "tau": TEMPERATURE},
        "p": result.p,
        "p_interval": list(result.interval("p")),
        "doctrine": words.doctrine(result.p),
        "tau": result.tau,
        "groups": _group_rows(world, result),
        "p_values": _tests(result),
        "tonight": _evening(world, decisions, result),
        "files": {"report": os.fspath(report)},
    }
    result.report(report, title=TITLE, note=NOTE)
    return told


def _learned(world: World, decisions: Comparisons) -> FitResult:
    return ComparisonClassifier(groups=world.group_of).fit(decisions).result_


def charity() -> World:
    """Return the simulated charity's world: organisations, stakeholders and the true rule."""
    made = simulate.food_rescue(
        ORGANISATIONS, p=TRUE_POWER, u_min=1.0, u_max=10.0, random_state=SEED
    )
    return made.world


def past_decisions() -> Comparisons:
    """Return the simulated charity's choices between pairs of organisations, with errors."""
    pairs = simulate.random_pairs(ORGANISATIONS - KEPT_OUT, DECISIONS, random_state=SEED)
    return simulate.comparisons(charity(), pairs, tau=TEMPERATURE, random_state=SEED)


def waiting(world: World, decisions: Comparisons) -> npt.NDArray[np.intp]:
    """Return the organisations that wait tonight: never decided about, and most disputed.

    The more the highest utility that somebody sees in one exceeds the lowest, the more disputed
    it is. On these rules differ most.
    """
    new = np.setdiff1d(np.arange(len(world.utilities)), decisions.pairs)
    seen = world.utilities[new]
    disputed = np.argsort(-seen.max(axis=1) / seen.min(axis=1), kind="stable")
    return np.sort(new[disputed[: len(WAITING)]])


def command() -> str:
    """Return what to type on this machine to run welfarist from the current folder."""
    if shutil.which("welfarist") is not None:
        return "welfarist"
    beside = shutil.which("welfarist", path=os.path.dirname(sys.executable))
    if beside is None:
        return "welfarist"
    try:
        near = os.path.relpath(beside)
    except ValueError:  # on another drive
        near = beside
    return shlex.quote(beside if near.startswith(os.pardir) else near)


def _setting(world: World, decisions: Comparisons) -> str:
    groups = len(_groups(world))
    return f"""\
A food-rescue charity decides which organisation gets tonight's donation. Its
{world.people} stakeholders, in {groups} groups, see that differently: every organisation
has a utility from 1 to 10 to each of them. (Charity and decisions are simulated.)

On {len(decisions)} evenings it chose one of two organisations. Which rule is behind these choices?
"""


def _groups(world: World) -> list[str]:
    assert world.group_of is not None
    return list(dict.fromkeys(world.group_of))


def _group_rows(world: World, result: FitResult) -> list[dict[str, Any]]:
    """What was learned about each group, beside the truth."""
    member = np.array(world.group_of)
    sure = {row.quantity.person: row for row in result.estimates().rows}
    rows = []
    for group in _groups(world):
        inside = member == group
        first = int(np.argmax(inside))
        weight = sure[first]
        rows.append(
            {
                "group": f"{group}s",
                "members": int(inside.sum()),
                "weight_each": float(result.weights[first]),
                "interval": [weight.low, weight.high],
                "weight_together": float(result.weights[inside].sum()),
                "true_weight_together": float(world.weights[inside].sum()),
            }
        )
    return rows


def _weights(world: World, result: FitResult) -> str:
    lines = [
        "Who counts how much (members of a group count the same; 95% intervals):\n",
        f"  {'':12} {'members':>7} {'each':>7}   {'interval':<15} {'together':>8} {'truth':>7}",
    ]
    for row in _group_rows(world, result):
        low, high = row["interval"]
        lines.append(
            f"  {row['group']:<12} {row['members']:>7} {row['weight_each']:>7.1%}   "
            f"{f'{low:.1%} to {high:.1%}':<15} {row['weight_together']:>8.0%} "
            f"{row['true_weight_together']:>7.0%}"
        )
    return "\n".join(lines)


def _tests(result: FitResult) -> dict[str, float]:
    """The p-value of each doctrine that is asked about."""
    return {name: float(result.test(name).p_value) for name in ASKED}


def _doctrine(world: World, result: FitResult) -> str:
    low, high = result.interval("p")
    lines = [
        f"\nThe power p is {result.p:.2f} ({words.doctrine(result.p)}),",
        f"with 95% confidence between {low:.2f} and {high:.2f}. The truth is {world.p:g}. "
        "Could they be …\n",
    ]
    for name, chance in _tests(result).items():
        verdict = "no, rejected" if chance < words.REJECTED else "yes, possible"
        lines.append(f"  {name + '?':<13} {verdict:<14} (p-value {words.p_value(chance)})")
    return "\n".join(lines)


def _evening(world: World, decisions: Comparisons, result: FitResult) -> dict[str, Any]:
    """Who would get tonight's donation by which rule, and how sure the charity is."""
    table, learned = world.utilities[waiting(world, decisions)], result.welfare
    rules = {
        "the charity": learned,
        "a utilitarian": WelfareFunction(1.0, result.weights),
        "an egalitarian": WelfareFunction(-np.inf, result.weights),
    }
    orders = {name: [WAITING[i] for i in rule.rank(table)] for name, rule in rules.items()}
    first, second = learned.rank(table)[:2]
    assert result.tau is not None
    ahead = result.tau * (learned.log(table[first]) - learned.log(table[second]))
    return {"orders": orders, "probability_first": float(1.0 / (1.0 + np.exp(-ahead)))}


def _tonight(world: World, decisions: Comparisons, result: FitResult) -> str:
    evening = _evening(world, decisions, result)
    orders = [f"  {name:<15} {' > '.join(order)}" for name, order in evening["orders"].items()]
    first, second = evening["orders"]["the charity"][:2]
    lines = [
        f"\nTonight {len(WAITING)} organisations wait that it never decided about, those on which "
        "stakeholders",
        "disagree most. Which would get the donation, best first?\n",
        *orders,
        f"\n  As the charity errs now and then, it would take {first} rather than "
        f"{second} with probability {evening['probability_first']:.0%}.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    tell()

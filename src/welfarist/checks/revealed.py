"""Axioms of choices without noise: decisions that go round in a circle.

Who follows some rule that rises in what everybody has, and for whom a percentage more for
everybody changes no choice, may prefer x to y, and then also any multiple of x to that of y. If y
has at least r times as much as x' for everybody, where x' was preferred to y', then x is better
than ``r y'``.
Decisions that lead back in this way from an action to at least itself are impossible. It is the
homothetic axiom of revealed preference (Varian, Review of Economic Studies 50, 1983) for choices
between actions in place of budgets, and it is exact: where there is no such circle, some rule with
the property makes all of the decisions. With differences in place of ratios the same holds of the
same amount more for everybody, and without either of rules that only rise.

Formula: with what everybody has (in logarithms) in the better action, b_t, and in the worse one,
w_t, of each decision t, the circle t_1, ..., t_k is impossible if the sum of
``min_i (w_t[i] - b_t'[i])`` over its steps from t to t' is 0 or more; of decisions that call two
actions equally good alone, if it is more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.decisions import Choices, Comparisons

Kind = Literal["ratios", "differences", "order"]

# The square of this many decisions is looked at.
MOST_DECISIONS = 3_000
# What strict preferences add to a step, in units of the spread of all utilities, so that a circle
# that leads back to the same is impossible; and what indifference takes off, so that rounding is
# not. A thousand steps of one are less than a step of the other.
_STRICT, _EQUAL = 1e-10, 1e-14
_FAR = 1e6


@dataclass(frozen=True)
class Revealed:
    """What was preferred to what, row by row.

    Attributes
    ----------
    better, worse : (n, d) arrays
        What everybody has.
    strict : (n,) array of bool
        Whether the first was preferred, and not only as good.
    decision : (n,) array of int
        The number of the decision.
    """

    better: FloatArray
    worse: FloatArray
    strict: npt.NDArray[np.bool_]
    decision: npt.NDArray[np.intp]

    @classmethod
    def of(cls, decided: Any) -> Revealed:
        """Read comparisons, or choices from menus, of people who are in memory."""
        table = getattr(decided, "utilities", None)
        if not isinstance(decided, Comparisons | Choices) or not isinstance(table, np.ndarray):
            raise InputError("circles are looked for among choices from a table of utilities.")
        if not np.isfinite(table).all():
            raise InputError("somebody is absent from some action.")
        if isinstance(decided, Comparisons):
            first, other, strict, decision = _of_pairs(decided)
        else:
            first, other, strict, decision = _of_menus(decided)
        if len(first) > MOST_DECISIONS:
            raise InputError(
                f"circles are looked for among {MOST_DECISIONS:,} preferences at most; found "
                f"{len(first):,}."
            )
        return cls(table[first], table[other], strict, decision)


def _of_pairs(decided: Comparisons) -> tuple[Any, ...]:
    """Both actions, whether the first is better, and the decision, of each preference."""
    counted = np.flatnonzero(decided.counts > 0)
    pairs, outcomes = decided.pairs[counted], decided.outcomes[counted]
    turned = np.where((outcomes < 0)[:, None], pairs[:, ::-1], pairs)
    ties = outcomes == 0
    both = np.concatenate([turned, turned[ties][:, ::-1]])
    strict = np.concatenate([~ties, np.zeros(int(ties.sum()), dtype=bool)])
    return both[:, 0], both[:, 1], strict, np.concatenate([counted, counted[ties]])


def _of_menus(decided: Choices) -> tuple[Any, ...]:
    """The same of choices: what was taken is better than what was left."""
    first, other, decision = [], [], []
    menus = decided.menus
    for number, start in enumerate(menus.starts[:-1].tolist()):
        rows = menus.rows[start : menus.starts[number + 1]]
        taken = menus.taken[start : menus.starts[number + 1]] > 0
        if (rows >= decided.actions).any():
            raise InputError("what none of these is worth is not known.")
        one, two = np.meshgrid(rows[taken], rows[~taken], indexing="ij")
        best = menus.sign[number] > 0
        first.append((one if best else two).ravel())
        other.append((two if best else one).ravel())
        decision.append(np.full(one.size, decided.decision[number]))
    joined = [np.concatenate(one).astype(np.intp) for one in (first, other, decision)]
    return joined[0], joined[1], np.ones(len(joined[0]), dtype=bool), joined[2]


def circle(revealed: Revealed, kind: Kind) -> tuple[int, ...]:
    """Return the numbers of decisions that go round in a circle; none if no circle does.

    Parameters
    ----------
    revealed : Revealed
    kind : "ratios", "differences" or "order"
        Whether a percentage, or an amount, more for everybody changes no choice, or neither.

    Examples
    --------
    Who prefers (4, 1) to (2, 2), and (6, 6) to (13, 4), does not look at ratios alone: three times
    the first says that (12, 3) is better than (6, 6).

    >>> made = Comparisons([[4, 1], [2, 2], [6, 6], [13, 4]], [[0, 1], [2, 3]], [1, 1])
    >>> circle(Revealed.of(made), "order"), circle(Revealed.of(made), "ratios")
    ((), (0, 1))
    """
    better, worse = revealed.better, revealed.worse
    if kind == "ratios":
        with np.errstate(divide="ignore"):
            better, worse = np.log(better), np.log(worse)
    steps = np.full((len(better), len(better)), _FAR)
    for i in range(better.shape[1]):
        with np.errstate(invalid="ignore"):
            apart = worse[:, i][:, None] - better[:, i]
        apart[:, np.isneginf(better[:, i])] = _FAR  # nothing is had any number of times
        np.minimum(steps, apart, out=steps)
    known = better[np.isfinite(better)]
    unit = float(known.std()) if known.size else 1.0
    steps /= unit if unit > 0 else 1.0
    np.clip(steps, -_FAR, _FAR, out=steps)
    if kind == "order":
        steps = np.where(steps >= 0.0, 0.0, -_FAR)
    steps += np.where(revealed.strict, _STRICT, -_EQUAL)[:, None]
    places = _short(steps) or _long(steps)
    found = revealed.decision[np.array(places, dtype=np.intp)].tolist()
    return tuple(dict.fromkeys(found))


def _short(steps: FloatArray) -> tuple[int, ...]:
    """The clearest circle (places) of one or two steps whose sum is positive, if there is one."""
    if not len(steps):
        return ()
    alone = np.diagonal(steps)
    if alone.max() > 0:
        return (int(alone.argmax()),)
    both = steps + steps.T
    place = int(both.argmax())
    one, other = divmod(place, len(steps))
    return (one, other) if both[one, other] > 0 else ()


def _long(steps: FloatArray) -> tuple[int, ...]:
    """A circle (places) whose sum is positive: longest paths that never end."""
    size = len(steps)
    length, before = np.zeros(size), np.full(size, -1)
    for _ in range(size):
        reached = length[:, None] + steps
        best = reached.argmax(axis=0)
        longer = reached[best, np.arange(size)]
        grown = longer > length
        if not grown.any():
            return ()
        length[grown], before[grown] = longer[grown], best[grown]
        found = _round(before)
        if found:
            return found
    return ()


def _round(before: npt.NDArray[np.intp]) -> tuple[int, ...]:
    """A circle among places (n,) of which each knows the one before it, if there is one."""
    seen = np.zeros(len(before), dtype=np.intp)
    for mark, start in enumerate(range(len(before)), 1):
        here = start
        while here >= 0 and seen[here] == 0:
            seen[here] = mark
            here = int(before[here])
        if here >= 0 and seen[here] == mark:
            found, place = [here], int(before[here])
            while place != here:
                found.append(place)
                place = int(before[place])
            return tuple(reversed(found))
    return ()

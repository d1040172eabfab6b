"""How many choices a person are enough for what, where people differ: found by simulation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from welfarist.base.data_frames import to_frame
from welfarist.base.errors import InputError, WelfaristWarning
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.validation import FloatArray, check_count
from welfarist.bounds.parameters import check_positive
from welfarist.deciders.deciders import Deciders
from welfarist.deciders.finding import MOST_NUMBERS
from welfarist.decisions import Comparisons
from welfarist.learners import ComparisonClassifier
from welfarist.noise.choices import preference_probability
from welfarist.simulate import World, crowd_comparisons, normal_crowd, population_around
from welfarist.simulate.crowds import Crowd
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import require_world

Cell = tuple[int, list[int]]

# Nodes of a fit: fewer than for an answer, because errors of studies are larger than theirs.
_NODES = 2048
# Further choices of everybody on which predictions are judged.
_ASKED = 20
# A chance below this counts as this much: its logarithm is a number.
_LEAST = 1e-12
# What counts as known: the average and the spread of asinh p within these shares of the spread,
# and everybody's own once so much of how people differ is explained.
_OF_MEAN, _OF_SPREAD, _EXPLAINED = 0.5, 1.0 / 3.0, 0.5
# In what share of the studies it must be known, to count on it.
_OFTEN = 0.8
# What is known, each with all before it.
_KNOWN = (
    "not even the average",
    "the average only",
    "the average, and how much people differ",
    "the average, how much people differ, and who follows which rule",
)


@dataclass(frozen=True, eq=False)
class _Setting:
    """What is simulated."""

    world: World
    mean: FloatArray
    covariance: FloatArray
    deciders: int


class PanelOutcome(NamedTuple):
    """How far what is learned of people who differ is from the truth.

    Attributes
    ----------
    mean_error, spread_error : float
        By how much the mean and the standard deviation of asinh p are wrong.
    p_error : float
        Root mean square error of everybody's own asinh p.
    p_error_of_average : float
        The same of who takes the population's true mean for everybody's.
    log_loss : float
        Expected log loss of further choices of the same people.
    log_loss_one_rule, log_loss_truth : float
        That of one rule for all, and of everybody's true rule.
    """

    mean_error: float
    spread_error: float
    p_error: float
    p_error_of_average: float
    log_loss: float
    log_loss_one_rule: float
    log_loss_truth: float


@dataclass(frozen=True, eq=False)
class PanelStudy:
    """What so many choices a person teach about people who differ.

    Attributes
    ----------
    people, deciders : int
        How many people decisions affect, and how many decide.
    tau, spread : float
        The temperature of somebody in the middle, and the standard deviation of asinh p.
    each : tuple of int
        Numbers of choices a person (m,).
    runs : mapping of str to (m, repetitions) array
        Every repetition of what :class:`PanelOutcome` has.
    """

    people: int
    deciders: int
    tau: float
    spread: float
    each: tuple[int, ...]
    runs: Mapping[str, FloatArray]

    @property
    def repetitions(self) -> int:
        """How often each number of choices was simulated."""
        return int(self.runs["p_error"].shape[1])

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table by column, each (m,).

        ``each``; the median over the repetitions of each measure of `runs`; ``explained``, how
        much of the differences between people in asinh p the estimates explain, 0 where they are
        no better than the average; ``identified``, what is known in words: in four of five
        repetitions, with so many choices and with more.
        """
        table: dict[str, list[Any]] = {"each": list(self.each)}
        for name, runs in self.runs.items():
            table[name] = np.median(runs, axis=1).tolist()
        explained = np.median(self._explained, axis=1)
        table["explained"] = np.maximum(explained, 0.0).tolist()
        table["identified"] = [_KNOWN[level] for level in self._levels]
        return table

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The table by row: one mapping per number of choices, see `columns`."""
        table = self.columns
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]

    @property
    def findings(self) -> tuple[str, ...]:
        """What is known from how many choices a person, in one sentence each."""
        return tuple(
            f"{row['each']} choice{'s' * (row['each'] > 1)} a person: {row['identified']}."
            for row in self.rows
        )

    def to_frame(self) -> Any:
        """Return the table as a data frame, of pandas or polars; see `columns`."""
        return to_frame(self.columns)

    @property
    def _explained(self) -> FloatArray:
        """How much of the differences between people each repetition (m, r) explains."""
        ratio = self.runs["p_error"] / self.runs["p_error_of_average"]
        return np.asarray(1.0 - np.square(ratio))

    @property
    def _levels(self) -> list[int]:
        """How much is known, (m,) places of `_KNOWN`."""
        average = self.runs["mean_error"] <= _OF_MEAN * self.spread
        # Who was asked once may have erred, or may differ: nothing but assumptions tells.
        often = np.array(self.each)[:, None] > 1
        spread = average & often & (self.runs["spread_error"] <= _OF_SPREAD * self.spread)
        own = spread & (self._explained >= _EXPLAINED)
        shares = np.array([known.mean(axis=1) for known in (average, spread, own)])
        found = (shares >= _OFTEN).sum(axis=0)
        # What more choices do not teach, fewer have taught by chance.
        return list(np.minimum.accumulate(found[::-1])[::-1].tolist())


def choices_per_person(
    world: World,
    *,
    deciders: int = 160,
    each: int | Sequence[int] = (1, 2, 5, 10, 20, 40),
    tau: float = 10.0,
    spread: float = 1.0,
    repetitions: int = 5,
    random_state: RandomState | None = None,
    n_jobs: int = 1,
    progress: ProgressOption = "auto",
) -> PanelStudy:
    """Simulate what so many choices a person teach about people who differ.

    Decision makers are drawn around the rule of a world, compare pairs of its actions drawn for
    each of them, and are learned by :class:`welfarist.Deciders`, over and over.

    Parameters
    ----------
    world : World
        The actions, and the rule of somebody in the middle: finite p, positive weights, and at
        most five people.
    deciders : int
        How many decide, at least 2.
    each : int or sequence of int
        Numbers of choices a person.
    tau, spread : float
        The temperature of somebody in the middle, and the standard deviation of asinh p; those of
        log weights and log tau are half as large, as in
        :func:`welfarist.simulate.population_around`.
    repetitions : int
        How often each number is simulated.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one. The same seed gives the same digits, however many
        processes there are, and for each number whatever the others are.
    n_jobs : int
        How many processes share the work. A script needs ``if __name__ == "__main__":`` around
        a call with more than one.
    progress : bool or "auto"
        Whether to show a progress bar; "auto" does in a terminal.

    Notes
    -----
    Errors of p are errors of asinh p, in which the population is normal: near 0 they are errors of
    p, far out relative ones. The average counts as known if its error is at most half of the
    spread, the spread if its own is at most a third of it, everybody's rule if estimates explain
    half of the differences; each in four of five repetitions. With one choice a person
    somebody who differs looks like somebody who errs, and a spread that is found rests on the
    assumed shape of the population alone: it never counts as known.

    Examples
    --------
    >>> from welfarist import bounds, simulate
    >>> world = simulate.individuals(60, 2, p=0, weights="equal", random_state=1)
    >>> study = bounds.choices_per_person(world, deciders=40, each=20, tau=20, repetitions=1)
    >>> row = study.rows[0]
    >>> row["each"], row["log_loss_truth"] < row["log_loss"] < row["log_loss_one_rule"]
    (20, True)
    """
    require_world(world)
    sizes, count = _sizes(each), check_count(deciders, "deciders", 2)
    if world.people + 1 > MOST_NUMBERS:
        raise InputError(
            f"decisions must affect at most {MOST_NUMBERS - 1} people for rules that differ by "
            f"degree; found {world.people}. Simulate fewer people."
        )
    warm, width = check_positive(tau, "tau"), check_positive(spread, "spread")
    mean, covariance = population_around(world.rule, warm, width)
    times, workers = check_count(repetitions, "repetitions"), check_count(n_jobs, "n_jobs")
    root = int(stream(random_state, "choices per person").integers(2**63))
    cells: list[Cell] = [(k, [root, k, i]) for k in sizes for i in range(times)]
    setting = _Setting(world, mean, covariance, count)
    outcomes = run_jobs(_run, setting, cells, workers, option="n_jobs")
    done = list(Progress(progress).track(outcomes, len(cells), "people who differ"))
    runs = {
        name: np.array([getattr(outcome, name) for outcome in done]).reshape(-1, times)
        for name in PanelOutcome._fields
    }
    return PanelStudy(world.people, count, warm, width, sizes, runs)


def _sizes(each: object) -> tuple[int, ...]:
    """Return the different numbers of choices a person, in order."""
    given = [each] if isinstance(each, int | np.integer) else each
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or len(given) == 0:
        raise InputError(
            f"each must be a number of choices a person, or several; found {each!r:.60}. For "
            "example: each=(5, 20)"
        )
    return tuple(sorted({check_count(k, "each") for k in given}))


def _run(setting: _Setting, cell: Cell) -> PanelOutcome:
    """Simulate a crowd, learn how it differs and judge what was learned."""
    each, seed = cell
    crowd = normal_crowd(setting.mean, setting.covariance, setting.deciders, random_state=seed)
    decided = crowd_comparisons(setting.world, crowd, each=each, random_state=seed)
    asked = crowd_comparisons(setting.world, crowd, each=_ASKED, random_state=[*seed, 1])
    with warnings.catch_warnings():
        # Small samples make fits warn, as they should; the outcomes show it.
        warnings.simplefilter("ignore", WelfaristWarning)
        options: dict[str, Any] = {"progress": False, "random_state": 0}
        learned = Deciders(population="normal", n_nodes=_NODES, **options).fit(decided)
        alike = ComparisonClassifier(small_sample="none", **options).fit(decided)
        told = [np.asarray(fit.predict_proba(asked))[:, 1] for fit in (learned, alike)]
    own = np.arcsinh(np.asarray(learned.individuals_["p"], dtype=np.float64))
    truth, normal = np.arcsinh(crowd.powers), learned.population_.normal
    assert normal is not None
    chance = _true_chances(setting.world, crowd, asked)
    return PanelOutcome(
        abs(float(normal.coefficients[0, 0]) - float(setting.mean[0])),
        abs(float(np.sqrt(normal.covariance[0, 0])) - float(np.sqrt(setting.covariance[0, 0]))),
        _root_mean_square(own - truth),
        _root_mean_square(setting.mean[0] - truth),
        *(_expected_log_loss(chance, found) for found in (*told, chance)),
    )


def _true_chances(world: World, crowd: Crowd, asked: Comparisons) -> FloatArray:
    """How likely everybody prefers the first action of what they are asked (n,)."""
    pairs = asked.pairs.reshape(len(crowd), -1, 2)
    found = np.empty(pairs.shape[:2])
    for i, own in enumerate(pairs):
        value = np.asarray(crowd.rule(i).log(world.utilities))
        z = crowd.taus[i] * (value[own[:, 0]] - value[own[:, 1]])
        found[i] = preference_probability(z, 0.0)
    return found.ravel()


def _expected_log_loss(chance: FloatArray, told: FloatArray) -> float:
    """The mean log loss of told chances (n,), over what is decided with the true ones (n,)."""
    first, second = np.maximum(told, _LEAST), np.maximum(1.0 - told, _LEAST)
    return float(np.mean(-xlogy(chance, first) - xlogy(1.0 - chance, second)))


def _root_mean_square(errors: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))

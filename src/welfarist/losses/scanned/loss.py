"""The loss of decisions that stay in their files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.engines import Engine
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.decisions.merged_pairs import MergedPairs
from welfarist.decisions.scanned.choices import ScannedChoices
from welfarist.decisions.scanned.comparisons import ScannedComparisons
from welfarist.decisions.scanned.decisions import ScannedDecisions
from welfarist.decisions.scanned.menu_columns import MenuBlock, MenuColumns
from welfarist.decisions.scanned.pair_columns import PairBlock, PairColumns
from welfarist.families.base import Family
from welfarist.losses.decision_loss import DecisionLoss
from welfarist.losses.graph import ComparisonGraph
from welfarist.losses.menu_extras import Extras
from welfarist.losses.observed_menus import ObservedMenus
from welfarist.losses.observed_pairs import ObservedPairs
from welfarist.losses.scanned.answers import chosen_kernel
from welfarist.losses.scanned.finished import finished_of
from welfarist.losses.scanned.menu_round import MenuRound, menus_of
from welfarist.losses.scanned.observed import Asking, ObservedScan
from welfarist.losses.scanned.pair_round import PairRound
from welfarist.losses.scanned.rounds import Rounds
from welfarist.noise.base import ChoiceNoise
from welfarist.people.table import people_of
from welfarist.people.weighting import Weighting


@dataclass(frozen=True)
class AskPairs:
    """What is asked of comparisons in files, at values and parameters."""

    columns: PairColumns
    noise: ChoiceNoise
    kernel: str

    def __call__(self, values: FloatArray, extras: FloatArray) -> PairRound:
        """Return the question of a round."""
        return PairRound(self.columns, self.noise, values, extras, self.kernel)


@dataclass(frozen=True)
class AskMenus:
    """What is asked of choices in files, at values and parameters."""

    columns: MenuColumns
    noise: ChoiceNoise
    kernel: str

    def __call__(self, values: FloatArray, extras: FloatArray) -> MenuRound:
        """Return the question of a round."""
        return MenuRound(self.columns, self.noise, values, extras, self.kernel)


def rounds_over(
    decided: ScannedDecisions, engine: Engine, progress: Progress, resume: object
) -> Rounds:
    """Make the first pass over files, or find it done; return who makes the others."""
    finished = finished_of(resume, decided.digest(), decided.block)
    if finished is not None and finished.seen is not None and not decided.was_seen:
        decided.remember(finished.seen)
    seen = decided.seen(engine, progress)
    if finished is not None and finished.seen is None:
        finished.see(seen)
    return Rounds(decided, engine, progress, finished)


def loss_of_scanned_comparisons(
    rounds: Rounds,
    decided: ScannedComparisons,
    family: Family,
    weighting: Weighting,
    learn_power: bool,
    noise: ChoiceNoise,
    tau_max: float,
    kernel: str = "auto",
) -> DecisionLoss:
    """Build the likelihood of comparisons in files; actions never compared are left out."""
    seen = rounds.decided.seen(rounds.engine, rounds.progress)
    share = PairBlock.joined(seen.drawn)
    used = np.flatnonzero(seen.mentioned)
    pairs = _renumbered(share.merged(decided.actions), used, decided.actions)
    drawn = ObservedPairs(ComparisonGraph(pairs, len(used)), pairs.total, noise, tau_max)
    asking = AskPairs(decided.columns, noise, chosen_kernel(kernel))
    people = people_of(_taken(decided.utilities, used), family, weighting)
    drawn = replace(drawn, step=family.step(people))
    observed = _observed(drawn, rounds, asking, used, len(share))
    return DecisionLoss(family, people, observed, weighting, learn_power)


def loss_of_scanned_choices(
    rounds: Rounds,
    decided: ScannedChoices,
    family: Family,
    weighting: Weighting,
    learn_power: bool,
    noise: ChoiceNoise,
    tau_max: float,
    kernel: str = "auto",
) -> DecisionLoss:
    """Build the likelihood of choices in files; actions never offered are left out."""
    seen = rounds.decided.seen(rounds.engine, rounds.progress)
    share = MenuBlock.joined(seen.drawn)
    used = np.flatnonzero(seen.mentioned)
    menus = menus_of(share).merged()[0]
    menus = menus.take(menus.count > 0)
    if len(used) < decided.actions:
        menus = replace(menus, rows=_numbers(used, decided.actions)[menus.rows])
    people = people_of(_taken(decided.utilities, used), family, weighting)
    extras = Extras(noise, shift=people.shift)
    drawn = ObservedMenus(menus, menus.total, extras, tau_max, len(used))
    drawn = replace(drawn, step=family.step(people))
    asking = AskMenus(decided.columns, noise, chosen_kernel(kernel))
    observed = _observed(drawn, rounds, asking, used, len(share))
    return DecisionLoss(family, people, observed, weighting, learn_power)


def _observed(
    drawn: Any, rounds: Rounds, asking: Asking, used: npt.NDArray[np.intp], share: int
) -> ObservedScan:
    decided = rounds.decided
    seen = decided.seen(rounds.engine, rounds.progress)
    nothing = seen.nothing / seen.total
    return ObservedScan(
        drawn, rounds, asking, used, decided.actions, len(decided), share, seen.total, nothing
    )


def _taken(table: FloatArray, used: npt.NDArray[np.intp]) -> FloatArray:
    return table if len(used) == len(table) else table[used]


def _renumbered(pairs: MergedPairs, used: npt.NDArray[np.intp], actions: int) -> MergedPairs:
    """Pairs over the actions that are used anywhere."""
    if len(used) == actions:
        return pairs
    number = _numbers(used, actions)
    return replace(pairs, first=number[pairs.first], second=number[pairs.second])


def _numbers(used: npt.NDArray[np.intp], actions: int) -> npt.NDArray[np.int32]:
    """The number (N,) of each action among those that are used."""
    number = np.zeros(actions, dtype=np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    return number

"""Learning from decisions that stay in their files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from welfarist.base.engines import engine_of
from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.decisions.scanned.choices import ScannedChoices
from welfarist.decisions.scanned.comparisons import ScannedComparisons
from welfarist.decisions.scanned.decisions import ScannedDecisions
from welfarist.decisions.scanned.pair_columns import PairBlock
from welfarist.decisions.scanned.scores import ScannedScores
from welfarist.families.known import family_of
from welfarist.losses.scanned.loss import rounds_over
from welfarist.losses.scanned.rounds import Rounds
from welfarist.noise.base import ChoiceNoise
from welfarist.people.source import is_source
from welfarist.solvers.newton import Newton


def require_likelihood(learner: Any, noise: ChoiceNoise | None, solver: Any) -> ChoiceNoise:
    """Refuse, before any work, what cannot be done with decisions that stay in their files."""
    if noise is None:
        raise InputError(
            f'noise="{learner.noise}" counts errors, for which all decisions must be in memory; '
            'found decisions that stay in their files. Use noise="logistic" or "lapse".'
        )
    family = family_of(learner.family)
    if family.own:
        raise InputError(
            "decisions that stay in their files are learned from with one shape; found "
            f"{family.called}, which has {family.own[0].name} as well. Fit a share of them in "
            "memory."
        )
    if not isinstance(solver, Newton):
        raise InputError(
            'decisions that stay in their files are learned from with solver="newton"; found '
            f"solver={learner.solver!r}."
        )
    return noise


def refuse_beside_files(y: Any, sample_weight: Any) -> None:
    """Refuse outcomes or weights beside decisions in files, which hold theirs."""
    if y is not None or sample_weight is not None:
        raise InputError(
            "decisions in files hold their outcomes and counts; found another y or sample_weight "
            "as well. Pass the decisions alone."
        )


def rounds_of(learner: Any, decided: ScannedDecisions) -> Rounds:
    """Check a learner's engine and file to resume from; make the first pass over the files."""
    progress = Progress(learner.progress, int(learner.verbose))
    return rounds_over(decided, engine_of(learner.engine), progress, learner.resume)


def comparisons_in_memory(decided: ScannedComparisons, rounds: Rounds) -> Comparisons | None:
    """Return comparisons that are few, or repeat so often that counts of them say the same."""
    block = decided.in_memory(rounds.engine, rounds.progress)
    return None if block is None else _comparisons(decided, block)


def choices_in_memory(decided: ScannedChoices, rounds: Rounds) -> Choices:
    """Return choices that are few: the share is all of them."""
    block = decided.drawn(rounds.engine, rounds.progress)
    chosen = block.rows[block.starts[:-1] + block.chosen]
    least = _least(decided.utilities)
    menus = (block.starts.astype(np.intp), block.rows)
    made = Choices(decided.utilities, menus, chosen, block.count, names=decided.names, least=least)
    made.stakeholders = decided.stakeholders
    return made


def scores_in_memory(decided: ScannedScores, learner: Any) -> Scores:
    """Return scores that say the same as all scores in the files: two for each action."""
    if learner.resume is not None:
        raise InputError(
            "resume must be left out for scores, whose files are read once; found "
            f"{learner.resume!r:.60}."
        )
    progress = Progress(learner.progress, int(learner.verbose))
    rows, values, often = decided.summed_up(engine_of(learner.engine), progress)
    least = _least(decided.utilities)
    made = Scores.of(decided.utilities[rows], values, often, least=least)
    return replace(made, stakeholders=decided.stakeholders)


def _comparisons(decided: ScannedComparisons, block: PairBlock) -> Comparisons:
    pairs = np.stack([block.first, block.second], axis=1)
    least = _least(decided.utilities)
    made = Comparisons(
        decided.utilities, pairs, block.outcome, block.count, names=decided.names, least=least
    )
    made.stakeholders = decided.stakeholders
    return made


def _least(utilities: Any) -> float:
    """The smallest utility if it is below 0, which a shift makes up for; a sketch has no such."""
    return 0.0 if is_source(utilities) else min(float(utilities.min()), 0.0)

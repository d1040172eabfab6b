"""Several starts: few where they agree on a well-determined optimum, many where they do not.

Hard problems (few actions, many people, much noise) have several local optima, in the weights at
one power as well as in the power. If the first two starts agree and the data pin the power down, or
tell it fairly well and nothing else speaks against it, the search is over. Otherwise it goes
through the schedule until twenty starts in a row have found nothing better; of scores, and of
families of one's own, until ten have all agreed. Where most starts miss the best, flocks of rough
starts set out as well. How many starts are enough is a matter of the effort.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.losses import Loss, Point
from welfarist.solvers.base import Guide
from welfarist.solvers.by_share import descend_by_share
from welfarist.solvers.descent import Descent, uncertainty_of_power
from welfarist.solvers.effort import AUTO, Effort
from welfarist.solvers.schedule import CREEPING, Schedule
from welfarist.solvers.scouts import MOST_WEIGHTS
from welfarist.solvers.very_many import are_very_many, descend_from

StartCount = int | Literal["auto"]

_FIRST = 2  # starts that must agree before the search may end
_ENOUGH_FOR_MANY = 5  # of them, where there are very many weights and a step takes long
_ENOUGH_FOR_VERY_MANY = 2  # of them, where a start takes minutes
_ENOUGH_NOISE = 5  # of them, where all that is learned is how decision makers err
_UNANIMOUS = 10  # starts that all agree are convincing, although the power is not pinned down
_NEARLY_UNANIMOUS = 5  # if the power is roughly known
_MOST = 60
_SOME = 5  # starts after which it is seen whether most have missed the best
_TINY = 1e-13  # a mean loss that is nothing but rounding
_MOST_STEPS = 3000  # of all starts together
_ROUNDING = 1e-12  # relative difference in loss between rules that are as good
_AGREE = 1e-8  # relative difference in loss between starts that found the same optimum
# Standard error of asinh(p) below which no other power is worth a look, and below which fewer
# agreeing starts are convincing.
PINNED = 0.1
_KNOWN = 0.5
_GUESSED = 2.0
# Below this, two starts that agree are convincing where nothing speaks against it: a path of more
# steps than this; of scores a p below this, where all turns on the worst off; where certainty is
# charged for, a |p| below this, which rules far out may beat.
_WELL_KNOWN, _STRAIGHT, _CROWDED, _MODERATE = 0.2, 12, -1.0, 1.0
# Decisions per weight below which problems tend to have several optima; more of them where a
# decision may also be a slip.
_PLENTY, _PLENTY_WITH_SLIPS = 10, 100


@dataclass(frozen=True)
class Search:
    """What several starts found.

    Attributes
    ----------
    best : Descent
        The lowest loss.
    values : (n_starts,) array
        The loss each start reached, in the order they were made.
    n_iter : int
        Steps of all starts together.
    pinned : bool
        Whether the data determine the power so well that no other needs a look.
    settled : bool
        Whether two starts were enough, or would have been, so that limits need no look.
    """

    best: Descent
    values: FloatArray
    n_iter: int
    pinned: bool
    settled: bool

    @property
    def agreeing(self) -> int:
        """How many starts reached the best loss."""
        slack = _AGREE * abs(self.best.value) + 1e-300
        return int((self.values <= self.best.value + slack).sum())


def search(
    loss: Loss,
    rng: np.random.Generator,
    *,
    p: float | None = None,
    n_starts: StartCount = "auto",
    max_iter: int = 200,
    tolerance: float = 1e-12,
    observations: float = 1.0,
    start: Point | None = None,
    guides: Sequence[Guide] = (),
    progress: Progress | None = None,
    effort: Effort = AUTO,
) -> Search:
    """Minimise a loss from several starts.

    Parameters
    ----------
    loss : Loss
    rng : numpy.random.Generator
        For the random starts.
    p : float, optional
        The power, if it is not learned.
    n_starts : int or "auto"
        How many starts; "auto" stops when they agree.
    max_iter, tolerance
        Passed to :func:`~welfarist.solvers.descent.descend`.
    observations : float
        How many observations the mean loss stands for, to judge how well p is determined.
    start : Point, optional
        Where to look beside the starts of the schedule: all that is asked of those is asked as
        well, but they end where they run into the solution found from here.
    guides : sequence of Guide
        Who may know good places to begin, where the first starts are not convincing.
    progress : Progress, optional
        Told of every start.
    effort : Effort
        What may be spent where starts do not agree.
    """
    schedule = Schedule(loss, rng, p, guides, effort)
    descents: list[Descent] = []
    best: Descent | None = None
    warm: list[Descent] = []
    if start is not None:
        warm = [
            descend_from(loss, start, max_iter=max_iter, tolerance=tolerance, progress=progress)
        ]
        best = schedule.best = warm[0]
        _tell(progress, loss, "warm start", best)
    since_best, doubt = 0, np.inf
    for place in schedule.starts():
        if schedule.exhausted and n_starts == "auto":
            break
        gives_up = schedule.gives_up and n_starts == "auto"
        found = None
        if best is None:  # later starts mostly run into the optimum of the first
            found = _shortcut(loss, place, max_iter, tolerance, observations)
        if found is None:
            found = descend_from(
                loss,
                place,
                max_iter=max_iter,
                tolerance=tolerance,
                known=[d for d in (*warm, *descents) if d.converged],
                reach=_reach(doubt),
                beat=best.value if best and gives_up else np.inf,
                progress=progress,
            )
        _tell(progress, loss, f"start {len(descents) + 1}", found)
        gain = CREEPING if schedule.went_on else _AGREE
        better = best is None or found.value < best.value - gain * abs(best.value)
        since_best = 0 if better else since_best + 1
        if best is None or found.value < best.value - _slack(best, schedule.went_on):
            best = found
        descents.append(replace(found, evaluation=None))  # which is as large as the table
        schedule.best = best
        schedule.disputed = n_starts == "auto" and _is_disputed(best, descents)
        if len(descents) == 1:
            doubt = _doubt(loss, best, observations)
        if n_starts != "auto":
            if len(descents) >= n_starts:
                break
        # A solution that was known before must not be missed by all of them.
        elif _settled(loss, descents, best, doubt, schedule, effort) and _found_again(
            best, descents
        ):
            break
        elif _tired(loss, descents, since_best, effort):
            if not schedule.waits:
                break
            schedule.ending = True
    assert best is not None
    every = [*warm, *descents]
    values = np.array([d.value for d in every])
    steps = sum(d.n_iter for d in every)
    agreed = _all_agree(descents) and _found_again(best, descents)
    pinned = doubt < PINNED and agreed
    settled = pinned or (agreed and _is_plain(loss, descents, doubt))
    return Search(best, values, steps, pinned, settled)


def _shortcut(
    loss: Loss, place: Point, max_iter: int, tolerance: float, observations: float
) -> Descent | None:
    """Return where a start leads by way of a share, if the data pin the power down there.

    Otherwise there may be several optima, and to which one comes should not be left to a share.
    """
    found = descend_by_share(loss, place, max_iter=max_iter, tolerance=tolerance)
    return found if found and _doubt(loss, found, observations) < PINNED else None


def _tell(progress: Progress | None, loss: Loss, what: str, found: Descent) -> None:
    if progress is not None:
        progress.say(
            f"{what}: loss {found.value:.10g} at {loss.family.shape.name} = {found.point.p:.6g} "
            f"after {found.n_iter} step{'' if found.n_iter == 1 else 's'}, {found.reason}"
        )


def _slack(best: Descent, went_on: bool) -> float:
    """By how much a loss must be lower to take the place of the best one.

    Of rules that are as good, the one that plain starts lead to stays; of those that people with
    the same utilities may share in any way, the even one.
    """
    return (_AGREE if went_on else _ROUNDING) * abs(best.value) + _TINY if best.converged else 0.0


def _found_again(best: Descent, descents: list[Descent]) -> bool:
    """Whether some start of the schedule has reached the best loss."""
    return min(d.value for d in descents) <= best.value + _AGREE * abs(best.value)


def _reach(doubt: float) -> float:
    """How wide the bowl of an optimum is taken to be; narrow where optima lie close together."""
    if doubt < PINNED:
        return 3.0
    return 1.0 if doubt < _KNOWN else 0.2


def _doubt(loss: Loss, best: Descent, observations: float) -> float:
    """Standard error of asinh(p) at the first optimum; none if p is not learned."""
    if not best.converged:
        return float("inf")
    return uncertainty_of_power(loss, best, observations) if loss.learn_power else 0.0


def _all_agree(descents: list[Descent]) -> bool:
    values = [d.value for d in descents]
    slack = _AGREE * abs(min(values))
    return all(d.converged for d in descents) and max(values) <= min(values) + slack


def _is_disputed(best: Descent, descents: list[Descent]) -> bool:
    """Whether most starts have missed the best loss."""
    return 2 * _hits(best, descents) < len(descents) >= _SOME


def _hits(best: Descent, descents: list[Descent]) -> int:
    """How many starts have reached the best loss."""
    return sum(d.value <= best.value + _AGREE * abs(best.value) for d in descents)


def _tired(loss: Loss, descents: list[Descent], since_best: int, effort: Effort) -> bool:
    """Whether many starts in a row have found nothing better, or took very many steps."""
    learned = loss.weighting.free + loss.data.slopes
    enough = effort.enough if learned or loss.learn_power else _ENOUGH_NOISE
    if loss.weighting.free > MOST_WEIGHTS:
        most = _ENOUGH_FOR_VERY_MANY if are_very_many(loss) else _ENOUGH_FOR_MANY
        enough = min(enough, most)
    return since_best >= enough or sum(d.n_iter for d in descents) >= _MOST_STEPS


def _settled(
    loss: Loss,
    descents: list[Descent],
    best: Descent,
    doubt: float,
    schedule: Schedule,
    effort: Effort,
) -> bool:
    """Whether more starts are not worth their time."""
    starts = len(descents)
    if loss.weighting.free == 0 and not loss.learn_power and len(loss.parameters) <= 1:
        return True
    if loss.is_perfect(best.value) or starts >= _MOST:
        return True
    if not effort.trusts_agreement and (schedule.roamed or schedule.scouted):
        return False
    plenty = _are_plenty(loss) and loss.data.restraint is None  # which has optima of its own
    if (doubt < PINNED and plenty) or _is_plain(loss, descents, doubt):
        convincing = _FIRST
    elif doubt < _KNOWN and plenty:
        convincing = _NEARLY_UNANIMOUS
    else:
        # Where many rules can be judged at a glance, starts that agree convince nobody.
        few = schedule.scouted or not effort.trusts_agreement
        convincing = _UNANIMOUS if doubt < _GUESSED and not few else _MOST
    return starts == convincing and _all_agree(descents)


def _are_plenty(loss: Loss) -> bool:
    """Whether there are so many decisions for each weight that problems have one optimum mostly."""
    slips = len(loss.data.observed.parameters) > 1
    per_weight = _PLENTY_WITH_SLIPS if slips else _PLENTY
    return loss.decisions >= per_weight * (loss.weighting.free + loss.data.slopes + 1)


def _is_plain(loss: Loss, descents: list[Descent], doubt: float) -> bool:
    """Whether a bowl is all that there is to see, as two starts that agree say.

    It is not proved: of 456 random problems that this ends although p is not pinned down, or
    certainty is charged for, a long search found a lower optimum in none.
    """
    first = descents[:_FIRST]
    like = loss.family.like_power
    if len(first) < _FIRST or doubt >= _WELL_KNOWN or not _are_plenty(loss):
        return False
    if any(d.n_iter > _STRAIGHT for d in first):
        return False
    if loss.data.restraint is not None:
        return abs(like(first[0].point.p)) >= _MODERATE
    return like(first[0].point.p) > _CROWDED or not loss.squared

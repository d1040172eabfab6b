"""From a loss to its optimum: subset first, several starts, polish on everything, limits.

This is the default solver. Data of ordinary size go straight to the multistart. Large data are
first searched on a small random share, whose optimum is polished on a larger one and at last on
everything: from a point that close two or three steps are enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.base.validation import FloatArray
from welfarist.losses import DecisionLoss, Loss, Point
from welfarist.losses.estimated.loss import EstimatedLoss
from welfarist.proofs import can_certify, search_powers
from welfarist.solvers.base import Guide, Optimum, uncovered
from welfarist.solvers.best_guess import from_best_guess
from welfarist.solvers.carried import expected_curvature, few_steps, follow
from welfarist.solvers.convex_start import convex_start, is_convex
from welfarist.solvers.descent import Descent, descend
from welfarist.solvers.effort import EFFORTS, EffortName
from welfarist.solvers.limits import LimitFit, Rule, fit_rule
from welfarist.solvers.multistart import Search, StartCount, search
from welfarist.solvers.rounds import polish
from welfarist.solvers.run_off import to_the_end
from welfarist.solvers.very_many import are_very_many

# Above this many decisions a search on a share of them is cheaper than one on all.
_LARGE = 20_000
_SHARE = 10_000
_GROWTH = 16
# A share of that share on which starts often agree already.
_LOOK = 2_500
# How closely to solve on a share, whose optimum is off by its sampling error anyway.
_ROUGH = 1e-5
# On everything, a thousandth of what one of a million decisions contributes to the loss; it is what
# the last step promises, which leaves a hundredth of that at most. Who asks for more gets it.
_FINE = 1e-9
_USUAL = 1e-12
# Decisions per parameter that a share must keep to determine the optimum well enough.
_PER_PARAMETER = 100
# A limiting rule is preferred to a large power even if rounding makes it look worse.
_LIMIT_SLACK = 1e-9
FAR = 20.0
# How closely all powers are searched under known weights: near enough to tell optima apart.
_LOOSE = 1e-3
_MOST_BOXES = 200
# From this |p| on it is worth searching who counts at the limit.
_TOWARDS = 5.0


@dataclass(frozen=True)
class Newton:
    """Joint second-order steps from as many starts as a problem needs: the default solver.

    Parameters
    ----------
    n_starts : int or "auto"
        How many starts; "auto" stops when they agree and goes on when they do not.
    max_iter : int
        Largest number of steps per start.
    tolerance : float
        Relative decrease of the loss below which a start has converged.
    start : Point, optional
        A solution of a similar problem, from which is searched as well.
    guides : tuple of Guide
        Who may know good places to begin, where the first starts are not convincing.
    effort : "low", "auto" or "high"
        How hard to search where starts do not agree.
    """

    n_starts: StartCount = "auto"
    max_iter: int = 200
    tolerance: float = _USUAL
    start: Point | None = None
    guides: tuple[Guide, ...] = ()
    effort: EffortName = "auto"

    def covers(self, feature: str) -> bool:
        """Every loss that has derivatives will do, whatever it is made of."""
        return feature != "errors"

    def check(self, loss: Loss) -> None:
        """Refuse, before any work, a loss without derivatives."""
        reason = uncovered(loss, self.covers)
        if reason:
            raise InputError(
                f'solver="newton" follows derivatives, which {reason} do not have. Use '
                'solver="exact".'
            )

    def minimise(
        self,
        loss: Loss,
        rng: np.random.Generator,
        *,
        p: float | None,
        observations: float,
        progress: Progress,  # milliseconds need no bar, but very many weights do
    ) -> Optimum:
        """Minimise a loss; see :class:`~welfarist.solvers.base.Solver`."""
        if loss.data.in_parts:
            return self._in_rounds(loss, rng, p, observations, progress)
        if isinstance(loss.data, EstimatedLoss):
            return from_best_guess(self, loss, rng, p, observations, progress)
        if p is not None and np.isinf(p):
            return self._at_limit(loss, p)
        max_iter, tolerance = self.max_iter, self.tolerance
        sizes = _growing_shares(loss)
        shares = _nested(loss, sizes, rng)
        part = shares[0] if shares else loss
        found = self._searched(
            part, rng, p, observations / loss.decisions, len(sizes) > 0, progress
        )
        best, n_iter = found.best, found.n_iter
        if not np.isfinite(best.value):  # wherever it began
            nowhere = Rule(best, loss.weights_at(best.point))
            return self._optimum(nowhere, n_iter, found.values, 0)
        if p is None and can_certify(part):
            best = _checked_at_all_powers(part.data, best, max_iter, tolerance)
        if sizes:
            best = self._on_everything(loss, shares[1:], best, progress)
            n_iter += best.n_iter
        best = to_the_end(loss, best)
        rule = Rule(best, loss.weights_at(best.point))
        settled = found.settled and abs(loss.family.like_power(best.point.p)) < FAR
        if loss.learn_power and not settled and not loss.interior:
            if not loss.is_perfect(best.value):
                rule = compare_limits(loss.data, rule, max_iter, tolerance)
            rule = _prefer_plain(loss.data, rule, max_iter, tolerance)
        return self._optimum(rule, n_iter, found.values, found.agreeing)

    def _searched(
        self,
        part: Loss,
        rng: np.random.Generator,
        p: float | None,
        per_decision: float,
        share: bool,
        progress: Progress,
    ) -> Search:
        """Search on everything, or on a share: there first on a smaller one, if that is enough."""
        start = convex_start(part, self.max_iter, self.tolerance) if p is None else None
        if start is not None and self.start is None:
            if is_convex(part):  # so that no other start could lead elsewhere
                best = descend(part, start, max_iter=self.max_iter, tolerance=self.tolerance)
                return Search(best, np.array([best.value]), best.n_iter, True, True)
            return replace(self, start=start)._searched(part, rng, p, per_decision, share, progress)

        def searched(loss: Loss) -> Search:
            return search(
                loss,
                rng,
                p=p,
                n_starts=self.n_starts,
                max_iter=self.max_iter,
                tolerance=self.tolerance,
                observations=per_decision * loss.decisions,
                start=self.start,
                guides=self.guides,
                progress=progress,
                effort=EFFORTS[self.effort],
            )

        look = max(_LOOK, _PER_PARAMETER * _parameters(part))
        if not share or look > part.decisions / 2 or not (part.learn_power and part.weighting.free):
            return searched(part)
        found = searched(part.share(look / part.decisions, rng))
        if not found.pinned:
            return searched(part)
        best = self._nearer(part, found.best)
        return replace(found, best=best, n_iter=found.n_iter + best.n_iter)

    def _nearer(self, part: Loss, best: Descent) -> Descent:
        """Go from the optimum of a share towards that of a larger one."""
        point = few_steps(part, best.point)
        if point is not None:
            return replace(best, point=point, n_iter=1)
        return descend(part, best.point, max_iter=self.max_iter, tolerance=_ROUGH, near=True)

    def _on_everything(
        self,
        loss: Loss,
        shares: list[Loss],
        best: Descent,
        progress: Progress,
    ) -> Descent:
        """Go on from the optimum of a share, by way of larger ones; steps are counted together."""
        n_iter, curvature = 0, None
        while shares:
            part = shares.pop(0)
            best = self._nearer(part, best)
            n_iter += best.n_iter
            at = f"{loss.family.shape.name} = {best.point.p:.6g}"
            progress.say(f"on {part.decisions} decisions: {at}")
            if not shares:
                curvature = expected_curvature(part, best.point)
        tolerance = self.tolerance if self.tolerance < _USUAL else max(self.tolerance, _FINE)
        best = follow(
            loss, best.point, max_iter=self.max_iter, tolerance=tolerance, curvature=curvature
        )
        at = f"{loss.family.shape.name} = {best.point.p:.6g}"
        progress.say(f"on all {loss.decisions} decisions: loss {best.value:.10g} at {at}")
        return replace(best, n_iter=best.n_iter + n_iter)

    def _in_rounds(
        self,
        loss: Loss,
        rng: np.random.Generator,
        p: float | None,
        observations: float,
        progress: Progress,
    ) -> Optimum:
        """Search on the share that is in memory, then go on from there in rounds over the files."""
        share = loss.share(1.0, rng)
        of_share = observations * share.data.observed.total / loss.data.observed.total
        found = self.minimise(share, rng, p=p, observations=of_share, progress=progress)
        at = f"{loss.family.shape.name} = {found.point.p:.6g}"
        progress.say(f"on the share: loss {found.value:.10g} at {at}")
        return polish(loss, found, rng)

    def _at_limit(self, loss: Loss, p: float) -> Optimum:
        limit = LimitFit(loss.data, p, self.max_iter, self.tolerance)
        # Under a prior everybody counts, and all weights are equally good.
        rule = limit.with_everybody() if loss.interior else limit.search()
        return self._optimum(rule, rule.descent.n_iter, np.array([rule.value]), 1)

    def _optimum(self, rule: Rule, n_iter: int, values: FloatArray, agreeing: int) -> Optimum:
        found = rule.descent
        return Optimum(
            found.point,
            rule.weights,
            found.value,
            found.converged,
            found.reason,
            n_iter,
            values,
            agreeing,
            found.nothing_to_learn,
            evaluation=found.evaluation,
            effort=self.effort,
        )


def _checked_at_all_powers(
    loss: DecisionLoss, best: Descent, max_iter: int, tolerance: float
) -> Descent:
    """With known weights all powers can be searched with proof: go on from a lower loss if found.

    Starts that agree are no proof, and one in a hundred such problems has a lower optimum far off.
    """
    found = search_powers(loss, best.value, gap=_LOOSE, max_boxes=_MOST_BOXES)
    if found.point is None:
        return best
    # A limit is compared for itself later, once the search has gone far enough towards it.
    low, far = loss.search_range[0], loss.search_range[1] / 2.0
    start = replace(found.point, p=min(max(found.point.p, low, -far), far))
    again = descend(loss, start, max_iter=max_iter, tolerance=tolerance)
    return again if again.value < best.value else best


def _parameters(loss: Loss) -> int:
    """How many numbers are learned."""
    return loss.weighting.free + loss.learn_power + len(loss.parameters)


def _growing_shares(loss: Loss) -> list[int]:
    """Sizes of the random shares to work through before everything; none for ordinary data."""
    size = max(_SHARE, _PER_PARAMETER * _parameters(loss))
    if are_very_many(loss):  # a step takes as long on a share that tells as much about each weight
        return []
    if loss.decisions <= _LARGE or size > loss.decisions / 2:
        return []
    sizes = []
    while size <= loss.decisions / 2:
        sizes.append(size)
        size *= _GROWTH
    return sizes


def _nested(loss: Loss, sizes: list[int], rng: np.random.Generator) -> list[Loss]:
    """Random shares of so many decisions, ascending, each a share of the next."""
    shares: list[Loss] = []
    for size in reversed(sizes):
        larger = shares[0] if shares else loss
        shares.insert(0, larger.share(min(size / larger.decisions, 1.0), rng))
    return shares


def compare_limits(loss: DecisionLoss, best: Rule, max_iter: int, tolerance: float) -> Rule:
    """Prefer p = -inf or inf if the rule there explains the decisions at least as well.

    Who counts there is searched on the side to which p has gone far.
    """
    p = loss.family.like_power(best.descent.point.p)
    for end in loss.limits:
        limit = LimitFit(loss, end, max_iter, tolerance)
        far = np.copysign(1.0, loss.family.like_power(end)) * p > _TOWARDS
        # A large power is as good as the limit; a moderate one must be clearly worse.
        slack = _LIMIT_SLACK * abs(best.value)
        enough = best.value + (slack if abs(p) > FAR else -slack)
        order = loss.weighting.gather(best.weights)
        rule = limit.search(order) if far else limit.with_everybody(beat=enough)
        if rule.value <= enough:
            best = rule
    return best


def _prefer_plain(loss: DecisionLoss, best: Rule, max_iter: int, tolerance: float) -> Rule:
    """Report the family's plain rule, with equal weights if free, where none explains more."""
    if loss.family.plain is None:
        return best
    people = loss.weighting.people
    if loss.weighting.free == 0:
        plain = loss.weighting.to_people(np.empty(0))
    else:
        plain = np.full(people, 1.0 / people)
    rounding = min(tolerance, _LIMIT_SLACK) * abs(best.value) + loss.resolution
    enough = best.value + rounding
    found = fit_rule(loss, plain, loss.family.plain, max_iter, tolerance, beat=enough)
    return found if found.value <= enough else best

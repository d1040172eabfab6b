"""What actually happens: the error that learning reaches in simulation, beside the bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # comes with scikit-learn

from welfarist.base.data_frames import order_by_name
from welfarist.base.errors import InputError
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.validation import check_count
from welfarist.bounds.curves import LearningCurve
from welfarist.bounds.noisy_scores import noise_of_error
from welfarist.bounds.parameters import (
    Weights,
    check_positive,
    check_range,
    check_rho,
    check_samples,
)
from welfarist.bounds.planning import Task, described, excess_risk, largest_excess_risk
from welfarist.bounds.trials import Examination, Outcome, Seed, Setting, run_trial
from welfarist.decisions import Scores
from welfarist.learners import ChoiceLearner, ComparisonClassifier, WelfareRegressor
from welfarist.people.utility_tables import as_utility_table
from welfarist.results.record import FitResult
from welfarist.simulate import World
from welfarist.simulate.deciding import LARGEST_NU
from welfarist.simulate.streams import RandomState, stream
from welfarist.simulate.worlds import check_number

Cell = tuple[int, Seed]

# More decisions than these are not simulated: the bound alone costs nothing.
MOST_SIMULATED = 10**7

# The letter of each task's noise.
_NOISE: dict[Task, str] = {"scores": "nu", "flip": "rho", "logistic": "tau"}


def learning_curve(
    source: World | FitResult | ComparisonClassifier | ChoiceLearner | WelfareRegressor,
    task: Task,
    *,
    n: int | Sequence[int] = (100, 300, 1000, 3000),
    weights: Weights = "unknown",
    repetitions: int = 20,
    utilities: Any = None,
    nu: float | None = None,
    rho: float | None = None,
    tau: float | None = None,
    tau_max: float | None = None,
    u_min: float | None = None,
    u_max: float | None = None,
    c: float | None = None,
    delta: float = 0.05,
    menu_size: int = 2,
    places: int = 1,
    test: int = 20_000,
    random_state: RandomState | None = None,
    n_jobs: int = 1,
    progress: ProgressOption = "auto",
) -> LearningCurve:
    """Simulate learning from n decisions, and report what is reached beside what is guaranteed.

    The bounds hold for every distribution of actions and are loose for that reason. Here one
    distribution is stated: decisions are simulated in it, the rule is learned by the method the
    bound is about, and its loss is compared with that of the best rule, over and over.

    Parameters
    ----------
    source : World, FitResult or fitted learner
        The truth: a stated world; or a pilot, whose rule and noise are taken to be true.
    task : "scores", "comparisons", "flip" or "logistic"
        What is observed; need not be what the pilot was learned from, which may be choices from
        menus: the bounds are about pairs of actions.
    n : int or sequence of int
        Numbers of decisions.
    weights : "known" or "unknown"
        Whether the learner is told the true weights.
    repetitions : int
        How often each number of decisions is drawn and learned from.
    utilities : (N, d) array-like or data frame
        The table that actions are drawn from, uniformly and with replacement. It must come with
        a pilot (the table it was fitted on, or a larger one); for a world it is the world's own
        if left out. Few actions make an easy world: they are met again and again.
    nu, rho, tau : float, optional
        The noise of "scores" (see :func:`welfarist.simulate.scores`), "flip" and "logistic". If
        left out, it is the pilot's: rho and tau as they were estimated, nu so that the squared
        error is the pilot's.
    tau_max : float, optional
        For "logistic": the largest temperature the learner considers; twice tau if left out.
    u_min, u_max : float, optional
        For "scores" and "logistic": the range the bound allows for; that of the table if left out.
    c : float, optional
        The bound's constant, as in :func:`excess_risk`.
    delta : float
        How often the bound may fail, in (0, 1).
    menu_size : int
        From how many actions is chosen; 2 are comparisons. Of larger menus no bound is known, and
        it is infinite; rules are judged by pairs of actions all the same, so that curves can be
        set side by side.
    places : int
        How many actions of each menu are ranked, from the best down: 1 is a choice.
    test : int
        On how many actions and pairs rules are judged: all there are if they are no more than
        this, otherwise so many at random.
    random_state : int, sequence of int, SeedSequence, Generator or RandomState, optional
        Seed; left out, it is a fixed one. The same seed gives the same digits, however many
        processes there are, and at each n whatever the others are.
    n_jobs : int
        How many processes share the work. A script needs ``if __name__ == "__main__":`` around
        a call with more than one.
    progress : bool or "auto"
        Whether to show a progress bar; "auto" does in a terminal.

    Returns
    -------
    LearningCurve

    Notes
    -----
    The excess risk is that of the bound: for scores the expected squared error of noisy scores,
    for comparisons with and without flips the share wrong of those without noise, for logistic
    noise the expected log loss; each less that of the best rule. The best rule is the true one,
    except for noisy scores: clipping biases them, and the best rule is found on their means.
    Expectations over the noise are exact, those over actions are means over the test.

    Menus are drawn uniformly like pairs, and decided by :func:`welfarist.simulate.choices` or
    :func:`welfarist.simulate.rankings`: one decision is one menu, or one ranking.

    Decisions that are wrong in part (flips) are learned with unknown weights by a search that
    proves nothing, and takes seconds a fit for 10 people and more.

    Examples
    --------
    >>> from welfarist import bounds, simulate
    >>> world = simulate.individuals(500, 3, p=-1.0, random_state=1)
    >>> curve = bounds.learning_curve(
    ...     world, "comparisons", n=(50, 500), weights="known", repetitions=5, random_state=1
    ... )
    >>> curve.to_frame()[["n", "bound", "excess_risk", "accuracy"]].round(3)
         n   bound  excess_risk  accuracy
    0   50  11.404        0.006     0.994
    1  500   4.365        0.001     0.999

    How much more do rankings of the first five of ten tell than choices of the best?

    >>> known = dict(n=100, weights="known", tau=10.0, repetitions=5, menu_size=10)
    >>> chosen = bounds.learning_curve(world, "logistic", **known)
    >>> ranked = bounds.learning_curve(world, "logistic", places=5, **known)
    >>> bool(ranked.runs["p_error"].mean() < chosen.runs["p_error"].mean())
    True
    """
    sizes, world = _sizes(n), _world(source, utilities)
    noise = _noise(source, task, world, nu=nu, rho=rho, tau=tau)
    own = _of_bound(task, world, noise, tau_max=tau_max, u_min=u_min, u_max=u_max)
    offered, ranked = _menus(task, world, menu_size, places)
    bound = [
        excess_risk(task, n=k, d=world.people, weights=weights, delta=delta, c=c, **own)
        if offered == 2
        else np.inf
        for k in sizes
    ]
    times, size = check_count(repetitions, "repetitions"), check_count(test, "test")
    workers, shown = check_count(n_jobs, "n_jobs"), Progress(progress)
    root = int(stream(random_state, "learning curve").integers(2**63))
    cells: list[Cell] = [(k, [root, k, i]) for k in sizes for i in range(times)]
    setting = Setting(task, world, weights, noise, own.get("tau_max", np.inf), offered, ranked)
    with threadpool_limits(1):  # their number could change digits
        examination = Examination.of(setting, size, [root])
        outcomes = run_jobs(_run, examination, cells, workers, option="n_jobs")
        done = list(shown.track(outcomes, len(cells), f"{task}, {weights} weights"))
    ranges = {name: own[name] for name in ("u_min", "u_max", "tau_max") if name in own}
    return LearningCurve(
        task,
        weights,
        world.people,
        float(delta),
        {
            **own,
            **({_NOISE[task]: noise} if task in _NOISE else {}),
            **({"menu_size": offered, "places": ranked} if offered > 2 else {}),
        },
        sizes,
        np.array(bound),
        largest_excess_risk(task, **ranges),
        {
            name: np.array([getattr(outcome, name) for outcome in done]).reshape(-1, times)
            for name in Outcome._fields
        },
    )


def _sizes(n: object) -> tuple[int, ...]:
    """Return the different numbers of decisions, in order."""
    given = [n] if isinstance(n, int | np.integer) else n
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or len(given) == 0:
        raise InputError(
            f"n must be a number of decisions, or several; found {n!r:.60}. For example: "
            "n=(100, 1000)"
        )
    sizes = tuple(sorted({check_samples(k) for k in given}))
    if sizes[-1] > MOST_SIMULATED:
        raise InputError(
            f"n must be at most {MOST_SIMULATED:,} for a simulation; found {sizes[-1]:,}. The "
            "bound alone is bounds.excess_risk(…)."
        )
    return sizes


def _menus(task: Task, world: World, size: object, places: object) -> tuple[int, int]:
    """Return how many actions a menu offers, and how many of them are ranked."""
    offered, ranked = check_count(size, "menu_size", 2), check_count(places, "places")
    if task == "scores" and (offered, ranked) != (2, 1):
        raise InputError(
            f"menu_size and places are those of choices, and scores have none; found {offered} and "
            f'{ranked}. Choose the task "logistic", or leave them out.'
        )
    if offered > world.actions:
        raise InputError(
            f"menu_size must be at most the number of actions, {world.actions}; found {offered}. "
            "A menu cannot offer an action twice."
        )
    if ranked >= offered:
        raise InputError(
            f"places must be fewer than the {offered} actions of a menu; found {ranked}. The last "
            "place follows from the others."
        )
    return offered, ranked


def _fitted(source: object) -> FitResult | None:
    """Return the record of a pilot; None for a world."""
    if isinstance(source, World):
        return None
    result = getattr(source, "result_", source)
    if isinstance(result, FitResult):
        return result
    raise InputError(
        "source must be a simulate.World, a fitted learner or its result_; found "
        f"{source!r:.60}. " + ("Fit it first." if hasattr(source, "fit") else "")
    )


def _world(source: object, utilities: Any) -> World:
    """Return the true rule with the table that actions are drawn from."""
    pilot = _fitted(source)
    if isinstance(source, World) and utilities is None:
        world = source
    elif utilities is None:
        raise InputError(
            "utilities must come with a pilot fit, which does not keep the actions it was learned "
            "from; found none. Pass the table it was fitted on, or a larger one."
        )
    else:
        rule = source.rule if isinstance(source, World) else pilot.welfare  # type: ignore[union-attr]
        table, names = as_utility_table(utilities)
        if names is not None and rule.stakeholders is not None:
            table = table[:, np.argsort(order_by_name(names, rule.stakeholders))]
        world = World(table, rule)
    if world.rule.shift:  # learners see what the rule sees
        world = World(world.utilities + world.rule.shift, world.rule.shifted(0.0))
    if world.actions < 2:
        raise InputError(
            "utilities must hold at least two actions to decide between; found 1. Add some."
        )
    return world


def _noise(source: object, task: Task, world: World, **given: float | None) -> float:
    """Return how much the decision maker errs: as given, or as the pilot says."""
    described(task)  # refuses what is no task
    own = _NOISE.get(task)
    foreign = [name for name, value in given.items() if value is not None and name != own]
    if foreign:
        raise InputError(
            f'noise must belong to the task "{task}", whose is {own or "none"}; found '
            f"{foreign[0]}. Leave it out, or choose the task it belongs to."
        )
    if own is None:
        return 0.0
    value = given[own]
    if value is None:
        value = _pilot_noise(_fitted(source), own, world)
    if value is None:
        raise InputError(
            f'the task "{task}" must come with {own}; found none, and the source does not say. '
            f"Say how much the decision maker errs: {own}=…"
        )
    if own == "tau":
        return check_positive(value, own)
    return check_rho(value) if own == "rho" else check_number(value, own, 0.0, LARGEST_NU)


def _pilot_noise(pilot: FitResult | None, letter: str, world: World) -> float | None:
    if pilot is None:
        return None
    if letter != "nu":
        return pilot.rho if letter == "rho" else pilot.tau
    if pilot.kind != Scores.kind:
        return None
    # Scores on another scale are brought back to that of the utilities.
    return noise_of_error(world, pilot.loss / (pilot.scale or 1.0) ** 2)


def _of_bound(task: Task, world: World, noise: float, **given: float | None) -> dict[str, float]:
    """Return the bound's own parameters, which must hold in this world."""
    own = {name: value for name, value in given.items() if value is not None}
    if task in ("scores", "logistic"):
        low, high = float(world.utilities.min()), float(world.utilities.max())
        own = {"u_min": low, "u_max": high, **own}
        least, most = check_range(own["u_min"], own["u_max"])
        if least > low or most < high:
            raise InputError(
                f"u_min and u_max must hold all utilities, from {low:g} to {high:g}; found "
                f"{least:g} and {most:g}. Widen them, or leave them out."
            )
    if task == "flip":
        own["rho"] = noise
    if task == "logistic":
        own = {"tau_max": 2.0 * noise, **own}
        if check_positive(own["tau_max"], "tau_max") < noise:
            raise InputError(
                f"tau_max must be at least tau; found {own['tau_max']:g} and {noise:g}. The bound "
                "allows for no larger temperature."
            )
    return own


def _run(examination: Examination, cell: Cell) -> Outcome:
    return run_trial(examination, *cell)

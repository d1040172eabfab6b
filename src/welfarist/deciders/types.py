"""Learning types of decision makers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import seed_of
from welfarist.base.validation import FloatArray, check_count
from welfarist.deciders import candidates as weighed
from welfarist.deciders.answering import AnsweringLearner, refuse_too_many
from welfarist.deciders.candidates import Candidate
from welfarist.deciders.caveats import panel_caveats, search_caveats, type_caveats
from welfarist.deciders.covariates import Covariates
from welfarist.deciders.finding import find_population, too_many_numbers
from welfarist.deciders.mixture import TypeModel
from welfarist.deciders.panel import Panel
from welfarist.deciders.searching import Found, search_types
from welfarist.deciders.types_result import TypesResult
from welfarist.learners import options
from welfarist.results.caveats import give

# How often in a row one more type may raise BIC before no more are tried.
_PATIENCE = 2


class Types(AnsweringLearner):
    """Learn a few types of decision makers, and who belongs to which.

    Every decision maker follows one of K rules, each with its own noise; nobody says who follows
    which. Rules, shares and memberships are found together, by maximum likelihood from many starts.

    Parameters
    ----------
    learner : ComparisonClassifier or ChoiceLearner, optional
        Whose options say which rules and which noise: p or weights that are given, groups,
        ``noise="lapse"``. Left out, a default one for the kind of decisions. It is not fitted.
    n_types : int or "auto"
        How many types; "auto" takes the number with the lowest BIC, whose observations are decision
        makers.
    types : list, optional
        One entry a type: the name of a doctrine or a power that is held, or "learn". Takes the
        place of `n_types`.
    max_types : int
        The largest number that "auto" tries.
    population : bool
        Whether a normal population of rules is fitted beside them, to say whether people are of
        types at all or differ by degree. Where a rule has more than six numbers it is not.
    n_starts : int
        How many searches there are for each number of types.
    n_jobs : int
        How many processes share them; digits do not depend on it.
    progress : bool or "auto"
    random_state : int, Generator or RandomState, optional
        Seed of the starts; left out, it is a fixed one.
    verbose : int

    Attributes
    ----------
    types_ : tuple of DeciderType
        The rules with their noise, the largest type first.
    shares_ : (K,) array
    membership_ : data frame
        One row a decision maker: who, the likeliest type, how likely each is.
    n_types_ : int
    log_likelihood_ : float
    converged_ : bool
    result_ : TypesResult
        The full record; ``print(est.result_.summary())``.

    Notes
    -----
    The likelihood of decision maker i is ``sum_k pi_k L_ik``. EM with weighted fits of the rules
    leads near a maximum, Newton's method with the observed information [Louis 1982] to it.

    Examples
    --------
    >>> import numpy as np
    >>> import welfarist as wf
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (40, 2))
    >>> rules = [wf.WelfareFunction(1, [0.9, 0.1]), wf.WelfareFunction(-1, [0.5, 0.5])]
    >>> n, who = 1200, np.repeat(np.arange(20), 60)
    >>> pairs = wf.simulate.random_pairs(40, n)
    >>> logs = np.array([rule.log(utilities) for rule in rules])[who % 2]
    >>> apart = logs[np.arange(n), pairs[:, 0]] - logs[np.arange(n), pairs[:, 1]]
    >>> outcomes = np.sign(apart + rng.logistic(scale=1 / 15, size=n))
    >>> decisions = wf.Comparisons(utilities, pairs, outcomes, by=who)
    >>> found = Types(n_types=2, population=False).fit(decisions)
    >>> found.shares_.round(2), sorted(round(kind.p) for kind in found.types_)
    (array([0.5, 0.5]), [-1, 1])
    """

    def __init__(
        self,
        learner: Any = None,
        n_types: int | Literal["auto"] = "auto",
        *,
        types: Sequence[str | float] | None = None,
        max_types: int = 6,
        population: bool = True,
        n_starts: int = 20,
        n_jobs: int = 1,
        progress: ProgressOption = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.n_types = n_types
        self.types = types
        self.max_types = max_types
        self.population = population
        self.n_starts = n_starts
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, deciders: Any = None) -> Self:  # noqa: ARG002
        """Learn from decisions of which it is known who made them.

        Parameters
        ----------
        X : Comparisons or Choices
            With `by`.
        y : None
            Decisions hold their outcomes.
        deciders : data frame or mapping of columns, optional
            What is known of the decision makers, one row each, with a column of their names (or
            names as the index): membership of the types may then depend on it.
        """
        progress = Progress(self.progress, self.verbose)
        seed = seed_of(self.random_state)
        check_count(self.n_starts, "n_starts")
        panel = Panel.of(self.learner, X)
        covariates = Covariates.of(deciders, panel.names)
        models = None if self.types is None else _models(panel, self.types)
        if models is not None and self.n_types not in ("auto", len(models)):
            raise InputError(
                f"n_types must be the number of types that are given, {len(models)}; found "
                f"{self.n_types!r}. Leave out one of the two."
            )
        search = _Search(panel, covariates.design, self.n_starts, seed, self.n_jobs, progress)
        tried = self._tried(search, models)
        candidates = [weighed.candidate_of_types(found) for found in tried]
        chosen = self._chosen(tried, candidates, models)
        if options.check_flag(self.population, "population"):
            candidates += _beside(panel, covariates.design, tried[0], seed, progress)
        said = [*panel_caveats(panel), *search_caveats(chosen)]
        result = TypesResult(
            chosen.mixture, tuple(candidates), covariates, chosen=tried.index(chosen)
        )
        said += type_caveats(chosen.mixture, result.types)
        self.panel_ = panel
        self.result_ = replace(result, caveats=tuple(said))
        self.types_, self.shares_ = self.result_.types, self.result_.shares
        self.n_types_ = self.result_.n_types
        self.log_likelihood_ = self.result_.log_likelihood
        self.converged_ = chosen.converged
        give(self.result_.caveats)
        return self

    @property
    def membership_(self) -> Any:
        """How likely each decision maker belongs to each type, as a data frame."""
        return self.result_.membership_frame()

    def _tried(self, search: _Search, models: tuple[TypeModel, ...] | None) -> list[Found]:
        """Fits of one rule, and of the numbers of types that are asked for."""
        panel = search.panel
        if models is None and self.n_types != "auto":
            wanted = check_count(self.n_types, "n_types")
            models = (TypeModel(panel.loss, panel.setup.p),) * wanted
        one = search.of((TypeModel(panel.loss, panel.setup.p),))
        if models is not None:
            refuse_too_many(len(models), panel)
            alone = len(models) == 1 and models[0].called is None
            return [one] if alone else [one, search.of(models)]
        return self._up_to_enough(search, one)

    def _up_to_enough(self, search: _Search, one: Found) -> list[Found]:
        """Fits of one type, two types and so on, until more only raise BIC."""
        most = check_count(self.max_types, "max_types")
        found, risen = [one], 0
        for types in range(2, min(most, search.panel.people) + 1):
            found.append(search.of(one.mixture.models * types))
            risen = risen + 1 if found[-1].bic > min(other.bic for other in found[:-1]) else 0
            if risen >= _PATIENCE:
                break
        return found

    def _chosen(self, tried: list[Found], candidates: list[Candidate], models: Any) -> Found:
        if models is not None or self.n_types != "auto":
            return tried[-1]
        return tried[candidates.index(weighed.best_of(candidates))]


class _Search:
    """Searches for types of the same decisions."""

    def __init__(
        self,
        panel: Panel,
        design: FloatArray,
        n_starts: int,
        seed: int,
        n_jobs: int,
        progress: Progress,
    ) -> None:
        self.panel, self._design, self._n_starts = panel, design, n_starts
        self._seed, self._n_jobs, self._progress = seed, n_jobs, progress

    def of(self, models: tuple[TypeModel, ...]) -> Found:
        """Return the most likely types of these models."""
        found = search_types(
            self.panel, models, self._design, n_starts=self._n_starts, seed=self._seed,
            n_jobs=self._n_jobs, progress=self._progress,
        )  # fmt: skip
        self._progress.say(
            f"{len(models)} types: log likelihood {found.log_likelihood:.6g}, BIC {found.bic:.6g}",
            1,
        )
        return found


def _models(panel: Panel, types: Sequence[str | float]) -> tuple[TypeModel, ...]:
    """What is known of each type: a doctrine or a power that it holds, or nothing."""
    if isinstance(types, str) or not isinstance(types, Sequence) or not len(types):
        raise InputError(
            'types must hold an entry for each type, such as ["utilitarian", "learn"]; found '
            f"{types!r}."
        )
    loss = panel.loss
    found = []
    for wanted in types:
        if options.is_learned(wanted):
            found.append(TypeModel(loss, panel.setup.p))
            continue
        p = options.shape_of(wanted, loss.family, loss.has_zeros)
        called = wanted if isinstance(wanted, str) else f"{loss.family.shape.name} = {wanted:g}"
        found.append(TypeModel(replace(loss, learn_power=False), p, called))
    return tuple(found)


def _beside(
    panel: Panel, design: FloatArray, one: Found, seed: int, progress: Progress
) -> list[Candidate]:
    """The normal population beside the types, where a rule has few enough numbers."""
    if too_many_numbers(panel):
        return []
    found = find_population(panel, design, one, seed=seed, progress=progress)
    return [weighed.candidate_of_population(found, panel.people)]

"""Learning everybody's own rule, and the population they come from."""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

from welfarist.base.errors import InputError
from welfarist.base.progress import Progress, ProgressOption
from welfarist.base.seeds import seed_of
from welfarist.base.validation import check_count
from welfarist.deciders import candidates as weighed
from welfarist.deciders.answering import AnsweringLearner
from welfarist.deciders.beliefs import Beliefs
from welfarist.deciders.caveats import panel_caveats, population_caveats
from welfarist.deciders.covariates import Covariates
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.finding import MOST_NUMBERS, coordinates_of, find_population
from welfarist.deciders.integrating import Integrated
from welfarist.deciders.mixture import TypeModel
from welfarist.deciders.panel import Panel
from welfarist.deciders.populations import Population
from welfarist.deciders.searching import Found, search_types
from welfarist.deciders.types import Types
from welfarist.results.caveats import give

PopulationName = Literal["auto", "normal", "types"]
# The fewest nodes with which anything can be said.
_FEWEST_NODES = 512


class Deciders(AnsweringLearner):
    """Learn everybody's own rule, and the population of rules they come from.

    Few decisions of a person say little about that person's rule by themselves: fitted alone, most
    end in an infinite power, in a weight of 0, or without any error at all. Here rules are drawn
    from a population, which everybody's decisions tell together; what is believed of a person
    combines both, and is as sure as their decisions allow.

    Parameters
    ----------
    learner : ComparisonClassifier or ChoiceLearner, optional
        Whose options say which rules and which noise. Left out, a default one for the kind of
        decisions. It is not fitted.
    population : "auto", "normal" or "types"
        How rules are distributed: normal in asinh p, log ratios of weights and log tau; or types,
        which "auto" takes where a rule has more than six numbers.
    n_nodes : int or "auto"
        How many rules the integral over the population is made of; rounded up to a power of two.
        "auto" takes 32,768, and fewer for more than 1,500 people, as memory allows.
    n_jobs : int
        How many processes share searches for types.
    progress : bool or "auto"
    random_state : int, Generator or RandomState, optional
        Seed of the nodes; left out, it is a fixed one.
    verbose : int

    Attributes
    ----------
    individuals_ : data frame
        One row a decision maker: who, how many decisions, p, inequality aversion, tau and weights
        with 95% intervals. Powers and temperatures are medians of what is believed, weights means.
    population_ : Population
        Median and spread of p and inequality aversion, shares beyond doctrines, correlations.
    log_likelihood_ : float
        Of everybody's decisions, rules integrated out.
    converged_ : bool
    result_ : DecidersResult
        The full record; ``print(est.result_.summary())``.

    Notes
    -----
    ``log likelihood = sum_i log ∫ L_i(x) N(x; B z_i, Sigma) dx``, with x the numbers of a rule and
    z_i what is known of i. The integral is a sum over quasi-random nodes, common to all, that
    follow the population; EM and a quasi-Newton search over B and Sigma need no likelihood but
    those at the nodes. Predictions are averages over everything that is believed.

    Examples
    --------
    >>> import numpy as np
    >>> import welfarist as wf
    >>> rng = np.random.default_rng(0)
    >>> utilities = rng.uniform(1, 10, (40, 2))
    >>> n, who = 900, np.repeat(np.arange(30), 30)
    >>> pairs = wf.simulate.random_pairs(40, n)
    >>> powers, weights = np.sinh(rng.normal(-0.5, 0.8, 30)), rng.beta(6, 4, 30)
    >>> rules = [wf.WelfareFunction(p, [w, 1 - w]) for p, w in zip(powers, weights)]
    >>> logs = np.array([rule.log(utilities) for rule in rules])[who]
    >>> apart = logs[np.arange(n), pairs[:, 0]] - logs[np.arange(n), pairs[:, 1]]
    >>> outcomes = np.sign(apart + rng.logistic(size=n) / rng.lognormal(3, 0.5, 30)[who])
    >>> found = Deciders(n_nodes=2048).fit(wf.Comparisons(utilities, pairs, outcomes, by=who))
    >>> bool(np.corrcoef(np.arcsinh(found.individuals_["p"]), np.arcsinh(powers))[0, 1] > 0.6)
    True
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        population: PopulationName = "auto",
        n_nodes: int | Literal["auto"] = "auto",
        n_jobs: int = 1,
        progress: ProgressOption = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.learner = learner
        self.population = population
        self.n_nodes = n_nodes
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
            names as the index): the population's mean may then depend on it.
        """
        panel = Panel.of(self.learner, X)
        covariates = Covariates.of(deciders, panel.names)
        if self._by_types(panel):
            result = self._with_types(panel, X, deciders, covariates)
        else:
            result = self._normal(panel, covariates)
        self.panel_, self.result_ = panel, result
        self.population_ = result.population
        self.log_likelihood_, self.converged_ = result.log_likelihood, result.converged
        give(result.caveats)
        return self

    @property
    def individuals_(self) -> Any:
        """Everybody's rule with 95% intervals, as a data frame."""
        return self.result_.individuals()

    def _by_types(self, panel: Panel) -> bool:
        if self.population not in get_args(PopulationName):
            raise InputError(
                f'population must be "auto", "normal" or "types"; found {self.population!r}.'
            )
        numbers = coordinates_of(panel).size
        if self.population == "normal" and numbers > MOST_NUMBERS:
            raise InputError(
                f"a normal population can have rules of at most {MOST_NUMBERS} numbers; found "
                f'{numbers}. Use population="types", or learn weights by group.'
            )
        return self.population == "types" or numbers > MOST_NUMBERS

    def _normal(self, panel: Panel, covariates: Covariates) -> DecidersResult:
        progress, seed = Progress(self.progress, self.verbose), seed_of(self.random_state)
        count = None
        if self.n_nodes != "auto":
            count = 1 << (check_count(self.n_nodes, "n_nodes", _FEWEST_NODES) - 1).bit_length()
        design = covariates.design
        one = search_types(
            panel, (TypeModel(panel.loss, panel.setup.p),), design[:, :1], n_starts=1, seed=seed,
            progress=progress,
        )  # fmt: skip
        found = find_population(panel, design, one, seed=seed, count=count, progress=progress)
        return _result_of(panel, covariates, one, found)

    def _with_types(
        self, panel: Panel, X: Any, deciders: Any, covariates: Covariates
    ) -> DecidersResult:
        fitted = Types(
            self.learner, population=False, n_jobs=self.n_jobs, progress=self.progress,
            random_state=self.random_state, verbose=self.verbose,
        ).fit(X, deciders=deciders).result_  # fmt: skip
        family, people = panel.loss.family, panel.setup.people
        population = Population("types", fitted.beliefs, family, people)
        candidates = (fitted.candidates[0], fitted.best)
        return DecidersResult(
            panel, fitted.beliefs, population, candidates, covariates, fitted.caveats
        )


def _result_of(
    panel: Panel, covariates: Covariates, one: Found, found: Integrated
) -> DecidersResult:
    """The record of a normal population."""
    coordinates, nodes = coordinates_of(panel), found.evidence.nodes
    rules = coordinates.rules(nodes.points, found.common)
    _, each = found.evidence.posterior(found.population)
    anybody = found.evidence.prior(found.population)
    beliefs = Beliefs(rules, panel.names, each, anybody)
    population = Population(
        "normal", beliefs, panel.loss.family, panel.setup.people, coordinates, found.population,
        found.evidence, covariates,
    )  # fmt: skip
    candidates = (
        weighed.candidate_of_types(one),
        weighed.candidate_of_population(found, panel.people),
    )
    said = [*panel_caveats(panel), *population_caveats(found, coordinates.names)]
    return DecidersResult(panel, beliefs, population, candidates, covariates, tuple(said))

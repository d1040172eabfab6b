"""A panel: decisions of several decision makers, and the rules that they may follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.base.wording import listed
from welfarist.decisions import Choices, Comparisons, Scores
from welfarist.decisions.same_people import in_order_of
from welfarist.decisions.scanned.decisions import is_scanned
from welfarist.learners import ChoiceLearner, ComparisonClassifier
from welfarist.learners.assembly import Setup
from welfarist.losses import DecisionLoss, Point
from welfarist.losses.observed import ByDecider, OneByOne
from welfarist.people.source import has_errors, is_source, refuse_source


@dataclass(frozen=True, eq=False)
class Panel:
    """Decisions of several decision makers under the rules of a learner.

    Attributes
    ----------
    learner : ComparisonClassifier or ChoiceLearner
        Whose options say which rules and which noise.
    decided : Comparisons or Choices
    setup : Setup
        The options, checked.
    loss : DecisionLoss
        The mean loss of everybody's decisions under one rule, with nothing charged beside it.
    names : (G,) array
        The decision makers, in the order of their labels.
    """

    learner: Any
    decided: Any
    setup: Setup
    loss: DecisionLoss
    names: npt.NDArray[Any]

    @classmethod
    def of(cls, learner: Any, decisions: Any) -> Panel:
        """Check decisions and the options of a learner; None is the default one."""
        decisions = require_deciders(decisions)
        if decisions.says_nothing:
            raise InputError(
                "somebody must have preferred something; found nothing but ties, from which no "
                "rule can be learned."
            )
        learner = learner_for(learner, decisions)
        if has_errors(decisions.utilities):
            refuse_source(
                decisions.utilities,
                "telling decision makers apart",
                " Fit one rule for all, which allows for errors.",
            )
        if decisions.people < 2 and not is_source(decisions.utilities):
            raise InputError(
                "decision makers can differ only where at least two people are affected; found "
                "one, about whom every rule says the same."
            )
        found = cls._posed(learner, decisions)
        if found.people < 2:
            raise InputError(
                "several decision makers are needed to say how they differ; found decisions of "
                f"{found.names[0]!s} alone. Fit one rule with a {type(learner).__name__}."
            )
        return found

    @classmethod
    def _posed(cls, learner: Any, decisions: Any) -> Panel:
        if isinstance(learner, ChoiceLearner):
            decisions = learner.read_decisions(decisions)
        setup, loss = learner.posed(decisions)
        if loss.family.own:
            raise InputError(
                "several decision makers are told apart by weights, one shape and noise; found "
                f"{setup.family.called}, with {listed([one.name for one in loss.family.own])} "
                "beside them. Use a family without, or fit one rule for all."
            )
        names = np.unique(np.asarray(decisions.by)[decisions.counts > 0])
        return cls(learner, decisions, setup, loss, names)

    def more(self, decisions: Any) -> Panel:
        """Return further decisions, of anybody, under the rules of this panel."""
        known = in_order_of(require_deciders(decisions), self.setup.names)
        if known.people != self.decided.people:
            raise InputError(
                f"decisions must be about the {self.decided.people} people of the fit; found "
                f"{known.people}."
            )
        found = self._posed(self.learner, known)
        one, other = self.loss.observed.parameters, found.loss.observed.parameters
        if [a.name for a in one] != [b.name for b in other]:
            raise InputError(
                "further decisions must be of the kind that was fitted; found some with "
                f"{listed([b.name for b in other])} where the fit has "
                f"{listed([a.name for a in one])}."
            )
        return found

    @property
    def people(self) -> int:
        """How many decision makers there are."""
        return len(self.names)

    @property
    def total(self) -> float:
        """How many decisions there are."""
        return self.loss.observed.total

    @cached_property
    def single(self) -> OneByOne:
        """The decisions one by one."""
        return self.loss.observed.one_by_one(self.decided)

    @cached_property
    def number(self) -> npt.NDArray[np.intp]:
        """The number (n,) of who made each decision that counts."""
        found = self.single.deciders
        assert found is not None
        return found

    @cached_property
    def apart(self) -> ByDecider:
        """The decisions apart by who decided."""
        return self.single.by_decider()

    @cached_property
    def counts(self) -> FloatArray:
        """How many decisions each decision maker (G,) made."""
        return self.apart.counts

    def weighted(self, times: FloatArray) -> DecisionLoss:
        """Return the mean loss with each one's decisions counted so many times (G,)."""
        return self.loss.of_decisions(self.apart.weighted(times))

    def log_likelihoods(self, points: list[Point]) -> FloatArray:
        """Return each decision maker's log likelihood (G, B) at points of the loss."""
        values = np.array([self.loss.judge(point).values for point in points])
        extras = np.array([self.loss.noise_at(point) for point in points])
        return self.apart.log_likelihoods(values, extras, self.loss.has_zeros)


def require_deciders(decisions: Any) -> Any:
    """Refuse what does not say who decided, or cannot."""
    if is_scanned(decisions):
        raise InputError(
            "several decision makers are told apart in decisions that are in memory; found some "
            "that stay in their files. Load them, or a share of the decision makers."
        )
    if isinstance(decisions, Scores):
        raise InputError(
            "several decision makers are told apart in comparisons and choices; found scores, "
            "which do not say who decided."
        )
    if not isinstance(decisions, Comparisons | Choices):
        raise InputError(
            "several decision makers are told apart in Comparisons or Choices with by=…; found "
            f"{type(decisions).__name__}."
        )
    if decisions.by is None:
        raise InputError(
            f"decisions must say who decided; found none with names. {decisions.by_hint}"
        )
    return decisions


def learner_for(learner: Any, decisions: Any) -> Any:
    """Return the learner whose options are to be used, or refuse one without a likelihood."""
    if learner is None:
        choosing = isinstance(decisions, Choices)
        return ChoiceLearner() if choosing else ComparisonClassifier()
    if not isinstance(learner, ComparisonClassifier | ChoiceLearner):
        raise InputError(
            "learner must be a ComparisonClassifier or a ChoiceLearner, whose options are used; "
            f"found {type(learner).__name__}."
        )
    if isinstance(decisions, Choices) and isinstance(learner, ComparisonClassifier):
        raise InputError(
            "a ComparisonClassifier takes comparisons; found Choices. Give a ChoiceLearner."
        )
    if learner.noise in ("none", "flip"):
        raise InputError(
            "decision makers are told apart by how likely their decisions are; found "
            f'noise="{learner.noise}", under which errors are counted. Use noise="logistic" or '
            '"lapse".'
        )
    if learner.prior is not None:
        raise InputError(
            "a prior on the weights is not used for several decision makers, whose own "
            "distribution takes its place; found one. Give a learner with prior=None."
        )
    return learner

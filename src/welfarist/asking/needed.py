"""How many questions are enough: chosen one after the other, or drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from welfarist.asking.prior import Prior
from welfarist.asking.simulated import Truth, Way
from welfarist.asking.study import Questions, Study, study
from welfarist.base.errors import InputError
from welfarist.base.progress import ProgressOption
from welfarist.base.validation import is_real

# After how many questions it is looked at, if nothing is said. Random ones tell less.
_USUAL: dict[Way, Sequence[int]] = {
    "adaptive": (5, 10, 15, 20, 30, 40),
    "random": (20, 50, 100, 200),
}


@dataclass(frozen=True, eq=False)
class QuestionsNeeded:
    """How many questions are enough.

    Attributes
    ----------
    accuracy : float
        The share of new pairs that is to be foreseen, in the mean of the decision makers.
    study : Study
        What came of each number of questions.
    """

    accuracy: float
    study: Study

    @property
    def adaptive(self) -> int | None:
        """From how many adaptive questions on it is reached; None if not with the most of them."""
        return self.study.enough(self.accuracy, "adaptive")

    @property
    def random(self) -> int | None:
        """The same of pairs that are drawn at random."""
        return self.study.enough(self.accuracy, "random")

    @property
    def in_words(self) -> str:
        """Both numbers in a sentence."""
        chosen, drawn = self._told("adaptive"), self._told("random")
        return (
            f"To foresee {100 * self.accuracy:.4g}% of new choices it takes {chosen} adaptive "
            f"questions; of questions drawn at random {drawn}."
        )

    def _told(self, way: Way) -> str:
        enough = self.study.enough(self.accuracy, way)
        if enough is not None:
            return f"{enough:,}"
        columns = self.study.columns
        asked = [n for how, n in zip(columns["way"], columns["questions"], strict=True)
                 if how == way]  # fmt: skip
        return f"more than {max(asked):,}"

    def __str__(self) -> str:
        return f"{self.study}\n{self.in_words}"


def questions_needed(
    people: int = 5,
    *,
    accuracy: float = 0.95,
    questions: Questions | None = None,
    deciders: int = 20,
    actions: Any = 200,
    tau: float = 20.0,
    rho: float = 0.0,
    truth: Truth = "spread",
    prior: Prior | None = None,
    random_state: Any = None,
    jobs: int = 1,
    progress: ProgressOption = "auto",
) -> QuestionsNeeded:
    """Say how many adaptive questions are enough, and how many that are drawn at random.

    Decision makers are simulated and asked in both ways; see :func:`study` for what is not said
    here.

    Parameters
    ----------
    people : int
        Left out of account where `actions` are a table.
    accuracy : float
        The share of new pairs that is to be foreseen, in the mean of the decision makers: above
        0.5, and below 1.
    questions : list of int, or dict of them by way, optional
        Numbers of questions of which the least that is enough is looked for; left out, 5 to 40
        adaptive ones and 20 to 200 random ones.
    deciders : int
    actions : int or (N, d) array-like
    tau, rho : float
    truth : "spread", "prior", float, WelfareFunction or callable
    prior : Prior, optional
    random_state : seed, optional
    jobs : int
    progress : bool or "auto"

    Examples
    --------
    >>> from welfarist import asking
    >>> found = asking.questions_needed(
    ...     2, accuracy=0.9, questions=[5, 10, 40], deciders=4, random_state=1
    ... )
    >>> found.adaptive < found.random
    True
    """
    if not is_real(accuracy) or not 0.5 < accuracy < 1:
        raise InputError(f"accuracy must be above 0.5 and below 1; found {accuracy!r}.")
    return QuestionsNeeded(
        float(accuracy),
        study(
            people, questions=_USUAL if questions is None else questions,
            ways=["adaptive", "random"], deciders=deciders, actions=actions, tau=tau, rho=rho,
            truth=truth, prior=prior, random_state=random_state, jobs=jobs, progress=progress,
        ),
    )  # fmt: skip

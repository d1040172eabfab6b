"""The learner for what was decided, from what was asked for in texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from welfarist.app.decisions import Decided
from welfarist.app.people import attributes_of, groups_of, prior_of, weights_of
from welfarist.app.texts import number_of, power_of_text, rho_of_text, starts_of_text
from welfarist.app.usage import UsageError
from welfarist.base.wording import listed
from welfarist.families.known import family_of
from welfarist.families.nested.family import NESTED
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.people.source import heads_of


@dataclass(frozen=True)
class LearnerOptions:
    """What can be asked of the learners, whose arguments say what it means.

    Weights, groups and prior are texts or names of files, `p` a number or a doctrine; None is to
    be learned, or none. `attributes` is a file, `heads` one of its columns. `starts`, `seed` and
    `dask` are `n_starts`, `random_state` and `engine`.
    """

    noise: str = "logistic"
    family: str = "power"
    margin: str = "auto"
    p: str | None = None
    weights: str | None = None
    groups: str | None = None
    attributes: str | None = None
    heads: str | None = None
    prior: str | None = None
    shift: float = 0.0
    scale: bool = False
    solver: str = "newton"
    tau_max: float = 1e6
    small_sample: str = "auto"
    rho: str | None = None
    effort: str = "auto"
    starts: str = "auto"
    max_iter: int = 200
    tol: float = 1e-12
    seed: int = 0
    tau_by_stage: bool = False
    size_effect: bool = False
    dask: str | None = None
    resume: str | None = None

    @property
    def least(self) -> float:
        """The smallest utility that may be read: the family's, less what is added to all."""
        return family_of(self.family).least - self.shift


# Where errors are counted there is no likelihood.
_COUNTED = ("none", "flip")


def check_together(asked: LearnerOptions) -> None:
    """Refuse options that do not go together, whatever the decisions are."""
    counted = asked.noise in _COUNTED
    nested = asked.family == NESTED.name  # whose groups do not share a weight
    if asked.groups is not None and asked.weights not in (None, "learn") and not nested:
        raise UsageError(
            "{groups} says how learned weights are shared; found {weights:{told}} as well. Give "
            "one of the two.",
            told=asked.weights,
        )
    _check_attributes(asked)
    if asked.rho is not None and asked.noise != "flip":
        raise UsageError(
            "{rho} is the flip probability of {noise:flip}; found {noise:{told}}. "
            + ("It is learned there." if asked.noise == "lapse" else "{noise:lapse} learns it."),
            told=asked.noise,
        )
    if asked.prior is not None and counted:
        raise UsageError(
            "{prior} needs a likelihood, which {noise:{told}} has none of: it counts errors. Use "
            "{noise:logistic}.",
            told=asked.noise,
        )
    if counted != (asked.solver == "exact") and (asked.solver != "newton"):
        raise UsageError(
            "{solver:exact} goes with {noise:none} and {noise:flip}, the others with other noise; "
            "found {solver:{told}} with {noise:{noise_told}}. Change one of the two.",
            told=asked.solver,
            noise_told=asked.noise,
        )


def _check_attributes(asked: LearnerOptions) -> None:
    """Refuse what does not go with weights that follow from attributes."""
    if asked.attributes is None:
        if asked.heads is not None:
            raise UsageError("{heads} is a column of {attributes} FILE: give that as well.")
        return
    others = {"weights": asked.weights not in (None, "learn"), "groups": asked.groups is not None}
    others |= {"prior": asked.prior is not None}
    for name, given in others.items():
        if given:
            raise UsageError(
                f"{{attributes}} says what weights follow from; found {{{name}}} as well. Give one "
                "of the two."
            )
    if asked.noise in _COUNTED:
        raise UsageError(
            "{attributes} needs a likelihood, which {noise:{told}} has none of: it counts errors. "
            "Use {noise:logistic}.",
            told=asked.noise,
        )


# Options that not every learner has.
_OF_SOME = (
    "noise", "margin", "tau_max", "small_sample", "rho", "scale", "tau_by_stage", "size_effect",
)  # fmt: skip


def learner_of(asked: LearnerOptions, decided: Decided) -> Any:
    """The learner for these decisions; options of other kinds are refused."""
    # Learners take seconds to import: whatever is wrong with the files is said before.
    from welfarist.learners import LEARNERS, learner_for

    shared = _shared(asked, decided)
    told = {name: getattr(asked, name) for name in _OF_SOME} | {"rho": rho_of_text(asked.rho)}
    learner = learner_for(decided.kind)
    known = learner().get_params()
    for name in sorted(set(told) - set(known), key=_OF_SOME.index):
        takers = [other for other in LEARNERS if name in other().get_params()]
        if told[name] != takers[0]().get_params()[name]:
            kinds = listed([other.takes.kind for other in takers])
            raise UsageError(f"{{{name}}} is for {kinds}; found {decided.kind}. Leave it out.")
    return learner(**shared, **{name: told[name] for name in told if name in known})


def _shape_of_text(asked: LearnerOptions) -> Any:
    """The shape as a number or a name, which the family knows; None if it is to be learned."""
    if asked.p is None or asked.family == POWER_MEAN.name:
        return None if asked.p is None else power_of_text(asked.p)
    number = number_of(asked.p)
    return asked.p if number is None else number


def _shared(asked: LearnerOptions, decided: Decided) -> dict[str, Any]:
    """The options that all learners have."""
    people, encoding = decided.people, decided.encoding
    groups = groups_of(asked.groups, people, encoding)
    weights = weights_of(asked.weights, people, encoding, heads_of(decided.X.utilities))
    if asked.attributes is not None:
        weights = attributes_of(asked.attributes, asked.heads, people, encoding)
    return dict(
        family=asked.family,
        p=_shape_of_text(asked),
        weights=weights,
        groups=groups,
        prior=prior_of(asked.prior, people, None if asked.family == NESTED.name else groups),
        shift=asked.shift,
        solver=asked.solver,
        effort=asked.effort,
        n_starts=starts_of_text(asked.starts),
        max_iter=asked.max_iter,
        tol=asked.tol,
        random_state=asked.seed,
        engine=asked.dask,
        resume=asked.resume,
    )

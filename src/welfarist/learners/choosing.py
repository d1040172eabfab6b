"""What there is to say about a rule that was learned from choices, of two actions or of many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from welfarist.learners.assembly import Description, Setup, common_caveats
from welfarist.learners.base import at_optimum
from welfarist.learners.small_samples import explains_everything
from welfarist.losses import DecisionLoss
from welfarist.noise.base import TAU
from welfarist.proofs import certifier_of
from welfarist.results import caveats as caveat
from welfarist.results.learned import Caveat
from welfarist.solvers.base import Optimum

# Above this accuracy nobody need ask whether the outcomes mean the opposite.
_DOUBTFUL = 0.75


def describe_choices(
    setup: Setup,
    loss: DecisionLoss,
    optimum: Optimum,
    said: list[Caveat],
    first_label: str | None = None,
) -> Description:
    """Return estimates of the noise, and what a reader must know; `said` are further caveats."""
    observed: Any = loss.observed
    values = loss.noise_at(optimum.point).tolist()
    pairs = zip(observed.parameters, values, strict=True)
    extras = {parameter.name: parameter.coordinate.back(x) for parameter, x in pairs}
    here = at_optimum(loss, optimum)
    response: Any = here.response
    if loss.is_perfect(here.value) and not observed.goes_against(response):
        extras[TAU.name] = float(observed.tau_ends[1])  # any larger tau is as good
    accuracy = observed.accuracy(response)
    nothing = observed.null_loss()
    luck = accuracy + 0.5 - float(np.exp(-nothing))  # as if between two actions
    plain = _plain_accuracy(loss, optimum) if luck < _DOUBTFUL else 1.0
    restrained = loss.restraint is not None
    random = caveat.tells_nothing(
        extras[TAU.name], response.of_decisions, nothing, observed.tau_ends[0]
    )
    perfect = accuracy == 1.0 or (restrained and explains_everything(loss, optimum))
    return Description(
        loss=response.of_decisions,
        extras=extras,
        caveats=(
            *common_caveats(
                setup, loss, optimum, loss.decisions, any_power=random or accuracy == 1.0
            ),
            *said,
            *caveat.noise_caveats(
                extras[TAU.name],
                observed.tau_ends,
                response.of_decisions,
                1.0 if perfect else accuracy,
                plain,
                loss.can_be_counted,
                restrained,
                nothing,
            ),
        ),
        accuracy=accuracy,
        noise=observed.noise,
        parameters=observed.parameters,
        first_label=first_label,
        certifier=certifier_of(loss, here.value, setup.p),
    )


def _plain_accuracy(loss: DecisionLoss, optimum: Optimum) -> float:
    """The accuracy of adding up everybody's utility, or of the family's own plain rule."""
    if loss.family.plain is None:
        return 1.0
    people = len(optimum.weights)
    point = replace(loss.held_at(optimum.point), p=loss.family.plain)
    loss = loss.in_memory()  # a share tells as much
    here = loss.holding(np.full(people, 1.0 / people)).evaluate(point)
    observed: Any = loss.observed
    return float(observed.accuracy(here.response))

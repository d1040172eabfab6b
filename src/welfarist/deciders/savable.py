"""What is kept in a file of what was learned of several decision makers."""

from __future__ import annotations

from typing import Any

import numpy as np

from welfarist.base.errors import InputError
from welfarist.base.validation import FloatArray
from welfarist.base.version import __version__
from welfarist.deciders.deciders_result import DecidersResult
from welfarist.deciders.panel import Panel
from welfarist.deciders.saved_rules import Believed, SavedRules, rules_of_types
from welfarist.deciders.thinning import thinned
from welfarist.deciders.types_result import TypesResult
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.results.saved_models import named_own, refuse_own

# Draws of what is believed of one person, and of somebody new, who is asked about most.
_DRAWS, _DRAWS_OF_ANYBODY = 256, 1024
# Significant digits of a draw: more than any prediction needs.
_DIGITS = 7
# A weight of 0 counts as this much: its logarithm is a number.
_LEAST_WEIGHT = 1e-9


def entries_of(result: Any, level: float) -> dict[str, Any]:
    """Return the entries of a `DecidersModel` of types or of a population.

    Parameters
    ----------
    result : TypesResult or DecidersResult
    level : float
        Of everybody's intervals in a population.
    """
    if isinstance(result, TypesResult):
        return _of_types(result)
    if isinstance(result, DecidersResult):
        return _of_population(result, level)
    raise InputError(
        "what is saved must be fitted Types or Deciders or their result_; found "
        f"{type(result).__name__}. Call fit first."
    )


def _require_savable(panel: Panel) -> None:
    """Refuse rules that a file of several decision makers cannot hold."""
    family = panel.loss.family
    refuse_own(named_own(family, getattr(panel.loss.observed, "noise", None)))
    if family != POWER_MEAN:
        raise InputError(
            "a saved model of several decision makers holds power means only; found "
            f'{family.called}. Use family="power".'
        )


def _of_types(result: TypesResult) -> dict[str, Any]:
    panel = result.mixture.panel
    _require_savable(panel)
    rules, anybody = rules_of_types(result.types, **_common(panel))
    each = tuple(Believed(anybody.rules, row) for row in np.asarray(result.membership))
    own = dict(kind="types", rules=rules, each=each, anybody=anybody, types=result.types)
    return own | _known(result, panel)


def _of_population(result: DecidersResult, level: float) -> dict[str, Any]:
    panel = result.panel
    _require_savable(panel)
    beliefs, parameters = result.beliefs, panel.loss.observed.parameters
    noise = {
        one.name: np.array([one.coordinate.back(x) for x in column.tolist()])
        for one, column in zip(parameters, beliefs.rules.noise.T, strict=True)
    }
    rules = SavedRules(beliefs.rules.powers, beliefs.rules.weights, noise, **_common(panel))
    columns = result.individual_columns(level)
    return (
        _known(result, panel)
        | _drawn(rules, beliefs.table)
        | {
            "kind": "population",
            "population": _normal(result.population),
            "estimates": {name: np.asarray(x) for name, x in columns.items() if name != "who"},
            "level": level,
        }
    )


def _drawn(rules: SavedRules, table: FloatArray) -> dict[str, Any]:
    """A few rules for everybody, by how likely all are whose (G + 1, S), somebody new at last."""
    logs = np.log(np.maximum(rules.weights, _LEAST_WEIGHT))
    numbers = np.column_stack(
        [np.log(rules.noise["tau"]), logs[:, :-1] - logs[:, -1:], np.arcsinh(rules.powers)]
    )
    draws = [thinned(row, numbers, _DRAWS) for row in table[:-1]]
    anybody = thinned(table[-1], numbers, _DRAWS_OF_ANYBODY)
    kept = np.unique(np.concatenate([*draws, anybody]))
    thinner = SavedRules(
        _rounded(rules.powers[kept]),
        _rounded(rules.weights[kept]),
        {name: _rounded(column[kept]) for name, column in rules.noise.items()},
        rules.stakeholders,
        rules.shift,
        rules.absent,
    )
    each = tuple(Believed.of_draws(np.searchsorted(kept, one)) for one in draws)
    return dict(rules=thinner, each=each, anybody=Believed.of_draws(np.searchsorted(kept, anybody)))


def _rounded(values: FloatArray) -> FloatArray:
    """Numbers with as many significant digits as a file keeps."""
    digits = [float(f"{x:.{_DIGITS}g}") for x in values.reshape(-1).tolist()]
    return np.array(digits).reshape(values.shape)


def _common(panel: Any) -> dict[str, Any]:
    """What all rules have in common."""
    return {
        "stakeholders": panel.setup.people,
        "shift": float(panel.setup.shift),
        "absent": bool(getattr(panel.decided, "absent", False)),
    }


def _known(result: Any, panel: Any) -> dict[str, Any]:
    return {
        "version": __version__,
        "decided": panel.decided.kind,
        "deciders": result.names,
        "headline": result.headline,
        "decisions": float(result.decisions),
        "log_likelihood": float(result.log_likelihood),
        "converged": bool(result.converged),
        "caveats": tuple(caveat.message for caveat in result.caveats),
    }


def _normal(population: Any) -> dict[str, Any]:
    """The numbers of a normal population, by unit of each column."""
    if population.normal is None:
        return {}
    known = population.covariates
    return {
        "numbers": list(population.names),
        "columns": list(known.names),
        "coefficients": (population.normal.coefficients @ known.to_units.T).tolist(),
        "covariance": population.covariance.tolist(),
    }

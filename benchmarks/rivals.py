"""Other ways to minimise the same losses: plain NumPy objectives and SciPy's optimisers.

The objectives are written from the formulas, independently of `welfarist.losses`, so that they
also serve the tests as an oracle. Each returns value and exact gradient in (w, p, log tau).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, least_squares, minimize
from scipy.special import expit

Array = npt.NDArray[np.float64]
# (w (d,), p, log tau) -> value, gradient by w (d,), by p, by log tau
Objective = Callable[[Array, float, float], tuple[float, Array, float, float]]

# Below this power the plain formulas lose digits; the geometric mean's derivatives take over.
_NEAR_ZERO = 1e-5


@dataclass(frozen=True)
class Rival:
    """What an optimiser found."""

    loss: float
    weights: Array
    p: float
    tau: float
    evaluations: int


def log_mean(logs: Array, w: Array, p: float) -> tuple[Array, Array, Array]:
    """Log M (N,), and its derivatives by w (N, d) and p (N,), from logs (N, d)."""
    if abs(p) < _NEAR_ZERO:
        mean = logs @ w
        centred = logs - mean[:, None]
        spread = (centred**2) @ w
        return mean + p * spread / 2, centred + p * (centred**2 - spread[:, None]) / 2, spread / 2
    exponents = p * logs
    top = exponents.max(axis=1)
    powers = np.exp(exponents - top[:, None])
    total = powers @ w
    value = (top + np.log(total)) / p
    ratio = powers / total[:, None]
    by_p = ((ratio * logs) @ w - value) / p
    return value, ratio / p, by_p


def comparison_objective(utilities: Array, pairs: Any, outcomes: Array) -> Objective:
    """Mean logistic loss of comparisons; outcomes are +1, -1, or 0 for a tie."""
    logs = np.log(utilities)
    i, j = pairs[:, 0], pairs[:, 1]
    actions, n = len(utilities), len(pairs)
    target = (1 + outcomes) / 2

    def objective(w: Array, p: float, log_tau: float) -> tuple[float, Array, float, float]:
        value, by_w, by_p = log_mean(logs, w, p)
        tau = np.exp(log_tau)
        z = tau * (value[i] - value[j])
        loss = float(np.mean(target * np.logaddexp(0, -z) + (1 - target) * np.logaddexp(0, z)))
        pull = (expit(z) - target) / n
        at_action = tau * (
            np.bincount(i, pull, minlength=actions) - np.bincount(j, pull, minlength=actions)
        )
        return loss, at_action @ by_w, float(at_action @ by_p), float(pull @ z)

    return objective


def charged_objective(utilities: Array, pairs: Any, outcomes: Array, others: int) -> Objective:
    """The same with what `small_sample="auto"` charges for certainty where decisions are few.

    `others` is how many numbers are learned beside tau. Written from the formulas of
    `welfarist.losses.restraint`: for little information about tau, for the numbers learned from
    the same decisions, for powers far out and for temperatures of nobody.
    """
    plain = comparison_objective(utilities, pairs, outcomes)
    logs = np.log(utilities)
    i, j = pairs[:, 0], pairs[:, 1]
    actions, n = len(utilities), len(pairs)
    strength, sharing = 0.2 * others, max(1.0, others / 5.0)

    def objective(w: Array, p: float, log_tau: float) -> tuple[float, Array, float, float]:
        loss, loss_by_w, loss_by_p, loss_by_tau = plain(w, p, log_tau)
        value, by_w, by_p = log_mean(logs, w, p)
        tau = np.exp(log_tau)
        z = tau * (value[i] - value[j])
        chance = expit(z)
        v = chance * (1 - chance)
        v_slope = v * (1 - 2 * chance)
        square, told, doubt = z @ z, v @ (z * z), v.sum()
        mean = square / n
        whole = 1 + mean * doubt / sharing
        charge = 0.5 * np.log(square / told) + strength * np.log(whole)
        pull = z / square - 0.5 * (v_slope * z * z + 2 * v * z) / told
        pull += strength / whole / sharing * (2 * z / n * doubt + mean * v_slope)
        charge += 0.5 * (np.log1p((p / 3) ** 2) - np.log1p((p / 30) ** 2))
        power = p / 9 / (1 + (p / 3) ** 2) - p / 900 / (1 + (p / 30) ** 2)
        charge += 0.05 * np.logaddexp(0.0, 2 * (log_tau - np.log(1000.0)))
        at_action = tau * (
            np.bincount(i, pull, minlength=actions) - np.bincount(j, pull, minlength=actions)
        )
        sure = 0.1 * expit(2 * (log_tau - np.log(1000.0)))
        return (
            float(loss + charge / n),
            loss_by_w + at_action @ by_w / n,
            float(loss_by_p + (at_action @ by_p + power) / n),
            float(loss_by_tau + (pull @ z + sure) / n),
        )

    return objective


def score_objective(utilities: Array, scores: Array) -> Objective:
    """Mean squared error of scores; log tau is ignored."""
    logs = np.log(utilities)

    def objective(w: Array, p: float, _: float) -> tuple[float, Array, float, float]:
        value, by_w, by_p = log_mean(logs, w, p)
        welfare = np.exp(value)
        residual = welfare - scores
        pull = 2 * residual * welfare / len(scores)
        return float(np.mean(residual**2)), pull @ by_w, float(pull @ by_p), 0.0

    return objective


def softmax_lbfgs(
    objective: Objective, w0: Array, p0: float, log_tau0: float, memory: int = 10
) -> Rival:
    """L-BFGS over softmax weights: no constraint, exact gradients, one start to tight tolerances.

    The memory of 10 pairs is SciPy's default; 20 need far fewer evaluations on these problems.
    """

    def function(x: Array) -> tuple[float, Array]:
        logits = x[:-2] - x[:-2].max()
        w = np.exp(logits)
        w /= w.sum()
        value, by_w, by_p, by_tau = objective(w, x[-2], x[-1])
        return value, np.concatenate([w * (by_w - w @ by_w), [by_p, by_tau]])

    x0 = np.concatenate([np.log(np.maximum(w0, 1e-6)), [p0, log_tau0]])
    bounds = [(-60.0, 60.0)] * len(w0) + [(-60.0, 60.0), (-15.0, 15.0)]
    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": memory}
    with np.errstate(all="ignore"):
        found = minimize(function, x0, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    w = np.exp(found.x[:-2] - found.x[:-2].max())
    return Rival(float(found.fun), w / w.sum(), found.x[-2], np.exp(found.x[-1]), found.nfev)


def slsqp(objective: Objective, w0: Array, p0: float, log_tau0: float) -> Rival:
    """SciPy's SLSQP with exact gradients and the simplex as explicit constraints."""

    def function(x: Array) -> tuple[float, Array]:
        value, by_w, by_p, by_tau = objective(np.maximum(x[:-2], 0), x[-2], x[-1])
        return value, np.concatenate([by_w, [by_p, by_tau]])

    d = len(w0)
    ones = np.concatenate([np.ones(d), [0, 0]])
    with np.errstate(all="ignore"):
        found = minimize(
            function,
            np.concatenate([w0, [p0, log_tau0]]),
            jac=True,
            method="SLSQP",
            bounds=[(0, 1)] * d + [(-60, 60), (-15, 15)],
            constraints=[{"type": "eq", "fun": lambda x: x[:-2].sum() - 1, "jac": lambda _: ones}],
            options={"maxiter": 1000, "ftol": 1e-13},
        )
    return _on_the_simplex(objective, found)


def trust_constr(objective: Objective, w0: Array, p0: float, log_tau0: float) -> Rival:
    """SciPy's trust-constr with exact gradients and the simplex as explicit constraints."""

    def function(x: Array) -> tuple[float, Array]:
        value, by_w, by_p, by_tau = objective(np.maximum(x[:-2], 0), x[-2], x[-1])
        return value, np.concatenate([by_w, [by_p, by_tau]])

    d = len(w0)
    with np.errstate(all="ignore"):
        found = minimize(
            function,
            np.concatenate([w0, [p0, log_tau0]]),
            jac=True,
            method="trust-constr",
            bounds=Bounds([0] * d + [-60, -15], [1] * d + [60, 15]),
            constraints=LinearConstraint(np.concatenate([np.ones(d), [0, 0]])[None], 1, 1),
            options={"maxiter": 1000},
        )
    return _on_the_simplex(objective, found)


def _on_the_simplex(objective: Objective, found: Any) -> Rival:
    """What was found, as a rule: its weights are made to sum to 1, and its loss is that rule's.

    Constraints hold up to an optimiser's tolerance only, and what it says is its loss may be lower
    by a millionth or so than that of any rule.
    """
    w = np.maximum(found.x[:-2], 0.0)
    w /= w.sum()
    p, log_tau = found.x[-2], found.x[-1]
    with np.errstate(all="ignore"):
        loss = objective(w, p, log_tau)[0]
    return Rival(float(loss), w, p, float(np.exp(log_tau)), found.nfev)


def softmax_least_squares(utilities: Array, scores: Array, w0: Array, p0: float) -> Rival:
    """SciPy's `least_squares` over softmax weights with the exact Jacobian."""
    logs = np.log(utilities)

    def parts(x: Array) -> tuple[Array, Array, Array, Array]:
        w = np.exp(x[:-1] - x[:-1].max())
        w /= w.sum()
        value, by_w, by_p = log_mean(logs, w, x[-1])
        return w, np.exp(value), by_w, by_p

    def residual(x: Array) -> Array:
        return np.asarray(parts(x)[1] - scores)

    def jacobian(x: Array) -> Array:
        w, welfare, by_w, by_p = parts(x)
        by_logit = w * (by_w - (by_w @ w)[:, None])
        return np.asarray(welfare[:, None] * np.column_stack([by_logit, by_p]))

    x0 = np.concatenate([np.log(np.maximum(w0, 1e-6)), [p0]])
    with np.errstate(all="ignore"):
        found = least_squares(residual, x0, jac=jacobian, xtol=1e-12, ftol=1e-12, gtol=1e-12)
    w = np.exp(found.x[:-1] - found.x[:-1].max())
    loss = 2 * found.cost / len(scores)
    return Rival(float(loss), w / w.sum(), found.x[-1], 1.0, found.nfev)

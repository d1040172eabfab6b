"""The loss of choices from menus once more, from the rule that was learned and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import welfarist as wf

Numbers = npt.NDArray[np.float64]

# Losses that are worked out in two ways agree to this, beside rounding.
_ALIKE = 1e-6
# Chances do; equal means have them equal to nine digits.
_CHANCES_ALIKE = 1e-6
# How many times the rounding of a number its logarithm may be off, summed over a menu.
_ROUNDING = 100 * float(np.finfo(np.float64).eps)
# Differences of values by which ties are told: where rounding makes larger ones, it decides.
_TIES = 1e-9
_TINY = float(np.finfo(np.float64).tiny)


def log_welfare(learner: Any, utilities: Numbers) -> Numbers:
    """Return what actions are worth to a fitted learner (N,), those of a few people included."""
    rule, found = learner.welfare_, np.empty(len(utilities))
    for row, line in enumerate(utilities):
        there = ~np.isnan(line)
        weights = np.asarray(rule.weights)[there]
        whole = weights.sum()
        own = weights / whole if whole > 0 else np.full(len(weights), 1.0 / len(weights))
        here = wf.WelfareFunction(rule.p, own, shift=rule.shift)
        found[row] = float(here.log(line[there])) + learner.gamma_ * np.log(there.sum())
    return found


def choice_complaints(learner: Any) -> list[str]:
    """Return what is wrong with the loss, the chances and the predictions of fitted choices."""
    decided = learner.result_.decided
    worth = log_welfare(learner, decided.utilities)
    if decided.outside:
        worth = np.append(worth, np.log(learner.outside_))
    if learner.result_.exact is not None:
        return _counted_complaints(learner, decided)
    taus = np.asarray(learner.taus_)
    largest = np.abs(worth[np.isfinite(worth)]).max(initial=1.0) * taus.max()
    off = _ROUNDING * max(float(largest), 1.0)
    if decided.outside:  # of the smallest numbers few digits are left
        off += float(np.spacing(learner.outside_) / learner.outside_ * taus.max())
    again = _loss(learner, decided, worth, taus)
    found = _compared("loss_", learner.loss_, again, off)
    found += _compared("log_loss", learner.log_loss(decided), again, off)
    if off < _TIES:
        found += _compared("score", learner.score(decided), learner.result_.accuracy, _ROUNDING)
    return found + _first_complaints(learner, decided, worth, off)


def _compared(what: str, told: float, again: float, off: float) -> list[str]:
    if abs(told - again) <= _ALIKE * abs(again) + off:
        return []
    return [f"{what}: {told!r}, but that of its rule is {again!r}"]


def _loss(learner: Any, decided: Any, worth: Numbers, taus: Numbers) -> float:
    """The mean loss of the choices that say something."""
    lost, total, menus = 0.0, 0.0, decided.menus
    for number, (start, end) in enumerate(zip(menus.starts[:-1], menus.starts[1:], strict=True)):
        taken = menus.taken[start:end] * decided.counts[decided.decision[number]]
        if end - start < 2 or not taken.any():
            continue
        tau = taus[min(menus.stage[number], len(taus) - 1)]
        z = menus.sign[number] * tau * worth[menus.rows[start:end]]
        logs = _log_chances(z, learner.rho_)
        lost -= float(taken[taken > 0] @ logs[taken > 0])
        total += float(taken.sum())
    return lost / total


def _log_chances(z: Numbers, rho: float) -> Numbers:
    """Logarithms of how likely each action of a menu is chosen (K,), by values of them (K,)."""
    top = z.max()
    if np.isposinf(top):
        z = np.where(np.isposinf(z), 0.0, -np.inf)
    elif np.isneginf(top):
        z = np.zeros(len(z))
    else:
        z = z - top
    grown = np.exp(z)
    if not rho:
        return np.asarray(z - np.log(grown.sum()))
    chances = (1.0 - 2.0 * rho) * grown / grown.sum() + 2.0 * rho / len(z)
    return np.asarray(np.log(np.maximum(chances, _TINY)))


def _first_complaints(learner: Any, decided: Any, worth: Numbers, off: float) -> list[str]:
    """What is wrong with the predictions of first choices."""
    found, menus = [], decided.first_menus()
    chances, best = learner.predict_proba(decided), learner.predict(decided)
    if not len(chances) == len(best) == len(decided):
        return [f"{len(chances)} chances and {len(best)} predictions of {len(decided)} decisions"]
    tau = float(learner.taus_[0])
    for number, (start, end) in enumerate(zip(menus.starts[:-1], menus.starts[1:], strict=True)):
        rows = menus.rows[start:end]
        again = np.exp(_log_chances(tau * worth[rows], learner.rho_))
        here = chances[number]
        if here.shape != again.shape or np.abs(here - again).max() > _CHANCES_ALIKE + off:
            found.append(f"predict_proba: {here.tolist()} of menu {number}, not {again.tolist()}")
        place = np.flatnonzero(rows == (best[number] if best[number] >= 0 else len(worth) - 1))
        if not len(place) or here[place[0]] < here.max() - _CHANCES_ALIKE - off:
            found.append(f"predict: {best[number]} of menu {number} {rows.tolist()}")
    return found[:2]


def _counted_complaints(learner: Any, decided: Any) -> list[str]:
    """What is wrong with the share of errors, by what the learner predicts of each menu alone."""
    menus = decided.menus
    if (menus.sign < 0).any():
        return []  # what it finds worst is not predicted
    rows = np.split(menus.rows, menus.starts[1:-1])
    single = wf.Choices(
        decided.utilities, [list(map(int, part)) for part in rows], [int(part[0]) for part in rows],
        absent=decided.absent, least=-learner.result_.welfare.shift,
    )  # fmt: skip
    wrong = total = 0.0
    for number, chances in enumerate(learner.predict_proba(single)):
        taken = menus.taken[menus.starts[number] : menus.starts[number + 1]]
        taken = taken * decided.counts[decided.decision[number]]
        if len(taken) > 1:
            best = chances > chances.max() - _CHANCES_ALIKE
            total += float(taken.sum())
            wrong += float(taken.sum() - taken[best].sum() / best.sum())
    return _compared("loss_", learner.loss_, wrong / total, 1e-12)

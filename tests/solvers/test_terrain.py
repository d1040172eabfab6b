"""Many rules at once: the same losses and slopes as one at a time."""

import numpy as np
import pytest

import welfarist as wf
from welfarist.families.power_mean.family import POWER_MEAN
from welfarist.losses import Point, loss_of_comparisons, loss_of_scores
from welfarist.noise.choices import LAPSE, LOGISTIC
from welfarist.people.weighting import Weighting
from welfarist.solvers.exchanges import exchanged
from welfarist.solvers.terrain import Terrain, can_be_roamed

# Sums in another order; derivatives by central differences of step 1e-6.
_ROUNDING, _DIFFERENCES = 1e-11, 1e-6
RNG = np.random.default_rng(3)
TABLE = RNG.uniform(1, 9, (25, 4))
PAIRS = RNG.integers(0, 25, (90, 2))
PAIRS = PAIRS[PAIRS[:, 0] != PAIRS[:, 1]]
OUTCOMES = RNG.choice([-1.0, 1.0], len(PAIRS))
GROUPED = Weighting(4, group_of=np.array([0, 1, 1, 2]))


def _losses():
    for weighting in (Weighting(4), GROUPED):
        for scale in (False, True):
            scores = wf.WelfareFunction(2, [0.1, 0.2, 0.3, 0.4])(TABLE) + RNG.normal(size=25)
            decided = wf.WelfareRegressor().read_decisions(TABLE, scores)
            yield loss_of_scores(decided, POWER_MEAN, weighting, True, scale)
        decided = wf.Comparisons(TABLE, PAIRS, OUTCOMES)
        yield loss_of_comparisons(decided, POWER_MEAN, weighting, True, LOGISTIC, 1e6)
    few = wf.Comparisons(TABLE, PAIRS[:6], OUTCOMES[:6])
    yield loss_of_comparisons(few, POWER_MEAN, Weighting(4), True, LOGISTIC, 1e6)


LOSSES = list(_losses())
POWERS = (-40.0, -3.0, -0.4, 0.3, 2.5, 30.0)


def _rule(loss, p, seed=0):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=loss.weighting.free) * max(1.0, abs(p) / 5.0)
    weights = np.exp(logits - logits.max())
    weights /= weights.sum()
    return logits, weights, loss.starting_extras(weights, p)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("p", POWERS)
def test_losses_are_those_of_single_rules(loss, p):
    """Whatever decisions and weights are."""
    logits, weights, extras = _rule(loss, p)
    found = Terrain(loss).losses(logits[None], np.array([p]), extras[None])
    assert found[0] == pytest.approx(loss.evaluate(Point(weights, p, extras)).value, rel=_ROUNDING)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("ratios", [False, True])
def test_slopes_are_those_of_differences(loss, p, ratios):
    """In log weights, and in their ratios to p."""
    terrain = Terrain(loss)
    logits, _, extras = _rule(loss, p)
    k = len(logits)
    start = np.concatenate([logits / (p if ratios else 1.0), [np.arcsinh(p)], extras])

    def value(x):
        power = np.sinh(x[k])
        unit = power if ratios else 1.0
        return terrain.losses(unit * x[None, :k], np.array([power]), x[None, k + 1 :])[0]

    steps = 1e-6 * np.eye(len(start))
    expected = np.array([(value(start + s) - value(start - s)) / 2e-6 for s in steps])
    look = terrain.look(logits[None], np.array([p]), extras[None], np.array([ratios]))
    size = np.abs(expected).max()
    assert np.abs(look.gradients[0] - expected).max() <= _DIFFERENCES * size
    assert np.linalg.eigvalsh(look.curvatures[0]).min() >= -1e-9 * np.abs(look.curvatures).max()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("p", [-30.0, 0.5, 12.0])
def test_one_weight_is_changed_alone(loss, p):
    """All values of one weight at once, or a rule for each."""
    terrain = Terrain(loss)
    logits, _, extras = _rule(loss, p)
    values = np.array([-600.0, -2.0, 1.0])
    found = terrain.with_one_changed(logits, p, extras, values)
    for i in range(len(logits)):
        for j, value in enumerate(values.tolist()):
            changed = logits.copy()
            changed[i] = value
            alone = terrain.losses(changed[None], np.array([p]), extras[None])[0]
            assert found[i, j] == pytest.approx(alone, rel=_ROUNDING)


@pytest.mark.parametrize("loss", LOSSES[:3])
def test_exchanges_change_one_weight(loss):
    """And no other, once the largest is 0."""
    terrain = Terrain(loss)
    logits, _, extras = _rule(loss, 8.0)
    for rule in exchanged(terrain, logits, 8.0, extras, 0.6, 5):
        assert (rule != logits - logits.max()).sum() == 1


def test_only_what_is_covered_is_roamed():
    """Not lapses, nobody with nothing, and weights that are learned."""
    decided = wf.Comparisons(TABLE, PAIRS, OUTCOMES)
    assert can_be_roamed(LOSSES[0])
    for weighting, noise in ((Weighting(4), LAPSE), (Weighting(4, np.full(4, 0.25)), LOGISTIC)):
        loss = loss_of_comparisons(decided, POWER_MEAN, weighting, True, noise, 1e6)
        assert not can_be_roamed(loss)

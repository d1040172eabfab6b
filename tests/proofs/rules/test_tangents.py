"""log M on boxes of rules: no rule in a box is outside of what is said of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from welfarist import log_power_mean
from welfarist.proofs.rules.boxes import all_rules, rule_at
from welfarist.proofs.rules.relaxed import Rules

# Both log M and the enclosure are good to this.
ROUNDING = 1e-12
# Smaller positive weights are no weights of a power mean (`log_power_mean` refuses them).
LEAST = 1e-300
PEOPLE = st.integers(1, 4)


def table_of(rng, people, actions=12, spread=3.0):
    """Log utilities (d, N) that differ much, and some that do not."""
    logs = rng.normal(0, rng.uniform(0.01, spread), (people, actions))
    logs[:, 0] = logs[0, 0]
    return logs


def part_of(rng, boxes, row, width):
    """A box (1,) inside one of the boxes, `width` of its sides at most, or up to an edge."""
    box = boxes.take(np.array([row]))
    size = box.high - box.low
    low = box.low + size * rng.uniform(0, 1, size.shape)
    low = np.where(rng.random(size.shape) < 0.2, box.low, low)
    high = np.minimum(box.high, low + size * width * rng.random(size.shape))
    return type(box)(box.zone, box.face, low, np.maximum(low, high))


def places_in(rng, box, count=60):
    """Places (count, d + 1) in a box, half of them at corners."""
    share = rng.random((count, box.low.shape[1]))
    share[::2] = np.round(share[::2])
    return box.low + share * (box.high - box.low)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), PEOPLE, st.sampled_from([1.0, 0.3, 0.03, 1e-3]), st.booleans())
def test_no_rule_in_a_box_is_outside_of_its_enclosure(seed, people, width, relative):
    rng = np.random.default_rng(seed)
    logs = table_of(rng, people)
    boxes = all_rules(logs, -60.0, 60.0)
    box = part_of(rng, boxes, rng.integers(len(boxes)), width)
    found = Rules(logs, relative).on(box)
    middle = box.middles()[0]
    for place in places_in(rng, box):
        weights, p = rule_at(int(box.zone[0]), place)
        if (weights[weights > 0] < LEAST).any():
            continue
        value = log_power_mean(np.exp(logs.T), p, weights)
        plane = found.value[0] + (place - middle) @ found.slopes[0]
        away = value - plane
        if relative:  # what all actions have in common is not told: compare with the first
            away = away - away[0]
            above, below = found.above[0] + found.below[0, 0], found.below[0] + found.above[0, 0]
        else:
            above, below = found.above[0], found.below[0]
        assert (away <= above + ROUNDING).all()
        assert (-away <= below + ROUNDING).all()


@pytest.mark.parametrize("zone", [0, 1, -1])
def test_strays_fall_with_the_square_of_the_width(zone):
    rng = np.random.default_rng(3)
    logs = table_of(rng, 3, spread=1.0)
    boxes = all_rules(logs, -20.0, 20.0)
    whole = boxes.take(np.flatnonzero(boxes.zone == zone)[:1])
    middle, size = whole.middles(), whole.high - whole.low
    rules = Rules(logs, relative=True)
    strays = []
    for width in (2e-2, 1e-2):
        box = type(whole)(
            whole.zone, whole.face, middle - width * size / 2, middle + width * size / 2
        )
        found = rules.on(box)
        strays.append((found.above + found.below).sum())
    assert 3.0 < strays[0] / strays[1] < 5.0


def test_boxes_hold_every_rule_in_their_range():
    rng = np.random.default_rng(5)
    logs = table_of(rng, 3)
    boxes = all_rules(logs, -7.0, 30.0)
    for _ in range(200):
        weights = rng.dirichlet(np.full(3, 0.3))
        p = rng.uniform(-7.0, 30.0)
        held = False
        for row in range(len(boxes)):
            box = boxes.take(np.array([row]))
            zone, face = int(box.zone[0]), int(box.face[0])
            t = p if zone == 0 else zone / p
            relative = weights / weights[face]
            relative = relative if zone == 0 else relative ** (1.0 / abs(p))
            place = np.append(relative, t)
            inside = (box.low[0] <= place).all() and (place <= box.high[0]).all()
            if inside and (zone == 0 or t > 0):
                held = True
                again, power = rule_at(zone, place)
                assert again == pytest.approx(weights, abs=1e-9)
                assert power == pytest.approx(p)
        assert held


def test_halves_are_what_they_were_cut_from():
    boxes = all_rules(np.array([[0.0, 1.0], [1.0, 0.0]]), -5.0, 5.0)
    sides = np.full(len(boxes), 2)
    halves = boxes.halves(sides)
    size = len(boxes)
    assert (halves.low[:size] == boxes.low).all()
    assert (halves.high[size:] == boxes.high).all()
    assert (halves.high[:size, 2] == halves.low[size:, 2]).all()

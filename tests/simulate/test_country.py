"""A country: the same people whenever they come, and a rule that sees every one of them."""

from __future__ import annotations

import numpy as np
import pytest

import welfarist as wf
from welfarist.base.errors import InputError
from welfarist.simulate import country as make
from welfarist.simulate.country import Country

# Sketches promise log welfare to 2e-12 for |p| <= 2, and a sum of thousands rounds on top of it.
SKETCHED = 1e-11


@pytest.fixture
def small_parts(monkeypatch):
    import sys

    monkeypatch.setattr(sys.modules["welfarist.simulate.country"], "PART", 700)


def everybody(made: Country):
    parts = list(made.parts())
    regions = np.concatenate([part.region for part in parts])
    return regions, np.concatenate([part.kept for part in parts], axis=1)


def test_people_come_in_parts_and_are_the_same_again(small_parts):
    made = make(2000, 3, 4, p=0, random_state=5)
    assert [len(part.region) for part in made.parts()] == [700, 700, 600]
    again = make(2000, 3, 4, p=0, random_state=5)
    assert all((a.kept == b.kept).all() for a, b in zip(made.parts(), again.parts(), strict=True))
    other = make(2000, 3, 4, p=0, random_state=6)
    assert (made.part(0).kept != other.part(0).kept).any()
    assert (made.part(0).kept != made.part(1).kept).any()


@pytest.mark.parametrize("p", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("weights", ["random", "equal", "population"])
def test_welfare_is_that_of_everybody_one_by_one(small_parts, p, weights):
    made = make(2000, 3, 4, p=p, weights=weights, random_state=5)
    regions, kept = everybody(made)
    world = made.world(made.sketch())
    own = world.weights[regions] / np.bincount(regions)[regions]
    if weights == "population":
        assert own == pytest.approx(1 / 2000, rel=1e-12)  # a ratio of whole numbers
    direct = [float(wf.log_power_mean(plan, p, own)) for plan in kept.astype(float)]
    assert np.log(world.welfare) == pytest.approx(direct, abs=SKETCHED)


def test_a_sketch_on_the_way_is_the_sketch_of_all(small_parts):
    made = make(2000, 3, 2, p=0, random_state=5)
    regions, kept = everybody(made)
    table = wf.Sketch.of(kept.T.astype(float), groups=regions)
    sketch = made.sketch()
    assert sketch.heads.tolist() == table.heads.tolist()
    assert (sketch.log_mean(-3.0) == table.log_mean(-3.0)).all()


def test_names_stand_in_the_order_of_their_numbers():
    made = make(3000, 11, 12, p=0)
    assert sorted(made.plans) == list(made.plans)
    assert made.sketch().stakeholders == made.regions


@pytest.mark.parametrize("bad", [dict(people=0), dict(plans=0), dict(regions=0)])
def test_nobody_is_refused(bad):
    with pytest.raises(InputError, match="whole number"):
        make(**{"people": 10, **bad}, p=0)

"""Signs of columns that were scaled each by itself, and of columns that were not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from welfarist.decisions.scaled_apart import scaled_apart

# Honest data of the kinds below are taken for scaled ones at most this often. The largest rate
# there is by design is 2%, of ends that agree by accident.
FALSE_ALARMS = 0.01
# Of columns that were scaled apart by more than 5%, this share is found.
FOUND = 0.95
REPEATED = 20


def found(table):
    people, pairs = table.shape[1] // 2, len(table)
    stacked = np.concatenate([table[:, :people], table[:, people:]])
    return scaled_apart(stacked, np.arange(2 * pairs).reshape(2, pairs).T)


def per_person(table):
    return 1.0 + 9.0 * (table - table.min(axis=0)) / np.ptp(table, axis=0)


def drawn_pairs(table, pairs, rng):
    first, second = rng.integers(0, len(table), (2, pairs))
    return np.hstack([table[first], table[second]])


def scaled_alike(scaler, table):
    first, second = np.hsplit(table, 2)
    scaler.fit(np.vstack([first, second]))
    return np.hstack([scaler.transform(first), scaler.transform(second)])


def honest(rng):
    """Tables that nobody scaled column by column, by name."""
    n, d = int(rng.choice([10, 39, 100, 500])), int(rng.choice([2, 3, 6]))
    wide = n, 2 * d
    actions = rng.lognormal(size=(int(rng.choice([20, 200])), d))
    tens = 10.0 * rng.integers(14, 107, wide)
    once = rng.uniform(1, 10, wide)
    return {
        "continuous": rng.lognormal(size=wide),
        "other ranges by design": rng.uniform(1, 10, wide) * rng.uniform(0.2, 5, 2 * d),
        "answers from 1 to 7": rng.integers(1, 8, wide).astype(float),
        "tens": tens,
        "other steps by design": np.hstack([tens[:, :d] / 2, tens[:, d:]]),
        "cents": rng.lognormal(3, 1, wide).round(2),
        "a slider with many at its ends": np.clip(rng.normal(50, 40, wide), 0, 100),
        "a table of actions": drawn_pairs(actions, n, rng),
        "a table scaled person by person": drawn_pairs(per_person(actions), n, rng),
        "actions of two lists": np.hstack(
            [actions[rng.integers(0, 20, n)], 3 * rng.lognormal(size=(9, d))[rng.integers(0, 9, n)]]
        ),
        "pairs scaled alike": scaled_alike(MinMaxScaler((1, 10)), tens),
        "both orders, scaled alike": scaled_alike(
            StandardScaler(with_mean=False), np.vstack([once, np.roll(once, d, axis=1)])
        ),
    }


def test_honest_columns_are_left_alone():
    alarms, tables = [], 0
    for seed in range(REPEATED):
        for name, table in honest(np.random.default_rng(seed)).items():
            tables += 1
            alarms += [name] if found(table) else []
    assert len(alarms) <= FALSE_ALARMS * tables, alarms


@pytest.mark.parametrize(
    "scaler",
    [
        MinMaxScaler((1, 10)),
        MaxAbsScaler(),
        StandardScaler(with_mean=False),
        RobustScaler(with_centering=False),
    ],
    ids=lambda scaler: type(scaler).__name__,
)
def test_columns_that_were_scaled_apart_are_found(scaler):
    seen = []
    for seed in range(REPEATED):
        rng = np.random.default_rng(seed)
        n, d = int(rng.choice([20, 39, 100, 500])), int(rng.choice([2, 3, 6]))
        uneven = rng.uniform(0.5, 2, 2 * d)
        for table in (
            rng.lognormal(size=(n, 2 * d)),
            rng.uniform(1, 10, (n, 2 * d)) * uneven,
            np.maximum((rng.normal(60, 15, (n, 2 * d)) * uneven).round(), 1.0),
            10.0 * np.hstack([rng.integers(33, 107, (n, d)), rng.integers(14, 80, (n, d))]),
        ):
            apart = scaler.fit_transform(table)
            tall = scaler.transform(np.full((1, 2 * d), 50.0))
            if (np.abs(tall[0, :d] - tall[0, d:]) > 0.05 * np.abs(tall[0, d:])).any():
                seen.append(bool(found(apart)))
    assert np.mean(seen) >= FOUND


def test_what_is_found_is_said():
    rng = np.random.default_rng(0)
    first, second = rng.integers(33, 107, (40, 2)) * 10.0, rng.integers(14, 90, (40, 2)) * 10.0
    table = np.hstack([first, second])
    assert found(table) is None
    assert "the same minimum, 1, and the same maximum, 10" in found(
        MinMaxScaler((1, 10)).fit_transform(table)
    )
    by_hand = np.vstack([first / 1070.0, second / 913.0])  # nothing is the same in all columns
    said = scaled_apart(by_hand, np.arange(80).reshape(2, 40).T, ["self", "other"])
    assert said == "the two columns of self lie on grids with steps of 0.00934579 and 0.0109529"


def test_little_or_degenerate_data_say_nothing():
    rng = np.random.default_rng(0)
    assert found(MinMaxScaler((1, 10)).fit_transform(rng.uniform(size=(5, 4)))) is None
    assert found(MinMaxScaler((1, 10)).fit_transform(rng.uniform(size=(50, 2)))) is None  # 1 person
    assert found(np.zeros((50, 4))) is None
    assert found(np.ones((50, 4))) is None


def test_large_tables_are_looked_at_in_part():
    rng = np.random.default_rng(0)
    table = rng.lognormal(size=(30_000, 4))
    assert found(table) is None
    assert found(MinMaxScaler((1, 10)).fit_transform(table))

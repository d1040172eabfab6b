"""More actions than 32 bits can number pairs of: from files, through the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import welfarist as wf
from welfarist.cli import main
from welfarist.decisions.folds import folds_of
from welfarist.decisions.merged_pairs import merged, pair_keys
from welfarist.inference.bootstrap import bootstrap
from welfarist.results.statistics import Statistics

# 46,341 squared is the first number of pairs that 32 bits do not hold.
ACTIONS, DECISIONS, POWER, TAU = 70_000, 60_000, -0.98, 3.0


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(5)
    table = rng.uniform(1, 10, (ACTIONS, 2))
    pairs = rng.integers(0, ACTIONS, (DECISIONS, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    welfare = wf.log_power_mean(table, POWER)
    margin = TAU * (welfare[pairs[:, 0]] - welfare[pairs[:, 1]])
    first = rng.random(len(pairs)) < 1 / (1 + np.exp(-margin))
    return table, pairs, first


def test_resamples_from_the_command_line_are_about_the_same_pairs(
    world, tmp_path, monkeypatch, capsys
):
    table, pairs, first = world
    actions, decisions = tmp_path / "actions.csv", tmp_path / "decisions.csv"
    rows = (f"a{i},{u:.6f},{v:.6f}" for i, (u, v) in enumerate(table.tolist()))
    actions.write_text("action,one,other\n" + "\n".join(rows))
    chosen = np.where(first[:, None], pairs, pairs[:, ::-1]).tolist()
    decisions.write_text("preferred,other\n" + "\n".join(f"a{i},a{j}" for i, j in chosen))
    monkeypatch.setattr(
        Statistics, "bootstrap", lambda self: bootstrap(self.likelihood, 19, progress=False)
    )
    command = f"fit {actions} --comparisons {decisions} --weights equal --json"
    monkeypatch.setattr(
        "sys.argv", ["welfarist", *command.split(), "--covariance", "bootstrap", "--level", "0.9"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    found = json.loads(capsys.readouterr().out)
    assert "p" in found["intervals"], found["lines"]
    low, high = found["intervals"]["p"]
    # Nineteen resamples: the ends are the least and the most of them, about two errors away.
    assert abs(found["p"] - POWER) < 0.2
    assert low < found["p"] < high
    assert high - low < 0.4
    low, high = found["intervals"]["tau"]
    assert low < TAU < high


def test_rows_of_32_bits_give_the_numbers_of_64(world):
    _, pairs, first = world
    narrow, wide = pairs.astype(np.int32), pairs.astype(np.int64)
    keys = pair_keys(narrow[:, 0], narrow[:, 1], ACTIONS)
    assert keys.dtype == np.int64
    assert (keys == pair_keys(wide[:, 0], wide[:, 1], ACTIONS)).all()
    assert keys.min() >= 0
    outcomes, once = np.where(first, 1, -1).astype(np.int8), np.ones(len(pairs))
    for one, other in zip(
        vars(merged(narrow, outcomes, once, ACTIONS)).values(),
        vars(merged(wide, outcomes, once, ACTIONS)).values(),
        strict=True,
    ):
        assert (one == other).all()


def test_the_same_two_actions_are_held_out_together(world):
    table, pairs, first = world
    rows = np.arange(300).repeat(2)
    narrow = pairs[rows].astype(np.int32)
    data = wf.Comparisons(table, narrow, np.where(first[rows], 1, -1))
    fold = folds_of(data, 5, np.random.default_rng(0))
    assert (fold[0::2] == fold[1::2]).all()
    assert len(np.unique(data.units())) == 300

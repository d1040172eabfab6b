"""Small worlds of decisions in Parquet files, for tests of decisions that stay there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import welfarist as wf


@dataclass(frozen=True)
class World:
    """Utilities (N, d), and the same comparisons in files and in memory."""

    utilities: Any
    folder: Path
    comparisons: wf.Comparisons

    def scan(self, **options: Any) -> Any:
        return wf.Comparisons.scan(self.folder, self.utilities, **{"share": 4000, **options})


def written(
    folder: Path,
    *,
    actions: int = 600,
    people: int = 4,
    rows: int = 24_000,
    parts: int = 5,
    p: float = -0.6,
    weights: Any = None,
    seed: int = 0,
    counts: bool = False,
    ties: float = 0.0,
    sort: bool = False,
) -> World:
    """Write comparisons of a rule in parts; the first rows are no fair sample if `sort`."""
    rng = np.random.default_rng(seed)
    utilities = np.exp(rng.normal(size=(actions, people)))
    given = rng.dirichlet(np.full(people, 3.0)) if weights is None else np.asarray(weights)
    value = wf.log_power_mean(utilities, p, given)
    first = rng.integers(0, actions, rows)
    second = (first + rng.integers(1, actions, rows)) % actions
    chance = 1.0 / (1.0 + np.exp(-3.0 * (value[first] - value[second])))
    outcome = np.where(rng.random(rows) < chance, 1, -1)
    outcome[rng.random(rows) < ties] = 0
    if sort:
        order = np.argsort(value[first] - value[second])
        first, second, outcome = first[order], second[order], outcome[order]
    columns = {
        "first": first.astype(np.int32),
        "second": second.astype(np.int32),
        "outcome": outcome.astype(np.int8),
    }
    count = rng.integers(0, 4, rows).astype(float) if counts else None
    if count is not None:
        columns["count"] = count
    for number, part in enumerate(np.array_split(np.arange(rows), parts)):
        table = pa.table({name: column[part] for name, column in columns.items()})
        pq.write_table(table, folder / f"part-{number:02d}.parquet", row_group_size=2500)
    pairs = np.stack([first, second], axis=1)
    return World(utilities, folder, wf.Comparisons(utilities, pairs, outcome, count))


def menus_written(folder: Path, rows: int = 6000, seed: int = 0) -> tuple[Any, wf.Choices]:
    """Write choices from menus of two to five actions; return utilities and the same in memory."""
    rng = np.random.default_rng(seed)
    utilities = np.exp(rng.normal(size=(300, 3)))
    value = 3.0 * wf.log_power_mean(utilities, -0.6, [0.5, 0.3, 0.2])
    menus = [rng.choice(300, size, replace=False) for size in rng.integers(2, 6, rows)]
    chosen = [int(m[np.argmax(value[m] + rng.gumbel(size=len(m)))]) for m in menus]
    for number, part in enumerate(np.array_split(np.arange(rows), 3)):
        lists = pa.array([menus[i].tolist() for i in part], pa.list_(pa.int32()))
        table = pa.table({"menu": lists, "chosen": np.array(chosen, dtype=np.int32)[part]})
        pq.write_table(table, folder / f"part-{number}.parquet")
    return utilities, wf.Choices(utilities, [m.tolist() for m in menus], np.array(chosen))

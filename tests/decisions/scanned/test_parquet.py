"""Parquet files in parts: which there are, and what is said of bad ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import welfarist as wf
from tests.scanned_worlds import written
from welfarist.base.errors import InputError
from welfarist.decisions.scanned import parquet
from welfarist.decisions.scanned.parquet import open_files

UTILITIES = np.arange(1.0, 13.0).reshape(6, 2)
GOOD = {"first": [0, 1, 2], "second": [1, 2, 3], "outcome": [1, -1, 1]}


def save(path, table=None, **columns):
    pq.write_table(pa.table(table if table is not None else {**GOOD, **columns}), path)
    return path


def learn(path, **options):
    return wf.ComparisonClassifier().fit(wf.Comparisons.scan(path, UTILITIES, **options))


def test_a_file_a_folder_a_pattern_and_a_list_are_the_same(tmp_path):
    world = written(tmp_path, rows=6000, parts=3)
    files = sorted(map(str, tmp_path.glob("*.parquet")))
    ways = [
        tmp_path,
        str(tmp_path / "*.parquet"),
        files,
        [tmp_path / "part-0[01].parquet", files[2]],
    ]
    assert [open_files(way).stamps for way in ways] == [open_files(world.folder).stamps] * 4
    assert open_files(files[0]).rows == 2000


def test_parts_cover_every_row_once_and_depend_on_the_files_alone(tmp_path, monkeypatch):
    written(tmp_path, rows=24_000, parts=2)
    monkeypatch.setattr(parquet, "_ROWS", 4000)
    parts = open_files(tmp_path).parts
    assert [part.start for part in parts] == [0, 5000, 10_000, 12_000, 17_000, 22_000]
    assert sum(part.rows for part in parts) == 24_000
    assert parts[0].groups == (0, 1)


def test_an_empty_part_is_passed_over_and_nothing_but_empty_ones_refused(tmp_path):
    world = written(tmp_path, rows=3000, parts=2)
    empty = pq.read_table(tmp_path / "part-00.parquet").slice(0, 0)
    pq.write_table(empty, tmp_path / "part-01a.parquet")
    assert len(world.scan()) == 3000
    assert wf.ComparisonClassifier().fit(world.scan()).converged_
    pq.write_table(empty, tmp_path / "alone.pq")
    with pytest.raises(InputError, match=r"alone.pq: there must be decisions .* found none"):
        open_files(tmp_path / "alone.pq")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"outcome": [1, 2, -1]}, r"row group 0, row 1: column 'outcome' must be 1 .* found 2"),
        ({"outcome": [1.0, 0.5, -1.0]}, r"row 1: .* found 0.5"),
        ({"outcome": ["first", "left", "tie"]}, r"row 1: .* must be \"first\".* found 'left'"),
        ({"outcome": [1, None, -1]}, r"row 1: column 'outcome' must be complete; found 1 missing"),
        ({"first": [0, 1, 9]}, r"row 2: column 'first' must point .* from 0 to 5; found 9"),
        ({"second": [-1, 2, 3]}, r"row 0: column 'second' must point .* found -1"),
        ({"second": [1, 1, 3]}, r"row 1: a comparison must be between two different .* found 1"),
        ({"first": [0.0, 1.0, 2.5]}, r"column 'first' must hold whole row numbers"),
        ({"count": [1.0, -2.0, 1.0]}, r"row 1: column 'count' must be finite .* found -2"),
        ({"count": [1.0, float("nan"), 1.0]}, r"row 1: column 'count' must be finite .* nan"),
        ({"count": [0, 0, 0]}, "counts must not all be zero"),
        ({"outcome": [0, 0, 0]}, "found only ties"),
        ({"outcome": [0, 1, 1]}, "found only 0 and 1"),
    ],
)
def test_bad_columns_are_named_with_file_row_group_and_row(tmp_path, columns, message):
    path = save(tmp_path / "bad.parquet", **columns)
    with pytest.raises(InputError, match=message) as caught:
        learn(path)
    assert str(caught.value).startswith(str(path))


def test_a_bad_row_of_a_later_row_group_is_named_there(tmp_path):
    table = pa.table({name: np.tile(column, 4) for name, column in GOOD.items()})
    table = table.set_column(0, "first", pa.array([*[0, 1, 2] * 3, 0, 77, 2]))
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=6)
    with pytest.raises(InputError, match=r"a.parquet: row group 1, row 4: .* found 77"):
        learn(tmp_path / "a.parquet")


def test_missing_columns_and_roles_are_refused_before_any_work(tmp_path):
    save(tmp_path / "a.parquet", {"first": [0], "other": [1]})
    with pytest.raises(InputError, match=r"a column 'second', .*; found 'first', 'other'"):
        wf.Comparisons.scan(tmp_path, UTILITIES)
    with pytest.raises(InputError, match=r"columns must name .* found 'winner'"):
        wf.Comparisons.scan(tmp_path, UTILITIES, columns={"winner": "first"})


def test_parts_with_other_columns_are_refused(tmp_path):
    save(tmp_path / "a.parquet")
    save(tmp_path / "b.parquet", first=[0.0, 1.0, 2.0])
    with pytest.raises(InputError, match=r"b.parquet: every file must .* 'first' \(double\)"):
        wf.Comparisons.scan(tmp_path, UTILITIES)


def test_truncated_files_are_refused_with_their_row_group(tmp_path):
    world = written(tmp_path, rows=6000, parts=1)
    path = tmp_path / "part-00.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"part-00.parquet: must be a whole Parquet file"):
        world.scan()
    path.write_bytes(b"")
    with pytest.raises(InputError, match="must be a whole Parquet file"):
        world.scan()
    damaged = bytearray(whole)
    damaged[200:2000] = bytes(1800)  # a footer that is whole, and pages that are not
    path.write_bytes(bytes(damaged))
    with pytest.raises(InputError, match=r"part-00.parquet: row group 0"):
        wf.ComparisonClassifier().fit(world.scan())


def test_files_that_change_while_they_are_read_are_refused(tmp_path):
    world = written(tmp_path, rows=6000, parts=2)
    scanned = world.scan()
    written(tmp_path, rows=6000, parts=2, seed=1, people=3)
    with pytest.raises(InputError, match="must stay as it is while it is read"):
        wf.ComparisonClassifier().fit(scanned)


def test_sources_that_are_none(tmp_path):
    for wrong in (tmp_path, str(tmp_path / "*.parquet")):
        with pytest.raises(InputError, match="there must be Parquet files"):
            open_files(wrong)
    with pytest.raises(InputError, match="could not be opened"):
        open_files(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="files must be a Parquet file"):
        open_files(7)
    path = save(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="named once"):
        open_files([path, path])


def test_shares_are_whole_numbers(tmp_path):
    path = save(tmp_path / "a.parquet")
    for wrong in (0, 10, 2.5, True):
        with pytest.raises(InputError, match="share must be a whole number"):
            wf.Comparisons.scan(path, UTILITIES, share=wrong)

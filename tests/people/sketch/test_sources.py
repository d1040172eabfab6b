"""The same people have the same sketch wherever they are, and bad ones are named in a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from welfarist import InputError, Sketch

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

RNG = np.random.default_rng(0)
SIZE = 3000
FRAME = pd.DataFrame(
    {
        "a": np.exp(RNG.normal(3, 1, SIZE)),
        "b": RNG.integers(0, 10, SIZE).astype(float),
        "region": RNG.choice(["n", "s", "w"], SIZE),
        "w": RNG.uniform(0.5, 3, SIZE),
    }
)
TABLE = pa.Table.from_pandas(FRAME)
WHOLE = Sketch.of(FRAME, "region", "w")


def long_frame():
    person = FRAME.reset_index(names="person")
    long = person.melt(["person", "region", "w"], ["a", "b"], "plan", "u")
    return long.sample(frac=1, random_state=1)


class Stream:
    def __arrow_c_stream__(self, requested_schema=None):
        return TABLE.__arrow_c_stream__(requested_schema)


@pytest.fixture
def folder(tmp_path):
    for i in range(3):
        part = TABLE.slice(i * 1000, 1000)
        pq.write_table(part, tmp_path / f"part-{i}.parquet", row_group_size=300)
    return tmp_path


@pytest.mark.parametrize(
    "source",
    [
        lambda: pl.from_pandas(FRAME),
        lambda: pl.from_pandas(FRAME).lazy(),
        lambda: TABLE,
        lambda: TABLE.to_reader(max_chunksize=700),
        Stream,
        lambda: FRAME.astype({"region": "category"}),
    ],
)
def test_tables_and_streams_have_the_same_digits(source):
    assert Sketch.of(source(), "region", "w") == WHOLE


def test_files_in_any_order_have_the_same_digits(folder):
    assert Sketch.of(folder, "region", "w") == WHOLE
    assert Sketch.of(f"{folder}/part-*.parquet", "region", "w") == WHOLE
    parts = [Sketch.of(folder / f"part-{i}.parquet", "region", "w") for i in (2, 0, 1)]
    assert sum(parts) == WHOLE


def test_dask_partitions_have_the_same_digits():
    frames = pytest.importorskip("dask.dataframe")
    assert Sketch.of(frames.from_pandas(FRAME, npartitions=4), "region", "w") == WHOLE


def test_the_long_layout_has_the_same_digits(tmp_path):
    options = dict(groups="region", counts="w", action="plan", utility="u")
    assert Sketch.of(long_frame(), **options) == WHOLE
    pq.write_table(pa.Table.from_pandas(long_frame()), tmp_path / "l.parquet", row_group_size=99)
    assert Sketch.of(tmp_path / "l.parquet", **options) == WHOLE


def test_arrays_have_the_same_sums():
    values = FRAME[["a", "b"]].to_numpy()
    found = Sketch.of(values, FRAME["region"].to_numpy(), FRAME["w"].to_numpy())
    assert found.actions == ("0", "1")
    assert found._own.tally.equals(WHOLE._own.tally)
    beside = Sketch.of(FRAME[["a", "b"]], FRAME["region"].tolist(), FRAME["w"].tolist())
    assert beside == WHOLE


def test_groups_are_ordered_as_numbers_or_letters():
    assert Sketch.of(np.ones(4), [10, 9, 2, 10]).stakeholders == ("2", "9", "10")
    assert Sketch.of(np.ones(3), ["b", "a", "b"]).stakeholders == ("a", "b")
    assert Sketch.of(np.ones(3)).stakeholders == ("everybody",)
    assert Sketch.of(np.ones(2), ["a", "b"], [1, 0]).stakeholders == ("a",)


@pytest.mark.parametrize(
    ("value", "said"),
    [(np.nan, "found NaN"), (-1.0, "found -1"), (np.inf, "found inf"), (1e-310, "found 1e-310")],
)
def test_bad_utilities_are_named_with_their_place(folder, value, said):
    frame = FRAME.copy()
    frame.loc[1700, "a"] = value
    with pytest.raises(InputError, match=rf"{said} in column 'a', row 1700"):
        Sketch.of(frame, "region", "w")
    pq.write_table(pa.Table.from_pandas(frame), folder / "z.parquet", row_group_size=500)
    with pytest.raises(InputError, match=rf"{said} in column 'a', row 200 of row group 3 in .*z.p"):
        Sketch.of(folder, "region", "w")


def test_files_that_do_not_belong_are_refused(folder):
    bad = folder / "part-9.parquet"
    whole = (folder / "part-0.parquet").read_bytes()
    bad.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"part-9.parquet: must be a whole Parquet file"):
        Sketch.of(folder, "region", "w")
    pq.write_table(TABLE.slice(0, 0), bad)
    with pytest.raises(InputError, match=r"part-9.parquet: must hold people; found no rows"):
        Sketch.of(folder, "region", "w")
    pq.write_table(TABLE.rename_columns(["a", "c", "region", "w"]), bad)
    with pytest.raises(InputError, match="must have the columns of the other parts"):
        Sketch.of(folder, "region", "w")
    pq.write_table(TABLE.drop_columns(["region"]), bad)
    with pytest.raises(InputError, match="must have a column 'region'"):
        Sketch.of(folder, "region", "w")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Sketch.of("nowhere"), "no such file"),
        (lambda: Sketch.of(FRAME), "found 'region' without"),
        (lambda: Sketch.of(FRAME, "regio"), "must have a column 'regio'"),
        (lambda: Sketch.of(FRAME.assign(w=-1.0), "region", "w"), "counts must be 0, or from"),
        (lambda: Sketch.of(FRAME.assign(w=1e-9), "region", "w"), "counts must be 0, or from"),
        (lambda: Sketch.of(FRAME.assign(w=0.0), "region", "w"), "found no people"),
        (lambda: Sketch.of(np.empty((0, 2))), "found shape"),
        (lambda: Sketch.of(FRAME.iloc[:0], "region"), "found no rows"),
        (lambda: Sketch.of(np.ones(3), ["a"]), "one entry a person"),
        (lambda: Sketch.of(np.ones(3), "a"), "no names of columns"),
        (lambda: Sketch.of(np.ones(3), actions=["a"]), "found an array"),
        (lambda: Sketch.of(FRAME, "region", "w", action="a"), "both, action and utility"),
        (lambda: Sketch.of(TABLE.to_reader(), [1]), "name of a column"),
        (lambda: Sketch.of(np.ones(3), ["a", None, "b"]), "labels of one kind"),
        (lambda: Sketch.of(FRAME[["a"]]) + WHOLE, "of the same actions"),
        (lambda: Sketch(), r"Sketch.of\(source\)"),
    ],
)
def test_what_cannot_be_sketched_is_refused_in_words(call, said):
    with pytest.raises(InputError, match=said):
        call()


def test_everybody_must_have_every_action():
    with pytest.raises(InputError, match="must have a utility in every action; found that group"):
        Sketch.of(long_frame().iloc[1:], "region", action="plan", utility="u")

"""How actions, outcomes, menus and scores may be written in files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import welfarist as wf
from tests.scanned_worlds import written
from welfarist.base.engines import Threads
from welfarist.base.errors import InputError
from welfarist.base.progress import Progress
from welfarist.decisions.scanned.repeated_pairs import expected_pairs
from welfarist.decisions.scanned.survey import wanted_rows

ENGINE, QUIET = Threads(1), Progress(False)


def drawn(scanned):
    return scanned.drawn(ENGINE, QUIET)


def test_names_words_and_other_columns_mean_the_same_as_numbers(tmp_path):
    world = written(tmp_path, actions=30, rows=2000, parts=2, ties=0.2)
    names = [f"plan {i}" for i in range(30)]
    table = pq.read_table(tmp_path)
    words = {1: "first", -1: "second", 0: "tie"}
    texts = pa.table(
        {
            "left": pa.array([names[i] for i in table["first"].to_pylist()]).dictionary_encode(),
            "right": [names[i] for i in table["second"].to_pylist()],
            "choice": [words[i] for i in table["outcome"].to_pylist()],
        }
    )
    pq.write_table(texts, tmp_path / "named.pq")
    frame = pd.DataFrame(world.utilities, index=names)
    named = wf.Comparisons.scan(
        tmp_path / "named.pq", frame, columns={"first": "left", "second": "right"}
    )
    one, other = drawn(world.scan()), drawn(named)
    for field in ("first", "second", "outcome"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    with pytest.raises(InputError, match="need a table of actions with names"):
        wf.Comparisons.scan(
            tmp_path / "named.pq", world.utilities, columns={"first": "left", "second": "right"}
        )
    few = wf.Comparisons.scan(
        tmp_path / "named.pq", frame[:20], columns={"first": "left", "second": "right"}
    )
    with pytest.raises(InputError, match=r"must name actions of the table; found 'plan 2\d'"):
        drawn(few)


def test_booleans_are_preferences(tmp_path):
    table = pa.table({"first": [0, 1], "second": [1, 2], "outcome": [True, False]})
    pq.write_table(table, tmp_path / "a.parquet")
    scanned = wf.Comparisons.scan(tmp_path, np.eye(3) + 1.0)
    np.testing.assert_array_equal(drawn(scanned).outcome, [1, -1])


def test_the_share_is_drawn_from_everywhere_without_repetition(tmp_path):
    rows = wanted_rows(100_000, 2000, 7)
    assert len(np.unique(rows)) == 2000
    assert (np.diff(rows) > 0).all()
    # Uniform: the number in each tenth is binomial, with standard deviation 13.4; five of them.
    np.testing.assert_allclose(np.histogram(rows, 10, (0, 100_000))[0], 200, atol=67)
    world = written(tmp_path, rows=20_000, parts=4, sort=True)
    block = drawn(world.scan(share=2000))
    values = world.comparisons
    wanted = wanted_rows(20_000, 2000, 0)
    np.testing.assert_array_equal(block.first, values.pairs[wanted, 0])
    np.testing.assert_array_equal(block.outcome, values.outcomes[wanted])
    other = drawn(world.scan(share=2000, random_state=1))
    assert not np.array_equal(block.first, other.first)


def test_expected_pairs_follow_from_a_share_that_is_drawn():
    rng = np.random.default_rng(0)
    pairs, drawn_rows, rows = 5000, 3000, 40_000
    everything = rng.integers(0, pairs, rows)
    different = len(np.unique(rng.choice(everything, drawn_rows, replace=False)))
    # The estimate's own sampling error is about 3%.
    assert expected_pairs(drawn_rows, different, rows) == pytest.approx(5000, rel=0.1)


@pytest.mark.parametrize("counts", [False, True])
def test_pairs_that_repeat_are_counted_and_fitted_as_in_memory(tmp_path, counts):
    world = written(tmp_path, actions=20, rows=20_000, parts=3, counts=counts, ties=0.1)
    fit = wf.ComparisonClassifier().fit(world.scan(share=2000))
    truth = wf.ComparisonClassifier().fit(world.comparisons)
    assert isinstance(fit.result_.decided, wf.Comparisons)
    assert len(fit.result_.decided) <= 3 * 190
    assert fit.p_ == truth.p_  # counts are whole numbers, which add up exactly
    assert fit.result_.interval("p") == truth.result_.interval("p")


MENUS = {"menu": [[0, 1, 2], [1, 3]], "chosen": [2, 1]}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"chosen": [3, 1]}, r"row 0: column 'chosen' must be one action of the menu.* found 3"),
        ({"menu": [[0, 1, 2], [1]]}, "row 1: a menu must offer two actions or more; found 1"),
        ({"menu": [[0, 0, 2], [1, 3]]}, "row 0: a menu must list each action once; found 0 twice"),
        ({"menu": [[0, 2, 2], [1, 3]]}, "row 0: .* which lists each once"),
        ({"menu": [[0, 1, 2], None]}, "row 1: column 'menu' must be complete"),
        ({"menu": [[0, 1, 2], [1, 8]]}, "column 'menu' must point into the table of 4 actions"),
        ({"menu": [1, 2]}, "column 'menu' must hold lists of actions; found int64"),
    ],
)
def test_bad_menus_are_named_with_their_place(tmp_path, columns, message):
    pq.write_table(pa.table({**MENUS, **columns}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=message):
        drawn(wf.Choices.scan(tmp_path, np.ones((4, 2))))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"score": [1.0, float("inf")]}, "row 1: column 'score' must be finite; found inf"),
        ({"score": [1.0, None]}, "row 1: column 'score' must be complete"),
        ({"score": ["a", "b"]}, "column 'score' must hold numbers; found string"),
        ({"action": [0, 5]}, "row 1: column 'action' must point"),
    ],
)
def test_bad_scores_are_named_with_their_place(tmp_path, columns, message):
    pq.write_table(pa.table({"action": [0, 1], "score": [1.0, 2.0], **columns}), tmp_path / "a.pq")
    scanned = wf.Scores.scan(tmp_path / "a.pq", np.ones((4, 2)))
    with pytest.raises(InputError, match=message):
        wf.WelfareRegressor().fit(scanned)

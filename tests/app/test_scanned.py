"""Folders of Parquet files, from the command line's side."""

from __future__ import annotations

import polars as pl
import pytest

from tests.scanned_worlds import menus_written, written
from welfarist.app import fitting
from welfarist.app.decisions import DecisionOptions
from welfarist.app.learning import LearnerOptions
from welfarist.app.usage import UsageError
from welfarist.base.errors import WelfaristError


def saved_actions(path, utilities):
    columns = {f"person {i}": column for i, column in enumerate(utilities.T)}
    names = [f"action {i}" for i in range(len(utilities))]
    pl.DataFrame({"action": names, **columns}).write_csv(path)
    return str(path)


def fitted(actions, decision, **options):
    asked = fitting.FitRequest(actions, decision=decision, learner=LearnerOptions(**options))
    return fitting.fit(asked, fitting.read(asked)).result


def test_a_folder_or_a_pattern_is_scanned_and_rounds_are_kept(tmp_path):
    folder = tmp_path / "decisions"
    folder.mkdir()
    world = written(folder, rows=6000)
    actions = saved_actions(tmp_path / "actions.csv", world.utilities)
    rounds = tmp_path / "rounds"
    found = [
        fitted(actions, DecisionOptions(str(folder)), resume=str(rounds)),
        fitted(actions, DecisionOptions(str(folder / "*.parquet"))),
    ]
    assert found[0].p == found[1].p
    assert found[0].stakeholders == ("person 0", "person 1", "person 2", "person 3")
    assert found[0].decisions == 6000
    assert rounds.exists()


def test_menus_in_a_folder(tmp_path):
    folder = tmp_path / "menus"
    folder.mkdir()
    utilities, _ = menus_written(folder, rows=2000)
    actions = saved_actions(tmp_path / "actions.csv", utilities)
    assert fitted(actions, DecisionOptions(choices=str(folder))).kind == "choices"


@pytest.mark.parametrize("name", ["by", "tie", "preferred", "first_label"])
def test_options_of_single_files_are_refused(tmp_path, name):
    world = written(tmp_path, rows=300)
    actions = saved_actions(tmp_path / "actions.csv", world.utilities)
    with pytest.raises(UsageError):
        fitted(actions, DecisionOptions(str(tmp_path), **{name: "x"}))


def test_rounds_need_a_folder(tmp_path):
    actions = tmp_path / "actions.csv"
    actions.write_text("action,a,b,score\nx,1,2,3\ny,2,1,2\n")
    for options in ({"dask": "tcp://127.0.0.1:9"}, {"resume": "rounds"}):
        with pytest.raises(UsageError):
            fitted(str(actions), DecisionOptions(score="score"), **options)


def test_an_empty_folder_is_said_in_a_sentence(tmp_path):
    (tmp_path / "none").mkdir()
    actions = tmp_path / "actions.csv"
    actions.write_text("action,a,b\nx,1,2\ny,2,1\n")
    with pytest.raises(WelfaristError, match="there must be Parquet files"):
        fitted(str(actions), DecisionOptions(str(tmp_path / "none")))

"""The attack on files: it strikes alike each time, and knows what may not come of it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from fuzz.command_worker import Worker
from fuzz.damaged_files import DamagedFiles, _left_wrong, _said_wrong
from fuzz.damages import damaged
from fuzz.sound_files import ENDINGS, actions, written

SEED = 7
CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
OURS = [path for path in CASES if json.loads(path.read_text())["attack"] == DamagedFiles.name]
RAN = {"code": 1, "out": "", "err": "Error: a.csv: is empty.\n", "seconds": 0.1, "memory": 10**8}


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_files_that_were_no_error_in_words_once(path):
    assert DamagedFiles().complaints(json.loads(path.read_text())["case"]) == []


def test_cases_are_drawn_alike():
    for number in range(20):
        one, other = (DamagedFiles().draw(np.random.default_rng([SEED, number])) for _ in "ab")
        assert json.loads(json.dumps(one, allow_nan=False)) == one == other


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_are_sound_before_they_are_damaged(ending, tmp_path, monkeypatch):
    from welfarist import files

    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(SEED)
    table = actions(rng, 2, score=False)
    data = written(rng, table, ending)
    Path(f"a.{ending}").write_bytes(data)
    read = files.read_actions(f"a.{ending}", stakeholders=["person_0", "person_1"])
    assert len(read.names) == len(table["action"])
    assert read.utilities[:, 0].tolist() == table["person_0"]
    struck = {damaged(np.random.default_rng([SEED, i]), data, data, ending)[1] for i in range(30)}
    assert len(struck - {data}) > 20


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"code": "ValueError: no"}, "ended with ValueError: no"),
        ({"code": 3}, "ended with 3"),
        ({"err": "thread 'main' panicked at x\n"}, "panicked at in what was said"),
        ({"err": "Error: a\nError: b\n"}, "exit code 1 with 2 errors"),
        ({"err": "UserWarning: a\nError: b\n"}, "not ours: UserWarning: a"),
        ({"out": "3 actions"}, "an answer although it failed: 3 actions"),
        ({"seconds": 11.0}, "took 11.0 CPU seconds"),
        ({"memory": 5 * 2**30}, "held 5.0 GB"),
    ],
)
def test_what_is_wrong_with_an_end(change, complaint):
    assert _said_wrong(RAN) == []
    assert complaint in _said_wrong({**RAN, **change})


def test_what_is_wrong_with_files_afterwards(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a")
    command = ["fit", "a.csv", "--save", "model.json"]
    assert _left_wrong(tmp_path, {"a.csv": b"a"}, command, 1) == []
    assert _left_wrong(tmp_path, {"a.csv": b"b"}, command, 1) == ["a.csv has changed"]
    assert _left_wrong(tmp_path, {"a.csv": b"a"}, command, 0) == ["model.json was not written"]
    (tmp_path / "model.json").write_text("{")
    assert _left_wrong(tmp_path, {"a.csv": b"a"}, command, 1) == ["model.json was left behind"]
    assert "is not whole" in _left_wrong(tmp_path, {"a.csv": b"a"}, command, 0)[0]


def test_a_worker_that_ends_is_another_afterwards(tmp_path):
    worker = Worker()
    (tmp_path / "a.csv").write_bytes(base64.b64decode("YWN0aW9uLGEKeCwxCg=="))
    assert worker.run(["rank", "a.csv", "--doctrine", "Nash"], tmp_path)["code"] == 0
    worker._process.kill()
    worker._process.wait()
    assert worker.run(["rank", "a.csv", "--p", "1"], tmp_path) is None
    assert worker.run(["rank", "a.csv", "--p", "1"], tmp_path)["out"].startswith("1 action by")
    worker.end()

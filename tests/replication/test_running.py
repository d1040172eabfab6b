"""How a replication is started, where it writes, and what it tells a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from replication.__main__ import main
from replication.places import CLONE, places
from replication.settings import Settings
from replication.store import Store

from replication import __main__ as started
from replication import nonconvexity


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(CLONE), str(CLONE / "src")])}
    return subprocess.run(
        [sys.executable, "-P", "-m", "replication", *arguments], env=environment,
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--only", "nothing"), "--only must be one of charity_scores"),
        (("--d", "1,5"), "whole numbers of 2 or more"),
        (("--d", "2.5"), "whole numbers of 2 or more"),
        (("--tau", "0"), "must be numbers"),
        (("--nu", "lots"), "found 'lots'"),
        (("--repetitions", "0"), "whole number of 1 or more"),
        (("--method-repetitions", "-1"), "whole number of 0 or more"),
    ],
)
def test_mistakes_are_refused(arguments, said, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_a_full_run_in_a_clone_writes_the_documentation_and_others_do_not(tmp_path):
    assert places(Settings(), CLONE).page == CLONE / "docs" / "replication.md"
    inside = places(Settings(), CLONE / "docs")
    assert inside.page == CLONE / "docs" / "replication.md"
    for other in (Settings(quick=True), Settings(tau=(1.0,)), Settings(repetitions=2)):
        assert CLONE / "build" in places(other, CLONE).page.parents
    assert places(Settings(), tmp_path).page == tmp_path / "replication.md"
    assert places(Settings(), CLONE, str(tmp_path)).page == tmp_path / "replication.md"


def test_a_run_outside_a_clone_writes_where_it_was_started(tmp_path):
    done = run("--quick", "--only", "nonconvexity", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["files"]["nonconvexity"] == str(tmp_path / "replication" / "nonconvexity.png")
    assert (tmp_path / "replication" / "nonconvexity.csv").exists()
    assert [claim["verdict"] for claim in told["experiments"][0]["claims"]].count("holds") == 2
    assert told["count"]["holds"] == 2


def test_a_place_that_is_none_is_refused_in_words(tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=r"must be a folder to write to.*--to"):
        main(["--quick", "--to", "taken"])


def test_fresh_runs_again_what_was_asked_for_and_nothing_else(tmp_path):
    experiment = nonconvexity.EXPERIMENT
    store = Store(tmp_path, experiment)
    quick, full = (experiment.cells(Settings(quick=q)) for q in (True, False))
    for cell in full:
        store.add(cell, {"difference": 1.0})
    store.forget(quick)
    again = Store(tmp_path, experiment)
    assert again.missing(full) == [cell for cell in full if cell in quick]


def test_an_interruption_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(started, "complete", stop)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["--quick", "--fresh"])
    assert stopped.value.code == 130
    assert "the same command without --fresh goes on" in capsys.readouterr().err

"""A command that fails because of what it reads writes nothing, whatever it was asked to write."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from welfarist.app.simulating import WorldRequest, simulate
from welfarist.cli.app import app

ASKED = {"--save": "model.json", "--report": "report.html", "--latex": "table.tex"}
# The file that is damaged, and the command that reads it.
COMMANDS = {
    "actions.parquet": "fit actions.parquet --comparisons decisions.parquet",
    "decisions.parquet": "fit actions.parquet --comparisons decisions.parquet --shift-table",
    "weights.csv": "fit actions.parquet --comparisons decisions.parquet --weights weights.csv",
    "groups.csv": "fit actions.parquet --comparisons decisions.parquet --groups groups.csv",
    "scored.parquet": "fit scored.parquet --score score",
    "decisions.csv": "compare actions.parquet --comparisons decisions.csv --folds 0",
    "truth.json": "compare actions.parquet --comparisons decisions.parquet --model truth.json",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    place = tmp_path_factory.mktemp("world")
    simulate(WorldRequest(people=2, actions=12, decisions=40, p="-1", tau=8.0, seed=3)).write(place)
    actions = pl.read_csv(place / "actions.csv")
    pl.read_csv(place / "comparisons.csv").write_csv(place / "decisions.csv")
    pl.read_csv(place / "comparisons.csv").write_parquet(place / "decisions.parquet")
    actions.write_parquet(place / "actions.parquet")
    actions.with_columns(score=1.0).write_parquet(place / "scored.parquet")
    people = actions.columns[1:]
    pl.DataFrame({"stakeholder": people, "weight": 1.0}).write_csv(place / "weights.csv")
    pl.DataFrame({"stakeholder": people, "group": "g"}).write_csv(place / "groups.csv")
    return place


@pytest.mark.parametrize("old", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("struck", COMMANDS)
def test_nothing_is_written_when_a_file_is_damaged(world, tmp_path, monkeypatch, struck, old):
    shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    Path(struck).write_bytes(Path(struck).read_bytes()[:-9] + b"\xff")
    command = COMMANDS[struck].split()
    asked = ASKED if command[0] == "fit" else {"--latex": "table.tex"}
    for option, path in asked.items():
        command += [option, path]
        if old:
            Path(path).write_text("old")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1, done.output
    assert done.stderr.startswith(f"Error: {struck}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before

"""What the package shows to the outside."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import welfarist as wf
from welfarist.app import demo

ROOT = Path(__file__).parents[1]

# Slow to import and not needed to evaluate a welfare function.
HEAVY = ("scipy", "sklearn", "pandas", "polars", "matplotlib", "numba", "rich", "narwhals")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_exports_are_sorted_and_present():
    assert wf.__all__ == sorted(wf.__all__, key=str.lower)
    for name in wf.__all__:
        assert getattr(wf, name).__doc__, name


def test_import_brings_nothing_heavy():
    loaded = run("import sys, welfarist; print(*{m.split('.')[0] for m in sys.modules})").split()
    assert not set(HEAVY) & set(loaded)


def test_version_is_stated_once_and_for_all():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == wf.__version__
    assert f"version: {wf.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert wf.__version__ in (ROOT / "CHANGELOG.md").read_text()


def test_source_distribution_can_check_itself():
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    needed = {"src", "tests", "benchmarks", ".ci", "Makefile", "CONTRIBUTING.md"}
    assert needed <= set(built["targets"]["sdist"]["include"])


def test_make_installs_into_its_own_environment_whatever_pip_was_told():
    exported = [line for line in (ROOT / "Makefile").read_text().splitlines() if "PIP_USER" in line]
    assert "export PIP_USER := 0" in exported


def test_demo_tells_its_story_and_writes_a_report(tmp_path):
    report = tmp_path / "report.html"
    printed = run(f"from welfarist.app.demo import tell; tell({str(report)!r})")
    for word in ("utilitarian", "Nash", "dispatchers", "an egalitarian", "welfarist fit", "300"):
        assert word in printed
    page = report.read_text()
    assert f"<h1>{demo.TITLE}</h1>" in page
    assert f"{demo.NOTE}</p>" in page
    for said in ("close to harmonic", "10.2% to 18.1%"):  # the terminal and the report agree
        assert said in printed
        assert said in page


def test_demo_shows_rules_that_differ():
    world, decisions = demo.charity(), demo.past_decisions()
    chosen = demo.waiting(world, decisions)
    assert not set(chosen.tolist()) & set(decisions.pairs.ravel().tolist())
    spread = world.utilities.max(axis=1) / world.utilities.min(axis=1)
    new = sorted(set(range(demo.ORGANISATIONS)) - set(decisions.pairs.ravel().tolist()))
    assert set(chosen) == set(sorted(new, key=lambda i: -spread[i])[: len(demo.WAITING)])
    orders = [
        tuple(wf.WelfareFunction(p, world.weights).rank(world.utilities[chosen]))
        for p in (world.p, 1.0, float("-inf"))
    ]
    assert len(set(orders)) == 3


def test_demo_prints_a_command_that_runs_here(tmp_path, monkeypatch):
    script = tmp_path / ".venv" / "bin" / "welfarist"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo.sys, "executable", str(script.with_name("python")))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demo.command() == os.path.join(".venv", "bin", "welfarist")
    monkeypatch.setenv("PATH", str(script.parent))
    assert demo.command() == "welfarist"
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(script.parent.parent)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert demo.command() == str(script)


def test_demo_learns_what_was_simulated():
    world, decisions = demo.charity(), demo.past_decisions()
    result = wf.ComparisonClassifier(groups=world.group_of).fit(decisions).result_
    low, high = result.interval("p")
    assert low < world.p < high
    ends = result.interval("weights")
    assert ((ends[:, 0] < world.weights) & (world.weights < ends[:, 1])).all()


def test_completion_offers_public_names_only():
    shown = run("import welfarist as wf; wf.bounds; print(*dir(wf))").split()
    assert [name for name in shown if not name.startswith("__")] == sorted(wf.__all__)

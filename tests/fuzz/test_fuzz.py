"""A few seconds of every attack, and every case that once brought up something wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fuzz.__main__ import main
from fuzz.attack import complaints_about, drawn, run
from fuzz.files import Diary, read

import fuzz
from fuzz import ATTACKS, attack_called

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
SEED = 2024
# For all attacks together: a longer run is `make fuzz`.
SECONDS = 10.0


@pytest.mark.parametrize("name", ATTACKS)
def test_a_few_seconds(name):
    found = run(attack_called(name), SEED, seconds=SECONDS / len(ATTACKS))
    wrong = {outcome.number: outcome.complaints for outcome in found if outcome.complaints}
    assert not wrong, f"python -m fuzz --attack {name} --seed {SEED} --fresh saves these cases"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cases_that_were_wrong_once(path):
    name, case = read(path)
    assert complaints_about(attack_called(name), case) == []


@pytest.mark.parametrize("name", ATTACKS)
def test_cases_are_drawn_alike_and_fit_into_a_file(name):
    attack = attack_called(name)
    case = drawn(attack, SEED, 7)
    assert json.loads(json.dumps(case, allow_nan=False)) == case == drawn(attack, SEED, 7)


class Doubtful:
    """An attack that finds fault with every third case."""

    name = "doubtful"

    def draw(self, rng):
        return {"number": int(rng.integers(1000))}

    def complaints(self, case):
        return ["divisible by three"] if case["number"] % 3 == 0 else []


@pytest.fixture
def doubtful(monkeypatch, tmp_path):
    monkeypatch.setitem(fuzz.ATTACKS, "doubtful", f"{__name__}:Doubtful")
    return ["--attack", "doubtful", "--to", str(tmp_path)]


def test_a_run_goes_on_where_the_last_one_stopped(doubtful, tmp_path, capsys):
    assert main([*doubtful, "--cases", "9"]) == 1
    first = {path.name for path in (tmp_path / "cases").iterdir()}
    assert Diary.of(tmp_path, "doubtful", 0).next == 9
    main([*doubtful, "--cases", "9"])
    both = {path.name for path in (tmp_path / "cases").iterdir()}
    assert "cases 9 to 17 of seed 0" in capsys.readouterr().out
    wrong = {f"doubtful-0-{o.number}.json" for o in run(Doubtful(), 0, cases=18) if o.complaints}
    assert first < both == wrong
    assert main([*doubtful, "--cases", "1", "--fresh"]) == ("doubtful-0-0.json" in wrong)


def test_a_saved_case_can_be_run_again(doubtful, tmp_path, capsys):
    main([*doubtful, "--cases", "9"])
    saved = next((tmp_path / "cases").iterdir())
    assert main(["--replay", str(saved)]) == 1
    assert "divisible by three" in capsys.readouterr().out


def test_a_case_that_ended_the_process_is_known(doubtful, tmp_path, capsys):
    Diary.of(tmp_path, "doubtful", 0).begin(4)
    assert main([*doubtful, "--cases", "0"]) == 1
    assert "it ended the process" in capsys.readouterr().out
    assert Diary.of(tmp_path, "doubtful", 0).next == 5


class Endless:
    name = "endless"

    def draw(self, rng):
        return {}

    def complaints(self, case):
        while True:
            pass


class Broken(Endless):
    def complaints(self, case):
        raise KeyError("lost")


def test_no_case_ends_a_run(monkeypatch):
    monkeypatch.setattr("fuzz.attack._LONGEST", 0.05)
    assert complaints_about(Endless(), {}) == ["stopped after 0.05 CPU seconds"]
    assert "KeyError: 'lost'" in complaints_about(Broken(), {})[0]

"""`welfarist ask` in a pseudo terminal: keys, going on, undoing, leaving, being killed."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest

pytest.importorskip("termios")

from benchmarks.ask_kills import END, KEYS_LINE, Ledger, Tally, Terminal, check, study

RUN = "import sys; sys.argv[0] = 'welfarist'; from welfarist.cli import main; main()"


@pytest.fixture
def folder(tmp_path):
    table = np.random.default_rng(5).uniform(1, 100, (40, 3)).round(1)
    rows = [f"[b]plan {i},{','.join(map(str, row))}" for i, row in enumerate(table)]
    (tmp_path / "actions.csv").write_text("\n".join(["action,donors,[red]staff,c", *rows, ""]))
    return tmp_path


def start(folder, *more: str, **environment: str) -> Terminal:
    return Terminal("ask", "actions.csv", "--save", "answers.csv", *more, cwd=folder, **environment)


def answered(shown: Terminal, keys: str, at: int = 0) -> int:
    """Press a key for each question; where the next question ends."""
    at = shown.wait_for(KEYS_LINE, at)
    for key in keys:
        shown.type(key)
        at = shown.wait_for(KEYS_LINE, at)
    return at


def choices(folder) -> list[str]:
    with (folder / "answers.csv").open(newline="") as file:
        return [row["choice"] for row in csv.DictReader(file)]


def run(folder, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_keys_leaving_and_going_on_up_to_a_fit(folder):
    with closing(start(folder)) as shown:
        at = answered(shown, "12s")
        assert choices(folder) == ["first", "second", "skip"]
        shown.type("x")
        at = shown.wait_for("That key means nothing here", at)
        shown.type("\x1b[A")  # an arrow
        at = shown.wait_for("That key means nothing here", at)
        shown.type("?")
        at = shown.wait_for("Why this question: it is mostly about", at)
        at = shown.wait_for("every answer is kept.", at)
        shown.type("u")
        at = shown.wait_for("Question 3", at)
        assert choices(folder) == ["first", "second"]
        at = shown.wait_for(KEYS_LINE, at)
        shown.type("q")
        assert shown.end() == 0
        assert shown.mode() == shown.before
        assert "2 answers are in answers.csv." in shown.text
        assert "welfarist fit actions.csv --comparisons answers.csv" in shown.text
        third = shown.text.split("Question 3")[-1].split(KEYS_LINE)[0]
    with closing(start(folder, "--max", "4")) as shown:
        at = shown.wait_for("it goes on from there.")
        at = shown.wait_for(KEYS_LINE, at)
        again = shown.text.split("Question 3")[-1].split(KEYS_LINE)[0]
        assert again.splitlines()[1:] == third.splitlines()[1:]  # what is asked
        shown.type("0")
        at = shown.wait_for(KEYS_LINE, at)
        shown.type("1")
        at = shown.wait_for("That is enough: 4 questions were answered", at)
        at = shown.wait_for(END, at)
        assert "weight of [red]staff" in shown.text
        assert "Which of 40 actions is the best" in shown.text
        shown.type("u")
        at = shown.wait_for("Question 4", at)
        at = shown.wait_for(KEYS_LINE, at)
        shown.type("2")
        at = shown.wait_for(END, at)
        shown.type("\n")
        assert shown.end() == 0
    assert choices(folder) == ["first", "second", "equal", "second"]
    assert sorted(path.name for path in folder.iterdir()) == ["actions.csv", "answers.csv"]
    done = run(folder, "fit", "actions.csv", "--comparisons", "answers.csv", "--no-intervals")
    assert done.returncode == 0, done.stderr
    assert "weight of [red]staff" in done.stdout


@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 0)], ids=["Ctrl-C", "Ctrl-D"])
def test_leaving_by_control_keys(folder, key, code):
    with closing(start(folder)) as shown:
        answered(shown, "1")
        shown.type(key)
        assert shown.end() == code
        assert shown.mode() == shown.before
        assert "1 answer is in answers.csv." in shown.text
        assert "Traceback" not in shown.text
    assert choices(folder) == ["first"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ended_from_outside_the_terminal_is_as_it_was(folder, number):
    with closing(start(folder)) as shown:
        answered(shown, "1")
        shown.process.send_signal(number)
        assert shown.end() == 128 + number
        assert shown.mode() == shown.before


def test_what_was_typed_before_a_question_is_no_answer(folder):
    with closing(start(folder)) as shown:
        shown.wait_for(KEYS_LINE)
        shown.type("12111")
        shown.wait_for("Question 2")
        at = shown.wait_for(KEYS_LINE, shown.text.index("Question 2"))
        shown.type("q")
        shown.wait_for("1 answer is", at)
        shown.end()
    assert choices(folder) == ["first"]


def test_a_dumb_terminal_without_letters_beyond_ascii(folder):
    environment = {"TERM": "dumb", "PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    with closing(start(folder, "--by", "Ann", "--max", "1", **environment)) as shown:
        at = answered(shown, "")
        shown.type("1")
        shown.wait_for(END, at)
        shown.type("x")
        assert shown.end() == 0
        assert shown.text.isascii()
        assert "###" in shown.text
        assert "Question 1 to Ann" in shown.text
        assert b"\x1b" not in shown._held


def test_made_up_outcomes_and_what_to_give_to_fit(folder):
    with closing(start(folder, "--designed", "only")) as shown:
        answered(shown, "12")
        shown.type("q")
        shown.end()
        command = "fit answers-actions.csv --comparisons answers.csv"
        assert f"welfarist {command}" in shown.text
    done = run(folder, *command.split(), "--no-intervals")
    assert done.returncode == 0, done.stderr


def test_two_at_a_time_and_no_terminal_are_refused_in_words(folder):
    with closing(start(folder)) as shown, closing(start(folder)) as other:
        shown.look(0.5)
        first, second = (shown, other)
        ends = []
        for one in (first, second):
            while KEYS_LINE not in one.look(0.05) and one.process.poll() is None:
                pass
            if KEYS_LINE not in one.text:
                ends.append((one.end(), "somebody else is at work on it" in one.text))
        assert ends == [(1, True)]
    done = run(folder, "ask", "actions.csv", "--save", "answers.csv")
    assert done.returncode == 2
    assert "questions are put in a terminal" in done.stderr
    assert not (folder / "answers.csv").exists()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo terminal")
def test_four_kills_lose_nothing(tmp_path):
    found = study(4, seed=3, folder=tmp_path)
    assert found.wrong == []
    assert sum(found.ends.values()) == 4


def test_a_lost_answer_would_be_seen(tmp_path):
    (tmp_path / "actions.csv").write_text("action,a,b\nx,1,2\ny,2,1\nz,3,0\n")
    (tmp_path / "answers-0.csv").write_text("first,second,choice\nx,y,first\nx,y,second\n")
    ledger, tally = Ledger([("q", "first"), ("r", "first")]), Tally()
    check(tmp_path / "answers-0.csv", ledger, tally)
    assert len(tally.wrong) == 2

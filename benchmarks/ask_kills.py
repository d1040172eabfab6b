"""Kill interviews at random moments, go on with them, and look whether an answer was lost.

``python -m benchmarks.ask_kills --kills 50 --seed 7`` runs ``welfarist ask`` in a pseudo terminal,
answers its questions and kills it (SIGKILL): while it starts, while it waits, and right after a
key, when the answer is being written. An answer counts as given when the next question, or the
end, was shown. Then it goes on from the file: all answers that were given must be in it, as they
were given, and no question may be put that was answered.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# Makes the terminal the process's own, as a shell does, and runs the command.
STARTED = (
    "import os, sys; os.close(os.open(os.ttyname(0), os.O_RDWR)); sys.argv[0] = 'welfarist'; "
    "from welfarist.cli import main; main()"
)
KEYS_LINE = "q leave"
END = "any other key ends."
_QUESTION = re.compile(r"Question (\d+).*?which is better\?\r?\n(.*?)1 first ", re.DOTALL)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
ANSWERS = {"1": "first", "2": "second", "0": "equal", "s": "skip"}
# A start takes seconds, and what was learned in the end a minute, where others are at work.
PATIENCE = 300.0


class Terminal:
    """A command in a pseudo terminal of 80 columns and 24 lines."""

    def __init__(self, *arguments: str, cwd: Path, **environment: str) -> None:
        import fcntl
        import struct
        import termios

        self.ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-c", STARTED, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment},
        )
        self._theirs = theirs
        self.text = ""
        self._held = b""

    def mode(self) -> list[object]:
        """Return how the terminal is set now."""
        import termios

        return list(termios.tcgetattr(self._theirs))

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.ours, keys.encode())

    def look(self, seconds: float = 0.0) -> str:
        """Return all that was shown so far, what comes within some time included."""
        if select.select([self.ours], [], [], seconds)[0]:
            try:
                self._held += os.read(self.ours, 65536)
            except OSError:  # the other side is gone
                return self.text
            self.text = _ESCAPES.sub("", self._held.decode("utf-8", "replace"))
        return self.text

    def wait_for(self, wanted: str, after: int = 0, seconds: float = PATIENCE) -> int:
        """Wait until a text was shown after some place, and return where it ends."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            at = self.look(0.05).find(wanted, after)
            if at >= 0:
                return at + len(wanted)
            if self.process.poll() is not None and not self.look(0.05)[after:].count(wanted):
                break
        raise AssertionError(f"{wanted!r} was not shown; found {self.text[after:]!r}")

    def end(self, seconds: float = PATIENCE) -> int:
        """Wait for the end of the process and return its exit code."""
        until = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < until:
            self.look(0.05)
        while self.look(0.05) and select.select([self.ours], [], [], 0.05)[0]:
            before = self.text
            if self.look(0.05) == before:
                break
        return self.process.wait(1.0)

    def kill(self) -> None:
        """Kill the process at once."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """Let go of everything."""
        if self.process.poll() is None:
            self.kill()
        os.close(self.ours)
        os.close(self._theirs)


@dataclass
class Ledger:
    """What was seen and answered in one interview.

    Attributes
    ----------
    given : list of tuples
        Questions as they were shown, and answers, that count.
    last : tuple or None
        One that was answered, without anything shown after it.
    """

    given: list[tuple[str, str]] = field(default_factory=list)
    last: tuple[str, str] | None = None

    def count(self) -> int:
        """Something was shown after the last answer, if there was one: so many more count."""
        more = [] if self.last is None else [self.last]
        self.given += more
        self.last = None
        return len(more)


@dataclass
class Tally:
    """What came of all kills."""

    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    answers: int = 0
    finished: int = 0

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.ends.items()))
        return (
            f"{sum(self.ends.values())} kills ({ends}); {self.answers} answers given, "
            f"{self.finished} interviews finished; {len(self.wrong)} wrong"
        )


def study(kills: int, seed: int, folder: Path) -> Tally:
    """Kill interviews so many times."""
    rng, tally = random.Random(seed), Tally()
    ledger, number = Ledger(), 0
    _write_actions(folder / "actions.csv", rng)
    while sum(tally.ends.values()) < kills:
        save = folder / f"answers-{number}.csv"
        if _killed(rng, save, ("no", "too", "only")[number % 3], ledger, tally):
            check(save, ledger, tally)
        else:
            check(save, ledger, tally)
            tally.finished += 1
            ledger, number = Ledger(), number + 1
    return tally


def _write_actions(path: Path, rng: random.Random) -> None:
    rows = [f"plan {i}," + ",".join(f"{rng.uniform(1, 100):.1f}" for _ in range(4))
            for i in range(60)]  # fmt: skip
    path.write_text("\n".join(["action,donors,staff,recipients,neighbours", *rows, ""]))


def _killed(rng: random.Random, save: Path, designed: str, ledger: Ledger, tally: Tally) -> bool:
    """Answer until the moment of a kill; false if the interview ended before."""
    arguments = ("ask", "actions.csv", "--save", save.name, "--designed", designed)
    shown = Terminal(*arguments, cwd=save.parent)
    moment = rng.choice(["start", "waiting", "writing", "writing", "writing"])
    left = rng.randrange(6)  # answers before
    try:
        if moment == "start":
            until = time.monotonic() + rng.uniform(0.0, 3.0)
            while time.monotonic() < until and KEYS_LINE not in shown.look(0.01):
                pass
        at = 0
        while True:
            if moment == "start":
                break
            question, at = _next_question(shown, at)
            tally.answers += ledger.count()
            if question is None:
                shown.type("x")
                shown.end()
                return False
            _look_twice(question, ledger, tally)
            if moment == "waiting" and not left:
                time.sleep(rng.uniform(0.0, 0.05))
                break
            key = rng.choice("1122120s")
            ledger.last = (question, ANSWERS[key])
            shown.type(key)
            if moment == "writing" and not left:
                time.sleep(rng.expovariate(1 / 0.012))
                break
            left -= 1
        shown.kill()
        after = shown.look(0.0)
        if len(_QUESTION.findall(after[at:])) or END in after[at:]:
            tally.answers += ledger.count()  # it was shown after all, before the kill
        tally.ends[moment] += 1
        return True
    finally:
        shown.close()


def _next_question(shown: Terminal, after: int) -> tuple[str | None, int]:
    """The next question as it is shown, and where it ends; None for the end."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        text = shown.look(0.01)
        found = _QUESTION.search(text, after)
        if found is not None and KEYS_LINE in text[found.end() :]:
            return found[2].strip(), text.index(KEYS_LINE, found.end())
        if END in text[after:]:
            return None, len(text)
    raise AssertionError(f"nothing was asked: {shown.text[after:]!r}")


def _look_twice(question: str, ledger: Ledger, tally: Tally) -> None:
    if any(question == asked for asked, _ in ledger.given):
        tally.wrong.append(f"asked twice: {question}")


def check(save: Path, ledger: Ledger, tally: Tally) -> None:
    """Compare the file with what was given; what was typed last may be in it or not."""
    rows = []
    if save.exists():
        from welfarist.base.half_written import settle

        beside = save.with_name(f"{save.stem}-actions.csv")
        settle([save, beside])
        with save.open(newline="") as file:
            rows = list(csv.DictReader(file))
        known = {row["action"] for row in _rows(save.parent / "actions.csv")}
        known |= {row["action"] for row in _rows(beside)}
        strange = {row[side] for row in rows for side in ("first", "second")} - known
        tally.wrong += [f"{save.name}: nowhere described: {name}" for name in strange]
    found = [row["choice"] for row in rows]
    given = [answer for _, answer in ledger.given]
    if ledger.last is not None and len(found) == len(given) + 1:
        ledger.count()  # it was written, though nobody saw that
        given = [answer for _, answer in ledger.given]
    ledger.last = None
    if found != given:
        tally.wrong.append(f"{save.name}: given {given}, found {found}")
    pairs = [frozenset((row["first"], row["second"])) for row in rows]
    if len(set(pairs)) != len(pairs):
        tally.wrong.append(f"{save.name}: a pair stands there twice")


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = study(told.kills, told.seed, Path(folder))
    for line in found.wrong:
        print(line)
    print(found)
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()

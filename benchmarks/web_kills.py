"""Kill the server of pages at random moments around answers, and look whether one was lost.

``python -m benchmarks.web_kills --kills 100 --seed 7`` runs ``welfarist serve``, answers questions
of its demo study over HTTP, and kills the server (SIGKILL) at a random moment after each answer
was sent: while it is written, while the next question is chosen, or when that was shown. An answer
was said to be saved when the page after it was named (the redirect came). Then the server starts
again from the same folder: all answers that were said to be saved must be there, each once and as
it was given, and the question of one that was not saved must be put again.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.web_client import Client, Form, form_in
from benchmarks.web_server import HOST, Served

CHOICES = ("first", "first", "second", "second", "equal", "skip")
# Half of the kills come this soon, in seconds: around the writing.
_SOON, _LATE = 0.03, 0.25

Row = tuple[int, str, str]  # number, key and choice


@dataclass
class Tally:
    """What came of all kills.

    Attributes
    ----------
    moments : Counter
        When kills came: before an answer was said to be saved, before the next question was
        shown, or afterwards.
    kept : int
        Answers that were not said to be saved and are there all the same.
    given : list of Row
        Answers of the interview that count.
    """

    moments: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    kept: int = 0
    interviews: int = 1
    given: list[Row] = field(default_factory=list)

    def __str__(self) -> str:
        moments = ", ".join(f"{count} {name}" for name, count in sorted(self.moments.items()))
        return (
            f"{self.moments.total()} kills ({moments}; {self.kept} of those before it was said "
            f"were saved), {self.interviews} interviews; {len(self.wrong)} wrong"
        )


def study(kills: int, seed: int, folder: Path) -> Tally:
    """Kill the server so many times, each time around an answer."""
    rng, tally, own = random.Random(seed), Tally(), ""
    while tally.moments.total() < kills:
        server = Served(folder, "--demo")
        try:
            client = Client(HOST, server.port)
            own, form = _question(client, own, server.links[1], tally)
            choice = rng.choice(CHOICES)
            moment = _answer_and_kill(rng, server, client, form, choice)
        finally:
            server.kill()
        tally.moments[moment] += 1
        _check(folder, own, (int(form.fields["number"]), form.fields["key"], choice), moment, tally)
    return tally


def _question(client: Client, own: str, open_link: str, tally: Tally) -> tuple[str, Form]:
    """The respondent's own link and the question that is put; a new respondent after the last."""
    form = form_in(client.get(own), "answer") if own else None
    if form is None:
        tally.interviews += bool(own)
        tally.given.clear()
        begin = form_in(client.get(open_link), "begin")
        assert begin is not None
        own = client.post(begin, name="")
        form = form_in(client.get(own), "answer")
        assert form is not None
    number = int(form.fields["number"])
    if number != len(tally.given) + 1:
        tally.wrong.append(f"{len(tally.given)} answers were given, and question {number} is put")
    return own, form


def _answer_and_kill(
    rng: random.Random, server: Served, client: Client, form: Form, choice: str
) -> str:
    """Send an answer, kill the server some time later, and say what was shown until then."""
    longest = _SOON if rng.random() < 0.5 else _LATE
    timer = threading.Timer(rng.uniform(0, longest), server.process.kill)
    timer.start()
    moment = "before it was said"
    try:
        place = client.post(form, choice=choice)
        moment = "after it was said"
        client.get(place)
        moment = "after the next question"
    except OSError:
        pass
    timer.join()
    server.process.wait()
    return moment


def _check(folder: Path, own: str, last: Row, moment: str, tally: Tally) -> None:
    """Compare what is stored with what was given; an answer nobody heard of may be there or not."""
    found, whole = _stored(folder, own.split("/")[2])
    said = moment != "before it was said"
    if said or found[len(tally.given) :] == [last]:
        tally.kept += not said
        tally.given.append(last)
    if found != tally.given:
        tally.wrong.append(f"{own}: given {tally.given}, found {found}")
    if whole != "ok":
        tally.wrong.append(f"the file is not whole: {whole}")


def _stored(folder: Path, token: str) -> tuple[list[Row], str]:
    """Answers of a respondent that stand, and whether the file is whole."""
    found = sqlite3.connect(folder / "studies.sqlite3")
    try:
        rows = found.execute(
            "select number, key, choice from web_answer where ended = '' and choice != '' and "
            "respondent_id = (select id from web_respondent where token = ?) order by number, id",
            [token],
        ).fetchall()
        return rows, found.execute("pragma integrity_check").fetchone()[0]
    finally:
        found.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    told, start = parser.parse_args(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = study(told.kills, told.seed, Path(folder))
    for line in found.wrong:
        print(line)
    print(f"{found}, in {time.perf_counter() - start:.0f} s")
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()

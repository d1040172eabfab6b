"""Many respondents at once: how long the next question takes, and whether an answer is lost.

``python -m benchmarks.web_load`` lets 20 respondents, and then 200, answer questions about 200
actions and 5 people, one every 2 s each, with connections that stay open as browsers keep them:
on SQLite with ``welfarist serve``, and on PostgreSQL with gunicorn and two workers. Measured is
the time from sending an answer to having all of the next question's page. Somebody whose question
came late answers as soon as it is there. Every answer that was sent must be stored, once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.temporary_postgres import temporary_postgres, why_not
from benchmarks.web_client import Form, cookie_in, form_in
from benchmarks.web_server import HOST, Gunicorn, Served, environment

EVERY = 2.0  # seconds between one's answers
CHOICES = ("first", "second", "first", "second", "equal")
_PATIENCE = 120.0
Given = list[tuple[int, str, str]]  # number, key and choice


@dataclass
class Visit:
    """A respondent with one connection, which stays open as long as the server lets it.

    Attributes
    ----------
    seconds : list of float
        From each answer to its next question.
    given : list of tuples
        What was said to be saved.
    again : int
        Requests that crossed with the end of an idle connection and were sent once more.
    page : str
        The last one.
    """

    token: str
    port: int
    secure: bool
    seconds: list[float] = field(default_factory=list)
    given: Given = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    cookies: dict[str, str] = field(default_factory=dict)
    again: int = 0
    page: str = ""
    _reader: asyncio.StreamReader | None = None
    _writer: asyncio.StreamWriter | None = None

    async def answer_all(self, answers: int, begin: float) -> None:
        """Open the page, and answer from some moment on."""
        try:
            form = await self.opened()
            due = begin
            for _ in range(answers):
                if form is None:
                    break
                await asyncio.sleep(max(due - time.monotonic(), 0.0))
                sent = time.monotonic()
                form = await self.answered(form)
                self.seconds.append(time.monotonic() - sent)
                due = max(due + EVERY, time.monotonic())
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as problem:
            self.errors.append(repr(problem))
        finally:
            self._close()

    async def opened(self) -> Form | None:
        """Open the page, and return the form of its question."""
        status, _, page = await self._said("GET", f"/ask/{self.token}/")
        return self._form(status, page)

    async def answered(self, form: Form, choice: str = "") -> Form | None:
        """Send an answer, by lot if none is given; return the form of the next question."""
        number = int(form.fields["number"])
        choice = choice or CHOICES[int(form.fields["key"], 16) % len(CHOICES)]
        status, place, page = await self._said("POST", form.action, form.filled(choice=choice))
        if status != 302:
            self.errors.append(f"answer {number}: {status} {page[:100]}")
            return None
        self.given.append((number, form.fields["key"], choice))
        status, _, page = await self._said("GET", place)
        return self._form(status, page)

    def _form(self, status: int, page: str) -> Form | None:
        if status != 200:
            self.errors.append(f"page: {status} {page[:100]}")
            return None
        self.page = page
        return form_in(page, "answer")

    async def _said(self, method: str, path: str, body: bytes = b"") -> tuple[int, str, str]:
        """Send a request; again if the server closed an idle connection then, as browsers do."""
        async with asyncio.timeout(_PATIENCE):
            used_before = self._writer is not None
            try:
                return await self._said_once(method, path, body)
            except (ConnectionError, asyncio.IncompleteReadError) as problem:
                begun = isinstance(problem, asyncio.IncompleteReadError) and problem.partial
                if not used_before or begun:
                    raise
            self.again += 1
            self._close()
            return await self._said_once(method, path, body)

    async def _said_once(self, method: str, path: str, body: bytes) -> tuple[int, str, str]:
        if self._writer is None or self._reader is None or self._reader.at_eof():
            self._close()
            self._reader, self._writer = await asyncio.open_connection(HOST, self.port)
        self._writer.write(self._request(method, path, body))
        return await self._received(self._reader)

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}:{self.port}", f"Cookie: {cookies}"]
        if self.secure:
            lines += ["X-Forwarded-Proto: https", f"Origin: https://{HOST}:{self.port}"]
        if body:
            lines.append("Content-Type: application/x-www-form-urlencoded")
        lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode() + body

    async def _received(self, reader: asyncio.StreamReader) -> tuple[int, str, str]:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers: dict[str, str] = {}
        for line in head[1:-2]:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
            if name.lower() == "set-cookie":
                self.cookies.update([cookie_in(value)])
        page = await reader.readexactly(int(headers["content-length"]))
        if headers.get("connection", "").lower() == "close":
            self._close()
        return int(head[0].split()[1]), headers.get("location", ""), page.decode()

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


@dataclass(frozen=True)
class Outcome:
    """What came of one crowd on one server.

    Attributes
    ----------
    median, p95, longest : float
        Seconds from an answer to the next question.
    lost, doubled : int
        Answers that were said to be saved and are not stored as they were given, or twice.
    rate : float
        Answers a second.
    again : int
        Requests that were sent once more; see :class:`Visit`.
    """

    server: str
    respondents: int
    answers: int
    errors: int
    again: int
    lost: int
    doubled: int
    median: float
    p95: float
    longest: float
    rate: float
    load_before: float

    def __str__(self) -> str:
        return (
            f"{self.server}, {self.respondents} respondents: {self.answers} answers, "
            f"{self.errors} errors, {self.again} sent again, {self.lost} lost, {self.doubled} "
            f"twice; median {self.median:.3f} s, 95% {self.p95:.3f} s, longest "
            f"{self.longest:.3f} s, {self.rate:.1f} answers/s (load before: {self.load_before:.1f})"
        )


@contextmanager
def on_sqlite(folder: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Have ``welfarist serve``: its port, and what else is to be told of its database."""
    server = Served(folder)
    try:
        yield server.port, environment(folder)
    finally:
        server.kill()


@contextmanager
def on_postgres(folder: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Have gunicorn with two workers on PostgreSQL."""
    with temporary_postgres() as database:
        server = Gunicorn(folder, database)
        try:
            yield server.port, environment(folder, WELFARIST_DATABASE=database)
        finally:
            server.stop()


SERVERS = {"SQLite, welfarist serve": on_sqlite, "PostgreSQL, gunicorn": on_postgres}


def crowd(server: str, respondents: int, answers: int) -> tuple[Outcome, list[str]]:
    """Let so many respondents give so many answers each, and look at what is stored."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, SERVERS[server](Path(folder)) as (port, said):
        tokens: list[str] = study_in(said, "make", str(respondents))
        visits = [Visit(token, port, server.startswith("P")) for token in tokens]
        seconds = asyncio.run(_all_at_once(visits, answers))
        stored: dict[str, Given] = study_in(said, "read")
    errors = [error for visit in visits for error in visit.errors]
    return _outcome(server, visits, stored, seconds, load), errors


async def _all_at_once(visits: list[Visit], answers: int) -> float:
    """Let everybody answer, each beginning at another moment; returns how long it took."""
    begin = time.monotonic() + EVERY
    starts = begin + EVERY * np.arange(len(visits)) / len(visits)
    await asyncio.gather(
        *(visit.answer_all(answers, start) for visit, start in zip(visits, starts, strict=True))
    )
    return time.monotonic() - begin


def _outcome(
    server: str, visits: list[Visit], stored: dict[str, Given], seconds: float, load: float
) -> Outcome:
    lost = doubled = 0
    for visit in visits:
        found = [tuple(row) for row in stored.get(visit.token, [])]
        lost += len(set(visit.given) - set(found))
        doubled += len(found) - len({number for number, _, _ in found})
    took = np.array([second for visit in visits for second in visit.seconds])
    if not len(took):
        raise AssertionError(f"nobody could answer: {visits[0].errors}")
    middle, most, longest = np.quantile(took, [0.5, 0.95, 1.0]).tolist()
    errors = sum(len(visit.errors) for visit in visits)
    again = sum(visit.again for visit in visits)
    return Outcome(
        server, len(visits), len(took), errors, again, lost, doubled, middle, most, longest,
        len(took) / seconds, load,
    )  # fmt: skip


def study_in(said: dict[str, str], *what: str) -> Any:
    command = [sys.executable, "-m", "benchmarks.web_study", *what]
    done = subprocess.run(command, env=said, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--respondents", type=int, nargs="+", default=[20, 200])
    parser.add_argument("--answers", type=int, default=10)
    parser.add_argument("--servers", nargs="+", choices=["sqlite", "postgres"])
    told = parser.parse_args()
    wanted = told.servers or ["sqlite", *([] if why_not() else ["postgres"])]
    outcomes, file = [], Path("build/web_load.json")
    for server in SERVERS:
        if not server.lower().startswith(tuple(wanted)):
            continue
        for respondents in told.respondents:
            outcome, errors = crowd(server, respondents, told.answers)
            print(outcome, *sorted(set(errors))[:5], sep="\n  ", flush=True)
            outcomes.append(outcome)
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps([asdict(each) for each in outcomes], indent=1) + "\n")
    sys.exit(any(each.errors or each.lost or each.doubled for each in outcomes))


if __name__ == "__main__":
    main()

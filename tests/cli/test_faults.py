"""What happens to a command when the world around it is not as it should be."""

from __future__ import annotations

import ast
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from welfarist.app import memory
from welfarist.base.errors import InputError
from welfarist.cli import console, ending, streams

CLI = Path(console.__file__).parent
SYSTEM = pytest.mark.skipif(os.name == "nt", reason="streams and signals are another matter there")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "actions.csv").write_text("action,a,b\ncafé,1,4\ny,2,3\n", encoding="utf-8")
    return tmp_path


def run(folder, line: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Have a shell run a line in which welfarist is the command."""
    script = f'welfarist() {{ exec "$PYTHON" -m welfarist "$@"; }}; {line}'
    given = {"PYTHON": sys.executable, **variables}
    return subprocess.run(
        ["sh", "-c", script], cwd=folder, capture_output=True, check=False,
        env={**os.environ, **given}, input=b"action,a\nx,1\n",
    )  # fmt: skip


# Streams


@SYSTEM
@pytest.mark.parametrize("command", ["rank actions.csv --p 1", "rank --help", "--version"])
def test_a_full_standard_output(folder, command):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    done = run(folder, f"welfarist {command} > /dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: the answer could not be written to standard output")
    assert done.stderr.count(b"\n") == 1


@SYSTEM
def test_closed_streams_are_nowhere(folder):
    done = run(folder, "welfarist rank actions.csv --p 1 >&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = run(folder, "welfarist rank actions.csv --p 1 --weights zoe=1 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")  # nothing in its place
    done = run(folder, "welfarist rank - --p 1 <&-")
    assert done.returncode == 1
    assert done.stderr == b"Error: standard input: is empty. Is it the right file?\n"


@SYSTEM
def test_nobody_who_hears_the_notes_is_no_reason_to_stop(folder):
    """The answer is written though what else is said has no reader."""
    (folder / "a.csv").write_text("action;a;b\nx;1;2\n")  # there is a note about separators
    done = run(folder, "welfarist rank a.csv --p 1 2> /dev/full")
    assert done.returncode == 0
    assert b"1 action by" in done.stdout


def test_only_one_function_prints_to_each_stream():
    """What must not reach a terminal is spelled out there."""
    printing = {
        path.name
        for path in CLI.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    }
    assert printing == {"__init__.py", "console.py", "streams.py"}


# Places


@SYSTEM
def test_a_folder_that_is_no_longer_there(folder):
    line = f"mkdir gone; cd gone; rmdir ../gone; welfarist fit {folder}/actions.csv --score b"
    done = run(folder, f"{line} --save model.json")
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: the folder that you are in is no longer there.")
    assert done.stderr.count(b"\n") == 1


@SYSTEM
def test_names_beyond_ascii_where_the_locale_knows_none(folder):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run(folder, "welfarist judge actions.csv café y --p 1 --json", **plain)
    assert done.stderr == b""
    assert json.loads(done.stdout)["preferred"] is None


@SYSTEM
def test_a_file_whose_name_is_no_text(folder):
    (folder / "actions.csv").rename(folder / os.fsdecode(b"\xff.csv"))
    done = run(folder, "welfarist rank *.csv --p 1 --json")
    assert (done.returncode, done.stderr) == (0, b"")
    done = run(folder, "welfarist rank *.csv --p 1 --name zoe")
    assert done.stderr.startswith(b"Error: \\udcff.csv, line 1:")


def test_a_backend_that_is_none(folder):
    """Commands open no windows; Python is told which variable it is."""
    code = "from welfarist.base.drawing import require_matplotlib; require_matplotlib()"
    done = run(folder, f"$PYTHON -c '{code}'", MPLBACKEND="nonsense")
    assert b"the environment variable MPLBACKEND must be one of" in done.stderr
    assert b"found 'nonsense'" in done.stderr
    code = (
        "import os, sys; sys.argv = ['', '--version']; import welfarist.cli; sys.exit = print; "
        "welfarist.cli.main(); print(os.environ.get('MPLBACKEND'))"
    )
    done = run(folder, f'$PYTHON -c "{code}"', MPLBACKEND="nonsense")
    assert done.stdout.split()[-1] == b"None"


# What nobody expected


def ended(work, capsys) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        ending.run_to_end(work)
    shown = capsys.readouterr()
    return left.value.code, shown.out, shown.err


def failing(problem: BaseException):
    def work() -> None:
        raise problem

    return work


class Panic(BaseException):
    """As an engine in another language raises it."""


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [
        (MemoryError(), 1, "Error: there is not enough memory for this."),
        (OSError(errno.ENOMEM, "x"), 1, "Error: there is not enough memory for this."),
        (ImportError("x.so: failed to map segment from shared object"), 1, "not enough memory"),
        (Panic("could not spawn threads"), 1, "not enough memory"),
        (OSError(errno.EIO, "Input/output error"), 1, "could not be written to standard output"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (BrokenPipeError(), 0, ""),
        (SystemExit(2), 2, ""),
        (SystemExit("told"), 1, "told\n"),
        (SystemExit(), 0, ""),
        (ZeroDivisionError("division\nby zero"), 1, "did not expect: ZeroDivisionError"),
        (Panic("index out of bounds \x1b[31m"), 1, r"Panic: index out of bounds \u001b[31m"),
    ],
)
def test_every_end_has_a_code_and_one_line_at_most(problem, code, said, capsys):
    found, out, err = ended(failing(problem), capsys)
    assert (found, out) == (code, "")
    assert said in err
    assert err.count("\n") <= 1


def test_what_is_unexpected_says_where_it_was_and_how_to_report_it(capsys, monkeypatch):
    def work() -> None:
        console.one_line(None)  # a mistake within the package

    _, _, err = ended(work, capsys)
    assert "(welfarist/cli/console.py, line " in err
    for words in ("report it", "the command, its files", "WELFARIST_TRACEBACK=1"):
        assert words in err
    monkeypatch.setenv(ending.TRACEBACK, "1")
    _, _, err = ended(work, capsys)
    assert err.startswith("Traceback (most recent call last):")
    monkeypatch.setenv(ending.TRACEBACK, "0")
    _, _, err = ended(work, capsys)
    assert err.startswith("Error: ")


def test_the_traceback_of_a_refusal_on_request(monkeypatch, capsys):
    import typer

    def command() -> None:
        raise InputError("it must hold.")

    monkeypatch.setenv(ending.TRACEBACK, "1")
    with pytest.raises(typer.Exit):
        console.guarded(command)()
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert err.endswith("Error: it must hold.\n")


def test_a_stream_that_is_gone_is_let_go_of(monkeypatch):
    class Gone:
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def flush(self) -> None:
            """Nothing is left."""

    silenced: list[int] = []
    monkeypatch.setattr(streams, "silence", silenced.append)
    monkeypatch.setattr(sys, "stderr", Gone())
    streams.whisper("nobody hears it")
    assert silenced == [streams.ERRORS]


def test_a_limit_of_addresses_that_would_leave_it_hanging(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (10**9, -1))
    with pytest.raises(InputError, match=r"must be 1\.5 GB of address space.*limit of 1 GB"):
        memory.require_address_space()
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (resource.RLIM_INFINITY, -1))
    memory.require_address_space()


# A study in another process


@SYSTEM
@pytest.mark.parametrize("everybody", [True, False])
def test_a_study_that_is_interrupted_has_the_last_word(tmp_path, everybody):
    """Whether it hears Ctrl-C as well, as in a terminal, or only the command does."""
    (tmp_path / "replication").mkdir()
    (tmp_path / "replication" / "__main__.py").write_text(
        "import sys, time\ntry:\n    print('begun', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(0.5)\n    print('last word')\n"
        "    sys.exit(130)\n"
    )
    code = (
        "import sys; from pathlib import Path; from welfarist.cli import clone, main; "
        f"clone._CLONE = Path({str(tmp_path)!r}); clone._LAST_WORD = {30 if everybody else 0.2}; "
        "sys.argv = ['welfarist', 'replicate']; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    ) as started:  # fmt: skip
        assert started.stdout.readline() == b"begun\n"
        if everybody:
            os.killpg(started.pid, signal.SIGINT)
        else:
            started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert (out, err, started.returncode) == (b"last word\n", b"", 130)

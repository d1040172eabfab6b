"""A process that is killed between any two steps of writing leaves all files old, or all new."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Each step is a call of the system that changes something. The child is killed before its k-th.
SCRIPT = """
import os, signal, sys
from pathlib import Path
from welfarist.base.half_written import settle
from welfarist.base.whole_files import write_together

folder, former = Path(sys.argv[1]), sys.argv[2] == "former"
places = [folder / "one" / "a", folder / "other" / "b", folder / "one" / "c"]
gone = folder / "other" / "gone"
OLD = {places[0]: "old", gone: "old"} if former else {}
NEW = {path: "new" * 50_000 for path in places}
os.fsync = lambda handle: None  # which is for power cuts, and takes its time
STEPS = ("open", "write", "fsync", "replace", "link", "unlink", "chmod")

def killed_before(k):
    calls = [0]
    def counting(real):
        def call(*arguments, **options):
            calls[0] += 1
            if calls[0] == k:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)
        return call
    for step in STEPS:
        setattr(os, step, counting(getattr(os, step)))

def found():
    return {p: p.read_text() for p in folder.rglob("*") if p.is_file()}

ends = set()
for k in range(1, 200):
    for path in found():
        path.unlink()
    for path, text in OLD.items():
        path.write_text(text)
    child = os.fork()
    if child == 0:
        killed_before(k)
        write_together(NEW, remove=[gone])
        os._exit(0)
    _, status = os.waitpid(child, 0)
    for path, text in found().items():  # before anybody looks: never half
        if not path.name.startswith("."):
            assert text in (OLD.get(path), NEW.get(path)), (k, path)
    settle([places[k % 3]])
    after = found()
    kept = {path: text for path, text in after.items() if not path.name.startswith(".")}
    assert kept in (OLD, NEW), (k, sorted(kept))
    ends.add("new" if kept == NEW else "old")
    write_together(NEW, remove=[gone])
    assert found() == NEW, (k, sorted(found()))  # and nothing is left behind
    if status == 0:
        print(k, *sorted(ends))
        break
else:
    sys.exit("it never ends")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills are another matter there")
@pytest.mark.parametrize("before", ["former", "nothing"])
def test_a_kill_between_any_two_steps(tmp_path, before):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), before]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    steps, *ends = done.stdout.split()
    assert int(steps) > 25
    assert ends == ["new", "old"]

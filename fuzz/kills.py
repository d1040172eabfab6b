"""Kill commands that write, at random moments: their files are all old or all new, never half.

``python -m fuzz.kills --kills 50 --seed 7`` does so to every command. Half of the kills come at a
random time, half right before a random step of the writing itself, which takes milliseconds. After
each kill it is looked at what is there: every file must be the old or the new one, byte for byte;
once welfarist has looked at one of them, all must be old or all new; and after the next writing
nothing else may be left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from welfarist.base.half_written import settle
from welfarist.base.whole_files import write_together

ROOT = Path(__file__).resolve().parents[1]
Contents = dict[str, bytes]

# Runs a module as a command. Steps that change something in the folder of the second argument are
# counted; before the one whose number is the first, the process is killed. 0: tell how many.
WRAPPER = """
import atexit, os, runpy, signal, sys
at, folder, module, *sys.argv[1:] = sys.argv[1:]
counted = [0]
def counting(real):
    def step(*given, **options):
        path = given[0]
        inside = isinstance(path, int) or os.path.realpath(path).startswith(folder)
        if inside and sys._getframe(1).f_globals.get("__name__", "").startswith("welfarist.base"):
            counted[0] += 1
            if counted[0] == int(at):
                os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **options)
    return step
for name in ("open", "fsync", "replace", "link", "unlink", "chmod"):
    setattr(os, name, counting(getattr(os, name)))
if at == "0":
    atexit.register(lambda: print("steps", *counted, file=sys.stderr))
sys.argv[0] = module
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""

BENCH = """
from pathlib import Path
import sys
from benchmarks.contenders import Timing
from benchmarks.report import Outcome, write
shown = [Timing(name, 0.5, 0.01 * k, False) for k, name in enumerate(("welfarist", "SLSQP"), 1)]
outcomes = [Outcome("a problem", family, 10, tuple(shown)) for family in ("comparisons", "people")]
write(Path("."), outcomes, {"A study": sys.argv[1] * 3000}, "make bench")
"""


@dataclass(frozen=True)
class Command:
    """A command that writes, in two variants: what one wrote, the other replaces.

    Attributes
    ----------
    name : str
    module : str
        What is run, in a folder of its own.
    variants : pair of sequences of str
        The arguments, first of what was there before, then of what is killed.
    before : sequence of str
        Arguments of a command that is run first of all, to have something to work with.
    """

    name: str
    module: str
    variants: tuple[Sequence[str], Sequence[str]]
    before: Sequence[str] = ()


WORLD = ("simulate", "in", "--people", "2", "--actions", "15", "--decisions", "60")
DATA = ("in/actions.csv", "-c", "in/comparisons.csv", "--weights", "equal")
WRITTEN = ("--save", "out/m.json", "--report", "out/r.html", "--latex", "out/deep/t.tex")
REPLICATED = ("--quick", "--only", "nonconvexity", "--to", "out")

COMMANDS = (
    Command(
        "simulate", "welfarist",
        (("simulate", "out", "--force", "--charity", "--actions", "20"),
         ("simulate", "out", "--force", "--scores", "--format", "parquet")),
    ),
    Command(
        "fit", "welfarist",
        (("fit", *DATA, "--p", "0", *WRITTEN), ("fit", *DATA, "--p", "0.5", *WRITTEN)), WORLD,
    ),
    Command(
        "compare", "welfarist",
        (("compare", *DATA, "--folds", "0", "--doctrines", "Nash", "--latex", "out/t.tex"),
         ("compare", *DATA, "--folds", "0", "--doctrines", "Nash,utilitarian",
          "--latex", "out/t.tex")),
        WORLD,
    ),
    Command(
        "demo", "welfarist",
        (("fit", *DATA, "--p", "0", "--report", "out/r.html"), ("demo", "--report", "out/r.html")),
        WORLD,
    ),
    Command(
        "replicate", "replication",
        ((*REPLICATED, "--repetitions", "1"), (*REPLICATED, "--repetitions", "2")),
    ),
    Command("bench", "bench", (("old",), ("new",))),
)  # fmt: skip


@dataclass
class Tally:
    """What came of the kills of a command."""

    name: str
    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.ends.items()))
        return f"{self.name}: {sum(self.ends.values())} kills ({ends}), {len(self.wrong)} wrong"


class Trial:
    """A command in a folder of its own, to be killed again and again."""

    def __init__(self, command: Command, place: Path) -> None:
        self.command, self.place = command, place.resolve()
        self.out = self.place / "out"
        (self.place / "bench.py").write_text(BENCH)
        if command.before:
            self._finish(command.before)
        self._reset({})
        self._finish(command.variants[0])
        self.old = self.visible()
        begun = time.monotonic()
        said = self._finish(command.variants[1], "0")
        self.seconds = time.monotonic() - begun
        self.new = self.visible()
        self.steps = int(said.rpartition("steps ")[2])

    def _reset(self, contents: Contents) -> None:
        """Have nothing else in the folder than was there; finished cells stay."""
        for path in self._files():
            path.unlink()
        (self.out / "deep").mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (self.out / name).write_bytes(content)

    def _files(self) -> list[Path]:
        return [path for path in self.out.rglob("*") if path.is_file() and path.suffix != ".jsonl"]

    def visible(self) -> Contents:
        """Return what whoever opens the folder sees."""
        found = [path for path in self._files() if not path.name.startswith(".")]
        return {str(path.relative_to(self.out)): path.read_bytes() for path in found}

    def _start(self, arguments: Sequence[str], at: str = "") -> subprocess.Popen[str]:
        wrapped = [] if not at else ["-c", WRAPPER, at, str(self.out)]
        module = [self.command.module] if at else ["-m", self.command.module]
        paths = [str(self.place), str(ROOT), str(ROOT / "src")]
        known = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            [sys.executable, *wrapped, *module, *arguments], cwd=self._inside, text=True,
            env={**os.environ, **known, "OPENBLAS_NUM_THREADS": "1"}, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip

    @property
    def _inside(self) -> Path:
        return self.out if self.command.name == "bench" and self.out.exists() else self.place

    def _finish(self, arguments: Sequence[str], at: str = "") -> str:
        with self._start(arguments, at) as started:
            _, said = started.communicate()
        if started.returncode:
            raise RuntimeError(f"{self.command.name} failed: {said}")
        return said

    def kill(self, rng: random.Random, by_step: bool) -> tuple[str, list[str]]:
        """Kill the command once; return what was there afterwards, and what is wrong with it."""
        self._reset(self.old)
        at = str(rng.randint(1, self.steps)) if by_step else ""
        with self._start(self.command.variants[1], at) as started:
            if by_step:
                started.communicate()
            else:
                time.sleep(rng.uniform(0, 1.1 * self.seconds))
                os.killpg(started.pid, signal.SIGKILL)
                started.communicate()
        return self._examined(f"killed before step {at}" if by_step else "killed")

    def _examined(self, how: str) -> tuple[str, list[str]]:
        seen, names = self.visible(), sorted({*self.old, *self.new})
        wrong = [
            f"{how}: {name} is neither old nor new"
            for name in names
            if seen.get(name) not in (self.old.get(name), self.new.get(name))
        ]
        settle([self.out / names[0]])
        after = self.visible()
        if after not in (self.old, self.new):
            wrong.append(f"{how}: {sorted(after)} are neither all old nor all new")
        gone = [self.out / name for name in names if name not in self.new]
        write_together({self.out / name: self.new[name] for name in self.new}, remove=gone)
        left = {str(path.relative_to(self.out)) for path in self._files()} - set(self.new)
        wrong += [f"{how}: {name} is left" for name in sorted(left)]
        whole = "new" if after == self.new else "old"
        return whole if seen in (self.old, self.new) else f"in between, then {whole}", wrong


def attacks(
    commands: Sequence[Command], kills: int, seed: int, folder: Path | None = None
) -> Iterator[Tally]:
    """Kill each command so many times and yield what came of it."""
    for command in commands:
        rng, tally = random.Random(f"{seed} {command.name}"), Tally(command.name)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            trial = Trial(command, Path(place))
            for number in range(kills):
                end, wrong = trial.kill(rng, by_step=number % 2 == 0)
                tally.ends[end] += 1
                tally.wrong += wrong
            shutil.rmtree(place, ignore_errors=True)
            Path(place).mkdir()  # which its owner removes
        yield tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill the commands that were asked for; return 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.kills", description=__doc__)
    known = [command.name for command in COMMANDS]
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=known, action="append", help="all if left out")
    asked = parser.parse_args(arguments)
    chosen = [command for command in COMMANDS if command.name in (asked.only or known)]
    failed = False
    for tally in attacks(chosen, asked.kills, asked.seed):
        print(tally, flush=True)
        if tally.wrong:
            print(json.dumps(tally.wrong, indent=1), flush=True)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

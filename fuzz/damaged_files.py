"""Files that were damaged on their way, given to the commands that read them.

Whatever is in a file, a command ends with an answer, or with one line that says what is wrong; and
then nothing is written.
"""

from __future__ import annotations

import base64
import json
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import sound_files
from fuzz.command_worker import Worker
from fuzz.damages import damaged

Case = dict[str, Any]
Rng = np.random.Generator

# CPU seconds and bytes that no command on a small file may take.
_SLOW = 10.0
_LARGE = 3 * 2**30
# What a command says on standard error, a line each.
_OURS = re.compile(r"(Error|Note|Warning|Model|Report|LaTeX): \S.*")
_FOREIGN = ("Traceback", "panicked at", "RuntimeWarning", "thread '", "Exception ignored")
_LONGEST = 2_000
_COMMANDS = ("rank", "rank", "rank model", "judge", "fit", "fit scores", "compare")
_ENDS = {"model.json": "}\n", "report.html": "</html>\n", "table.tex": "\\end{table}\n"}
# One for all: it takes seconds to start.
_WORKER = Worker()
# Other endings, with which a file goes under a false name.
_FALSE = 0.05


@dataclass
class Written:
    """Files that a command reads.

    Attributes
    ----------
    files : dict
        Bytes by name.
    arguments : dict
        The name of each file, by what is in it.
    told : list of str
        What must be said of their encoding.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, rng: Rng, tables: dict[str, sound_files.Columns], people: list[str]) -> Written:
        """Write tables in formats of any kind; a model is one of these people."""
        made = cls()
        for what, table in tables.items():
            ending = "json" if what == "model" else str(rng.choice(sound_files.ENDINGS))
            code, said = sound_files.encoding(rng) if ending == "csv" else ("utf-8", None)
            made.told = ["--encoding", said] if said is not None else made.told
            made.files[f"{what}.{ending}"] = (
                sound_files.model(people)
                if what == "model"
                else sound_files.written(rng, table, ending, code)
            )
            made.arguments[what] = f"{what}.{ending}"
        return made

    def strike(self, rng: Rng) -> str:
        """Damage one of the files, perhaps its name too; return how."""
        files = self.files
        struck = list(files)[int(rng.integers(len(files)))]
        other = list(files.values())[int(rng.integers(len(files)))]
        how, files[struck] = damaged(rng, files[struck], other, struck.rpartition(".")[2])
        if rng.random() < _FALSE and not struck.endswith("json"):
            what = struck.partition(".")[0]
            self.arguments[what] = f"{what}.{rng.choice(sound_files.ENDINGS)}"
            files[self.arguments[what]] = files.pop(struck)
        return f"{how} of {struck}"

    def case(self, command: list[str], damage: str) -> Case:
        """Return a case with these files, as bytes in base 64."""
        texts = {name: base64.b64encode(data).decode() for name, data in self.files.items()}
        return {"command": command, "files": texts, "damage": damage}


class DamagedFiles:
    """Commands on small files of every format, one of which is damaged."""

    name = "damaged-files"

    def draw(self, rng: Rng) -> Case:
        """Return a command, and the files that it reads, as bytes in base 64."""
        command = _COMMANDS[int(rng.integers(len(_COMMANDS)))]
        people = int(rng.integers(2, 4))
        table = sound_files.actions(rng, people, score=command == "fit scores")
        names = table["action"]
        tables = {"actions": table, "decisions": sound_files.comparisons(rng, names)}
        tables["weights"] = {
            "stakeholder": [f"person_{i}" for i in range(people)],
            "weight": [1.0] * people,
        }
        reads = _reads(rng, command)
        tables = {what: tables.get(what, {}) for what in reads}
        made = Written.of(rng, tables, [f"person_{i}" for i in range(people)])
        damage = made.strike(rng)
        return made.case(_typed(rng, command, made.arguments, names, made.told), damage)

    def complaints(self, case: Case) -> list[str]:
        """Run the command and return what is wrong with how it ended."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            before = {name: base64.b64decode(text) for name, text in case["files"].items()}
            for file, data in before.items():
                (folder / file).write_bytes(data)
            ran = _WORKER.run(case["command"], folder)
            if ran is None:
                return ["the process ended"]
            return [*_said_wrong(ran), *_left_wrong(folder, before, case["command"], ran["code"])]


def _reads(rng: Rng, command: str) -> dict[str, str]:
    """What a command reads, by what it is called in its arguments."""
    reads = {"actions": ""}
    if command in ("fit", "compare"):
        reads["decisions"] = "--comparisons"
    if command == "rank model" or (command == "judge" and rng.random() < 0.5):
        reads["model"] = "--model"
    elif command != "compare" and rng.random() < 0.25:
        reads["weights"] = "--weights"
    return reads


def _typed(
    rng: Rng, command: str, files: dict[str, str], names: list[str], told: list[str]
) -> list[str]:
    """A command as it is typed."""
    verb = command.partition(" ")[0]
    typed = [verb, files["actions"], *(names[:2] if verb == "judge" else []), *told]
    if verb in ("rank", "judge") and "model" not in files:
        typed += ["--doctrine", str(rng.choice(["Nash", "utilitarian", "egalitarian"]))]
    if command == "fit scores":
        typed += ["--score", "score"]
    for what, option in (
        ("decisions", "--comparisons"), ("model", "--model"), ("weights", "--weights"),
    ):  # fmt: skip
        if what in files:
            typed += [option, files[what]]
    if verb == "fit":
        typed += ["--save", "model.json"] if rng.random() < 0.7 else []
        wanted = rng.random()
        typed += ["--report", "report.html"] if wanted < 0.1 else ["--no-intervals"]
        typed += ["--latex", "table.tex"] if rng.random() < 0.3 else []
    if verb == "compare":
        typed += ["--folds", "0", "--doctrines", "Nash", "--latex", "table.tex"]
    typed += ["--drop-missing"] if rng.random() < 0.1 else []
    return [*typed, "--json"] if rng.random() < 0.3 else typed


def _said_wrong(ran: dict[str, Any]) -> list[str]:
    """What is wrong with how a command ended, what it said and what it took."""
    found = []
    lines = ran["err"].splitlines()
    if ran["code"] not in (0, 1, 2):
        found.append(f"ended with {ran['code']}")
    found += [f"{words} in what was said" for words in _FOREIGN if words in ran["out"] + ran["err"]]
    if ran["code"] in (0, 1):
        found += [f"not ours: {line[:300]}" for line in lines if not _OURS.fullmatch(line)]
        errors = sum(line.startswith("Error: ") for line in lines)
        if errors != (ran["code"] == 1):
            found.append(f"exit code {ran['code']} with {errors} errors")
    if ran["code"] != 0 and ran["out"]:
        found.append(f"an answer although it failed: {ran['out'][:200]}")
    found += [f"too much said: {line[:80]}" for line in lines if len(line) > _LONGEST]
    if ran["seconds"] > _SLOW:
        found.append(f"took {ran['seconds']:.1f} CPU seconds")
    if ran["memory"] > _LARGE:
        found.append(f"held {ran['memory'] / 2**30:.1f} GB")
    return found


def _left_wrong(folder: Path, before: dict[str, bytes], command: list[str], code: int) -> list[str]:
    """What is wrong with the files that are there afterwards."""
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    found = [f"{name} has changed" for name, data in before.items() if after.get(name) != data]
    asked = [name for name in _ENDS if name in command and name not in before]
    wanted = {*before, *(asked if code == 0 else [])}
    found += [f"{name} was left behind" for name in sorted(set(after) - wanted)]
    found += [f"{name} was not written" for name in sorted(wanted - set(after))]
    for name in set(asked) & set(after) & wanted:
        text = after[name].decode("utf-8", "replace")
        if not text.endswith(_ENDS[name]):
            found.append(f"{name} is not whole: {text[-80:]!r}")
        elif name.endswith(".json"):
            json.loads(text)
    return found

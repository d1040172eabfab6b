"""What a run leaves behind: where it stopped, and the cases that brought up something wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.attack import Case, Outcome

# Where runs leave their files, unless told otherwise.
KEPT = Path(__file__).resolve().parents[1] / "build" / "fuzz"


@dataclass
class Diary:
    """Where runs of one attack with one seed stopped.

    A case is written down before it is begun: one that ends the process is known by that.

    Attributes
    ----------
    path : Path
    next : int
        The case to go on with.
    begun : int or None
        A case that was begun and not finished.
    failed : int
        How many cases brought up something wrong.
    """

    path: Path
    next: int = 0
    begun: int | None = None
    failed: int = 0

    @classmethod
    def of(cls, folder: Path, attack: str, seed: int, fresh: bool = False) -> Diary:
        """Open the diary of an attack and a seed, or begin a new one."""
        path = folder / f"{attack}-{seed}.json"
        if fresh or not path.exists():
            return cls(path)
        return cls(path, **json.loads(path.read_text()))

    def begin(self, number: int) -> None:
        """Note that a case is begun."""
        self.begun = number
        self._write()

    def end(self, failed: bool) -> None:
        """Note that the case is finished."""
        assert self.begun is not None
        self.next, self.begun, self.failed = self.begun + 1, None, self.failed + failed
        self._write()

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        told = {"next": self.next, "begun": self.begun, "failed": self.failed}
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(told))
        fresh.replace(self.path)  # the old diary or the new one, whenever it is stopped


def save(folder: Path, outcome: Outcome) -> Path:
    """Write a case that brought up something wrong to a file; return which."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{outcome.attack}-{outcome.seed}-{outcome.number}.json"
    told = {
        "attack": outcome.attack,
        "complaints": outcome.complaints,
        "case": outcome.case,
    }
    path.write_text(json.dumps(told, indent=1, allow_nan=False) + "\n")
    return path


def read(path: Path) -> tuple[str, Case]:
    """Return the attack and the case of a file."""
    told: dict[str, Any] = json.loads(path.read_text())
    return told["attack"], told["case"]

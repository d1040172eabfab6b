"""Run the attacks: `python -m fuzz`, or `make fuzz`.

A run goes on where the last one with the same seed stopped. What it finds is saved in
build/fuzz/cases; a file from there becomes a test by being moved to tests/fuzz/cases.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from fuzz import ATTACKS, attack_called
from fuzz.attack import Attack, Outcome, complaints_about, drawn, run
from fuzz.files import KEPT, Diary, read, save


def main(arguments: list[str] | None = None) -> int:
    """Run attacks, or saved cases again; return 1 if something is wrong."""
    asked = _asked(arguments)
    if asked.replay:
        return max(_replay(path) for path in asked.replay)
    names = asked.attack or list(ATTACKS)
    seconds = asked.seconds / len(names)
    failed = sum(_attack(attack_called(name), seconds, asked) for name in names)
    return 1 if failed else 0


def _asked(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--attack", action="append", choices=list(ATTACKS), help="all if left out")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all attacks together")
    parser.add_argument("--cases", type=float, default=float("inf"), help="of each, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fresh", action="store_true", help="begin with the first case again")
    parser.add_argument("--to", type=Path, default=KEPT, help="where files are left")
    parser.add_argument("--replay", type=Path, nargs="+", help="saved cases to run again")
    return parser.parse_args(arguments)


def _attack(attack: Attack, seconds: float, asked: argparse.Namespace) -> int:
    """Run one attack; return how many cases brought up something wrong."""
    diary = Diary.of(asked.to, attack.name, asked.seed, asked.fresh)
    failed, slowest, begun = 0, 0.0, time.monotonic()
    if diary.begun is not None:
        case = drawn(attack, asked.seed, diary.begun)
        ended = Outcome(attack.name, asked.seed, diary.begun, case, ["it ended the process"], 0.0)
        _tell(ended, save(asked.to / "cases", ended))
        failed += 1
        diary.end(failed=True)
    first = diary.next
    left = dict(seconds=seconds, cases=asked.cases)
    for outcome in run(attack, asked.seed, first=first, before=diary.begin, **left):
        slowest = max(slowest, outcome.seconds)
        if outcome.complaints:
            _tell(outcome, save(asked.to / "cases", outcome))
            failed += 1
        diary.end(failed=bool(outcome.complaints))
    print(
        f"{attack.name}: cases {first} to {diary.next - 1} of seed {asked.seed} in "
        f"{time.monotonic() - begun:.0f} s, {failed} with something wrong; the slowest took "
        f"{slowest:.1f} CPU s"
    )
    return failed


def _tell(outcome: Outcome, path: Path) -> None:
    print(f"{path}:")
    for complaint in outcome.complaints:
        print(f"  {complaint}", flush=True)


def _replay(path: Path) -> int:
    """Run a saved case again; return 1 if something is wrong."""
    name, case = read(path)
    found = complaints_about(attack_called(name), case)
    print(f"{path}: {'nothing wrong' if not found else ''}")
    for complaint in found:
        print(f"  {complaint}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Run every experiment of the paper again, or one, with its settings or one's own."""

from __future__ import annotations

import argparse
import io
import math
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from replication import (
    charity_comparisons,
    charity_scores,
    collapse,
    nonconvexity,
    report,
    synthetic,
)
from replication.experiment import Cell, Experiment, Row, run_cell
from replication.places import Places, places
from replication.settings import Settings
from replication.store import Store, csv_text
from welfarist.base.errors import WelfaristError
from welfarist.base.exports import as_json
from welfarist.base.jobs import run_jobs
from welfarist.base.progress import Progress
from welfarist.base.whole_files import write_together
from welfarist.cli.ending import run_to_end

INTERRUPTED = 130  # what shells report of a program that was stopped from the keyboard

EXPERIMENTS = (
    charity_scores.EXPERIMENT,
    charity_comparisons.NEGATIVE,
    charity_comparisons.POSITIVE,
    synthetic.SCORES,
    synthetic.CHOICES,
    collapse.EXPERIMENT,
    nonconvexity.EXPERIMENT,
)


def complete(
    experiment: Experiment, store: Store, wanted: Sequence[Cell], progress: Progress
) -> list[Row]:
    """Run the cells that are missing and return all rows."""
    missing = store.missing(wanted)
    if missing:
        cores = min(os.cpu_count() or 1, len(missing))
        with closing(run_jobs(run_cell, experiment.run, missing, cores)) as rows:
            for cell, row in progress.track(
                zip(missing, rows, strict=True), len(missing), experiment.title
            ):
                store.add(cell, row)
    return store.rows(wanted)


def numbers(of: Callable[[str], Any], least: float) -> Callable[[str], tuple[Any, ...]]:
    """Return what reads a list such as 0.1,1,10."""

    def read(text: str) -> tuple[Any, ...]:
        try:
            found = tuple(of(part) for part in text.split(","))
        except ValueError:
            found = ()
        if not found or not all(math.isfinite(value) and value >= least for value in found):
            whole = "whole numbers" if of is int else "numbers"
            raise argparse.ArgumentTypeError(
                f"must be {whole} of {least:g} or more, such as 5,20; found {text!r}"
            )
        return tuple(sorted(set(found)))

    return read


def at_least(least: int) -> Callable[[str], int]:
    """Return what reads a whole number."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(
                f"must be a whole number of {least} or more; found {text!r}"
            )
        return value

    return read


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read what was typed."""
    parser = argparse.ArgumentParser(prog="python -m replication", description=__doc__)
    add = parser.add_argument
    few, number = "NUMBER,…", "NUMBER"
    add("--quick", action="store_true", help="fewer settings, in a few minutes")
    add("--only", metavar="NAME", help="one experiment, without the page")
    add("--fresh", action="store_true", help="run what an earlier run has finished again")
    # With d = 1 there is nothing to learn, and log d is 0.
    add("--d", type=numbers(int, 2), metavar=few, help="numbers of people, synthetic experiments")
    add("--tau", type=numbers(float, 1e-6), metavar=few, help="temperatures of comparisons")
    add("--nu", type=numbers(float, 0.0), metavar=few, help="noise levels of scores")
    add("--repetitions", type=at_least(1), metavar=number, help="how often each setting is run")
    add(
        "--method-repetitions",
        type=at_least(0),
        metavar=number,
        help="how often the paper's own methods are run, never more often than the rest (0: never)",
    )
    add(
        "--to",
        metavar="FOLDER",
        help="where to write (in a clone its docs or build, else where you are)",
    )
    add("--json", action="store_true", help="print JSON and nothing else")
    options = parser.parse_args(arguments)
    if options.only not in (None, *(e.name for e in EXPERIMENTS)):
        parser.error(f"--only must be one of {', '.join(e.name for e in EXPERIMENTS)}")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, draw and judge."""
    options = read_options(arguments)
    settings = Settings(
        options.quick, options.d, options.tau, options.nu, options.repetitions,
        options.method_repetitions,
    )  # fmt: skip
    where = places(settings, Path.cwd(), options.to)
    try:
        where.figures.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        sys.exit(
            f"Error: {where.figures} must be a folder to write to, or a place for one; found: "
            f"{problem.strerror}. Name another with --to."
        )
    chosen = [e for e in EXPERIMENTS if options.only in (None, e.name)]
    try:
        found = run(chosen, settings, where, fresh=options.fresh, quiet=options.json)
    except KeyboardInterrupt:
        again = "the same command without --fresh" if options.fresh else "the same command"
        print(
            f"Interrupted; finished cells are kept, and {again} goes on from here.",
            file=sys.stderr,
        )
        sys.exit(INTERRUPTED)
    except WelfaristError as problem:
        sys.exit(f"Error: {problem}")
    claims = report.claims_of(chosen, found)
    files = {e.name: str(where.figures / f"{e.name}.png") for e in chosen}
    contents = drawn(chosen, found, where)
    if options.only is None:
        contents[where.page] = report.page(chosen, found, claims, settings)
        files["page"] = str(where.page)
    write_together(contents)
    if options.json:
        print(as_json({**report.to_dict(chosen, claims), "files": files}))
        return
    print(report.counted([claim for name in claims for claim in claims[name]]))
    print(f"Claims and figures: {_near(where.figures if options.only else where.page)}")


def run(
    chosen: Sequence[Experiment],
    settings: Settings,
    where: Places,
    *,
    fresh: bool,
    quiet: bool,
) -> dict[str, list[Row]]:
    """Run the experiments and return their rows."""
    found: dict[str, list[Row]] = {}
    renewed: set[str] = set()  # experiments share cells, which are run again once
    for experiment in chosen:
        store, wanted = Store(where.cells, experiment), experiment.cells(settings)
        if fresh and (experiment.shares or experiment.name) not in renewed:
            store.forget(wanted)
            renewed.add(experiment.shares or experiment.name)
        rows = complete(experiment, store, wanted, Progress("auto"))
        found[experiment.name] = rows
        if not quiet:
            print(f"{experiment.title}: {len(rows)} cells", flush=True)
    return found


def drawn(
    chosen: Sequence[Experiment], found: dict[str, list[Row]], where: Places
) -> dict[Path, str | bytes]:
    """Return the figures and the data behind them, by the files that they are for."""
    contents: dict[Path, str | bytes] = {}
    for experiment in chosen:
        rows, picture = found[experiment.name], io.BytesIO()
        experiment.draw(rows, picture)
        contents[where.figures / f"{experiment.name}.csv"] = csv_text(rows)
        contents[where.figures / f"{experiment.name}.png"] = picture.getvalue()
    return contents


def _near(path: Path) -> str:
    """A path as one would type it from here."""
    near = os.path.relpath(path)
    return str(path) if near.startswith(os.pardir) else near


if __name__ == "__main__":
    run_to_end(main)

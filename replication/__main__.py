"""Run every experiment: ``python -m replication [--quick] [--only NAME] [--fresh]``."""

from __future__ import annotations

import argparse
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from replication import (
    charity_comparisons,
    charity_scores,
    collapse,
    nonconvexity,
    report,
    synthetic,
)
from replication.experiment import Experiment
from replication.store import Store, write_csv
from welfarist.base.progress import Progress

EXPERIMENTS = (
    charity_scores.EXPERIMENT,
    charity_comparisons.NEGATIVE,
    charity_comparisons.POSITIVE,
    synthetic.SCORES,
    synthetic.CHOICES,
    collapse.EXPERIMENT,
    nonconvexity.EXPERIMENT,
)
BUILD = Path("build")
DOCS = Path("docs")


def complete(experiment: Experiment, cells: Path, quick: bool, progress: Progress) -> list[dict]:  # type: ignore[type-arg]
    """Run the cells that are missing and return all rows."""
    store, wanted = Store(cells, experiment), experiment.cells(quick)
    missing = store.missing(wanted)
    if missing:
        with ProcessPoolExecutor() as pool:
            rows = pool.map(experiment.run, missing)
            for cell, row in progress.track(
                zip(missing, rows, strict=True), len(missing), experiment.title
            ):
                store.add(cell, row)
    return store.rows(wanted)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m replication", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer settings, into build/")
    parser.add_argument("--only", metavar="NAME", help="one experiment, without the report")
    parser.add_argument("--fresh", action="store_true", help="forget the cells of earlier runs")
    options = parser.parse_args()
    kind = "quick" if options.quick else "full"
    cells = BUILD / "replication" / kind / "cells"
    if options.fresh:
        shutil.rmtree(cells, ignore_errors=True)
    home = BUILD / "replication" / kind if options.quick else DOCS
    folder = home / "replication"
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [e for e in EXPERIMENTS if options.only in (None, e.name)]
    if not chosen:
        parser.error(f"--only must be one of {', '.join(e.name for e in EXPERIMENTS)}")
    found = {}
    try:
        for experiment in chosen:
            rows = complete(experiment, cells, options.quick, Progress("auto"))
            write_csv(rows, folder / f"{experiment.name}.csv")
            experiment.draw(rows, str(folder / f"{experiment.name}.png"))
            found[experiment.name] = rows
            print(
                f"{experiment.title}: {len(rows)} cells, {folder / experiment.name}.png", flush=True
            )
    except KeyboardInterrupt:
        again = "the same command without --fresh" if options.fresh else "the same command"
        sys.exit(f"Interrupted; finished cells are kept, and {again} goes on from here.")
    if options.only is None:
        report.write(chosen, found, home / "replication.md", quick=options.quick)
        print(f"Claims and figures: {home / 'replication.md'}")


if __name__ == "__main__":
    main()

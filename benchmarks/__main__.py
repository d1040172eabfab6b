"""Run every benchmark: `python -m benchmarks [--quick]`."""

from __future__ import annotations

import argparse

from benchmarks import power_means

parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
parser.add_argument("--quick", action="store_true", help="fewer repetitions")
power_means.main(quick=parser.parse_args().quick)

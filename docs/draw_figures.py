"""Draw the pictures of the page about figures: ``python docs/draw_figures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import welfarist as wf

FOLDER = Path(__file__).parent / "figures"


def main() -> None:
    """Write one picture a function, of the fit that the page makes."""
    mpl.use("agg")
    utilities = np.random.default_rng(0).uniform(1, 10, (300, 3))
    rule = wf.WelfareFunction(-1, [0.5, 0.3, 0.2], ["patients", "staff", "payers"])
    clinic = wf.simulate.World(utilities, rule)
    pairs = wf.simulate.random_pairs(300, 500, random_state=1)
    decisions = wf.simulate.comparisons(clinic, pairs, tau=15, random_state=1)
    result = wf.ComparisonClassifier().fit(decisions).result_
    drawn = {
        "profile": wf.plots.profile(result),
        "weights": wf.plots.weights(result),
        "indifference": wf.plots.indifference(result, people=("patients", "payers")),
        "calibration": wf.plots.calibration(result, bins=5),
    }
    FOLDER.mkdir(exist_ok=True)
    for name, axes in drawn.items():
        axes.figure.savefig(FOLDER / f"{name}.png", dpi=80, bbox_inches="tight")


if __name__ == "__main__":
    main()

"""Learn how juries turn the marks of their members into one verdict."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import pages
import welfarist as wf

JUDGES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
ENTRIES, VERDICTS, SEED = 120, 800, 20
# How juries aggregate marks: places from the lowest mark to the highest, or who gave it.
PLACES = {"drops the highest and the lowest": (0.0, 1 / 3, 1 / 3, 1 / 3, 0.0),
          "listens to its harshest": (0.6, 0.2, 0.1, 0.05, 0.05)}  # fmt: skip
PERSONS = {"gives its chair three votes": (3 / 7, 1 / 7, 1 / 7, 1 / 7, 1 / 7)}
JURIES = (*PLACES, *PERSONS)
FAMILIES = ("power", "kolm", "rank")
IN_WORDS = {"power": "who gave a mark (power mean)", "kolm": "who gave a mark (Kolm-Pollak)",
            "rank": "its place among the marks"}  # fmt: skip


def marks(rng: np.random.Generator) -> np.ndarray:
    """Marks from 1 to 10 (entries, judges): how good an entry is, as each judge sees it."""
    quality = rng.uniform(2.5, 8.5, (ENTRIES, 1))
    return np.round(np.clip(quality + rng.normal(0.0, 1.5, (ENTRIES, len(JUDGES))), 1, 10) * 2) / 2


def verdicts(jury: str, number: int) -> wf.Comparisons:
    """Which of two entries a jury places higher, with errors where they are close."""
    rng = np.random.default_rng(SEED + number)
    table = marks(rng)
    value = (
        np.sort(table, axis=1) @ PLACES[jury] if jury in PLACES else table @ np.array(PERSONS[jury])
    )
    pairs = wf.simulate.random_pairs(ENTRIES, VERDICTS, random_state=SEED + number)
    apart = 2.5 * (value[pairs[:, 0]] - value[pairs[:, 1]])
    first = rng.random(VERDICTS) < 1.0 / (1.0 + np.exp(-apart))
    actions = wf.Comparisons(table, pairs, first)
    actions.stakeholders = JUDGES
    return actions


def learned(decided: wf.Comparisons, family: Any) -> wf.FitResult:
    """Fit rules of a family; marks are points, so that noise acts on their differences."""
    margin: Any = "auto" if family == "kolm" else "difference"
    p = 1.0 if family == "rank" else None
    learner = wf.ComparisonClassifier(family=family, p=p, margin=margin)
    return learner.fit(decided).result_


def learn() -> dict[str, Any]:
    """Compare families for each jury, and keep the weights of the one that is recommended."""
    found = {}
    for number, jury in enumerate(JURIES):
        decided = verdicts(jury, number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wf.WelfaristWarning)
            fits = {name: learned(decided, name) for name in FAMILIES}
            name = min(fits, key=lambda name: fits[name].bic)
            best = fits[name]
            ends = best.interval("weights")
        found[jury] = {
            "behind": {name: fit.bic - best.bic for name, fit in fits.items()},
            "best": name,
            "weights": list(best.weights),
            "intervals": [list(pair) for pair in np.asarray(ends)],
            "labels": list(best.stakeholders),
            "anonymity": fits["power"].axioms()["anonymity"].p_value,
            "right": best.accuracy,
        }
    kept: dict[str, Any] = pages.rounded(found)
    return kept


def tell(found: dict[str, Any]) -> str:
    """Put the results into words."""
    right = sum((found[jury]["best"] == "rank") == (jury in PLACES) for jury in JURIES)
    lines = [
        f"Ask whether places or persons count: {right} of {len(JURIES)} juries are told apart by "
        f"BIC from {VERDICTS} verdicts each, and their weights found.",
        "",
        "A jury that …                       BIC behind the best: " + "  ".join(FAMILIES),
        *(
            f"  {jury:34}"
            + " " * 20
            + "  ".join(
                f"{found[jury]['behind'][name]:{max(len(name), 5)}.1f}" for name in FAMILIES
            )
            for jury in JURIES
        ),
    ]
    for jury in JURIES:
        one = found[jury]
        names = JUDGES if one["best"] != "rank" else one["labels"]
        lines += [
            f"The jury that {jury}: what counts is {IN_WORDS[one['best']]}",
            "  "
            + ", ".join(
                f"{name} {weight:.2f} ({low:.2f} to {high:.2f})"
                for name, weight, (low, high) in zip(
                    names, one["weights"], one["intervals"], strict=True
                )
            ),
            f"  verdicts as this rule has them {one['right']:.1%}; that it makes no difference "
            f"whose mark it is: p-value {pages.p_value(one['anonymity'])}",
        ]
    return "\n".join(lines)


def draw(found: dict[str, Any], path: Path) -> None:
    """Show the weights of each jury with their intervals, beside the true ones."""
    figure, axes = plt.subplots(
        1, len(JURIES), figsize=(11, 3.6), layout="constrained", sharey=True
    )
    for ax, jury in zip(axes, JURIES, strict=True):
        one, truth = found[jury], {**PLACES, **PERSONS}[jury]
        places = np.arange(len(JUDGES))
        ax.bar(places, truth, color="0.85", width=0.7, label="as simulated")
        gaps = np.abs(np.array(one["intervals"]).T - np.array(one["weights"]))
        ax.errorbar(places, one["weights"], gaps, fmt="o", color="#0072B2", capsize=3,
                    label="learned, 95%")  # fmt: skip
        in_places = ["lowest", "2nd", "3rd", "4th", "highest"]
        ax.set_xticks(places, in_places if one["best"] == "rank" else JUDGES)
        ax.set_title(jury, fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("weight")
    axes[1].legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path = pages.HERE) -> None:
    """Learn, tell, draw, and keep the results."""
    found = learn()
    story = tell(found)
    print(story)
    draw(found, folder / "judges.png")
    pages.keep("judges", found, story, folder)


if __name__ == "__main__":
    main()

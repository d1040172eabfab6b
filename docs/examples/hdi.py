"""Learn which rule the Human Development Index of the United Nations follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

import data
import pages
import welfarist as wf
from rounding import typical_error

DIMENSIONS = ["health", "education", "income"]
STEP = 0.001  # everything is published to three decimals


def learn() -> tuple[pd.DataFrame, wf.FitResult, dict[str, Any]]:
    """Fit the rule to every country and year."""
    table = data.read("hdi/hdi.csv")
    table = table[~table["is_group"]]  # regions and the world are averages of countries
    fit = wf.WelfareRegressor().fit(table[DIMENSIONS], table["hdi"]).result_
    mean = wf.WelfareFunction(p=1, stakeholders=DIMENSIONS)  # adds up, equal weights
    found = {
        "rows": len(table),
        "countries": table["country"].nunique(),
        "p": {"learned": fit.p, "interval": fit.interval("p")},
        "weights": {
            name: {"learned": weight, "interval": list(ends)}
            for name, weight, ends in zip(
                DIMENSIONS, fit.weights, fit.interval("weights"), strict=True
            )
        },
        "typical_error": {
            "learned": fit.loss**0.5,
            "rounding_alone": typical_error(fit.welfare, table[DIMENSIONS], STEP),
            "plain_average": ((mean(table[DIMENSIONS]) - table["hdi"]) ** 2).mean() ** 0.5,
        },
        "p_values": {
            "Nash, equal weights": fit.test("Nash", weights="equal").p_value,
            "utilitarian": fit.test("utilitarian").p_value,
        },
    }
    return table, fit, pages.rounded(found)


def tell(found: dict[str, Any]) -> str:
    """Put the results into words."""
    low, high = found["p"]["interval"]
    weights, error, tests = found["weights"], found["typical_error"], found["p_values"]
    lines = [
        f"Nash, with equal weights: p = {found['p']['learned']:.4f}, "
        f"95% interval {low:.4f} to {high:.4f}.",
        "",
        f"Learned from {found['rows']} scores of {found['countries']} countries",
        *(
            f"  weight of {name:10} {weights[name]['learned']:.4f}   "
            "from {:.4f} to {:.4f}".format(*weights[name]["interval"])
            for name in DIMENSIONS
        ),
        "Could it be another rule?",
        f"  Nash, equal weights        p-value {tests['Nash, equal weights']:.2f}: could be",
        f"  utilitarian, any weights   p-value {pages.p_value(tests['utilitarian'])}: no",
        "How far off (typical error)",
        f"  learned rule               {error['learned']:.5f}",
        f"  rounding alone gives       {error['rounding_alone']:.5f}",
        f"  plain average              {error['plain_average']:.5f}",
    ]
    return "\n".join(lines)


def draw(table: pd.DataFrame, fit: wf.FitResult, rounding: float, path: Path) -> None:
    """Show how far off two rules are, and how far off the best rule of each p is."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for name, p, colour in (("plain average, p = 1", 1, "#E69F00"), ("Nash, p = 0", 0, "#0072B2")):
        rule = wf.WelfareFunction(p, stakeholders=DIMENSIONS)
        off = rule(table[DIMENSIONS]) - table["hdi"]
        left.plot(table["hdi"], off, ".", color=colour, markersize=4, label=name)
    left.set(xlabel="published index", ylabel="rule less published index")
    profile = fit.profile()  # the loss at many powers, with the best weights for each
    near = abs(profile.p) <= 2
    right.semilogy(profile.p[near], profile.loss[near] ** 0.5, color="#0072B2", label="any weights")
    right.axhline(rounding, color="0.35", linestyle="--", linewidth=1, label="rounding alone")
    right.set(xlabel="power p", ylabel="typical error")
    right.set_xticks([-2, -1, 0, 1, 2], ["-2", "-1\nharmonic", "0\nNash", "1\nutilitarian", "2"])
    for ax in (left, right):
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path = pages.HERE) -> None:
    """Learn, tell, draw, and keep the results."""
    table, fit, found = learn()
    story = tell(found)
    print(story)
    draw(table, fit, found["typical_error"]["rounding_alone"], folder / "hdi.png")
    pages.keep("hdi", found, story, folder)


if __name__ == "__main__":
    main()

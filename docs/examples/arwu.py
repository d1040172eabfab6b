"""Learn which rule the Shanghai ranking of universities follows, year by year."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

import data
import pages
import welfarist as wf

PUBLISHED = {"alumni": 0.1, "award": 0.2, "hici": 0.2, "ns": 0.2, "pub": 0.2, "pcp": 0.1}
INDICATORS = list(PUBLISHED)


def learn() -> dict[str, Any]:
    """Fit the rule to each year; the best university of a year is set to 100 by a scale."""
    table = data.read("arwu/arwu.csv")
    years = {}
    for year, rows in table.groupby("year"):
        with warnings.catch_warnings():
            # It says that p <= 0 was left out, as a university with a zero would then score zero.
            warnings.simplefilter("ignore", wf.SearchRangeWarning)
            learner = wf.WelfareRegressor(scale=True).fit(rows[INDICATORS], rows["total_score"])
        fit = learner.result_
        best = rows[INDICATORS] @ list(PUBLISHED.values())
        years[str(year)] = {
            "universities": len(rows),
            "with_a_zero": int((rows[INDICATORS] == 0).any(axis=1).sum()),
            "p": fit.p,
            "p_interval": fit.interval("p"),
            "scale": fit.scale,
            "scale_interval": fit.interval("scale"),
            "scale_that_sets_the_best_to_100": 100 / best.max(),
            "weights": dict(zip(INDICATORS, fit.weights, strict=True)),
            "typical_error": fit.loss**0.5,
            "p_value_of_the_published_rule": fit.test("utilitarian", weights=PUBLISHED).p_value,
        }
    found: dict[str, Any] = pages.rounded(years)
    return found


def tell(found: dict[str, Any]) -> str:
    """Put the results into words."""
    years = [found[year] for year in sorted(found)]
    holding = sum(y["p_interval"][0] <= 1 <= y["p_interval"][1] for y in years)
    off = max(abs(y["weights"][name] - PUBLISHED[name]) for y in years for name in INDICATORS)
    powers, scales = ([y[name] for y in years] for name in ("p", "scale"))
    zeros, rows = (sum(y[name] for y in years) for name in ("with_a_zero", "universities"))
    lines = [
        f"Utilitarian, with a scale: p from {min(powers):.3f} to {max(powers):.3f} over "
        f"{len(years)} years, and no weight further than {off:.4f} from the published ones.",
        "",
        f"Learned from {rows} scores, year by year; {zeros} of the universities have a zero",
        "  year       p   95% interval     scale   " + "   ".join(f"{n:>6}" for n in INDICATORS),
        *(
            f"  {year}   {y['p']:.3f}   {y['p_interval'][0]:.3f} to {y['p_interval'][1]:.3f}   "
            f"{y['scale']:.4f}   " + "   ".join(f"{y['weights'][n]:.4f}" for n in INDICATORS)
            for year, y in zip(sorted(found), years, strict=True)
        ),
        "  published  1                            "
        + "   ".join(f"{w:6.1f}" for w in PUBLISHED.values()),
        f"{holding} of the {len(years)} intervals hold p = 1",
        f"The scale is between {min(scales):.4f} and {max(scales):.4f}: "
        "what it takes to set the year's best to 100",
    ]
    return "\n".join(lines)


def draw(found: dict[str, Any], path: Path) -> None:
    """Show p and the scale by year, with their intervals."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    years = [int(year) for year in sorted(found)]
    for ax, name in zip(axes, ("p", "scale"), strict=True):
        rows = [found[str(year)] for year in years]
        middle = [row[name] for row in rows]
        ends = [[abs(row[f"{name}_interval"][side] - row[name]) for row in rows] for side in (0, 1)]
        ax.errorbar(years, middle, ends, fmt="o", color="#0072B2", capsize=3, label="learned, 95%")
        ax.set_xticks(years[::2])
    axes[0].axhline(1, color="#E69F00", linestyle="--", label="utilitarian")
    axes[0].set_title("The power p, by year")
    best = [found[str(year)]["scale_that_sets_the_best_to_100"] for year in years]
    axes[1].plot(years, best, "_", color="#E69F00", markersize=16, label="sets the best to 100")
    axes[1].set_title("The scale, by year")
    for ax in axes:
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path = pages.HERE) -> None:
    """Learn, tell, draw, and keep the results."""
    found = learn()
    story = tell(found)
    print(story)
    draw(found, folder / "arwu.png")
    pages.keep("arwu", found, story, folder)


if __name__ == "__main__":
    main()

"""Learn which weights stand behind the European Union's Gender Equality Index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

import data
import pages
import welfarist as wf
from rounding import typical_error

PUBLISHED = {
    "WORK": 0.19,
    "MONEY": 0.15,
    "KNOWLEDGE": 0.22,
    "TIME": 0.15,
    "POWER": 0.19,
    "HEALTH": 0.10,
}
DOMAINS = list(PUBLISHED)
STEP = 0.1  # everything is published to one decimal
HALF = 0.005  # a weight published to two decimals may be this far off


def learn() -> tuple[wf.FitResult, dict[str, Any]]:
    """Fit the rule to all countries and editions; the published weights are not used."""
    table = data.read("gei/gei.csv")
    index = table["Gender.Equality.Index"]
    fit = wf.WelfareRegressor().fit(table[DOMAINS], index).result_
    official = wf.WelfareFunction(p=0, weights=list(PUBLISHED.values()), stakeholders=DOMAINS)
    equal = wf.WelfareRegressor(weights="equal").fit(table[DOMAINS], index).result_
    found = {
        "rows": len(table),
        "countries": table["Country"].nunique(),
        "editions": table["Index.year"].nunique(),
        "p": {"learned": fit.p, "interval": fit.interval("p")},
        "weights": {
            name: {"learned": weight, "interval": list(ends), "published": PUBLISHED[name]}
            for name, weight, ends in zip(
                DOMAINS, fit.weights, fit.interval("weights"), strict=True
            )
        },
        "typical_error": {
            "learned": fit.loss**0.5,
            "rounding_alone": typical_error(fit.welfare, table[DOMAINS], STEP),
            "published_weights": ((official(table[DOMAINS]) - index) ** 2).mean() ** 0.5,
            "equal_weights": equal.loss**0.5,
        },
        "p_values": {
            "Nash": fit.test("Nash").p_value,
            "utilitarian": fit.test("utilitarian").p_value,
            "published weights": fit.test(weights=PUBLISHED).p_value,
            "equal weights": fit.test(weights="equal").p_value,
        },
    }
    return fit, pages.rounded(found)


def tell(found: dict[str, Any]) -> str:
    """Put the results into words."""
    low, high = found["p"]["interval"]
    error, tests = found["typical_error"], found["p_values"]
    weights = [(name, found["weights"][name]) for name in DOMAINS]
    same = sum(round(w["learned"], 2) == w["published"] for _, w in weights)
    lines = [
        f"Nash, with the experts' weights: {same} of {len(weights)} learned weights round to the "
        f"published ones; p = {found['p']['learned']:.3f}, 95% interval {low:.3f} to {high:.3f}.",
        "",
        f"Learned from {found['rows']} scores: {found['countries']} countries, "
        f"{found['editions']} editions",
        "  domain      published   learned   95% interval",
        *(
            f"  {name:11} {w['published']:.2f}        {w['learned']:.3f}     "
            f"{w['interval'][0]:.3f} to {w['interval'][1]:.3f}"
            for name, w in weights
        ),
        "Could it be another rule?",
        f"  Nash, any weights            p-value {tests['Nash']:.2f}: could be",
        f"  utilitarian, any weights     p-value {pages.p_value(tests['utilitarian'])}: no",
        f"  equal weights, any p         p-value {pages.p_value(tests['equal weights'])}: no",
        f"  exactly the published ones   p-value {pages.p_value(tests['published weights'])}: no",
        "How far off (typical error)",
        f"  learned rule                 {error['learned']:.3f}",
        f"  rounding alone gives         {error['rounding_alone']:.3f}",
        f"  published weights, Nash      {error['published_weights']:.3f}",
        f"  equal weights, learned p     {error['equal_weights']:.3f}",
    ]
    return "\n".join(lines)


def draw(fit: wf.FitResult, path: Path) -> None:
    """Show learned weights with their intervals on the range that rounds to the published ones."""
    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    lefts = [weight - HALF for weight in PUBLISHED.values()]
    bars = ax.barh(range(len(DOMAINS)), 2 * HALF, left=lefts, height=0.6, color="#F5D58A")
    bars.set_label("rounds to the published weight")
    wf.plots.weights(fit, ax)
    ax.set_xlim(0.09, 0.23)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path = pages.HERE) -> None:
    """Learn, tell, draw, and keep the results."""
    fit, found = learn()
    story = tell(found)
    print(story)
    draw(fit, folder / "gei.png")
    pages.keep("gei", found, story, folder)


if __name__ == "__main__":
    main()

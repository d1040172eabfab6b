"""Learn how people who share money differ: types of them, and everybody's own rule."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import data
import pages
import welfarist as wf

X, Y = ["self_x", "other_x"], ["self_y", "other_y"]
# Bruhin, Fehr and Schunk (JEEA 2019), three types in 117 choices a person, with reciprocity.
PUBLISHED = {
    "strongly altruistic": 0.405,
    "moderately altruistic": 0.474,
    "behindness averse": 0.121,
}
NUMBERS = ("p", "weight of other", "tau")
RIVALS = ("one rule", "three types", "everybody's own")
# Choices that are held out of each person's 39, and the seed that draws them.
HELD_OUT, SEED = 9, 20261118


def learn() -> tuple[wf.Types, wf.Deciders, dict[str, Any]]:
    """Fit types and everybody's own rule, and see what they predict."""
    table = data.read("dictator/choices.csv")
    choices = wf.Comparisons.from_arrays(
        table[X], table[Y], table["choice_x"] == 1, by=table["person"]
    )
    with warnings.catch_warnings():
        # The third type may follow no such rule: the page says so itself.
        warnings.simplefilter("ignore", wf.MisfitWarning)
        types = wf.Types(n_types=3).fit(choices)
        rivals = held_out(choices)
    deciders = wf.Deciders().fit(choices)
    population = deciders.population_
    found = {
        "choices": len(table),
        "people": table["person"].nunique(),
        "types": [_told(types, k) for k in range(3)],
        "bic": {one.name: one.bic for one in types.result_.candidates},
        "agree": types.result_.best.agreeing,
        "starts": types.result_.best.starts,
        "quartiles": {
            name: [round(float(x), 2) for x in population.quantiles(name)] for name in NUMBERS
        },
        "more_averse_than_nash": round(population.share("p", below=0.0), 2),
        "held_out": rivals,
    }
    return types, deciders, pages.rounded(found)


def _told(types: wf.Types, k: int) -> dict[str, Any]:
    """A type in numbers."""
    kind = types.types_[k]
    share = next(
        row for row in types.result_.estimates() if row.type == k and row.parameter == "share"
    )
    return {
        "share": kind.share,
        "share_interval": [share.low, share.high],
        "p": kind.p,
        "weight_of_other": kind.weights[1],
        "tau": kind.tau,
        "doubtful": kind.doubtful,
    }


def held_out(choices: wf.Comparisons) -> dict[str, float]:
    """Mean log loss of choices that were not fitted, nine of each person."""
    rng = np.random.default_rng(SEED)
    by = np.asarray(choices.by)
    out = np.zeros(len(choices), dtype=bool)
    for who in np.unique(by):
        out[rng.choice(np.flatnonzero(by == who), HELD_OUT, replace=False)] = True
    rest, asked = choices[~out], choices[out]
    one = wf.ComparisonClassifier().fit(rest).predict_proba(asked)
    chance = np.where(asked.outcomes > 0, one[:, 1], one[:, 0])
    types = wf.Types(n_types=3, population=False).fit(rest)
    own = wf.Deciders().fit(rest)
    losses = float(-np.log(chance).mean()), types.log_loss(asked), own.log_loss(asked)
    return dict(zip(RIVALS, losses, strict=True))


def tell(found: dict[str, Any]) -> str:
    """Put the results into words."""
    bic, quartiles, loss = found["bic"], found["quartiles"], found["held_out"]
    lines = [
        "People differ by degree more than by type: half of them give the other a weight between "
        "{:.2f} and {:.2f}".format(*quartiles["weight of other"][::2])
        + ", and half have a p between {:.2f} and {:.2f}.".format(*quartiles["p"][::2]),
        "",
        f"Learned from {found['choices']} choices of {found['people']} people",
        "Three types         share (95% interval)   p       other    tau    as published",
    ]
    for kind, (name, published) in zip(found["types"], PUBLISHED.items(), strict=True):
        low, high = kind["share_interval"]
        share = f"{kind['share']:.2f} ({low:.2f} to {high:.2f})"
        lines.append(
            f"  {name:22}{share:20}{kind['p']:7.2f}  {kind['weight_of_other']:6.3f}"
            f"  {kind['tau']:5.1f}   {published:.2f}"
        )
    lines += [
        f"  {found['agree']} of {found['starts']} searches found them",
        "BIC by people (less is better)",
        f"  one rule {bic['one rule']:.0f}, three types {bic['3 types']:.0f}, "
        f"normal population {bic['normal population']:.0f}",
        "Everybody's own rule        lower quartile   median   upper quartile",
        *(
            f"  {name:25}{low:15.2f}{middle:10.2f}{high:15.2f}"
            for name, (low, middle, high) in ((name, quartiles[name]) for name in NUMBERS)
        ),
        f"More averse to inequality than Nash: {found['more_averse_than_nash']:.0%} of people",
        "Mean log loss of nine choices a person that were not fitted",
        *(f"  {name:25}{loss[name]:.3f}" for name in RIVALS),
    ]
    return "\n".join(lines)


def draw(types: wf.Types, deciders: wf.Deciders, path: Path) -> None:
    """Show the types among everybody's own rules, and everybody on the line of powers."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    wf.plots.types(types, left, individuals=deciders)
    wf.plots.individuals(deciders, right)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path = pages.HERE) -> None:
    """Learn, tell, draw, and keep the results."""
    types, deciders, found = learn()
    story = tell(found)
    print(story)
    draw(types, deciders, folder / "dictator_types.png")
    pages.keep("dictator_types", found, story, folder)


if __name__ == "__main__":
    main()

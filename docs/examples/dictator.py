"""Learn how selfish people who share money are, and how averse to inequality."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

import data
import pages
import welfarist as wf

X, Y = ["self_x", "other_x"], ["self_y", "other_y"]


def learn() -> tuple[pd.DataFrame, wf.FitResult, dict[str, Any]]:
    """Fit one rule to everybody's choices, and see what it expects in each game."""
    table = data.read("dictator/choices.csv")
    took_x = table["choice_x"] == 1
    choices = wf.Comparisons.from_arrays(table[X], table[Y], took_x, by=table["person"])
    learner = wf.ComparisonClassifier().fit(choices)
    fit = learner.result_
    selfish = wf.ComparisonClassifier(p=1, weights=[1, 0]).fit(choices).result_
    table["expected"] = learner.predict_proba(choices)[:, 1]
    table["expects_right"] = (table["expected"] > 0.5) == took_x
    table["takes_more"] = (table["self_x"] > table["self_y"]) == took_x
    table["helps"] = (table["other_x"] > table["other_y"]) == took_x
    stake = table[table["self_x"] != table["self_y"]]  # own money depends on the choice
    cost = stake[stake["other_x"] < stake["other_y"]]  # x never has less for self than y
    free = table[table["self_x"] == table["self_y"]]
    games = table.groupby([*X, *Y], as_index=False)[["choice_x", "expected"]].mean()
    surprise = (games["choice_x"] - games["expected"]).abs()
    people = table["person"].nunique()  # each decided every game once
    by_chance = (games["expected"] * (1 - games["expected"]) / people) ** 0.5
    weights = fit.interval("weights", covariance="clustered")
    found = {
        "choices": len(table),
        "people": people,
        "games": len(games),
        "games_off": int((surprise > 1.96 * by_chance).sum()),
        "p": {"learned": fit.p, "interval": fit.interval("p", covariance="clustered")},
        "tau": {"learned": fit.tau, "interval": fit.interval("tau", covariance="clustered")},
        "weight_of_other": {"learned": fit.weights[1], "interval": list(weights[1])},
        "worth": {str(ratio): worth(fit.welfare, ratio) for ratio in (0.5, 1, 2, 4)},
        "mean_loss": {"learned": fit.loss, "selfish": selfish.loss},
        "right": {"learned": fit.accuracy, "selfish": selfish.accuracy},
        "right_at_stake": {
            "learned": stake["expects_right"].mean(),
            "selfish": stake["takes_more"].mean(),
        },
        "helps_for_free": free["helps"].mean(),
        "never_helps_at_a_cost": int(cost.groupby("person")["takes_more"].all().sum()),
        "surprises": games.loc[surprise.nlargest(3).index].to_dict("records"),
    }
    return games, fit, pages.rounded(found)


def worth(rule: wf.WelfareFunction, ratio: float) -> float:
    """Own money worth one unit of the other's, to somebody who has `ratio` times as much."""
    own, other = rule.shares([ratio, 1.0])  # of one percent more
    return float(other / 1.0 / (own / ratio))


def tell(found: dict[str, Any]) -> str:
    """Put the results into words."""
    p, other = found["p"], found["weight_of_other"]
    lines = [
        f"Mostly selfish, the other counts {other['learned']:.2f} (95% interval "
        "{:.2f} to {:.2f}), ".format(*other["interval"])
        + f"and about as averse to inequality as Nash, p = {p['learned']:.2f} ("
        "{:.2f} to {:.2f}).".format(*p["interval"]),
        "",
        f"Learned from {found['choices']} choices of {found['people']} people; "
        "intervals are clustered by person",
        "What one unit for the other is worth, in own units, to somebody",
        f"  with half as much         {found['worth']['0.5']:.2f}",
        f"  with the same             {found['worth']['1']:.2f}",
        f"  with twice as much        {found['worth']['2']:.2f}",
        f"  with four times as much   {found['worth']['4']:.2f}",
        "How well choices are explained       learned rule   always selfish",
        *(
            f"  {words:35}{found[name]['learned']:.3f}          {found[name]['selfish']:.3f}"
            for words, name in (
                ("mean loss (less is better)", "mean_loss"),
                ("right (indifferent: half)", "right"),
                ("right where own money is at stake", "right_at_stake"),
            )
        ),
        f"Helped where it cost nothing: {found['helps_for_free']:.0%} of choices",
        f"Never helped where it cost something: {found['never_helps_at_a_cost']} people",
        f"More people differ from the rule than chance explains in {found['games_off']} of "
        f"{found['games']} games",
        "Largest surprises: how many took the first (self, other)",
        *(
            "  ({self_x}, {other_x}) or ({self_y}, {other_y}): {choice_x:.0%}, "
            "by the rule {expected:.0%}".format(**game)
            for game in found["surprises"]
        ),
    ]
    return "\n".join(lines)


def draw(games: pd.DataFrame, fit: wf.FitResult, path: Path) -> None:
    """Show the shares the rule expects against those observed, and what it finds equally good."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
    free = games["self_x"] == games["self_y"]
    costly = ~free & (games["other_x"] < games["other_y"])
    for name, kind, mark, colour in (
        ("helping is free", free, "D", "#009E73"),
        ("helping costs", costly, "o", "#D55E00"),
        ("nobody loses by the first", ~free & ~costly, "s", "#0072B2"),
    ):
        left.plot("expected", "choice_x", mark, data=games[kind], label=name, color=colour)
    left.plot([0, 1], [0, 1], color="grey", linewidth=1, zorder=0)
    left.set_xlabel("share the rule expects to take the first option")
    left.set_ylabel("share who took it")
    left.legend(frameon=False)
    left.spines[["top", "right"]].set_visible(False)
    wf.plots.indifference(fit, ("self", "other"), right, through=[(600, 600)])
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path = pages.HERE) -> None:
    """Learn, tell, draw, and keep the results."""
    games, fit, found = learn()
    story = tell(found)
    print(story)
    draw(games, fit, folder / "dictator.png")
    pages.keep("dictator", found, story, folder)


if __name__ == "__main__":
    main()

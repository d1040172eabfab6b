"""Learn which rule groups follow who chose where to travel together."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import chi2

import data
import pages
import welfarist as wf

DOCTRINES = ("utilitarian", "Nash", "egalitarian")
RECOMMENDERS = ("average", "multiplicative", "least misery", "most pleasure")


@dataclass(frozen=True)
class Groups:
    """What everybody thinks of every destination, group by group, and what each group chose.

    Attributes
    ----------
    utilities : (groups x destinations, 5) array
        Ratings of the members; NaN in the columns of members whom a smaller group does not have.
    menus : (groups, destinations) array
        The rows of each group: it chose among its own.
    rankings : list of [first choices, second choices]
        Rows; several where a group named more than one, which are tied.
    """

    utilities: np.ndarray
    menus: np.ndarray
    rankings: list[list[list[int]]]

    @property
    def sizes(self) -> np.ndarray:
        """How many members each group has."""
        return (~np.isnan(self.utilities[self.menus[:, 0]])).sum(axis=1)

    def first(self) -> wf.Choices:
        """What each group chose first."""
        chosen = [first[0] for first, _ in self.rankings]
        return wf.Choices(self.utilities, self.menus, chosen, absent=True)

    def ranked(self) -> wf.Choices:
        """First and second choices, above eight others that were not ranked."""
        return wf.Choices.from_rankings(self.utilities, self.rankings, self.menus, absent=True)


def read() -> Groups:
    """Read the groups of whom everybody has rated every destination."""
    rated = data.read("tourism/ratings.csv").pivot_table(
        index="user", columns="item", values="rating"
    )
    members = data.read("tourism/members.csv").groupby("group")["user"].apply(list)
    named = data.read("tourism/choices.csv").groupby(["group", "rank"])["item"].apply(list)
    most, table, rankings = int(members.str.len().max()), [], []
    for group, users in members.items():
        ratings = rated.reindex(users).to_numpy()
        if np.isnan(ratings).any():
            continue
        first = len(table)
        nobody = [np.nan] * (most - len(users))
        table += [[*column, *nobody] for column in ratings.T]
        rankings.append(
            [[first + rated.columns.get_loc(d) for d in named[group, k]] for k in (1, 2)]
        )
    menus = np.arange(len(table)).reshape(len(rankings), -1)
    return Groups(np.array(table), menus, rankings)


def by_size(groups: Groups, first: wf.Choices, together: wf.FitResult) -> dict[str, Any]:
    """Fit p and tau to the groups of each size, and test one rule for all of them."""
    parts, gained = {}, -together.llf
    for size in np.unique(groups.sizes):
        fit = learned(first[groups.sizes == size])
        gained += fit.llf
        parts[str(size)] = {
            "groups": int((groups.sizes == size).sum()), "p": fit.p, "tau": fit.tau,
        }  # fmt: skip
    degrees = 2 * (len(parts) - 1)
    test = {"statistic": 2 * gained, "p_value": float(chi2.sf(2 * gained, degrees))}
    return {"sizes": parts, "one_rule": test}


def learned(choices: wf.Choices, **options: Any) -> wf.FitResult:
    """Fit a rule that weighs everybody equally; caveats are what the page is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        # Small groups are few: what is charged for that would spoil a sum of likelihoods.
        return (
            wf.ChoiceLearner(weights="equal", small_sample="none", **options).fit(choices).result_
        )


def learn() -> tuple[wf.FitResult, wf.SideBySide, dict[str, Any]]:
    """Fit first choices and rankings, and hold the rules of recommenders against them."""
    groups = read()
    first, ranked = groups.first(), groups.ranked()
    fit, both = learned(first), learned(ranked)
    stages = both.stages()
    rules = {"learned": wf.ChoiceLearner(weights="equal"), **{name: name for name in RECOMMENDERS}}
    beside = wf.compare(rules, first, folds=len(first), progress=False)
    found = {
        "groups": len(first),
        "destinations": groups.menus.shape[1],
        "tied": sum(len(place) > 1 for ranking in groups.rankings for place in ranking),
        "p": {"learned": fit.p, "interval": fit.interval("p")},
        "tau": fit.tau,
        "log_likelihood": fit.llf,
        "p_values": {name: fit.test(name).p_value for name in DOCTRINES},
        "by_chance": first.chance,
        "rules": {
            row.name: {"right": row.score, "held_out": row.held_out, "loss": row.held_out_log_loss}
            for row in beside.rows
        },
        "ranked": {"p": both.p, "interval": both.interval("p"), "tau": both.tau},
        "stages": {
            "p": stages.p, "taus": list(stages.taus), "statistic": stages.test.statistic,
            "p_value": stages.test.p_value,
        },
        "by_size": by_size(groups, first, fit),
    }  # fmt: skip
    return fit, beside, pages.rounded(found)


def tell(found: dict[str, Any]) -> str:
    """Put the results into words."""
    p, ranked, stages, size = (found[name] for name in ("p", "ranked", "stages", "by_size"))
    right = found["rules"]
    lines = [
        f"Close to the average, but kinder to enthusiasts: p = {p['learned']:.2f}, 95% interval "
        "{:.2f} to {:.2f}.".format(*p["interval"]),
        "",
        f"Learned from {found['groups']} groups, each of which chose one of "
        f"{found['destinations']} destinations; temperature tau {found['tau']:.2f}",
        *(
            f"  {words:40}p-value {pages.p_value(found['p_values'][name])}"
            for words, name in (
                ("as the average would (p = 1)", "utilitarian"),
                ("as the product would (p = 0)", "Nash"),
                ("only for the least happy (p = -inf)", "egalitarian"),
            )
        ),
        "Groups whose first choice a rule names    right   left out   mean log loss, left out",
        *(
            f"  {name:38}{right[name]['right']:7.1%}    {right[name]['held_out']:7.1%}"
            f"   {right[name]['loss']:.3f}"
            for name in ("learned", *RECOMMENDERS)
        ),
        f"  {'picked at random':38}{found['by_chance']:7.1%}",
        "With second choices as well",
        f"  one temperature for both: p = {ranked['p']:.2f} ({{:.2f}} to {{:.2f}}), ".format(
            *ranked["interval"]
        )
        + f"tau {ranked['tau']:.2f}",
        f"  one for each: p = {stages['p']:.2f}, tau {{:.2f}} and {{:.2f}}; ".format(
            *stages["taus"]
        )
        + f"likelihood ratio {stages['statistic']:.1f}, p-value {stages['p_value']:.4f}",
        "By the size of the group",
        *(
            f"  {count} members: {part['groups']:2} groups, p = {part['p']:.2f}, "
            f"tau {part['tau']:.1f}"
            for count, part in size["sizes"].items()
        ),
        f"  one rule for all sizes: likelihood ratio {size['one_rule']['statistic']:.1f}, p-value "
        f"{size['one_rule']['p_value']:.2f}",
    ]
    return "\n".join(lines)


def draw(fit: wf.FitResult, beside: wf.SideBySide, path: Path) -> None:
    """Show how well each power explains the choices, and how often each rule is right."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    wf.plots.profile(fit, left)
    rows = beside.rows[::-1]
    colours = ["#0072B2" if row.name == "learned" else "#999999" for row in rows]
    right.barh([row.name for row in rows], [100 * row.held_out for row in rows], color=colours)
    right.axvline(100 * fit.decided.chance, color="#D55E00", linestyle="--", label="at random")
    right.set_xlabel("first choices named of groups left out, %")
    right.legend(frameon=False)
    right.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path = pages.HERE) -> None:
    """Learn, tell, draw, and keep the results."""
    fit, beside, found = learn()
    story = tell(found)
    print(story)
    draw(fit, beside, folder / "tourism.png")
    pages.keep("tourism", found, story, folder)


if __name__ == "__main__":
    main()

"""The page that says how far intervals and tests can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# What is promised: shares of data sets whose interval holds the truth, and of true nulls rejected.
COVERAGE = (0.93, 0.97)
REJECTION = (0.03, 0.07)


@dataclass(frozen=True)
class Row:
    """How often something happened in one world.

    Attributes
    ----------
    world : str
    what : str
        "interval, profile", "interval, bootstrap" or "true null".
    of : str
        The estimate, or the null.
    share : float
        Of the data sets: those whose interval held the truth, or that rejected the null.
    data_sets : int
    """

    world: str
    what: str
    of: str
    share: float
    data_sets: int

    @property
    def error(self) -> float:
        """The binomial standard error of the share."""
        return float((self.share * (1.0 - self.share) / self.data_sets) ** 0.5)

    @property
    def kept(self) -> bool:
        """Whether the promise is kept: a weight at 0 may be covered more often."""
        low, high = REJECTION if self.what == "true null" else COVERAGE
        return low <= self.share and (self.share <= high or self.at_zero)

    @property
    def at_zero(self) -> bool:
        """Whether this is the interval of the weight that is 0."""
        return self.world.endswith("one weight 0") and self.of == "weight of person 4"


def page(rows: Sequence[Row], data_sets: int, resamples: int, failed: int) -> str:
    """The page in Markdown."""
    broken = [row for row in rows if not row.kept]
    return "\n".join(
        [
            *_head(data_sets, broken),
            *_table("Intervals of 95%", [r for r in rows if r.what != "true null"]),
            *_table("True nulls, rejected at 5%", [r for r in rows if r.what == "true null"]),
            *_setting(data_sets, resamples, failed),
        ]
    )


def menu_page(rows: Sequence[Row], data_sets: int) -> str:
    """The page of choices from menus in Markdown."""
    broken = [row for row in rows if not row.kept]
    named = "; ".join(f"{r.world}: {r.of} ({r.what}) {r.share:.1%}" for r in broken)
    verdict = f"Outside of these bands: {named}." if broken else "Every line is inside its band."
    return "\n".join(
        [
            "# Can intervals from menus be trusted?",
            "",
            "What [the study of scores and comparisons](calibration.md) does, for choices from",
            f"menus and for rankings: {data_sets:,} data sets each, in which the truth is known.",
            "What to expect, said before: intervals between 93% and 97%, rejections of a true null",
            "between 3% and 7%.",
            "",
            verdict,
            "",
            *_table("Intervals of 95%", [r for r in rows if r.what != "true null"]),
            *_table("True nulls, rejected at 5%", [r for r in rows if r.what == "true null"]),
            "## How it was done",
            "",
            "Every data set has 200 new actions for 5 people, with utilities from 1 to 100, evenly",
            "spread in logarithms, p = -0.5, weights 0.3, 0.25, 0.2, 0.15 and 0.1, and tau = 5.",
            "Either 300 choices from random menus of 5, or 60 full rankings of random menus of 10.",
            "Intervals by profile likelihood; tests are likelihood ratios.",
            "",
            f"Data set i has the seed [6, i] or [7, i], for i below {data_sets:,}. The figures",
            "as a table: calibration_menus.csv. To run it again:",
            "",
            "```",
            "python -m benchmarks.calibration --menus --jobs 2",
            "```",
            "",
        ]
    )


def _head(data_sets: int, broken: Sequence[Row]) -> list[str]:
    if broken:
        named = "; ".join(f"{r.world}: {r.of} ({r.what}) {r.share:.1%}" for r in broken)
        verdict = f"Outside of these bands: {named}."
    else:
        verdict = "Every line of both tables is inside its band."
    return [
        "# Can the intervals be trusted?",
        "",
        "A 95% interval should hold the true value in 95 of 100 studies, and a test at 5% should",
        "reject a true doctrine in 5 of 100. Neither is certain: both rest on approximations that",
        "get better with more decisions, and parameters have edges (a weight cannot fall below 0).",
        f"So we simulated {data_sets:,} studies of each kind, in which the truth is known, and",
        "counted. What to expect: intervals between 93% and 97% (for a weight that is truly 0, at",
        "least 93%), rejections of a true null between 3% and 7%.",
        "",
        verdict,
        "",
        "What it means for a user: with data of this size and quality, take `interval(…)` and",
        "`test(…)` at their word. With fewer decisions, more people or more noise, ask",
        '`interval("p", method="bootstrap")` as well: where both ways agree, rely on them.',
        "",
    ]


def _table(title: str, rows: Sequence[Row]) -> list[str]:
    lines = [
        f"## {title}",
        "",
        "| data | what | of | share | standard error |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [f"| {r.world} | {r.what} | {r.of} | {r.share:.1%} | {r.error:.1%} |" for r in rows]
    return [*lines, ""]


def _setting(data_sets: int, resamples: int, failed: int) -> list[str]:
    return [
        "## How it was done",
        "",
        "Every data set has 200 new actions for 5 people, with utilities from 1 to 100, evenly",
        "spread in logarithms. The rule has p = -0.5 and weights 0.3, 0.25, 0.2, 0.15 and 0.1;",
        "with one weight 0 they are 0.4, 0.3, 0.2, 0.1 and 0. Scores are welfare with Gaussian",
        "noise of standard deviation 1, one for each action; comparisons are 1,000 random pairs",
        "under logistic noise with tau = 5. In the egalitarian world p is -inf and weights are",
        "known to be equal, so that the null lies on the edge of the line of powers.",
        "",
        f"Bootstrap intervals rest on {resamples} resamples of decisions, of which {failed} in the",
        "whole study have no estimates. They are percentile intervals, except for tau, whose",
        "estimate is too large on average: percentiles repeat that bias (an early run of 100 data",
        "sets covered 84% to 89%), and basic intervals in the logarithm of tau take it out.",
        "",
        "Tests are likelihood ratios, compared with chi-squared; with a weight of 0 under the",
        "null, or p = -inf with known weights, with a mixture of two of them. Nulls on several",
        "edges at once are compared with samples drawn under the null, which need no approximation",
        "but that of the fitted null itself; they are checked in the tests, not here.",
        "",
        "The highest rejection, 7.0% of all weights (scores, one of them 0), was looked into:",
        "6,500 further data sets of that world, with other seeds, rejected 5.8%, and those of more",
        "decisions or less noise no more often. It is partly chance, and partly that 200 scores",
        "with an estimated variance make chi-squared a little too short.",
        "",
        f"Data set i of world k has the seed [k, i], for k from 1 to 5 and i below {data_sets:,};",
        "its bootstrap the seed i. The same figures as a table: calibration.csv. To run it again,",
        "with as many processes as you have cores:",
        "",
        "```",
        "python -m benchmarks.calibration --jobs 2",
        "```",
        "",
    ]

"""Families on published data: `python -m benchmarks.families_real`, with WELFARIST_DATA set.

Reads the data sets of docs/examples and prints, family by family, the log likelihood (dictator
games) or the BIC less that of the power mean (indices). Criterion, written before any figure was
looked at: the table of the design, made with throw-away code, is reproduced to its digits:
dictator games, one rule for all, Kolm-Pollak -1798.2, power means -1804.5, rank dependent means
-2533.7; indices, Kolm-Pollak: HDI +7,919, GEI +686; rank dependent with p = 1: HDI +8,811. Tourism
is not read: its groups differ in size, and absent people are known of power means only.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import welfarist as wf

ROOT = Path(__file__).parents[1]
# Families with the shape that is held, if one is.
RULES: tuple[tuple[Any, float | None], ...] = (
    ("power", None), ("kolm", None), ("rank", 1.0), ("additive", None),
)  # fmt: skip


def main() -> None:
    """Print the table."""
    sys.path.insert(0, str(ROOT / "docs" / "examples"))
    data, dictator, gei, hdi = map(import_module, ("data", "dictator", "gei", "hdi"))

    warnings.simplefilter("ignore", wf.WelfaristWarning)
    games = data.read("dictator/choices.csv")
    choices = wf.Comparisons.from_arrays(
        games[dictator.X], games[dictator.Y], games["choice_x"] == 1, by=games["person"]
    )
    for family, p in RULES:
        fit = wf.ComparisonClassifier(family=family, p=p).fit(choices).result_
        print(f"dictator, {family}: log likelihood {fit.llf:.1f}, shape {fit.p:.4g}")

    for name, columns, target in (
        ("hdi/hdi.csv", hdi.DIMENSIONS, "hdi"),
        ("gei/gei.csv", gei.DOMAINS, "Gender.Equality.Index"),
    ):
        table = data.read(name)
        if "is_group" in table:
            table = table[~table["is_group"]]
        plain = wf.WelfareRegressor().fit(table[columns], table[target]).result_.bic
        for family, p in RULES[1:3]:
            bic = (
                wf.WelfareRegressor(family=family, p=p)
                .fit(table[columns], table[target])
                .result_.bic
            )
            print(f"{name}, {family}: BIC less power {bic - plain:+,.0f}")


if __name__ == "__main__":
    main()

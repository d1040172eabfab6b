"""Learn whether people who share money mind ratios or differences."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import data
import dictator
import pages
import welfarist as wf

FAMILIES = {"power": "ratios (power mean)", "kolm": "differences (Kolm-Pollak)",
            "additive own": "a curve each, no formula"}  # fmt: skip
WHO = ("oneself", "the other")


def read() -> wf.Comparisons:
    """Read the choices, and who made them."""
    games = data.read("dictator/choices.csv")
    return wf.Comparisons.from_arrays(
        games[dictator.X], games[dictator.Y], games["choice_x"] == 1, by=games["person"]
    )


def learn() -> tuple[dict[str, wf.FitResult], dict[str, Any]]:
    """Fit each family to all choices, and test both invariances."""
    choices = read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)  # where a curve is flat
        fits = {
            name: wf.ComparisonClassifier(family=name).fit(choices).result_ for name in FAMILIES
        }
        axioms = fits["power"].axioms()
    kolm, own = fits["kolm"], fits["additive own"]
    low, high = kolm.interval("alpha")
    levels = np.array([200.0, 400.0, 800.0])
    found = {
        "choices": len(choices),
        "people": len(np.unique(choices.by)),
        "log_likelihood": {name: fit.llf for name, fit in fits.items()},
        "bic": {name: fit.bic for name, fit in fits.items()},
        "numbers": {name: fit.likelihood.parameters for name, fit in fits.items()},
        "p": fits["power"].p,
        "alpha": kolm.p,
        "doubling": {"gap": np.log(2) / kolm.p, "interval": [np.log(2) / high, np.log(2) / low]},
        "p_values": {name: axioms[name].p_value for name in
                     ("scale invariance", "translation invariance")},
        "pieces": own.family.pieces,
        "levels": list(levels),
        "worth": {who: list(worth(own, levels, place)) for place, who in enumerate(WHO)},
    }  # fmt: skip
    return fits, pages.rounded(found)


def worth(own: wf.FitResult, levels: np.ndarray, person: int) -> np.ndarray:
    """What one more unit counts for, beside a unit for oneself at the middle of one's scale."""
    family: Any = own.family
    knots = [np.array(one) for one in family.knots]

    def counts(at: np.ndarray, who: int) -> np.ndarray:
        share = own.weights[who] / np.ptp(knots[who])
        return np.asarray(family.marginal(at, own.p, who) * share)

    middle = counts(np.array([np.mean(knots[0][[0, -1]])]), 0)
    return np.asarray(counts(levels, person) / middle)


def tell(found: dict[str, Any]) -> str:
    """Put the results into words."""
    bic, numbers = found["bic"], found["numbers"]
    gap, tests = found["doubling"], found["p_values"]
    gained = bic["power"] - bic["kolm"]
    low, high = gap["interval"]
    lines = [
        f"More about differences than about ratios: a BIC lower by {gained:.1f}; yet "
        "both are rejected, and curves without a formula are better still.",
        "",
        f"Learned from {found['choices']} choices of {found['people']} people",
        "What counts                    numbers   log likelihood      BIC",
        *(
            f"  {words:28}{numbers[name]:8}{found['log_likelihood'][name]:17.1f}{bic[name]:9.1f}"
            for name, words in FAMILIES.items()
        ),
        f"Power mean: p = {found['p']:.2f}; Kolm-Pollak: a gain counts twice as much for somebody "
        f"who has {gap['gap']:.0f} less ({low:.0f} to {high:.0f})",
        "Nothing but ratios counts: p-value " + _small(tests["scale invariance"]),
        "Nothing but differences counts: p-value " + _small(tests["translation invariance"]),
        f"Curves of {found['pieces']} pieces: what one more counts for, beside one for oneself in "
        "the middle",
        "  at a payoff of            " + "".join(f"{level:8.0f}" for level in found["levels"]),
        *(f"  {who:26}" + "".join(f"{one:8.2f}" for one in found["worth"][who]) for who in WHO),
    ]
    return "\n".join(lines)


def _small(value: float) -> str:
    """A p-value as a power of ten or so."""
    return f"{value:.1g}" if value < 0.01 else f"{value:.2f}"


def draw(fits: dict[str, wf.FitResult], path: Path) -> None:
    """Show what a unit counts for under each family."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    known: Any = fits["power"].decided
    low, high = np.quantile(known.utilities, [0.01, 0.99])
    levels = np.linspace(low, high, 300)
    curves = {
        "ratios, u^(p \N{MINUS SIGN} 1)": (levels ** (fits["power"].p - 1.0), "#0072B2"),
        "differences, e^(\N{MINUS SIGN}alpha u)": (np.exp(-fits["kolm"].p * levels), "#E69F00"),
    }
    for name, (curve, colour) in curves.items():
        left.plot(levels, curve / curve.mean(), label=name, color=colour, linewidth=2.2)
    left.set_ylim(bottom=0)
    left.set_xlabel("payoff")
    left.set_ylabel("what one more unit counts for\n(1: the mean over payoffs)")
    left.set_title("One curve for both, weights beside it")
    left.legend(frameon=False)
    left.spines[["top", "right"]].set_visible(False)
    wf.plots.unit_worth(fits["additive own"], right)
    for line, who in zip(right.get_lines(), WHO, strict=False):
        line.set_label(who)
    right.set_xlabel("payoff")
    right.set_title("Without a formula, a curve each")
    right.legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(folder: Path = pages.HERE) -> None:
    """Learn, tell, draw, and keep the results."""
    fits, found = learn()
    story = tell(found)
    print(story)
    draw(fits, folder / "ratios.png")
    pages.keep("ratios", found, story, folder)


if __name__ == "__main__":
    main()

"""What becomes of menus that are read as pairs? `python -m benchmarks.menus_as_pairs`.

Rankings of menus are simulated from a known rule, and read in six ways: as what they are, and as
independent pairs. How far p is off, how far the standard error says, and how often 95% intervals
hold the truth, goes into a table of docs/explanation/menus.md. Takes some minutes of one core.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import welfarist as wf

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "menus.md"
START, END = "<!-- pairs -->", "<!-- /pairs -->"

POWER, TAU = -1.0, 5.0
ACTIONS, PEOPLE, MENUS, SIZE = 200, 3, 60, 10
WORLDS = 100

Rankings = np.ndarray
Reading = Callable[[np.ndarray, Rankings], wf.Choices]


def first_choices(utilities: np.ndarray, rankings: Rankings) -> wf.Choices:
    """The best of each menu."""
    return wf.Choices(utilities, rankings, rankings[:, 0])


def top_three(utilities: np.ndarray, rankings: Rankings) -> wf.Choices:
    """The first three, above the others."""
    return wf.Choices.from_rankings(utilities, rankings[:, :3], rankings)


def best_and_worst(utilities: np.ndarray, rankings: Rankings) -> wf.Choices:
    """The best of each menu, and the worst."""
    return wf.Choices.from_best_worst(utilities, rankings, rankings[:, 0], rankings[:, -1])


def full_rankings(utilities: np.ndarray, rankings: Rankings) -> wf.Choices:
    """One choice after another."""
    return wf.Choices.from_rankings(utilities, rankings)


def chosen_against_others(utilities: np.ndarray, rankings: Rankings) -> wf.Choices:
    """The best of each menu against every other, as if these pairs were independent."""
    pairs = np.stack([np.repeat(rankings[:, :1], SIZE - 1, axis=1), rankings[:, 1:]], axis=-1)
    return _as_pairs(utilities, pairs.reshape(-1, 2))


def all_pairs(utilities: np.ndarray, rankings: Rankings) -> wf.Choices:
    """Every action of a ranking against every one below it, as if these pairs were independent."""
    above, below = np.triu_indices(SIZE, 1)
    return _as_pairs(
        utilities, np.stack([rankings[:, above], rankings[:, below]], axis=-1).reshape(-1, 2)
    )


def _as_pairs(utilities: np.ndarray, pairs: np.ndarray) -> wf.Choices:
    return wf.Choices(utilities, pairs, pairs[:, 0])


READINGS: dict[str, Reading] = {
    "first choice": first_choices,
    "first choice, as pairs with all others": chosen_against_others,
    "first three": top_three,
    "best and worst": best_and_worst,
    "full ranking": full_rankings,
    "full ranking, as all its pairs": all_pairs,
}


def simulated(seed: int) -> tuple[np.ndarray, Rankings]:
    """Utilities, and rankings (menus, actions) of a decision maker with a known rule."""
    world = wf.simulate.individuals(ACTIONS, PEOPLE, p=POWER, random_state=seed)
    menus = wf.simulate.random_menus(ACTIONS, MENUS, SIZE, random_state=seed)
    rng = np.random.default_rng([seed, 1])
    value = TAU * np.log(world.welfare)[menus] + rng.gumbel(size=menus.shape)
    return world.utilities, np.take_along_axis(menus, np.argsort(-value, axis=1), axis=1)


def judged(choices: wf.Choices) -> tuple[float, float, bool]:
    """The learned p, its standard error, and whether its interval holds the truth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.WelfaristWarning)
        result = wf.ChoiceLearner(random_state=0).fit(choices).result_
    try:
        low, high = result.interval("p")
    except wf.InputError:  # the profile met another optimum, far out
        low, high = result.interval("p", method="wald")
    error = float(np.ma.filled(result.bse[0], np.nan))
    return result.p, error, bool(low <= POWER <= high)


def measured(worlds: int) -> dict[str, list[tuple[float, float, bool]]]:
    """What each reading makes of each world."""
    found: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in READINGS}
    for seed in range(worlds):
        utilities, rankings = simulated(seed)
        for name, reading in READINGS.items():
            found[name].append(judged(reading(utilities, rankings)))
    return found


def table(found: dict[str, list[tuple[float, float, bool]]]) -> str:
    """The table of the page: half widths are medians, since p may run far out."""
    lines = [
        "| read as | how far p is off | how far it says | 95% intervals that hold the truth |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, rows in found.items():
        p, error, held = (np.array(column) for column in zip(*rows, strict=True))
        off = float(np.median(np.abs(p - POWER)) / 0.6745)
        lines.append(f"| {name} | {off:.2f} | {np.nanmedian(error):.2f} | {held.mean():.0%} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and rewrite the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=WORLDS)
    worlds = parser.parse_args().worlds
    made = table(measured(worlds))
    print(made)
    if worlds == WORLDS and PAGE.is_file():
        text = PAGE.read_text(encoding="utf-8")
        before, rest = text.split(START)
        after = rest.split(END)[1]
        PAGE.write_text(f"{before}{START}\n{made}\n{END}{after}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

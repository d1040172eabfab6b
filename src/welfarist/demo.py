"""The main job in small: learn a charity's rule from its past decisions. Run with ``make demo``."""

from __future__ import annotations

import numpy as np

from welfarist.decisions import Comparisons
from welfarist.doctrines import DOCTRINES
from welfarist.learners import ComparisonClassifier
from welfarist.welfare import WelfareFunction

STAKEHOLDERS = ("donors", "volunteers", "recipients")
ACTIONS = {
    "downtown pantry": (9.0, 8.0, 2.0),
    "east side shelter": (5.0, 4.0, 6.0),
    "rural food bank": (3.0, 2.5, 14.0),
}
# What the made-up charity follows; the learner does not see it.
TRUTH = WelfareFunction(p=-0.5, weights=(0.2, 0.3, 0.5), stakeholders=STAKEHOLDERS)
TEMPERATURE = 12.0


def main() -> None:
    """Print what doctrines would decide, what the charity decided, and what that reveals."""
    names, table = list(ACTIONS), list(ACTIONS.values())
    print("A charity has one delivery and three places to bring it to.")
    print("What each choice is worth to those affected:\n")
    print(f"  {'':20}" + "".join(f"{name:>12}" for name in STAKEHOLDERS))
    for action, utilities in ACTIONS.items():
        print(f"  {action:20}" + "".join(f"{u:12.1f}" for u in utilities))
    print("\nWhich is best depends on the welfare function (everybody counting the same):\n")
    for doctrine in DOCTRINES:
        best = WelfareFunction(doctrine.p, stakeholders=STAKEHOLDERS).rank(table)[0]
        print(f"  {doctrine.name:12} p = {doctrine.p:4g}   {names[best]:18} {doctrine.meaning}")
    decisions = past_decisions()
    print(f"\nWhich rule does this charity follow? It made {len(decisions)} decisions in the past")
    print("(simulated here, with errors), each a choice between two deliveries:\n")
    learned = ComparisonClassifier().fit(decisions)
    print(learned.result_.summary())
    truth = ", ".join(f"{w:g}" for w in TRUTH.weights)  # type: ignore[union-attr]
    print(f"\nThe rule behind the simulation was p = {TRUTH.p:g} with weights {truth}.")
    rule = learned.welfare_
    best = rule.rank(table)[0]
    print(f"The learned rule would now choose the {names[best]}; what counted there:")
    for name, share in zip(STAKEHOLDERS, rule.shares(table[best]), strict=True):
        print(f"  {name:12} {share:4.0%} of the welfare at the margin")
    print("\nNext: the README's example, with your own table of utilities and decisions.")


def past_decisions(count: int = 300) -> Comparisons:
    """Simulated choices of the charity between pairs of past deliveries."""
    rng = np.random.default_rng(2024)
    utilities = rng.uniform(1, 15, (120, 3))
    first = rng.integers(0, 120, count)
    pairs = np.column_stack([first, (first + rng.integers(1, 120, count)) % 120])
    welfare = TRUTH.log(utilities)
    difference = welfare[pairs[:, 0]] - welfare[pairs[:, 1]]
    outcomes = np.sign(difference + rng.logistic(scale=1 / TEMPERATURE, size=count))
    made = Comparisons(utilities, pairs, outcomes)
    made.stakeholders = STAKEHOLDERS
    return made


if __name__ == "__main__":
    main()

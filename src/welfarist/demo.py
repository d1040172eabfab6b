"""A first look: three doctrines judge the same decision. Run with ``make demo``."""

from __future__ import annotations

from welfarist.doctrines import DOCTRINES
from welfarist.welfare import WelfareFunction

STAKEHOLDERS = ("donors", "volunteers", "recipients")
ACTIONS = {
    "downtown pantry": (9.0, 8.0, 2.0),
    "east side shelter": (5.0, 4.0, 6.0),
    "rural food bank": (3.0, 2.5, 14.0),
}


def main() -> None:
    """Print how each doctrine ranks the built-in example."""
    print("A charity has one delivery and three places to bring it to.")
    print("What each choice is worth to those affected:\n")
    print(f"  {'':20}" + "".join(f"{name:>12}" for name in STAKEHOLDERS))
    for action, utilities in ACTIONS.items():
        print(f"  {action:20}" + "".join(f"{u:12.1f}" for u in utilities))
    print("\nWhich is best depends on the welfare function (everybody counting the same):\n")
    names, table = list(ACTIONS), list(ACTIONS.values())
    for doctrine in DOCTRINES:
        rule = WelfareFunction(doctrine.p, stakeholders=STAKEHOLDERS)
        best = rule.rank(table)[0]
        print(f"  {doctrine.name:12} p = {doctrine.p:4g}   {names[best]:18} {doctrine.meaning}")
    rule = WelfareFunction(0.4, weights=(0.2, 0.3, 0.5), stakeholders=STAKEHOLDERS)
    best = rule.rank(table)[0]
    print(f"\nA rule of your own: {rule}")
    print(f"It is {rule.doctrine}, has inequality aversion {rule.inequality_aversion:g},")
    print(f"and would choose the {names[best]} (welfare {rule(table[best]):.3f}).")
    print("\nNext: type `.venv/bin/python` and follow the README's example with your own numbers.")


if __name__ == "__main__":
    main()

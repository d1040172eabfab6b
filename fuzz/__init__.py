"""A permanent fuzzer: attacks on the package with seeded, random input.

``python -m fuzz`` (or ``make fuzz``) runs all of them for a while, goes on where the last run
stopped, and saves every case that brings up something wrong as a small file. Moved to
``tests/fuzz/cases/``, such a file is a test.

A new attack is a class with the interface of :class:`fuzz.attack.Attack` in a module of its own,
and a line in `ATTACKS`.
"""

from __future__ import annotations

from importlib import import_module

from fuzz.attack import Attack

# Where the class of each attack is, by the attack's name.
ATTACKS = {
    "problems": "fuzz.problems:Problems",
    "menus": "fuzz.menus:MenuProblems",
    "damaged-files": "fuzz.damaged_files:DamagedFiles",
    "damaged-menus": "fuzz.damaged_menus:DamagedMenus",
}


def attack_called(name: str) -> Attack:
    """Return the attack of a name."""
    module, _, made = ATTACKS[name].partition(":")
    found: Attack = getattr(import_module(module), made)()
    return found

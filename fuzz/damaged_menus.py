"""Files of choices from menus that were damaged on their way, in every layout that is read."""

from __future__ import annotations

from typing import Any

from fuzz import sound_files
from fuzz.damaged_files import Case, DamagedFiles, Rng, Written

_COMMANDS = ("fit", "fit", "fit", "compare")
_LAYOUTS = ("listed", "rows", "ranked", "long", "long")
_ROWS = 25


class DamagedMenus(DamagedFiles):
    """Commands that learn from choices, on small files, one of which is damaged."""

    name = "damaged-menus"

    def draw(self, rng: Rng) -> Case:
        """Return a command, and the files that it reads, as bytes in base 64."""
        command = _COMMANDS[int(rng.integers(len(_COMMANDS)))]
        layout = _LAYOUTS[int(rng.integers(len(_LAYOUTS)))]
        actions = sound_files.actions(rng, int(rng.integers(2, 4)), score=False)
        absent, outside = bool(rng.random() < 0.15), bool(rng.random() < 0.15)
        if absent:
            actions["person_0"] = [None, *actions["person_0"][1:]]
        decided = _decided(rng, actions, layout, outside and layout != "ranked")
        tables = {"actions": decided} if layout == "long" else {
            "actions": actions, "choices": decided,
        }  # fmt: skip
        made = Written.of(rng, tables, [])
        damage = made.strike(rng)
        typed = [command, made.arguments["actions"], *made.told]
        typed += ["--long"] if layout == "long" else ["--choices", made.arguments["choices"]]
        typed += ["--absent"] if absent else []
        typed += ["--outside"] if outside else []
        return made.case([*typed, *_options(rng, command, layout)], damage)


def _options(rng: Rng, command: str, layout: str) -> list[str]:
    """What else is typed."""
    typed = ["--by", "by"] if layout == "listed" and rng.random() < 0.1 else []
    typed += ["--drop-missing"] if rng.random() < 0.1 else []
    if command == "compare":
        return [*typed, "--folds", "0", "--doctrines", "Nash", "--latex", "table.tex"]
    if layout == "ranked" and rng.random() < 0.2:
        typed += ["--tau-by-stage"]
    if rng.random() < 0.2:
        typed += ["--noise", str(rng.choice(["lapse", "none", "flip"])), "--weights", "equal"]
    typed += ["--save", "model.json"] if rng.random() < 0.7 else []
    typed += ["--report", "report.html"] if rng.random() < 0.05 else ["--no-intervals"]
    return [*typed, "--json"] if rng.random() < 0.3 else typed


def _decided(
    rng: Rng, actions: sound_files.Columns, layout: str, outside: bool
) -> sound_files.Columns:
    """Choices from menus of the actions, in a layout."""
    names = actions["action"]
    menus = [rng.permutation(len(names))[: int(rng.integers(3, 6))].tolist() for _ in range(_ROWS)]
    first: list[Any] = [menu[int(rng.integers(len(menu)))] for menu in menus]
    if outside:
        first = [None if rng.random() < 0.2 else one for one in first]
    if layout == "listed":
        table: sound_files.Columns = {
            "menu": [";".join(names[a] for a in menu) for menu in menus],
            "chosen": ["" if one is None else names[one] for one in first],
        }
        return {**table, "by": [f"judge {i % 9}" for i in range(_ROWS)]}
    if layout == "ranked":
        ends = ("first", "second", "third")
        return {end: [names[menu[i]] for menu in menus] for i, end in enumerate(ends)}
    rows = [(number, a) for number, menu in enumerate(menus) for a in menu]
    found: sound_files.Columns = {
        "menu": [number + 1 for number, _ in rows],
        "action": [names[a] for _, a in rows],
        "chosen": [int(first[number] == a) for number, a in rows],
    }
    if layout == "rows":
        return found
    people = [name for name in actions if name != "action"]
    return {**found, **{name: [actions[name][a] for _, a in rows] for name in people}}

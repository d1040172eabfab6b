"""The rooms of the house: imports point one way, late and type-only ones too."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "welfarist"

# Each room knows those before it, never those after it.
ROOMS = (
    "base",
    "families",
    "people",
    "decisions",
    "noise",
    "losses",
    "proofs",
    "solvers",
    "counting",
    "paper",
    "inference",
    "checks",
    "results",
    "learners",
    "deciders",
    "asking",
    "comparing",
    "recommending",
    "allocating",
    "simulate",
    "bounds",
    "files",
    "show",
    "app",
    "web",
    "cli",
)
MOST_ENTRIES = 29
# The ways in know all rooms.
DOORS = ("welfarist", "welfarist.__main__")
SINGLE_FILES = {"__init__.py", "__main__.py", "py.typed"}


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()
ORDER = {room: place for place, room in enumerate(ROOMS)}


def imports(path: Path) -> set[str]:
    """Every module of the package that a file imports, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "welfarist":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else str(node.module))
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name in MODULES)
    return found


GRAPH = {name: imports(path) for name, path in MODULES.items()}


def room_of(module: str) -> str:
    return module.split(".")[1]


def test_every_room_has_its_place_in_the_order():
    entries = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert len(entries) <= MOST_ENTRIES
    assert {name for name in entries if (PACKAGE / name).is_file()} <= SINGLE_FILES
    assert {name for name in entries if (PACKAGE / name).is_dir()} == set(ROOMS)


def test_no_import_points_to_a_later_room():
    wrong = [
        f"{module} imports {other}"
        for module, others in GRAPH.items()
        for other in others
        if module not in DOORS
        and ("." not in other or ORDER[room_of(other)] > ORDER[room_of(module)])
    ]
    assert not wrong, "\n".join(wrong)


def test_no_modules_import_each_other_in_a_circle():
    left = {name: {o for o in others if o in GRAPH} for name, others in GRAPH.items()}
    for door in DOORS:
        del left[door]
    while free := [name for name, others in left.items() if not others & set(left)]:
        for name in free:
            del left[name]
    circles = [f"{name} -> {', '.join(sorted(o & set(left)))}" for name, o in left.items()]
    assert not circles, "\n".join(circles)

"""How long commands take to start: `python -m benchmarks.startup`, in about half a minute.

CPU time (user and system) of whole processes, the least of several, taken in turn so that a busy
machine is busy for all of them. `python -c pass` is the floor. What libraries take that every
command needs stands beside it: the parser of options, and NumPy where something is worked out.
What is to be kept on an idle core: help within 0.15 s, and `rank` of a small file within 0.5 s.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

REPEATS = 15
LIMITS = {"welfarist --help": 0.15, "welfarist rank": 0.5, "welfarist rank --model": 0.5}
MODEL = """{"format": "welfarist.Model", "version": 1, "welfarist": "", "kind": "comparisons",
"p": -1.0, "weights": [{"stakeholder": "a", "weight": 0.5}, {"stakeholder": "b", "weight": 0.5}],
"tau": 10.0, "rho": null, "scale": null, "decisions": 100.0, "loss": 0.3, "accuracy": 0.9,
"r_squared": null, "converged": true, "given": [], "intervals": {}, "caveats": []}
"""


def commands(folder: Path) -> dict[str, list[str]]:
    """What is measured, by name."""
    actions, model = folder / "actions.csv", folder / "model.json"
    rows = [f"action {i},{i % 7 + 1},{i % 5 + 1}" for i in range(50)]
    actions.write_text("\n".join(["action,a,b", *rows]) + "\n")
    model.write_text(MODEL)
    ours = ["-m", "welfarist"]
    return {
        "python -c pass": ["-c", "pass"],
        "import typer": ["-c", "import typer"],
        "import numpy": ["-c", "import numpy"],
        "welfarist --help": [*ours, "--help"],
        "welfarist fit --help": [*ours, "fit", "--help"],
        "welfarist rank": [*ours, "rank", str(actions), "--doctrine", "Nash"],
        "welfarist rank --model": [*ours, "rank", str(actions), "--model", str(model)],
    }


def seconds(arguments: list[str]) -> float:
    """CPU time of one process, with its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure everything and print it beside what is to be kept."""
    with tempfile.TemporaryDirectory() as name:
        measured = commands(Path(name))
        taken = {what: [] for what in measured}  # type: dict[str, list[float]]
        for _ in range(REPEATS):
            for what, arguments in measured.items():
                taken[what].append(seconds(arguments))
    floor = min(taken["python -c pass"])
    for what, times in taken.items():
        limit = f", to be kept below {LIMITS[what]:g} s" if what in LIMITS else ""
        print(f"{what}: {min(times):.3f} s, {min(times) / floor:.0f} times the floor{limit}")


if __name__ == "__main__":
    main()

"""The command `welfarist`: from files to an answer without writing code.

One module a command. A new one goes into a module of its own, with a function of its name and an
EXAMPLE, and into the list in `app`.
"""

from __future__ import annotations

import importlib.util
import sys

INTERRUPTED = 130  # what shells report of a program that was stopped from the keyboard
_NEEDED = ("typer", "rich", "polars")


def main() -> None:
    """Run the command line, or say what to install for it."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"The command line needs the package {missing[0]}; found none. "
            'pip install "welfarist[cli]"',
            file=sys.stderr,
        )
        sys.exit(1)
    try:
        from welfarist.cli.app import run  # which takes a second, in which somebody may stop it

        run()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)

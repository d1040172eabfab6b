"""The command `welfarist`: from files to an answer without writing code.

One module a command: it says which options there are, has the work done by its module in
`welfarist.app`, and prints. A new one goes into a module of its own, with a function of its name
and an EXAMPLE, and into the list in `app`. Work is imported when it is to be done, because it takes
a second to import, which nobody waits for who asks for help.
"""

from __future__ import annotations

import os
import sys

from welfarist.cli.exit_codes import INTERRUPTED

_NEEDED = ("typer", "rich", "polars")


def main() -> None:
    """Run the command line, or say what to install for it.

    All imports are inside, even short ones: whoever stops a command right away is no error.
    """
    try:
        if sys.getfilesystemencoding() == "ascii" and not sys.flags.utf8_mode:
            _start_again_in_utf8()
        from welfarist.cli.ending import run_to_end

        run_to_end(_run)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _start_again_in_utf8() -> None:
    """Take what was typed for UTF-8 where nothing else is known, as Python does by itself.

    Names beyond ASCII could be neither read from a command nor found among files.
    """
    options = ["-X", "utf8", "-m", "welfarist", *sys.argv[1:]]
    os.execv(sys.executable, [sys.executable, *options])


def _run() -> None:
    import importlib.util

    from welfarist.cli.leaving import ready_to_leave

    with ready_to_leave():
        os.environ.pop("MPLBACKEND", None)  # which is about windows, and no command opens one
        missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            print(
                f"The command line needs the package {missing[0]}; found none. "
                'pip install "welfarist[cli]"',
                file=sys.stderr,
            )
            sys.exit(1)
        from welfarist.cli.app import run

        run()

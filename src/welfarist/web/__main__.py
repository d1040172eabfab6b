"""Look after the pages: ``python -m welfarist.web check | prepare | createsuperuser``."""

from __future__ import annotations

import os
import sys

from welfarist.base.errors import InputError


def main() -> None:
    """Run a command of Django's, with our settings; what is wrong with them is said in a line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "welfarist.web.settings")
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(["python -m welfarist.web", *sys.argv[1:]])
    except InputError as problem:
        sys.exit(f"Error: {problem}")


if __name__ == "__main__":
    main()

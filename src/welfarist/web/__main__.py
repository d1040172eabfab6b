"""Look after the pages: ``python -m welfarist.web check | prepare | createsuperuser``."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run a command of Django's, with our settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "welfarist.web.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(["python -m welfarist.web", *sys.argv[1:]])


if __name__ == "__main__":
    main()

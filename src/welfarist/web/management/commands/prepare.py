"""``python -m welfarist.web prepare``: before the first start, and after every update."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from welfarist.web.preparing import prepare


class Command(BaseCommand):
    """Bring the database up to date, and collect the files of pages."""

    help = "Bring the database up to date, and collect the files of pages."

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        del args, options
        prepare()

"""Everything that must be done before pages are shown, as often as one likes."""

from __future__ import annotations

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError

from welfarist.base.errors import InputError
from welfarist.web.rates import forget_old


def prepare() -> None:
    """Bring the database up to date, and put files of pages where they are served from."""
    try:
        call_command("migrate", interactive=False, verbosity=0)
        forget_old()
    except DatabaseError as problem:
        reason = str(problem).strip().split("\n")[0]
        raise InputError(
            f"{settings.DATABASES['default']['NAME']}: must be a database in which studies can be "
            f"kept; it says: {reason}. Is there room on the disk, may it be written to, and is it "
            "one of these pages?"
        ) from None
    try:
        collect_static()
    except OSError as problem:
        raise InputError(
            f"{settings.STATIC_ROOT}: files of pages cannot be put there: {problem.strerror}. Is "
            "there room on the disk, and may it be written to?"
        ) from None


def collect_static() -> None:
    """Copy style sheets and scripts, under names with hashes."""
    call_command("collectstatic", interactive=False, verbosity=0)

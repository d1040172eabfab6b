"""Everything that must be done before pages are shown, as often as one likes."""

from __future__ import annotations

from django.core.management import call_command

from welfarist.web.rates import forget_old


def prepare() -> None:
    """Bring the database up to date, and put files of pages where they are served from."""
    call_command("migrate", interactive=False, verbosity=0)
    collect_static()
    forget_old()


def collect_static() -> None:
    """Copy style sheets and scripts, under names with hashes."""
    call_command("collectstatic", interactive=False, verbosity=0)

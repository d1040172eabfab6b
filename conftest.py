"""Modules of pages can be imported where Django is installed and knows its settings."""

import importlib.util
import os

_NEEDED = ("django", "pytest_django", "waitress", "whitenoise")
_MISSING = [name for name in _NEEDED if importlib.util.find_spec(name) is None]

if _MISSING:
    collect_ignore = ["src/welfarist/web", "tests/web"]
else:
    import django

    collect_ignore = ["src/welfarist/web/wsgi.py"]  # which starts everything when it is imported
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.web.settings"
    django.setup()
    del os.environ["DJANGO_SETTINGS_MODULE"]  # commands that tests start have settings of their own


def pytest_report_header() -> str | None:
    """Say what is left out, and why."""
    left_out = f"pages are skipped, because {_MISSING[0]} is not installed" if _MISSING else None
    return left_out and f'{left_out}: pip install "welfarist[web,test]"'

"""Modules of pages can be imported where Django is installed and knows its settings."""

import importlib.util
import os

_NEEDED = ("django", "pytest_django", "waitress", "whitenoise")

if any(importlib.util.find_spec(name) is None for name in _NEEDED):
    # tests/web says that it is left out.
    collect_ignore_glob = ["src/welfarist/web/*"]
else:
    import django

    collect_ignore = ["src/welfarist/web/wsgi.py"]  # which starts everything when it is imported

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.web.settings"
    django.setup()
    del os.environ["DJANGO_SETTINGS_MODULE"]  # commands that tests start have settings of their own

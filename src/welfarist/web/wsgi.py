"""The pages on a server: ``gunicorn --threads 4 welfarist.web.wsgi``."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "welfarist.web.settings")
application = get_wsgi_application()

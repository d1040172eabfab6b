"""Every page and its name."""

from __future__ import annotations

from django.urls import include, path

from welfarist.web.health import health

urlpatterns = [
    path("", include("welfarist.web.studies.urls")),
    path("", include("welfarist.web.accounts.urls")),
    path("", include("welfarist.web.asking.urls")),
    path("", include("welfarist.web.learned.urls")),
    path("", include("welfarist.web.explore.urls")),
    path("", include("welfarist.web.leaving.urls")),
    path("health", health, name="health"),
]

"""The pages as Django knows them."""

from __future__ import annotations

from django.apps import AppConfig


class Web(AppConfig):
    """All pages and what they store."""

    name = "welfarist.web"
    label = "web"
    default_auto_field = "django.db.models.BigAutoField"

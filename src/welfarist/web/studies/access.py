"""Whose studies somebody may see: their own."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from welfarist.web.models import Study

__all__ = ["login_required", "own_studies", "own_study"]


def own_studies(request: HttpRequest) -> QuerySet[Study]:
    """Return the studies of whoever asks, newest first."""
    user: Any = request.user  # views are for those who are logged in
    return Study.objects.filter(owner=user)


def own_study(request: HttpRequest, pk: int) -> Study:
    """Return one of them, or answer that there is no such page, as if it did not exist."""
    return get_object_or_404(own_studies(request), pk=pk)

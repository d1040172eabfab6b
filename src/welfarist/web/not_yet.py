"""Pages that have an address and nothing on it."""

from __future__ import annotations

from typing import Any, NoReturn

from django.http import Http404, HttpRequest


def not_yet(request: HttpRequest, **place: Any) -> NoReturn:
    """Answer that there is no such page."""
    del request, place
    raise Http404("there is nothing here yet")

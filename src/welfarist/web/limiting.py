"""Requests that are too large or come too often are answered before any page is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from welfarist.web.rates import BEGIN_BY, BEGIN_FROM, WRONG_LINKS, Limit, address_of

# Bytes of a request: a file that is sent, with a form around it; every other form.
MOST_WITH_FILE, MOST_OF_FORM = 15 << 20, 2 << 20
_WITH_FILE = frozenset({"study-new", "study-table", "import"})
_FOUND_NOTHING = (403, 404)


class Bounded:
    """Refuse what is too large by what it says of itself, before anything of it is read.

    Nothing is lost with a body that does not say how large it is: Django reads as much as was
    announced, and nothing where nothing was.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer a request."""
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Look at what was announced, as soon as it is known which page it is for."""
        del view, args, kwargs
        if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
            said = request.META.get("CONTENT_LENGTH")
            if not said:
                return _refused(request, "A request must say how large it is.", 411)
        most = MOST_WITH_FILE if _name(request) in _WITH_FILE else MOST_OF_FORM
        if _length(request) > most:
            why = f"At most {most >> 20} megabytes can be sent here. Nothing was stored."
            return _refused(request, why, 413)
        return None


class Counted:
    """Refuse whoever tries links that lead nowhere, or begins again and again."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer a request; count it if it was a link that leads nowhere."""
        response = self._get_response(request)
        # Whoever has a good link is let in, whatever others at the same address tried.
        wrong = response.status_code in _FOUND_NOTHING and _is_link(request, response.status_code)
        if wrong and WRONG_LINKS.count(address_of(request)):
            return too_often(request, WRONG_LINKS)
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Refuse whoever tried too often."""
        del view, args
        if _name(request) == "ask-begin" and request.method == "POST":
            for limit, who in ((BEGIN_FROM, address_of(request)), (BEGIN_BY, kwargs["token"])):
                if limit.count(who):
                    return too_often(request, limit)
        return None


def too_often(request: HttpRequest, limit: Limit) -> HttpResponse:
    """Say that it was tried too often, and when it can be tried again."""
    seconds = int(limit.span.total_seconds())
    why = f"That was tried too often. Please wait {seconds // 60} minutes, and try again."
    response = _refused(request, why, 429)
    response.headers["Retry-After"] = str(seconds)
    return response


def _refused(request: HttpRequest, why: str, status: int) -> HttpResponse:
    return render(request, "refused.html", {"why": why}, status=status)


def _name(request: HttpRequest) -> str:
    match = request.resolver_match
    return (match.url_name or "") if match is not None else ""


def _is_link(request: HttpRequest, status: int) -> bool:
    """Whether a link led nowhere; one that is known and closed is no guess."""
    name = _name(request)
    return name == "enter" or (status == 404 and name.startswith("ask"))


def _length(request: HttpRequest) -> int:
    said = str(request.META.get("CONTENT_LENGTH") or "0")
    return int(said) if said.isdecimal() and len(said) < 20 else 0

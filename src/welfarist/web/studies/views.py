"""Pages of the analyst: the list of studies, and each one's own."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from welfarist.web.models import Invite
from welfarist.web.studies.access import login_required, own_studies, own_study


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """List one's studies."""
    return render(request, "studies/home.html", {"studies": own_studies(request)})


@require_safe
@login_required
def study(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a study with its links."""
    found = own_study(request, pk)
    invites = [(invite, link_of(request, invite)) for invite in found.invites.all()]
    return render(request, "studies/study.html", {"study": found, "invites": invites})


def link_of(request: HttpRequest, invite: Invite) -> str:
    """Return what is sent to whoever is invited."""
    return request.build_absolute_uri(reverse("ask", args=[invite.token]))

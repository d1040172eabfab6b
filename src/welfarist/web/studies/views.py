"""Pages of the analyst: the list of studies, and each one's own."""

from __future__ import annotations

import re
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from welfarist.base.errors import InputError
from welfarist.web.models import Invite, Study
from welfarist.web.studies.access import login_required, own_studies, own_study
from welfarist.web.studies.forms import InviteForm
from welfarist.web.studies.inviting import invite, revoke
from welfarist.web.studies.listing import listed
from welfarist.web.studies.progress import respondents_of
from welfarist.web.studies.states import WAYS, change_state

_PER_PAGE = 100
# A name with its ending, before what is said of it.
_BEGINS_WITH_FILE = re.compile(r"[\w. ()-]*\w\.\w+[,:]")
# What a button says that leads from one state to another.
_BUTTONS = {
    ("draft", "open"): "Open it",
    ("open", "paused"): "Pause it",
    ("open", "closed"): "Close it",
    ("paused", "open"): "Open it again",
    ("paused", "closed"): "Close it",
    ("closed", "open"): "Open it again",
}


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """List one's studies."""
    return render(request, "studies/home.html", {"studies": listed(own_studies(request))})


@require_safe
@login_required
def study(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a study with its links, and how far everybody is."""
    return _shown(request, own_study(request, pk), InviteForm())


@require_POST
@login_required
def state(request: HttpRequest, pk: int) -> HttpResponse:
    """Open, pause or close a study."""
    found = own_study(request, pk)
    try:
        change_state(found, user_of(request), request.POST.get("state", ""))
        messages.success(request, f"The study is {found.get_state_display().lower()} now.")
    except InputError as problem:
        messages.error(request, sentence(problem))
    return redirect("study", pk=pk)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def invite_new(request: HttpRequest, pk: int) -> HttpResponse:
    """Make links."""
    found = own_study(request, pk)
    if request.method != "POST":
        return redirect("study", pk=pk)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _shown(request, found, form, 400)
    told = form.cleaned_data
    names = told["names"] or [""]
    with transaction.atomic():
        for name in names:
            invite(found, user_of(request), told["kind"], name, form.expires_at())
    many = len(names)
    said = "A link was made. Copy and send it." if many == 1 else (
        f"{many} links were made. Copy and send each to its person."
    )  # fmt: skip
    messages.success(request, said)
    return redirect(f"{reverse('study', args=[pk])}#links")


@require_POST
@login_required
def invite_revoke(request: HttpRequest, pk: int, invite: int) -> HttpResponse:
    """Make a link worthless."""
    found = get_object_or_404(own_study(request, pk).invites, pk=invite)
    revoke(found, user_of(request))
    messages.success(request, f"The link of {found} leads nowhere now; answers are kept.")
    return redirect(f"{reverse('study', args=[pk])}#links")


@require_safe
@login_required
def audit(request: HttpRequest, pk: int) -> HttpResponse:
    """Show who did what."""
    found = own_study(request, pk)
    page = Paginator(found.audit.all(), _PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "studies/audit.html", {"study": found, "page": page})


def link_of(request: HttpRequest, invite: Invite) -> str:
    """Return what is sent to whoever is invited."""
    return request.build_absolute_uri(reverse("ask", args=[invite.token]))


def user_of(request: HttpRequest) -> User:
    """Return who is logged in; views are for them alone."""
    return cast("User", request.user)


def sentence(problem: Exception) -> str:
    """Return what is wrong, as a sentence begins; names of files stay as they are.

    Examples
    --------
    >>> sentence(ValueError("somebody was asked")), sentence(ValueError("my plans.csv, line 2: x"))
    ('Somebody was asked', 'my plans.csv, line 2: x')
    """
    text = str(problem)
    return text if _BEGINS_WITH_FILE.match(text) else text[:1].upper() + text[1:]


def _shown(request: HttpRequest, study: Study, form: InviteForm, status: int = 200) -> HttpResponse:
    people = list(respondents_of(study))
    told: dict[str, Any] = {
        "study": study,
        "invites": [(invite, link_of(request, invite)) for invite in study.invites.all()],
        "respondents": people,
        "answers": sum(person.answered for person in people),  # type: ignore[attr-defined]
        "ways": [(way.value, _BUTTONS[study.state, way.value]) for way in WAYS[study.state]],
        "form": form,
        "local": settings.DEPLOYMENT.local,
    }
    return render(request, "studies/study.html", told, status=status)

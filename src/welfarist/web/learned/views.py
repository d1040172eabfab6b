"""Pages of what was learned, for the analyst."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from welfarist.web.learned.everybody import answered, everybody_of
from welfarist.web.learned.kinds import SEARCHES
from welfarist.web.learned.one import page_of
from welfarist.web.studies.access import login_required, own_study


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def everybody(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what was learned of all respondents; a form asks to look for types."""
    study = own_study(request, pk)
    people = answered(study)
    if request.method == "POST":
        SEARCHES.begin(study, people)
        return redirect("learned", pk=pk)
    told = {
        "study": study,
        "all": everybody_of(study, people),
        "kinds": SEARCHES.look(study, people),
    }
    return render(request, "learned/everybody.html", told)


@require_safe
@login_required
def respondent(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show what was learned of one respondent."""
    study = own_study(request, pk)
    found = get_object_or_404(study.respondents.select_related("study"), number=number)
    told = {"study": study, "respondent": found, "learned": page_of(found)}
    return render(request, "learned/respondent.html", told)

"""Pages and files by which studies leave, come back, or end."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_safe

from welfarist.base.errors import InputError
from welfarist.web.audit import note
from welfarist.web.leaving.decisions import taken_from
from welfarist.web.leaving.deleting import delete_respondent, delete_study
from welfarist.web.leaving.fitting import fitted, report_of
from welfarist.web.leaving.reading import MOST_BYTES, study_back
from welfarist.web.leaving.record import text_of
from welfarist.web.models import Study
from welfarist.web.studies.access import login_required, own_study
from welfarist.web.studies.views import sentence, user_of

CSV, JSON, HTML = "text/csv; charset=utf-8", "application/json", "text/html; charset=utf-8"
_FORM_OR_SENT = ("GET", "HEAD", "POST")
Content = Callable[..., bytes | str]


class ImportForm(forms.Form):
    """A study that was exported."""

    file = forms.FileField(
        label="Exported study",
        help_text="The JSON file that “Everything” gave. Links are made anew.",
        widget=forms.ClearableFileInput(
            attrs={"accept": ".json", "data-megabytes": MOST_BYTES >> 20}
        ),
    )


def export(name: str, kind: str) -> Callable[[Content], Callable[..., HttpResponse]]:
    """Make a view of a file, which only the owner of a study gets, and which is noted."""

    def view_of(content: Content) -> Callable[..., HttpResponse]:
        @require_safe
        @login_required
        @wraps(content)
        def run(request: HttpRequest, pk: int, **which: Any) -> HttpResponse:
            study = own_study(request, pk)
            try:
                made = content(study, **which)
            except InputError as problem:
                messages.error(request, sentence(problem))
                return redirect("study", pk=pk)
            note(study, user_of(request), f"exported {name}", **which)
            return _file(made, kind, study, which, name)

        return run

    return view_of


@export("decisions.csv", CSV)
def decisions(study: Study) -> bytes:
    """Give all answers that stand, as ``welfarist fit --comparisons`` reads them."""
    return taken_from(study).decisions


@export("actions.csv", CSV)
def actions(study: Study) -> bytes:
    """Give the table, with outcomes that were made up."""
    return taken_from(study).actions


@export("model.json", JSON)
def model(study: Study, number: int | None = None) -> str:
    """Give the rule of everybody, or of one respondent, as ``welfarist fit --save`` writes it."""
    who = None if number is None else [get_object_or_404(study.respondents, number=number)]
    return fitted(taken_from(study, who)).model().as_text()


@export("report.html", HTML)
def report(study: Study) -> str:
    """Give the report, as ``welfarist fit --report`` writes it."""
    return report_of(fitted(taken_from(study), study.title))


@export("study.json", JSON)
def everything(study: Study) -> str:
    """Give everything, to be imported elsewhere."""
    return text_of(study)


@require_http_methods(_FORM_OR_SENT)
@login_required
def bring(request: HttpRequest) -> HttpResponse:
    """Take a study that was exported."""
    sent = request.method == "POST"
    form = ImportForm(request.POST, request.FILES) if sent else ImportForm()
    if sent and form.is_valid():
        try:
            study = study_back(user_of(request), form.cleaned_data["file"].read())
            messages.success(request, "The study was imported. Its links are new ones.")
            return redirect("study", pk=study.pk)
        except InputError as problem:
            form.add_error("file", sentence(problem))
    return render(request, "leaving/import.html", {"form": form}, status=400 if sent else 200)


@require_http_methods(_FORM_OR_SENT)
@login_required
def remove_study(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether a study is to be deleted, and delete it."""
    study = own_study(request, pk)
    if request.method == "POST" and request.POST.get("sure") == "yes":
        delete_study(study, user_of(request))
        messages.success(request, "The study was deleted.")
        return redirect("home")
    told = {"study": study, "respondents": study.respondents.count()}
    return render(request, "leaving/delete_study.html", told)


@require_http_methods(_FORM_OR_SENT)
@login_required
def remove_respondent(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Ask whether somebody's data are to be deleted, and delete them."""
    study = own_study(request, pk)
    found = get_object_or_404(study.respondents.select_related("invite"), number=number)
    if request.method == "POST" and request.POST.get("sure") == "yes":
        delete_respondent(found, user_of(request))
        messages.success(request, f"What respondent {number} answered was deleted.")
        return redirect("study", pk=pk)
    told = {"study": study, "respondent": found}
    return render(request, "leaving/delete_respondent.html", told)


def _file(
    content: bytes | str, kind: str, study: Study, which: dict[str, Any], name: str
) -> HttpResponse:
    """A file to keep: no browser shows it as a page of ours."""
    number = "".join(f"-{value}" for value in which.values())
    called = f"{slugify(study.title)[:60] or 'study'}{number}-{name}"
    response = HttpResponse(content, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{called}"'
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response

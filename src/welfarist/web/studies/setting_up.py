"""Pages on which a study is made and changed."""

from __future__ import annotations

from collections.abc import Iterable

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from welfarist.base.errors import InputError
from welfarist.web.models import Study
from welfarist.web.studies.access import login_required, own_study
from welfarist.web.studies.editing import Whom, change, describe, replace_table
from welfarist.web.studies.forms import NewForm, SettingsForm, TableForm, WorldForm
from welfarist.web.studies.opening import study_of
from welfarist.web.studies.uploads import Uploaded, read_upload
from welfarist.web.studies.views import sentence, user_of
from welfarist.web.studies.worlds import simulated_table

_FORM_OR_SENT = ("GET", "HEAD", "POST")
# As many as fit on a page that can be looked over, and their words into one request.
_PER_PAGE = 50
_LONGEST_LABEL, _LONGEST_DESCRIPTION = 200, 5_000
_WHOM: tuple[Whom, ...] = ("actions", "stakeholders")


@require_http_methods(_FORM_OR_SENT)
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Make a study, from a file or of a simulated world."""
    sent = request.method == "POST"
    simulated = sent and "people" in request.POST
    form = NewForm(request.POST, request.FILES) if sent and not simulated else NewForm()
    # Both forms have a title: ids of the second have another beginning.
    world = WorldForm(request.POST if simulated else None, auto_id="world_%s")
    if sent:
        made = _world(request, world) if simulated else _uploaded(request, form)
        if made is not None:
            messages.success(request, "The study is made, as a draft. Look it over, invite people, "
                             "and open it.")  # fmt: skip
            return redirect("study", pk=made.pk)
    told = {"form": form, "world": world}
    return render(request, "studies/new.html", told, status=400 if sent else 200)


@require_http_methods(_FORM_OR_SENT)
@login_required
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change what people are told, and, as long as nobody was asked, what they are asked."""
    found = own_study(request, pk)
    frozen = found.frozen
    form = SettingsForm(request.POST or None, instance=found, frozen=frozen)
    sent = request.method == "POST"
    if sent and form.is_valid():
        try:
            changed = change(found, user_of(request), form.cleaned_data)
            messages.success(request, "Saved." if changed else "Nothing was changed.")
            return redirect("study", pk=pk)
        except InputError as problem:
            form.add_error(None, sentence(problem))
    told = {"study": found, "form": form, "frozen": frozen}
    return render(request, "studies/edit.html", told, status=400 if sent else 200)


@require_http_methods(_FORM_OR_SENT)
@login_required
def table(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the table; put another in its place, as long as nobody was asked."""
    found = own_study(request, pk)
    sent = request.method == "POST"
    form = TableForm(request.POST, request.FILES) if sent else TableForm()
    if sent and form.is_valid():
        try:
            replace_table(found, user_of(request), _read(form))
            messages.success(request, "The table was replaced.")
            return redirect("study", pk=pk)
        except InputError as problem:
            form.add_error("file", sentence(problem))
    page = Paginator(_read_rows(found), _PER_PAGE).get_page(request.GET.get("page"))
    told = {"study": found, "form": form, "frozen": found.frozen, "page": page}
    return render(request, "studies/table.html", told, status=400 if sent else 200)


@require_http_methods(_FORM_OR_SENT)
@login_required
def words(request: HttpRequest, pk: int, whom: Whom) -> HttpResponse:
    """Say what stakeholders or actions are called on pages, and what they are."""
    if whom not in _WHOM:
        raise Http404
    found = own_study(request, pk)
    rows = list(enumerate(getattr(found, whom)))
    page = Paginator(rows, _PER_PAGE).get_page(request.GET.get("page"))
    if request.method == "POST":
        try:
            said = _said(request, (place for place, _ in page))
            changed = describe(found, user_of(request), whom, said)
            messages.success(request, "Saved." if changed else "Nothing was changed.")
        except InputError as problem:
            messages.error(request, sentence(problem))
        return redirect(f"{reverse('study-words', args=[pk, whom])}?page={page.number}")
    return render(request, "studies/words.html", {"study": found, "whom": whom, "page": page})


def _uploaded(request: HttpRequest, form: NewForm) -> Study | None:
    """The study of a file, or what is wrong with it beside the field."""
    if not form.is_valid():
        return None
    try:
        return study_of(user_of(request), _read(form), title=form.cleaned_data["title"])
    except InputError as problem:
        form.add_error("file", sentence(problem))
        return None


def _world(request: HttpRequest, form: WorldForm) -> Study | None:
    if not form.is_valid():
        return None
    told = dict(form.cleaned_data)
    title = told.pop("title")
    try:
        return study_of(user_of(request), simulated_table(**told), title=title)
    except InputError as problem:
        form.add_error(None, sentence(problem))
        return None


def _read_rows(study: Study) -> list[tuple[str, list[float]]]:
    """What was read of each action: its name in the file, and what everybody has."""
    return list(zip(study.action_names, study.utilities, strict=True))


def _read(form: TableForm) -> Uploaded:
    sent = form.cleaned_data["file"]
    shift = form.cleaned_data["shift"] or 0.0
    return read_upload(sent.read(), sent.name, form.options(), shift)


def _said(request: HttpRequest, places: Iterable[int]) -> dict[int, tuple[str, str]]:
    """The words of a page that were sent, by place."""
    field = forms.CharField(required=False, max_length=_LONGEST_LABEL)
    area = forms.CharField(required=False, max_length=_LONGEST_DESCRIPTION)
    said = {}
    for place in places:
        label = request.POST.get(f"label-{place}")
        if label is None:
            continue
        try:
            about = area.clean(request.POST.get(f"description-{place}", ""))
            said[place] = (field.clean(label), about)
        except forms.ValidationError as problem:
            raise InputError(f"number {place + 1}: {' '.join(problem.messages)}") from None
    return said

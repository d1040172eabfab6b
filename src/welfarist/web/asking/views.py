"""Pages of the respondents: one question at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from welfarist.base.errors import InputError
from welfarist.web.asking import entering, taking
from welfarist.web.asking.putting import next_question
from welfarist.web.asking.taking import Taken
from welfarist.web.models import Invite, Respondent

View = Callable[..., HttpResponse]


def by_link(view: View) -> View:
    """Give a view whom the link is for; who cannot answer now is told why."""

    @wraps(view)
    def run(request: HttpRequest, token: str, **more: Any) -> HttpResponse:
        found = entering.behind(token)
        if found is None:
            raise Http404
        try:
            return view(request, token, found, **more)
        except entering.NotNowError as why:
            return render(request, "asking/not_now.html", {"why": str(why)}, status=403)

    return run


@require_safe
@by_link
def ask(request: HttpRequest, token: str, found: Respondent | Invite) -> HttpResponse:
    """Show the question that is put now, or thanks; by an open invite, where to begin."""
    if isinstance(found, Invite):
        entering.require_open(found)
        return render(request, "asking/begin.html", {"study": found.study, "token": token})
    return _shown(request, token, found)


@require_POST
@by_link
def begin(request: HttpRequest, token: str, found: Respondent | Invite) -> HttpResponse:
    """Let somebody in who came by an open invite, and send them to a link of their own."""
    del token
    if isinstance(found, Invite):
        found = entering.begin(found, request.POST.get("name", "")[:200])
    return redirect("ask", token=found.token)


@require_POST
@by_link
def answer(request: HttpRequest, token: str, found: Respondent | Invite) -> HttpResponse:
    """Take an answer; the next question is shown after it is on the disk."""
    posted = request.POST
    try:
        taken = taking.take_answer(
            _respondent(found),
            int(posted["number"]),
            posted["key"],
            posted["choice"],
            _milliseconds(posted.get("ms", "")),
        )
    except (KeyError, ValueError, InputError):
        return HttpResponse("An answer is incomplete.", status=400, content_type="text/plain")
    return _after(request, token, _respondent(found), taken)


@require_POST
@by_link
def undo(request: HttpRequest, token: str, found: Respondent | Invite) -> HttpResponse:
    """Take the last answer back."""
    number = request.POST.get("number", "")
    if not number.isdecimal():
        return HttpResponse("A number is missing.", status=400, content_type="text/plain")
    return _after(request, token, _respondent(found), taking.undo(_respondent(found), int(number)))


def _after(request: HttpRequest, token: str, respondent: Respondent, taken: Taken) -> HttpResponse:
    """Go on; who answered something else in the meantime is shown what is asked now."""
    if taken is Taken.NOT:
        return _shown(request, token, respondent, refused=True)
    return redirect("ask", token=token)


def _shown(
    request: HttpRequest, token: str, respondent: Respondent, *, refused: bool = False
) -> HttpResponse:
    question = next_question(respondent)
    page = "asking/thanks.html" if question is None else "asking/question.html"
    told = {
        "study": respondent.study,
        "respondent": respondent,
        "question": question,
        "last": None if question is None else question.number - 1,
        "token": token,
        "refused": refused,
    }
    return render(request, page, told, status=409 if refused else 200)


def _respondent(found: Respondent | Invite) -> Respondent:
    if isinstance(found, Invite):
        raise Http404
    return found


def _milliseconds(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 12 else None

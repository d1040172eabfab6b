"""Pages of the respondents: one question at a time, and what was learned from the answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from welfarist.base.errors import InputError
from welfarist.web.asking import entering, taking
from welfarist.web.asking.cards import cards_of
from welfarist.web.asking.putting import next_question
from welfarist.web.asking.taking import Taken
from welfarist.web.learned.one import page_of
from welfarist.web.models import Ended, Invite, Respondent

View = Callable[..., HttpResponse]
# Numbers of questions have fewer digits.
_DIGITS = 6
_LONGEST_NAME = 200


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
            told = {"why": str(why), "study": found.study}
            return render(request, "asking/not_now.html", told, status=403)

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
        # PostgreSQL has no letter of number 0.
        name = request.POST.get("name", "").replace("\0", "")
        found = entering.begin(found, name[:_LONGEST_NAME])
    return redirect("ask", token=found.token)


@require_POST
@by_link
def answer(request: HttpRequest, token: str, found: Respondent | Invite) -> HttpResponse:
    """Take an answer; the next question is shown after it is on the disk."""
    posted = request.POST
    try:
        taken = taking.take_answer(
            _respondent(found),
            _number(posted["number"]),
            posted["key"],
            posted["choice"],
            _milliseconds(posted.get("ms", "")),
        )
    except (KeyError, ValueError, InputError):
        return _incomplete(request, _respondent(found), token)
    return _after(request, token, _respondent(found), taken)


@require_POST
@by_link
def undo(request: HttpRequest, token: str, found: Respondent | Invite) -> HttpResponse:
    """Take the last answer back."""
    try:
        number = _number(request.POST.get("number", ""))
    except ValueError:
        return _incomplete(request, _respondent(found), token)
    return _after(request, token, _respondent(found), taking.undo(_respondent(found), number))


@require_POST
@by_link
def revise(request: HttpRequest, token: str, found: Respondent | Invite) -> HttpResponse:
    """Give another answer to an earlier question, and show what is learned then."""
    respondent = _respondent(found)
    try:
        number = _number(request.POST.get("number", ""))
        taken = taking.revise(respondent, number, request.POST.get("choice", ""))
    except (ValueError, InputError):
        return _incomplete(request, respondent, token)
    if taken is Taken.NOT or not respondent.study.respondents_see_result:
        return _after(request, token, respondent, taken)
    next_question(respondent)  # the result says whether there is more to ask after this answer
    return redirect("ask-result", token=token)


@require_safe
@by_link
def result(request: HttpRequest, token: str, found: Respondent | Invite) -> HttpResponse:
    """Show what was learned, where the analyst allows it; also after a study is closed."""
    respondent = _respondent(found)
    if not respondent.study.respondents_see_result:
        raise Http404
    entering.require_valid(respondent.invite)
    told = {
        "study": respondent.study,
        "respondent": respondent,
        "token": token,
        "learned": page_of(respondent),
        "can_revise": entering.is_open(respondent.invite),
    }
    return render(request, "learned/result.html", told)


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
        "shown": None if question is None else cards_of(question),
        "left": 0 if question is None else respondent.study.most - question.number,
        "last": _last(respondent) if question is None else question.number - 1,
        "token": token,
        "refused": refused,
    }
    return render(request, page, told, status=409 if refused else 200)


def _last(respondent: Respondent) -> int | None:
    """The number of the last answer that stands."""
    standing = respondent.answers.filter(ended=Ended.STANDS).exclude(choice="")
    return standing.order_by("-number").values_list("number", flat=True).first()


def _incomplete(request: HttpRequest, respondent: Respondent, token: str) -> HttpResponse:
    told = {"study": respondent.study, "token": token}
    return render(request, "asking/incomplete.html", told, status=400)


def _respondent(found: Respondent | Invite) -> Respondent:
    if isinstance(found, Invite):
        raise Http404
    return found


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise ValueError(text)
    return int(text)


def _milliseconds(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else None

"""Whom a link lets in, and whether they can answer now."""

from __future__ import annotations

from django.utils import timezone

from welfarist.base.errors import WelfaristError
from welfarist.web.models import Invite, Respondent, State
from welfarist.web.studies.inviting import new_respondent

_CLOSED = {
    State.DRAFT: "This study has not begun yet. Please come back later.",
    State.PAUSED: "This study is paused. Your answers are kept; please come back later.",
    State.CLOSED: "This study is closed. Thank you for your interest.",
}


class NotNowError(WelfaristError):
    """A respondent cannot answer now; the message is for them."""


def behind(token: str) -> Respondent | Invite | None:
    """Return whom a link is for: a respondent, or whoever comes by an open invite."""
    respondent = Respondent.objects.select_related("study", "invite").filter(token=token).first()
    if respondent is not None:
        return respondent
    invite = Invite.objects.select_related("study").filter(token=token).first()
    if invite is None or invite.kind == Invite.Kind.OPEN:
        return invite
    return invite.respondents.select_related("study", "invite").first()


def require_valid(invite: Invite) -> None:
    """Refuse whoever comes by a link that was revoked or has expired."""
    if invite.revoked_at is not None:
        raise NotNowError("This link is no longer valid. Please ask whoever sent it for a new one.")
    if invite.expires_at is not None and invite.expires_at <= timezone.now():
        raise NotNowError("This link has expired. Please ask whoever sent it for a new one.")


def require_open(invite: Invite) -> None:
    """Refuse whoever comes too early, too late, or by a link that is no more."""
    require_valid(invite)
    if invite.study.state != State.OPEN:
        raise NotNowError(_CLOSED[State(invite.study.state)])


def begin(invite: Invite, name: str = "") -> Respondent:
    """Let somebody in who came by an open invite; their own link goes on with their answers."""
    require_open(invite)
    if invite.kind != Invite.Kind.OPEN:
        raise NotNowError("This link is for one person, who has begun already.")
    return new_respondent(invite, name)


def is_open(invite: Invite) -> bool:
    """Whether somebody can answer by a link now."""
    try:
        require_open(invite)
    except NotNowError:
        return False
    return True

"""A study with everything in it, as plain values: what is exported and can be imported again.

Tokens of links are left out, because whoever has one can answer. So is the record of who did what,
because anybody could write one.
"""

from __future__ import annotations

from typing import Any

from welfarist.base.inert import in_json
from welfarist.base.version import __version__
from welfarist.web.models import Answer, Invite, Respondent, Study

FORMAT, VERSION = "welfarist study", 1
STUDY = (
    "title", "description", "state", "file_name", "actions", "stakeholders", "utilities", "notes",
    "most", "designed", "aim", "sure", "check_every", "seed", "numbers_on_demand",
    "respondents_see_result", "last_number", "created_at",
)  # fmt: skip
INVITE = ("kind", "name", "created_at", "expires_at", "revoked_at")
RESPONDENT = ("number", "name", "seed", "created_at", "finished_at", "finished_because")
ANSWER = (
    "number", "first", "second", "outcomes", "about", "bits", "reason", "left", "choice",
    "asked_at", "answered_at", "response_ms", "ended", "ended_at",
)  # fmt: skip


def record_of(study: Study) -> dict[str, Any]:
    """Return everything of a study as plain values."""
    invites = list(study.invites.all())
    places = {invite.pk: place for place, invite in enumerate(invites)}
    people = study.respondents.prefetch_related("answers")
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_by": f"welfarist {__version__}",
        "study": _values(study, STUDY),
        "invites": [_values(invite, INVITE) for invite in invites],
        "respondents": [
            {
                **_values(person, RESPONDENT),
                "invite": places[person.invite_id],
                "answers": [
                    _values(row, ANSWER) for row in sorted(person.answers.all(), key=lambda a: a.pk)
                ],
            }
            for person in people
        ],
    }


def text_of(study: Study) -> str:
    """Return the same as JSON."""
    return in_json(record_of(study)) + "\n"


def _values(row: Study | Invite | Respondent | Answer, names: tuple[str, ...]) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in names}
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in found.items()
    }

"""A study that is exported and imported again, and what is no study."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.web.leaving.conftest import answer
from welfarist.base.errors import InputError
from welfarist.web.asking.live import KEPT, interview_of
from welfarist.web.asking.putting import next_question
from welfarist.web.leaving.decisions import taken_from
from welfarist.web.leaving.reading import study_back
from welfarist.web.leaving.record import record_of, text_of
from welfarist.web.models import Answer, AuditEntry, Invite, Respondent, Study

pytestmark = pytest.mark.django_db


def test_what_comes_back_is_the_same_study(analyst, answered):
    back = study_back(analyst, text_of(answered).encode())
    assert back.pk != answered.pk
    assert record_of(back) == record_of(answered)
    assert taken_from(back).decisions == taken_from(answered).decisions
    tokens = [set(study.invites.values_list("token", flat=True)) for study in (back, answered)]
    assert not tokens[0] & tokens[1]
    assert all(token not in text_of(answered) for token in tokens[1])


def test_questions_go_on_as_they_would_have(analyst, answered):
    back = study_back(analyst, text_of(answered).encode())
    KEPT.clear()
    pair = [study.respondents.get(name="Bob") for study in (answered, back)]
    for person in pair:
        answer(person, ["second"])
        next_question(person)
    facts = [
        [(row.first, row.second, row.outcomes, row.choice) for row in person.answers.all()]
        for person in pair
    ]
    assert facts[0] == facts[1]
    with interview_of(pair[0]) as one, interview_of(pair[1]) as other:
        assert one.posterior.estimate("p") == other.posterior.estimate("p")


def test_a_study_comes_back_on_the_page(client, analyst, briefly):
    client.force_login(analyst)
    file = client.get(reverse("export-study", args=[briefly.pk])).content
    done = client.post(reverse("import"), {"file": SimpleUploadedFile("study.json", file)})
    assert done.status_code == 302
    assert Study.objects.count() == 2
    assert AuditEntry.objects.filter(what="study imported").exists()


def changed(*path, to):
    def change(record):
        place = record
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


ROW = ("respondents", 0, "answers", 0)
ENDED = ("respondents", 0, "answers", 1)
WRONG = {
    "format": changed("format", to="else"),
    "version": changed("version", to=2),
    "no title": changed("study", "title", to=""),
    "long title": changed("study", "title", to="x" * 201),
    "a number as title": changed("study", "title", to=3),
    "the letter 0": changed("study", "title", to="a\0b"),
    "half a letter": changed("study", "title", to="\ud800"),
    "state": changed("study", "state", to="public"),
    "negative": changed("study", "utilities", 0, 0, to=-1),
    "text": changed("study", "utilities", 0, 0, to="1"),
    "true": changed("study", "utilities", 0, 0, to=True),
    "huge": changed("study", "utilities", 0, 0, to=10**400),
    "ragged": changed("study", "utilities", 0, to=[1.0]),
    "rows": changed("study", "utilities", to=[]),
    "too many": changed("study", "utilities", to=[[1.0]] * 5001),
    "twice": changed("study", "actions", 0, "name", to="road"),
    "aim": changed("study", "aim", to="park,tunnel"),
    "check": changed("study", "check_every", to=1),
    "sure": changed("study", "sure", to=2),
    "most": changed("study", "most", to=10**9),
    "time": changed("study", "created_at", to="yesterday"),
    "no zone": changed("study", "created_at", to="2026-01-01T00:00:00"),
    "before all time": changed("study", "created_at", to="0001-01-01T00:00:00+14:00"),
    "after all time": changed(*ROW, "asked_at", to="9999-12-31T23:59:59-14:00"),
    "kind": changed("invites", 0, "kind", to="secret"),
    "invite": changed("respondents", 0, "invite", to=-1),
    "number twice": changed("respondents", 1, "number", to=1),
    "answers": changed("respondents", 0, "answers", to={}),
    "choice": changed(*ROW, "choice", to="both"),
    "no time": changed(*ROW, "answered_at", to=None),
    "no end": changed(*ENDED, "ended_at", to=None),
    "row number": changed(*ROW, "first", to=10**6),
    "outcomes": changed(*ROW, "outcomes", to=[[1.0], [2.0]]),
    "about": changed(*ROW, "about", to=[0]),
    "gap": changed("respondents", 0, "answers", -1, "number", to=30),
    "nothing": changed("study", to=None),
}


@pytest.mark.parametrize("what", WRONG)
def test_everything_comes_back_or_nothing(analyst, briefly, what):
    record = json.loads(text_of(briefly))
    WRONG[what](record)
    before = [model.objects.count() for model in (Study, Invite, Respondent, Answer, AuditEntry)]
    with pytest.raises(InputError):
        study_back(analyst, json.dumps(record).encode())
    after = [model.objects.count() for model in (Study, Invite, Respondent, Answer, AuditEntry)]
    assert before == after


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'{"format": NaN}', b"1" * 5000,
     b'{"format": "welfarist study"}'],
)  # fmt: skip
def test_other_files_are_no_studies(analyst, data):
    with pytest.raises(InputError):
        study_back(analyst, data)


def test_a_study_may_not_be_endless(analyst):
    with pytest.raises(InputError, match="14 megabytes at most"):
        study_back(analyst, bytes(15 << 20))


def test_what_is_wrong_is_said_with_its_place(client, analyst, briefly):
    client.force_login(analyst)
    record = json.loads(text_of(briefly))
    WRONG["choice"](record)
    file = SimpleUploadedFile("study.json", json.dumps(record).encode())
    page = client.post(reverse("import"), {"file": file})
    assert page.status_code == 400
    assert "Respondents, 1, answers, 1, choice: it must be one of" in page.content.decode()

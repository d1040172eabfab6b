"""What is deleted is gone; that it was deleted stays."""

from __future__ import annotations

import pytest
from django.urls import reverse

from welfarist.web.models import Answer, AuditEntry, Invite, Respondent, Study
from welfarist.web.studies.inviting import invite

pytestmark = pytest.mark.django_db


@pytest.fixture
def inside(client, analyst):
    client.force_login(analyst)
    return client


def test_a_study_goes_with_everything_when_somebody_is_sure(inside, briefly):
    page = reverse("study-delete", args=[briefly.pk])
    assert "2 people" in inside.get(page).content.decode()
    assert inside.post(page).status_code == 200  # not sure
    assert Study.objects.exists()
    assert inside.post(page, {"sure": "yes"})["Location"] == "/"
    for model in (Study, Invite, Respondent, Answer):
        assert not model.objects.exists()
    noted = AuditEntry.objects.all()
    assert noted[0].what == "study deleted"
    assert noted.filter(what="study made").exists()
    assert {entry.study_title for entry in noted} == {""}


def test_somebody_is_forgotten_and_others_stay(inside, analyst, briefly):
    ann = briefly.respondents.get(number=1)
    page = reverse("respondent-delete", args=[briefly.pk, 1])
    asked = inside.get(page).content.decode()
    assert "The name, all answers and the link will be gone" in asked
    inside.post(page)
    assert briefly.respondents.count() == 2
    inside.post(page, {"sure": "yes"})
    assert [person.name for person in briefly.respondents.all()] == ["Bob"]
    assert not Answer.objects.filter(respondent_id=ann.pk).exists()
    assert not Invite.objects.filter(name="=Ann").exists()
    assert inside.get(page).status_code == 404
    said = AuditEntry.objects.get(what="respondent deleted")
    assert said.details == {"number": 1}
    assert not any("Ann" in f"{entry.who}{entry.details}" for entry in AuditEntry.objects.all())


def test_nobody_gets_the_number_of_somebody_who_is_forgotten(inside, analyst, briefly):
    inside.post(reverse("respondent-delete", args=[briefly.pk, 2]), {"sure": "yes"})
    assert invite(briefly, analyst).respondents.get().number == 3

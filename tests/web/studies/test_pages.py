"""The analyst's pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.web.conftest import TABLE
from welfarist.base.errors import InputError
from welfarist.web.asking.putting import next_question
from welfarist.web.models import AuditEntry, Invite, State, Study
from welfarist.web.studies.editing import change, describe, replace_table
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.states import change_state
from welfarist.web.studies.uploads import read_upload
from welfarist.web.studies.worlds import simulated_table

pytestmark = pytest.mark.django_db
SETTINGS = {
    "title": "Plans", "description": "", "most": 7, "designed": "too", "aim": "best", "sure": 0.8,
    "check_every": 3,
}  # fmt: skip


@pytest.fixture
def inside(client, analyst):
    client.force_login(analyst)
    return client


def sent(data=TABLE, name="plans.csv", **more):
    return {"title": "", "file": SimpleUploadedFile(name, data), **more}


def text(response):
    return response.content.decode()


def test_who_has_no_study_is_told_what_to_do_first(inside):
    page = text(inside.get("/"))
    assert "Make your first study" in page
    assert reverse("study-new") in page


def test_a_study_is_made_from_a_file(inside, analyst):
    done = inside.post(reverse("study-new"), sent(), follow=True)
    study = Study.objects.get()
    assert (study.owner, study.title, study.state) == (analyst, "plans", State.DRAFT)
    assert "This is a draft" in text(done)
    assert "plans" in text(inside.get("/"))


def test_what_is_wrong_with_a_file_is_said_with_line_and_column(inside):
    done = inside.post(reverse("study-new"), sent(TABLE.replace(b"9,2", b"9,x")))
    assert done.status_code == 400
    assert "plans.csv, line 2, column &#x27;shops&#x27;" in text(done)
    assert not Study.objects.exists()


def test_a_table_is_read_as_somebody_says(inside):
    inside.post(reverse("study-new"), sent(TABLE, stakeholders="shops,staff"))
    assert Study.objects.get().stakeholder_names == ("shops", "staff")


def test_a_study_is_made_of_a_simulated_world(inside):
    form = {"title": "World", "people": 3, "actions": 12, "seed": 5}
    assert inside.post(reverse("study-new"), form).status_code == 302
    study = Study.objects.get()
    assert study.table.shape == (12, 3)
    assert (study.table == simulated_table(3, 12, 5).utilities).all()
    assert inside.post(reverse("study-new"), {**form, "people": 99}).status_code == 400


def test_settings_change_until_somebody_is_asked(inside, analyst):
    study = open_study(analyst, TABLE, "plans.csv")
    page = reverse("study-edit", args=[study.pk])
    assert inside.post(page, {**SETTINGS, "respondents_see_result": "on"}).status_code == 302
    study.refresh_from_db()
    assert (study.most, study.aim, study.respondents_see_result) == (7, "best", True)
    wrong = inside.post(page, {**SETTINGS, "aim": "park,tunnel"})
    assert "“aim” must be best, rule, or names" in text(wrong)
    assert inside.post(page, {**SETTINGS, "check_every": 1}).status_code == 400


def test_what_is_asked_stays_once_somebody_was_asked(inside, analyst, study, respondent):
    next_question(respondent)
    page = reverse("study-edit", args=[study.pk])
    assert "Somebody was asked already" in text(inside.get(page))
    inside.post(page, {**SETTINGS, "title": "Other plans"})
    study.refresh_from_db()
    assert (study.title, study.most, study.aim) == ("Other plans", 4, "rule")
    change_state(study, analyst, State.PAUSED)
    for attempt in (
        lambda: change(study, analyst, {"most": 9}),
        lambda: replace_table(study, analyst, read_upload(TABLE, "plans.csv")),
    ):
        with pytest.raises(InputError, match="somebody was asked already"):
            attempt()


def test_what_is_asked_does_not_change_while_somebody_may_come(analyst, study):
    with pytest.raises(InputError, match="Pause it, change it"):
        change(study, analyst, {"most": 9})


def test_the_table_is_shown_as_it_was_read(inside, study, respondent):
    page = text(inside.get(reverse("study-table", args=[study.pk])))
    assert '<th scope="row">park</th><td>9</td><td>2</td><td>4</td>' in page
    assert '<th scope="col">residents</th>' in page
    _ = next_question(respondent)
    assert "<td>9</td>" in text(inside.get(reverse("study-table", args=[study.pk])))


def test_another_table_keeps_words_for_the_same_names(inside, analyst):
    study = open_study(analyst, TABLE, "plans.csv")
    describe(study, analyst, "actions", {0: ("The park", "Green.")})
    other = TABLE.replace(b"road,3", b"lake,3")
    page = reverse("study-table", args=[study.pk])
    assert inside.post(page, {"file": SimpleUploadedFile("b.csv", other)}).status_code == 302
    study.refresh_from_db()
    assert study.action_names[1] == "lake"
    assert study.actions[0]["description"] == "Green."


def test_words_are_told_page_by_page(inside, analyst):
    rows = "\n".join(f"a{i},1,{i + 2}" for i in range(60))
    study = open_study(analyst, f"action,x,y\n{rows}\n".encode(), "long.csv")
    page = reverse("study-words", args=[study.pk, "actions"])
    assert "Page 1 of 2" in text(inside.get(page))
    form = {"label-55": "Fifty-five", "description-55": "The last but four.", "label-2": "no"}
    inside.post(f"{page}?page=2", form)
    study.refresh_from_db()
    assert study.actions[55]["label"] == "Fifty-five"
    assert study.actions[2]["label"] == ""  # not on that page
    assert "Fifty-five" in text(inside.get(f"{page}?page=2"))
    assert inside.get(reverse("study-words", args=[study.pk, "owner"])).status_code == 404


def test_a_study_is_opened_paused_closed_and_opened_again(inside, analyst):
    study = open_study(analyst, TABLE, "plans.csv")
    page = reverse("study-state", args=[study.pk])
    for state in ("open", "paused", "open", "closed", "open"):
        assert inside.post(page, {"state": state}).status_code == 302
        study.refresh_from_db()
        assert study.state == state
    assert "can become paused or closed" in text(inside.post(page, {"state": "draft"}, follow=True))
    assert inside.get(page).status_code == 405


def test_people_are_invited_by_name_or_all_at_once(inside, study):
    page = reverse("invite-new", args=[study.pk])
    form = {"kind": "personal", "names": "Ann\n\n Bob \n", "expires": "7"}
    assert "Copy and send each" in text(inside.post(page, form, follow=True))
    inside.post(page, {"kind": "open", "names": "", "expires": ""})
    ann, bob, everybody = Invite.objects.all()
    assert (ann.name, bob.name) == ("Ann", "Bob")
    assert (ann.expires_at - ann.created_at).days in (6, 7)
    assert (everybody.kind, everybody.expires_at) == ("open", None)
    shown = text(inside.get(reverse("study", args=[study.pk])))
    assert all(f"/ask/{invite.token}/" in shown for invite in (ann, bob, everybody))
    assert inside.post(page, {"kind": "personal", "names": " "}).status_code == 400
    assert inside.post(page, {"kind": "open", "names": "a\nb"}).status_code == 400


@pytest.mark.parametrize("hosts", [(), ("a.example.org",)])
def test_where_links_reach_nobody_else_that_is_said(inside, study, invited, settings, hosts):
    settings.DEPLOYMENT = replace(settings.DEPLOYMENT, hosts=hosts)
    page = text(inside.get(reverse("study", args=[study.pk])))
    assert ("on this machine alone" in page) == (not hosts)


def test_a_revoked_link_is_not_shown_any_more(inside, study, invited):
    inside.post(reverse("invite-revoke", args=[study.pk, invited.pk]))
    page = text(inside.get(reverse("study", args=[study.pk])))
    assert "revoked" in page
    assert invited.token not in page


def test_progress_is_shown(inside, study, respondent):
    next_question(respondent)
    row = respondent.answers.get()
    row.choice, row.answered_at = "first", row.asked_at
    row.save()
    page = text(inside.get(reverse("study", args=[study.pk])))
    assert "1 of at most 4" in page
    assert "answering" in page


def test_it_is_noted_who_did_what(inside, analyst, study):
    inside.post(reverse("study-state", args=[study.pk]), {"state": "paused"})
    page = text(inside.get(reverse("audit", args=[study.pk])))
    assert "study paused" in page
    assert "ada" in page


PAGES = ("study", "study-edit", "study-table", "audit", "study-delete", "export-decisions",
         "export-actions", "export-model", "export-report", "export-study")  # fmt: skip


def test_a_stranger_finds_nothing(client, study, invited):
    addresses = [reverse(name, args=[study.pk]) for name in PAGES]
    addresses += [
        reverse("study-words", args=[study.pk, "actions"]),
        reverse("respondent-delete", args=[study.pk, 1]),
        reverse("export-model-of", args=[study.pk, 1]),
    ]
    changes = [
        reverse("study-state", args=[study.pk]),
        reverse("invite-new", args=[study.pk]),
        reverse("invite-revoke", args=[study.pk, invited.pk]),
        *addresses[1:3],
        reverse("study-delete", args=[study.pk]),
    ]
    for address in (*addresses, *changes):
        assert "/login/" in client.get(address).headers.get("Location", "/login/")
        assert "/login/" in client.post(address).headers.get("Location", "/login/")
    client.force_login(User.objects.create_user("eve"))
    assert {client.get(address).status_code for address in addresses} == {404}
    assert {client.post(address, {"sure": "yes"}).status_code for address in changes} == {404}
    assert study.title not in text(client.get("/"))
    assert Study.objects.get().state == "open"


def test_an_invite_of_another_study_is_not_revoked(inside, analyst, invited):
    other = open_study(analyst, TABLE, "other.csv")
    page = reverse("invite-revoke", args=[other.pk, invited.pk])
    assert inside.post(page).status_code == 404
    assert not AuditEntry.objects.filter(what="invite revoked").exists()

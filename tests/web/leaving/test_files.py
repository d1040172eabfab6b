"""Files that leave: read again by commands, with the same estimates to the last digit."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from django.urls import reverse

from tests.web.conftest import TABLE
from welfarist.app import fitting
from welfarist.app.asked import learned_from
from welfarist.app.asking import AskRequest, opened
from welfarist.app.decisions import DecisionOptions
from welfarist.app.made_up import beside
from welfarist.app.warned import heard
from welfarist.base.errors import InputError
from welfarist.files import read_actions
from welfarist.results.saved_models import load_model
from welfarist.web.asking.live import interview_of
from welfarist.web.leaving.decisions import names_of, taken_from
from welfarist.web.leaving.fitting import fitted
from welfarist.web.models import AuditEntry
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import open_study

pytestmark = pytest.mark.django_db


def given(client, name, study, *more):
    response = client.get(reverse(name, args=[study.pk, *more]))
    assert response.status_code == 200
    assert response["Content-Disposition"].startswith('attachment; filename="plans-')
    assert "sandbox" in response["Content-Security-Policy"]
    return response.content


@pytest.fixture
def written(client, analyst, answered, tmp_path):
    """The files that the analyst gets, in a folder."""
    client.force_login(analyst)
    for name in ("decisions", "actions"):
        content = given(client, f"export-{name}", answered)
        (tmp_path / f"{name}.csv").write_bytes(content)
    return tmp_path


def test_decisions_have_everything_that_fit_and_others_want(written):
    rows = list(csv.DictReader(io.StringIO((written / "decisions.csv").read_text())))
    assert list(rows[0])[:5] == ["first", "second", "choice", "by", "time"]
    assert [row["by"] for row in rows] == ["'=Ann"] * 5 + ["Bob"] * 5  # no formula
    assert rows[0]["choice"] == "second"  # as it was revised
    assert {row["side"] for row in rows} <= {"first", "second"}
    assert rows[1]["response ms"] == "1200"
    assert not any(cell[:1] in tuple("=+-@\t\r") for row in rows for cell in row.values() if cell)


def test_the_command_fits_what_the_page_fits_to_the_last_digit(client, answered, written):
    asked = fitting.FitRequest(
        str(written / "actions.csv"),
        decision=DecisionOptions(comparisons=str(written / "decisions.csv")),
        allow_unconverged=True,
    )
    with heard():
        command = fitting.fit(asked, fitting.read(asked))
    page = fitted(taken_from(answered))
    assert command.result.to_dict() == page.result.to_dict()
    (written / "model.json").write_bytes(given(client, "export-model", answered))
    model = load_model(str(written / "model.json"))
    assert model.welfare.p == command.result.p
    assert model.welfare.weights.tolist() == command.result.weights.tolist()


def test_everybody_has_a_model_of_their_own(client, answered, written, tmp_path):
    lines = (written / "decisions.csv").read_text().splitlines(keepends=True)
    own = [line for line in lines[1:] if ",Bob," in line]
    (written / "bob.csv").write_text("".join([lines[0], *own]))
    asked = fitting.FitRequest(
        str(written / "actions.csv"),
        decision=DecisionOptions(comparisons=str(written / "bob.csv")),
        allow_unconverged=True,
    )
    (tmp_path / "bob.json").write_bytes(given(client, "export-model-of", answered, 2))
    with heard():
        bob = fitting.fit(asked, fitting.read(asked)).result
    assert load_model(str(tmp_path / "bob.json")).welfare.p == bob.p
    assert client.get(reverse("export-model-of", args=[answered.pk, 9])).status_code == 404


def test_an_interview_in_the_terminal_goes_on_with_the_same_belief(answered, written):
    (written / "plans.csv").write_bytes(TABLE)
    (written / "actions.csv").rename(beside(str(written / "decisions.csv")))
    request = AskRequest(str(written / "plans.csv"), str(written / "decisions.csv"), by="Bob")
    bob = answered.respondents.get(name="Bob")
    with opened(request) as session, interview_of(bob) as live:
        assert session.settings == replace(answered.ask_settings, seed=bob.seed)
        assert session.learned() == learned_from(live, session.actions)
        assert session.count == 5


def test_numbers_and_names_come_back_as_they_are(analyst, tmp_path):
    table = b"action,a,b\n'=1+1,0.1,2\n'-x,3,1e-7\n\"'@n\",2,0.30000000000000004\n"
    study = open_study(analyst, table, "odd.csv")
    assert study.action_names == ("=1+1", "-x", "@n")
    (tmp_path / "actions.csv").write_bytes(taken_from(study).actions)
    back = read_actions(tmp_path / "actions.csv")
    assert back.names == study.action_names
    assert back.utilities.tolist() == study.utilities


def test_the_report_is_that_of_the_command(client, answered, written):
    page = given(client, "export-report", answered).decode()
    assert "<h1>Plans" in page
    assert "decisions.csv" in page
    assert "/tmp" not in page


def test_without_a_preference_there_is_nothing_to_learn(client, analyst, study):
    client.force_login(analyst)
    for name in ("export-model", "export-report"):
        page = client.get(reverse(name, args=[study.pk]), follow=True).content.decode()
        assert "There must be an answer that prefers something" in page
    with pytest.raises(InputError, match="found none"):
        fitted(taken_from(study))


def test_people_of_one_name_are_told_apart(analyst, study):
    for name in ("Ann", "Ann", ""):
        invite(study, analyst, name=name)
    names = list(names_of(study.respondents.all()).values())
    assert names == ["Ann (1)", "Ann (2)", "respondent 3"]


def test_what_leaves_is_noted(analyst, written, answered):
    said = set(AuditEntry.objects.filter(study=answered).values_list("what", flat=True))
    assert {"exported decisions.csv", "exported actions.csv"} <= said

"""What is refused: forged, guessed, too large, too often."""

from __future__ import annotations

import io
import logging
import socket
import zipfile
from datetime import timedelta

import pytest
from benchmarks.web_server import PATIENCE, Gunicorn, Served
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from tests.web.conftest import TABLE
from welfarist.base.errors import InputError
from welfarist.web import rates
from welfarist.web.accounts.one_time import DOOR
from welfarist.web.asking.putting import next_question
from welfarist.web.models import AuditEntry, Invite, Respondent, Study, Tries
from welfarist.web.quiet_logs import Masked
from welfarist.web.studies import unpacking
from welfarist.web.studies.editing import describe
from welfarist.web.studies.inviting import invite
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.uploads import read_upload

pytestmark = pytest.mark.django_db
SCRIPT = "<script>alert(1)</script>"
GIGABYTE = 1 << 30


@pytest.fixture
def guarded(analyst):
    made = Client(enforce_csrf_checks=True)
    made.force_login(analyst)
    return made


def test_every_change_needs_the_token_of_its_form(guarded, study, invited):
    before = Study.objects.values().get()
    for name, args in (
        ("study-new", []), ("study-edit", [study.pk]), ("study-table", [study.pk]),
        ("study-words", [study.pk, "actions"]), ("study-state", [study.pk]),
        ("invite-new", [study.pk]), ("invite-revoke", [study.pk, invited.pk]),
        ("import", []), ("study-delete", [study.pk]), ("respondent-delete", [study.pk, 1]),
        ("ask-begin", [invited.token]), ("ask-answer", [invited.token]),
        ("ask-undo", [invited.token]), ("login", []), ("logout", []), ("password", []),
    ):  # fmt: skip
        done = guarded.post(reverse(name, args=args), {"sure": "yes", "state": "closed"})
        assert done.status_code == 403, name
    assert Study.objects.values().get() == before
    assert Invite.objects.get().revoked_at is None


def pages_of(study, invited):
    """Every address below a study, whoever adds one."""
    values = {"pk": study.pk, "number": 1, "invite": invited.pk, "whom": "actions"}
    found = {}
    for name, ways in get_resolver().reverse_dict.lists():
        for ((_, needed),), *_ in ways:
            if isinstance(name, str) and "pk" in needed:
                found[name] = reverse(name, kwargs={part: values[part] for part in needed})
    return found


def test_strangers_see_and_change_nothing_of_a_study(client, django_user_model, study, invited):
    pages = pages_of(study, invited)
    assert {"study", "export-study", "respondent-delete", "explore", "learned"} <= pages.keys()
    before = (Study.objects.values().get(), Invite.objects.values().get())
    for page in pages.values():
        for done in (client.get(page), client.post(page, {"sure": "yes"})):
            assert done.status_code in (302, 405), page
            assert done.status_code == 405 or done["Location"].startswith("/login/"), page
    client.force_login(django_user_model.objects.create_user("eve"))
    for page in pages.values():
        codes = {client.get(page).status_code, client.post(page, {"sure": "yes"}).status_code}
        assert codes in ({404}, {404, 405}), page
    assert (Study.objects.values().get(), Invite.objects.values().get()) == before


@pytest.mark.parametrize("number", [0, 2**31, 2**63, 10**30])
def test_numbers_that_nobody_has_lead_nowhere(client, analyst, study, number):
    client.force_login(analyst)
    for name in ("study", "learned", "export-study", "study-delete"):
        assert client.get(reverse(name, args=[number])).status_code == 404
    for name in ("learned-respondent", "export-model-of", "respondent-delete"):
        assert client.get(reverse(name, args=[study.pk, number])).status_code == 404
    assert client.post(reverse("invite-revoke", args=[study.pk, number])).status_code == 404


@pytest.mark.parametrize("host", ["evil.example.org", "127.0.0.1.evil.org", "", "a b"])
def test_other_hosts_are_not_answered(client, invited, host):
    page = reverse("ask", args=[invited.token])
    assert client.get(page, headers={"host": host}).status_code == 400


def test_links_that_are_over_lead_nowhere(client, analyst, study, invited, respondent):
    question = next_question(respondent)
    form = {"number": question.number, "key": question.key, "choice": "first"}
    Invite.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for token in (invited.token, respondent.token):
        page = client.get(reverse("ask", args=[token]))
        assert (page.status_code, "expired" in page.content.decode()) == (403, True)
        assert client.post(reverse("ask-answer", args=[token]), form).status_code == 403
    Invite.objects.update(expires_at=None, revoked_at=timezone.now())
    page = client.get(reverse("ask", args=[invited.token]))
    assert (page.status_code, "no longer valid" in page.content.decode()) == (403, True)
    assert not respondent.answers.exclude(choice="").exists()


def test_guessing_links_ends_soon(client, invited):
    good = reverse("ask", args=[invited.token])
    for i in range(rates.WRONG_LINKS.most):
        assert client.get(reverse("ask", args=[f"guess-{i}"])).status_code == 404
    done = client.get(reverse("ask", args=["guess"]))
    assert (done.status_code, done["Retry-After"]) == (429, "600")
    assert client.get(good).status_code == 200  # others in the same house may have guessed
    assert client.get(reverse("ask", args=["guess"]), REMOTE_ADDR="10.0.0.9").status_code == 404
    Tries.objects.update(since=timezone.now() - timedelta(hours=1))
    assert client.get(reverse("ask", args=["guess"])).status_code == 404


def test_a_clock_that_is_set_back_keeps_nobody_out(db):
    few = rates.Limit("try", 1, timedelta(hours=1))
    assert [few.count("ada") for _ in range(3)] == [False, True, True]
    Tries.objects.update(since=timezone.now() + timedelta(days=300))
    assert not few.count("ada")


def test_the_pages_own_link_is_not_guessed(client):
    link = f"/enter/{DOOR.issue()}/"
    codes = [client.get(f"/enter/guess-{i}/").status_code for i in range(65)]
    assert (codes[0], codes[-1]) == (403, 429)
    assert client.get(link)["Location"] == "/"


def test_nobody_fills_a_study_with_nobodies(client, analyst, study, monkeypatch):
    link = invite(study, analyst, Invite.Kind.OPEN)
    few = rates.Limit("begin", 3, timedelta(hours=1))
    monkeypatch.setattr("welfarist.web.limiting.BEGIN_FROM", few)
    page = reverse("ask-begin", args=[link.token])
    codes = [client.post(page, {"name": f"n{i}"}).status_code for i in range(5)]
    assert codes == [302, 302, 302, 429, 429]
    assert Respondent.objects.count() == 3


def test_passwords_are_not_guessed(client, analyst):
    wrong = {"username": "ada", "password": "x"}
    right = {**wrong, "password": "correct horse battery"}
    for _ in range(rates.LOGIN_AS.most):
        assert client.post("/login/", wrong).status_code == 200
    assert client.post("/login/", wrong).status_code == 429
    assert client.post("/login/", right).status_code == 429
    assert Client().post("/login/", right, REMOTE_ADDR="10.0.0.9").status_code == 302
    Tries.objects.update(since=timezone.now() - timedelta(hours=1))
    assert client.post("/login/", right).status_code == 302


def test_passwords_are_not_guessed_from_many_addresses(client, analyst):
    few = rates.Limit("login", 5, timedelta(minutes=15))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("welfarist.web.accounts.views.LOGIN_NAME", few)
        codes = [
            client.post("/login/", {"username": "Ada", "password": "x"}, REMOTE_ADDR=f"10.0.0.{i}")
            for i in range(7)
        ]
    assert [code.status_code for code in codes] == [200] * 5 + [429] * 2


def test_failed_logins_are_noted_without_what_was_typed(client, analyst, django_user_model):
    secret = "my password in the wrong place"
    client.post("/login/", {"username": "ada", "password": secret}, REMOTE_ADDR="10.0.0.7")
    client.post("/login/", {"username": f"{secret}\0", "password": secret})
    noted = list(AuditEntry.objects.order_by("pk").values_list("who", "what", "details"))
    assert noted == [
        ("ada", "login failed", {"address": "10.0.0.7"}),
        ("unknown", "login failed", {"address": "127.0.0.1"}),
    ]
    client.force_login(analyst)
    own = client.get("/activity/").content.decode()
    assert "10.0.0.7" in own
    assert "unknown" not in own
    client.force_login(django_user_model.objects.create_superuser("root"))
    assert "unknown" in client.get("/activity/").content.decode()


def test_nobody_fills_the_notes_with_failures(client, analyst):
    for name in ("ada", "nobody"):
        for i in range(rates.NOTED.most + 5):
            form = {"username": name, "password": "x"}
            client.post("/login/", form, REMOTE_ADDR=f"10.0.{name == 'ada':d}.{i}")
    assert AuditEntry.objects.count() == 2 * (rates.NOTED.most + 1)
    assert AuditEntry.objects.filter(what__startswith="more tries").count() == 2


def test_who_is_let_in_did_not_guess(client, analyst):
    right = {"username": "ada", "password": "correct horse battery"}
    for _ in range(rates.LOGIN_AS.most + 5):
        assert Client().post("/login/", right).status_code == 302


def test_an_address_is_what_the_proxy_heard(rf, settings):
    asked = rf.get("/", headers={"x-forwarded-for": "1.2.3.4, 5.6.7.8"})
    assert rates.address_of(asked) == "127.0.0.1"
    settings.DEPLOYMENT = type(settings.DEPLOYMENT)(
        settings.DEPLOYMENT.data, ("a",), "", settings.DEPLOYMENT.key_file, True
    )
    assert rates.address_of(asked) == "5.6.7.8"


def test_a_password_must_be_a_good_one(client, analyst):
    client.force_login(analyst)
    form = {"old_password": "correct horse battery", "new_password1": "12345678",
            "new_password2": "12345678"}  # fmt: skip
    assert "too common" in client.post("/password/", form).content.decode()
    analyst.refresh_from_db()
    assert analyst.check_password("correct horse battery")


class Unread(io.RawIOBase):
    """A body that nobody may read."""

    def read(self, size: int = -1) -> bytes:
        raise AssertionError("it was read")


def body(**more):
    return {"wsgi.input": Unread(), "CONTENT_TYPE": "multipart/form-data; boundary=x", **more}


def test_a_gigabyte_is_refused_before_it_is_read(guarded):
    for name in ("study-new", "import", "login"):
        done = guarded.generic("POST", reverse(name), **body(CONTENT_LENGTH=str(GIGABYTE)))
        assert done.status_code == 413
        assert "Nothing was stored" in done.content.decode()
    chunked = body(HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH="")
    assert guarded.generic("POST", reverse("study-new"), **chunked).status_code == 411


def test_forms_without_files_are_small(guarded, invited):
    done = guarded.generic(
        "POST", reverse("ask-begin", args=[invited.token]), **body(CONTENT_LENGTH=str(4 << 20))
    )
    assert done.status_code == 413


def test_a_table_of_more_bytes_than_allowed_is_refused(client, analyst):
    client.force_login(analyst)
    large = SimpleUploadedFile("large.csv", TABLE + b"#" * (11 << 20))
    done = client.post(reverse("study-new"), {"file": large})
    assert "10 megabytes at most" in done.content.decode()
    assert not Study.objects.exists()


def bomb(size, said=None):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * size)
    data = held.getvalue()
    return data if said is None else data.replace(size.to_bytes(4, "little"), said)


@pytest.mark.parametrize("said", [None, (1000).to_bytes(4, "little")])
def test_a_bomb_is_refused_whatever_it_says_of_itself(monkeypatch, said):
    monkeypatch.setattr(unpacking, "MOST_UNPACKED", 8 << 20)
    data = bomb(9 << 20, said)
    assert len(data) < 20_000
    with pytest.raises(InputError, match="what is packed into it must have 8 megabytes"):
        read_upload(data, "table.xlsx")


def test_a_bomb_is_refused_on_the_page(client, analyst):
    client.force_login(analyst)
    done = client.post(
        reverse("study-new"), {"file": SimpleUploadedFile("t.xlsx", bomb(200 << 20))}
    )
    assert "100 megabytes in 1,000 parts at most; found more" in done.content.decode()
    assert not Study.objects.exists()


def test_a_bomb_of_many_parts_is_refused():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for i in range(1_001):
            archive.writestr(f"{i}", b"")
    with pytest.raises(InputError, match="in 1,000 parts at most; found more"):
        read_upload(held.getvalue(), "table.xlsx")


def test_an_archive_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"t\.xlsx"):
        read_upload(bomb(1000)[:-40] + bytes(40), "t.xlsx")


def test_a_workbook_is_no_bomb():
    polars = pytest.importorskip("polars")
    pytest.importorskip("xlsxwriter")
    held = io.BytesIO()
    polars.DataFrame({"action": ["a", "b"], "x": [1, 2], "y": [3, 4]}).write_excel(held)
    assert read_upload(held.getvalue(), "t.xlsx").actions == ("a", "b")


def test_scripts_in_names_are_letters(client, analyst):
    table = f"action,{SCRIPT},b\n{SCRIPT}a,1,2\n{SCRIPT}b,2,1\nc,3,0\n".encode()
    study = open_study(analyst, table, f"{SCRIPT}.csv", title=SCRIPT, description=SCRIPT)
    for whom in ("actions", "stakeholders"):
        describe(study, analyst, whom, {0: (SCRIPT, SCRIPT), 1: (SCRIPT, SCRIPT)})
    Study.objects.update(state="open", notes=[SCRIPT])
    analyst.username = SCRIPT
    analyst.save()
    personal = invite(study, analyst, name=SCRIPT)
    everybody = invite(study, analyst, Invite.Kind.OPEN, name=SCRIPT)
    client.force_login(analyst)
    names = ("study", "study-edit", "study-table", "audit", "study-delete")
    pages = ["/", *(reverse(name, args=[study.pk]) for name in names)]
    pages += [reverse("study-words", args=[study.pk, w]) for w in ("actions", "stakeholders")]
    pages += [reverse("respondent-delete", args=[study.pk, 1])]
    pages += [reverse("ask", args=[link.token]) for link in (personal, everybody)]
    for page in pages:
        shown = client.get(page).content.decode()
        assert "<script>" not in shown, page
        assert "&lt;script&gt;" in shown, page


def test_tokens_are_not_logged(client, invited, monkeypatch):
    held = io.StringIO()
    handler = logging.StreamHandler(held)
    handler.setFormatter(Masked())
    logging.getLogger("django").addHandler(handler)
    try:
        guarded = Client(enforce_csrf_checks=True, raise_request_exception=False)
        guarded.post(reverse("ask-begin", args=[invited.token]))
        monkeypatch.setattr("welfarist.web.asking.entering.behind", lambda token: 1 / 0)
        guarded.get(reverse("ask", args=[invited.token]))
    finally:
        logging.getLogger("django").removeHandler(handler)
    said = held.getvalue()
    assert "/ask/…/" in said
    assert "ZeroDivisionError" in said
    assert invited.token not in said


@pytest.fixture(params=["waitress", "gunicorn"])
def served(request, tmp_path):
    """The port of pages that run in a process of their own, as on one's machine or a server."""
    if request.param == "gunicorn":
        pytest.importorskip("fcntl")  # it does not run on Windows
    made = Served(tmp_path) if request.param == "waitress" else Gunicorn(tmp_path, workers=1)
    try:
        yield made.port
    finally:
        made.process.terminate()
        made.process.wait()
        if made.process.stdout is not None:
            made.process.stdout.close()


HEAD = (
    "POST /studies/new/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-Proto: https\r\n"
    "Content-Type: multipart/form-data; boundary=x\r\n"
)
# Of a gigabyte, what may be on its way before nobody listens any more: buffers of both ends, and
# what gunicorn reads before it gives up (waitress: as much as the largest table).
MOST_MEGABYTES = 100


def sent_to(port, head, piece):
    """Send a gigabyte in pieces of a megabyte; return how many were taken, and what was said."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as told:
        told.sendall(head.encode())
        sent = 0
        try:
            while sent < GIGABYTE >> 20:
                told.sendall(piece)
                sent += 1
        except OSError:  # nobody listens any more
            pass
        try:
            return sent, told.recv(100)
        except OSError:  # what was said is lost with the connection
            return sent, b""


def test_a_server_stops_listening_to_a_gigabyte(served):
    with socket.create_connection(("127.0.0.1", served), timeout=PATIENCE) as told:
        told.sendall(f"{HEAD}Content-Length: {GIGABYTE}\r\n\r\n".encode())
        assert b" 413 " in told.recv(100)
    megabyte = bytes(1 << 20)
    head = f"{HEAD}Content-Length: {GIGABYTE}\r\n\r\n"
    sent, said = sent_to(served, head, megabyte)
    assert (sent < MOST_MEGABYTES, said[:12] in (b"", b"HTTP/1.1 413")) == (True, True)
    head = f"{HEAD}Transfer-Encoding: chunked\r\n\r\n"
    sent, said = sent_to(served, head, b"100000\r\n" + megabyte + b"\r\n")
    assert (sent < MOST_MEGABYTES, said[:10] in (b"", b"HTTP/1.1 4")) == (True, True)
    with socket.create_connection(("127.0.0.1", served), timeout=PATIENCE) as told:
        told.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b" 200 " in told.recv(100)

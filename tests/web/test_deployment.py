"""Where the pages run: on one's own machine, and on a server."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from django.core.management import call_command

from welfarist.base.errors import InputError
from welfarist.web.databases import database_of
from welfarist.web.deployment import Deployment, own_folder
from welfarist.web.secret_key import secret_key
from welfarist.web.serving import ServeRequest, serve

PLAIN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("WELFARIST_", "DJANGO_"))
}


def managed(folder, *command, **environment):
    return subprocess.run(
        [sys.executable, "-m", "welfarist.web", *command],
        env={**PLAIN, "WELFARIST_DATA": str(folder), **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_server_passes_the_checks_of_a_deployment(tmp_path):
    done = managed(
        tmp_path, "check", "--deploy", "--fail-level", "WARNING", WELFARIST_HOSTS="a.example.org"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["*", "https://a.org", "a.org:8000", "a b", "a.org/", "bücher.de"])
def test_a_server_has_names_that_requests_can_have(name):
    with pytest.raises(InputError, match="WELFARIST_HOSTS must be names of the server"):
        Deployment.of({"WELFARIST_HOSTS": f"a.org,{name}"})


@pytest.mark.parametrize(
    "name", ["a.org", ".a.org", "10.0.0.1", "[::1]", "xn--bcher-kva.de", "h_1"]
)
def test_names_and_addresses_are_names_of_a_server(name):
    assert Deployment.of({"WELFARIST_HOSTS": f" {name} ,"}).hosts == (name,)


@pytest.mark.parametrize("hosts", ["", " , ", "*"])
def test_a_server_without_its_name_does_not_start(tmp_path, hosts):
    pytest.importorskip("fcntl")  # gunicorn does not run on Windows
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "--config", "python:welfarist.web.gunicorn_settings",
         "--bind", "127.0.0.1:0"],
        env={**PLAIN, "WELFARIST_DATA": str(tmp_path), "WELFARIST_HOSTS": hosts},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "WELFARIST_HOSTS" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [("WELFARIST_DATABASE", "mysql://a/b"), ("WELFARIST_HOSTS", "https://a.org")],
)
def test_what_is_wrong_with_a_server_is_said_in_a_line(tmp_path, variable, value):
    done = managed(tmp_path, "prepare", **{variable: value})
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


SERVER = """
import sys

import django

django.setup()
from django.contrib.auth.models import User
from django.test import Client
from welfarist.web.preparing import prepare

prepare()
User.objects.create_user("ada", password="correct horse battery")
client = Client(enforce_csrf_checks=True, headers={"host": "a.example.org"})
assert client.get("/login/")["Location"] == "https://a.example.org/login/"
assert client.get("/health").status_code == 200
assert client.get("/login/", headers={"host": "evil.example.org"}, secure=True).status_code == 400
assert client.get("/enter/abc/", secure=True).status_code == 404
client.get("/login/", secure=True)
token = client.cookies["__Host-welfarist-csrf"].value
form = {"username": "ada", "password": "correct horse battery", "csrfmiddlewaretoken": token}
origin = {"origin": "https://a.example.org"}
wrong = client.post("/login/", {**form, "password": "x"}, secure=True, headers=origin)
assert wrong.status_code == 200 and "__Host-welfarist-session" not in client.cookies
assert client.post("/login/", form, secure=True, headers=origin)["Location"] == "/"
session = client.cookies["__Host-welfarist-session"]
assert session["secure"] and session["httponly"] and session["samesite"] == "Lax"
assert client.get("/", secure=True).status_code == 200
other = {"origin": "https://evil.example.org"}
assert client.post("/logout/", form, secure=True, headers=other).status_code == 403
# Learners and figures take longer to import than everything else, and most pages need none.
assert not {"sklearn", "pandas", "matplotlib", "polars"} & set(sys.modules)
"""


def test_a_server_has_accounts_with_passwords(tmp_path):
    environment = {
        "WELFARIST_DATA": str(tmp_path),
        "WELFARIST_HOSTS": "a.example.org",
        "DJANGO_SETTINGS_MODULE": "welfarist.web.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", SERVER],
        env={**PLAIN, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # A forged name is no news; a forged form is, in a line.
    assert "evil.example.org" in done.stderr.splitlines()[-1]
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_migrations_are_what_models_say(db):
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_the_key_is_made_once_and_for_its_owner(tmp_path):
    file = tmp_path / "inner" / "key"
    key = secret_key(file)
    assert len(key) > 80
    assert secret_key(file) == key
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["key"]


def test_a_short_key_is_none(tmp_path):
    (tmp_path / "key").write_text("abc")
    with pytest.raises(InputError, match="50 letters or more; found 3"):
        secret_key(tmp_path / "key")


@pytest.mark.parametrize(
    ("platform", "said", "place"),
    [
        ("linux", {"XDG_DATA_HOME": "/d"}, Path("/d/welfarist")),
        ("win32", {"LOCALAPPDATA": "/l"}, Path("/l/welfarist")),
        ("darwin", {}, Path.home() / "Library/Application Support/welfarist"),
    ],
)
def test_everybody_has_a_folder_of_their_own(platform, said, place):
    assert own_folder(said, platform) == place


def test_other_databases_are_refused():
    with pytest.raises(InputError, match="found one of the kind 'mysql'"):
        database_of("mysql://a/b")


@pytest.mark.parametrize(
    ("request_", "environment", "said"),
    [
        (ServeRequest(host="0.0.0.0"), {}, "found '0.0.0.0'"),
        (ServeRequest(), {"WELFARIST_HOSTS": "a.org"}, "found WELFARIST_HOSTS"),
    ],
)
def test_pages_on_ones_own_machine_are_for_nobody_else(monkeypatch, request_, environment, said):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=said):
        serve(request_, print)


def test_the_command_shows_pages_until_it_is_stopped(tmp_path):
    command = [sys.executable, "-m", "welfarist", "serve", "--demo", "--port", "0"]
    with subprocess.Popen(
        [*command, "--data", str(tmp_path)],
        env={**PLAIN, "PYTHONUNBUFFERED": "1"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            links = [re.search(r"http://\S+", process.stdout.readline())[0] for _ in range(2)]
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with opener.open(links[0]) as page:
                assert "Who gets tonight" in page.read().decode()
            with urllib.request.urlopen(links[1]) as page:
                assert "Begin" in page.read().decode()
        finally:
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=30)
    assert process.returncode == 0, said
    assert {path.name for path in tmp_path.iterdir()} == {"secret-key", "static", "studies.sqlite3"}
    if os.name == "posix":
        assert not (tmp_path / "studies.sqlite3").stat().st_mode & 0o077
    assert not said[1]

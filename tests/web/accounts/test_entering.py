"""The link that is printed in the terminal."""

from __future__ import annotations

import pytest
from django.test import Client

from welfarist.web.accounts.one_time import DOOR

pytestmark = pytest.mark.django_db


def test_a_link_opens_the_pages_once(client):
    link = f"/enter/{DOOR.issue()}/"
    assert client.get("/").status_code == 302
    assert client.get(link)["Location"] == "/"
    assert client.get("/").status_code == 200
    assert client.get(link)["Location"] == "/"  # the same browser is in already
    other = Client()
    assert other.get(link).status_code == 403
    assert other.get("/").status_code == 302


def test_a_new_link_ends_the_one_before(client):
    before = DOOR.issue()
    DOOR.issue()
    assert client.get(f"/enter/{before}/").status_code == 403


def test_other_names_of_the_machine_are_not_answered(client):
    assert client.get("/health", headers={"host": "evil.example.org"}).status_code == 400

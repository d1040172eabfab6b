"""A server that is killed while answers come: a short run of the study in benchmarks."""

from __future__ import annotations

import os

import pytest
from benchmarks.web_client import form_in
from benchmarks.web_kills import study

KILLS = 4


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL on this system")
def test_what_was_said_to_be_saved_is_there_once(tmp_path):
    found = study(KILLS, seed=3, folder=tmp_path)
    assert found.wrong == []
    assert found.moments.total() == KILLS


def test_a_form_is_found_with_what_people_do_not_fill_in():
    page = (
        '<form method="post" action="/ask/t/undo/"><input type="hidden" name="number" value="1">'
        '</form><form action="/ask/t/answer/" method="post"><input value="a&amp;b" name="key" '
        'type="hidden"><input name="typed"><button name="choice" value="first"></button></form>'
    )
    form = form_in(page, "answer")
    assert (form.action, form.fields) == ("/ask/t/answer/", {"key": "a&b"})
    assert form.filled(choice="first") == b"key=a%26b&choice=first"
    assert form_in(page, "begin") is None

"""Tables fit the terminal; what is piped is as wide as it is."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from welfarist.base.exports import Table, terminal_width
from welfarist.cli import console
from welfarist.cli.narrow_tables import text_within

PEOPLE = ("recipients of parcels", "volunteers who drive", "donors", "staff in the warehouse", "us")
LONG = "a new shelter by the river, with a kitchen and room for forty people"
ROWS = (("1", LONG, "2.6052", "93%", *("20%",) * 5), ("2", "pantry", "0.1", "", *("5%",) * 5))
TABLE = Table(
    "2 actions by some/folder/model.json, p = -1.7",
    ("", "action", "welfare", "beats next", *(f"share of {person}" for person in PEOPLE)),
    ROWS,
    ("right", "left", *("right",) * 7),
    ("beats next: how likely it is preferred to the one below",),
)


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 160, 300])
def test_no_line_is_wider_than_the_terminal(width):
    text = text_within(TABLE, width)
    assert max(map(terminal_width, text.splitlines())) <= width
    for number in ("2.6052", "0.1"):  # numbers stay whole
        assert number in text


def test_what_has_room_is_left_as_it_is():
    assert text_within(TABLE, 400) == TABLE.as_text()


def test_columns_that_find_no_room_are_named():
    text = text_within(TABLE, 50)
    assert "left out, because the terminal is narrow:" in text
    assert "share of us" in " ".join(text.split())
    assert "…" in text
    assert "left out" not in text_within(TABLE, 130)


@settings(deadline=None)  # a busy machine is no fault
@given(st.integers(30, 120), st.lists(st.text(max_size=90), min_size=1, max_size=4))
def test_any_names_fit(width, names):
    names = [" ".join(name.split()) for name in names]
    rows = tuple((str(i), name, "1.2345") for i, name in enumerate(names))
    table = Table("T", ("", "action", "welfare"), rows, ("right", "left", "right"))
    lines = text_within(table, width).splitlines()
    assert all(terminal_width(line) <= width for line in lines)


def test_in_a_terminal_and_through_a_pipe(monkeypatch, capsys):
    console.print_table(TABLE)
    assert capsys.readouterr().out == TABLE.as_text() + "\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((60, 20)))
    console.print_table(TABLE)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60

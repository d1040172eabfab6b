"""Tables that somebody sends."""

from __future__ import annotations

import pytest

from tests.web.conftest import TABLE
from welfarist.app.decisions import TableOptions
from welfarist.base.errors import InputError
from welfarist.web.studies.opening import open_study
from welfarist.web.studies.uploads import read_upload


def test_a_table_is_read_as_commands_read_it():
    read = read_upload(TABLE.replace(b",", b";"), "../plans 2.csv")
    assert (read.file, read.stakeholders) == ("plans 2.csv", ("residents", "shops", "staff"))
    assert read.utilities[0].tolist() == [9.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (TABLE.replace(b"9,2", b"9,x"), "plans.csv", "plans.csv, line 2, column 'shops'"),
        (TABLE.replace(b"road", b"park"), "plans.csv", "“actions have no names”"),
        (TABLE, "plans.doc", "the ending of the name must say"),
        (b"", "plans.csv", "plans.csv"),
        (b"a,b,c\nfirst,1,2\nx,2,1\n", "a.csv", "actions must not be called as answers are"),
    ],
)
def test_what_is_wrong_is_said_with_the_name_its_sender_knows(data, name, said):
    with pytest.raises(InputError) as problem:
        read_upload(data, name)
    assert said in str(problem.value)
    assert "/tmp" not in str(problem.value)
    assert "welfarist-" not in str(problem.value)


def test_options_that_say_nothing_are_refused():
    with pytest.raises(InputError, match="“sheet” is for workbooks"):
        read_upload(TABLE, "plans.csv", TableOptions(sheet="one"))


def test_an_aim_must_name_actions(analyst):
    with pytest.raises(InputError, match="“aim” must be best, rule, or names"):
        open_study(analyst, TABLE, "plans.csv", aim="park,tunnel")

"""Files of what is known of decision makers: names as they are, a sentence for what is odd."""

from __future__ import annotations

import pytest

import welfarist as wf
from welfarist.files import read_deciders

WHO = ("112010050603", "007", "Müller, Jörg")
ROWS = '112010050603,31,women\n007,45,men\n"Müller, Jörg",28,men\n'


@pytest.fixture
def known(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("who,age,group\n" + ROWS, encoding="utf-8")
    return path


def test_names_are_texts_and_numbers_are_numbers(known):
    found = read_deciders(known, WHO[::-1])
    assert found.columns == {
        "who": list(WHO[::-1]),
        "age": [28.0, 45.0, 31.0],
        "group": ["men", "men", "women"],
    }
    assert found.notes == (f"{known}: the names are in the column 'who'.",)


def test_columns_can_be_chosen(known):
    assert list(read_deciders(known, WHO, columns=["Group"]).columns) == ["who", "group"]
    with pytest.raises(wf.InputError, match="found no 'height' among 'who', 'age', 'group'"):
        read_deciders(known, WHO, columns=["height"])
    with pytest.raises(wf.InputError, match="a column beside that of the names, 'who'"):
        read_deciders(known, WHO, columns=["who"])


def test_the_column_of_names_may_be_called_as_in_the_decisions(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,age,judge\n3,20,a\n4,30,b\n")
    assert read_deciders(path, ["a", "b"], by="Judge").columns["age"] == [20.0, 30.0]
    assert read_deciders(path, ["4", "3"]).columns["age"] == [30.0, 20.0]
    path.write_text("code,age\na,20\nb,30\n")
    assert read_deciders(path, ["b"]).columns == {"who": ["b"], "age": [30.0]}


def test_others_may_be_in_the_file(known):
    notes = read_deciders(known, WHO[:1]).notes
    assert notes[-1] == f"{known}: 2 of 3 rows are of people who decided nothing."


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("who,age\na,1\n", "found none for 'b'. Add it"),
        ("who,age\nc,1\n", "found none for 'a', 'b'. Add them"),
        ("who,age\na,1\nb,2\na,3\n", "line 4: decision makers must have one row each; found 'a'"),
        ("who,age\na,1\nb,\n", "line 3, column 'age'"),
        ("who,age\n,1\nb,2\n", "line 2, column 'who'"),
        ("who\na\nb\n", "line 1: there must be a column beside that of the names"),
    ],
)
def test_what_is_odd_is_said_with_its_place(tmp_path, text, what):
    (tmp_path / "people.csv").write_text(text)
    with pytest.raises(wf.InputError) as caught:
        read_deciders(tmp_path / "people.csv", ["a", "b"])
    assert what in str(caught.value)


def test_other_encodings_are_read_when_told(tmp_path, known):
    path = tmp_path / "latin.csv"
    path.write_bytes(known.read_text(encoding="utf-8").encode("windows-1252"))
    with pytest.raises(wf.InputError, match="Windows-1252"):
        read_deciders(path, WHO)
    assert read_deciders(path, WHO, encoding="windows-1252").columns["who"] == list(WHO)


def test_an_empty_cell_offers_nothing_that_does_not_help(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("who,age\nann,30\nbob,\n", encoding="utf-8")
    with pytest.raises(wf.InputError) as refused:
        read_deciders(path, ["ann", "bob"])
    assert "line 3" in str(refused.value)
    assert "drop_missing" not in str(refused.value)

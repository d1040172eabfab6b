"""A file of answers: it grows by rows, and what others wrote stays as they wrote it."""

from __future__ import annotations

import pytest

from welfarist import InputError
from welfarist.files.answers import AnswerFile, check_format

FOREIGN = '\ufeffNote;First;second;choice\r\n"a ""b""; c";x;y;first\r\n\r\n;y;x;tie\r\n\r\n'


def read(tmp_path, text: str, **how) -> AnswerFile:
    path = tmp_path / "answers.csv"
    path.write_bytes(text.encode())
    return AnswerFile.read(str(path), how.get("separator"), how.get("encoding"))


def test_what_others_wrote_stays_to_the_byte(tmp_path):
    file = read(tmp_path, FOREIGN)
    assert file.content() == FOREIGN.encode()
    grown = file.with_row({"first": "x", "second": "=y", "choice": "skip"})
    assert grown.content() == FOREIGN.encode() + b";x;'=y;skip\r\n"
    assert [row.answer for row in grown.rows] == ["first", "equal", "skip"]
    assert grown.without_row(grown.rows[-1]).content() == FOREIGN.encode()


def test_rows_are_found_again(tmp_path):
    file = read(tmp_path, FOREIGN)
    assert [row.line for row in file.rows] == [2, 4]
    assert file.rows[0]["note"] == 'a "b"; c'


def test_new_columns_and_a_last_line_without_an_end(tmp_path):
    file = read(tmp_path, "first,second,choice\na,b,first")
    grown = file.with_columns(["time"]).with_row({"first": "b", "second": "a", "time": "now"})
    assert grown.text == "first,second,choice,time\na,b,first,\nb,a,,now\n"
    plain = file.with_row({"first": "b,c", "second": "a", "choice": "equal"})
    assert plain.text == 'first,second,choice\na,b,first\n"b,c",a,equal\n'


def test_a_new_file_is_read_as_it_was_written(tmp_path):
    made = AnswerFile.new("answers.csv", ("first", "second", "choice"), None, None)
    made = made.with_row({"first": 'é "x"\ny', "second": "-1", "choice": "first"})
    found = read(tmp_path, made.text)
    assert dict(found.rows[0].cells) == {"first": 'é "x"\ny', "second": "-1", "choice": "first"}
    assert AnswerFile.new("a.tsv", ("first",), None, None).text == "first\n"
    assert AnswerFile.new("a.tsv", ("first", "b"), None, None).text == "first\tb\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("preferred,other\na,b\n", "found 'preferred', 'other'"),
        ("first,second,choice,count\na,b,first,3\n", "found 'count'"),
        ("action,donors\nx,1\n", "must have the columns first, second and choice"),
        ("first,second,choice\na,b\n", "line 2: every row must have as many cells"),
        ('first,second,choice\na,b,"first\n', "must"),
    ],
)
def test_what_is_no_file_of_answers_is_refused(tmp_path, text, said):
    if said == "must":  # a quote that is never closed is a long last cell
        assert read(tmp_path, text).rows[0].answer == "first"
        return
    with pytest.raises(InputError, match=said):
        read(tmp_path, text)


def test_other_encodings(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes("first,second,choice\né,b,first\n".encode("latin-1"))
    file = AnswerFile.read(str(path), None, "latin-1")
    assert file.rows[0]["first"] == "é"
    assert file.content() == path.read_bytes()
    with pytest.raises(InputError, match="Name another encoding"):
        file.with_row({"first": "日"}).content()


def test_workbooks_do_not_grow():
    with pytest.raises(InputError, match=r"ends in \.csv; found '\.xlsx'"):
        check_format("answers.xlsx")

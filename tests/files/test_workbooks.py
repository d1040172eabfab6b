"""Workbooks: which sheet, and in which row; and how text files are written."""

from __future__ import annotations

from pathlib import Path

import pytest
import xlsxwriter

import welfarist as wf
from welfarist import files
from welfarist.cli.words import message_of
from welfarist.files.sources import file_and_sheet

ACTIONS = [["action", "a", "b"], ["x", 1, 2], [], ["y", 3, 4], [], [], ["z", 5, "many"]]
DECISIONS = [["preferred", "other"], ["x", "y"]]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, first_row: int = 0, **sheets) -> None:
    book = xlsxwriter.Workbook(path)
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for number, row in enumerate(rows):
            sheet.write_row(first_row + number, 0, row)
    book.close()


def refused(call, *parts: str) -> None:
    with pytest.raises(wf.InputError) as caught:
        call()
    message = message_of(caught.value)
    for part in parts:
        assert part in message, message


@pytest.mark.parametrize("first_row", [0, 3])
def test_row_numbers_are_those_of_the_workbook(first_row):
    write("a.xlsx", first_row, One=ACTIONS)
    refused(lambda: files.read_actions("a.xlsx"), f"row {first_row + 7}, column 'b'", "'many'")
    write("a.xlsx", first_row, One=[*ACTIONS[:-1], ["x", 5, 6]])
    refused(lambda: files.read_actions("a.xlsx"), f"row {first_row + 7}", f"row {first_row + 2}")


def test_a_title_above_the_header_is_refused():
    write("a.xlsx", 2, One=[["Budget of the wards, 2024"], [], *ACTIONS[:4]])
    refused(
        lambda: files.read_actions("a.xlsx"),
        "a.xlsx, row 3: the first row of the sheet must be the header",
        "found 'Budget of the wards, 2024', and 2 columns without a name",
        "Remove the rows above",
    )


def test_columns_in_which_nothing_stands_need_no_name():
    write("a.xlsx", One=[["action", "a", ""], ["x", 1, ""], ["y", 2, ""]])
    assert files.read_actions("a.xlsx").stakeholders == ("a",)


def test_a_sheet_is_named_with_its_file():
    write("book.xlsx", Actions=ACTIONS[:4], Decided=DECISIONS)
    actions = files.read_actions("book.xlsx:Actions")
    assert actions.names == ("x", "y")
    assert actions.notes == ()
    read = files.read_comparisons("book.xlsx:Decided", actions, sheet="Actions")
    assert read.decisions.pairs.tolist() == [[0, 1]]
    refused(
        lambda: files.read_actions("book.xlsx:Decides"),
        "book.xlsx:Decides",
        "--sheet must name one of its sheets, 'Actions', 'Decided'; found 'Decides'",
    )
    refused(lambda: files.read_actions("no.xlsx:Actions"), "no such file")


def test_the_first_of_several_sheets_is_a_guess():
    write("book.xlsx", Actions=ACTIONS[:4], Decided=DECISIONS)
    notes = files.read_actions("book.xlsx").notes
    assert notes == ("book.xlsx: of the sheets 'Actions', 'Decided' the first was read.",)


def test_comparisons_in_another_sheet_are_looked_for_there():
    write("book.xlsx", Actions=ACTIONS[:4], Decided=DECISIONS)
    actions = files.read_actions("book.xlsx")
    refused(
        lambda: files.read_comparisons("book.xlsx", actions),
        "found 'action', 'a', 'b'",
        "another sheet, 'Decided'? Name it after the file: 'book.xlsx:Decided'",
    )


def test_a_colon_in_the_name_of_a_file_is_no_sheet(folder):
    assert file_and_sheet("C:/data/a.csv") == ("C:/data/a.csv", None)
    assert file_and_sheet("a.xlsx:b c") == ("a.xlsx", "b c")
    (folder / "a.xlsx:b").write_text("")
    assert file_and_sheet("a.xlsx:b") == ("a.xlsx:b", None)


# Encodings

TEXT = "action,a\ncafé,1\nÉcole,2\n"


@pytest.mark.parametrize("encoding", ["windows-1252", "latin-1", "utf-16", "utf-8", "utf-8-sig"])
def test_encodings_can_be_told(encoding):
    Path("actions.csv").write_text(TEXT, encoding=encoding)
    assert files.read_actions("actions.csv", encoding=encoding).names == ("café", "École")


def test_other_encodings_are_refused_with_the_option():
    Path("actions.csv").write_text(TEXT, encoding="cp1252")
    refused(lambda: files.read_actions("actions.csv"), "line 2", "--encoding windows-1252")
    refused(
        lambda: files.read_actions("actions.csv", encoding="ascii"),
        "line 2: must be text in ascii, as --encoding says; found the byte 0xe9",
    )
    refused(lambda: files.read_actions("actions.csv", encoding="klingon"), "--encoding must be")
    refused(lambda: files.read_actions("actions.csv", encoding="zip"), "--encoding must be")


def test_lines_are_counted_in_other_encodings_too():
    Path("actions.csv").write_text(TEXT + "z,-1\n", encoding="utf-16")
    refused(lambda: files.read_actions("actions.csv", encoding="utf-16"), "line 4, column 'a'")

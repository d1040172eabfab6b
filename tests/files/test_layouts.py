"""Layouts that are recognised by themselves, and those about which somebody has to be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import welfarist as wf
from welfarist import files
from welfarist.cli.words import message_of

ACTIONS = "action,donors,recipients\npantry,9,2\nshelter,5,6\nfood bank,3,14\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def actions_of(text: str = ACTIONS, **options) -> files.Actions:
    Path("actions.csv").write_text(text)
    return files.read_actions("actions.csv", **options)


def comparisons_of(text: str, **options) -> files.NamedComparisons:
    Path("decisions.csv").write_text(text)
    return files.read_comparisons("decisions.csv", actions_of(), **options)


def wide_of(text: str, **options) -> files.NamedComparisons:
    Path("wide.csv").write_text(text)
    return files.read_wide_comparisons("wide.csv", **options)


def refused(call, *parts: str) -> None:
    """What a command line says holds all the parts."""
    with pytest.raises(wf.InputError) as caught:
        call()
    message = message_of(caught.value)
    for part in parts:
        assert part in message, message


# Two actions and a choice


@pytest.mark.parametrize(
    ("header", "labels"),
    [
        ("A,B,choice", ("A", "B")),
        ("A,B,choice", ("a", "b")),
        ("B,A,choice", ("B", "A")),  # the columns say which is which, not the alphabet
        ("left,right,choice", ("left", "right")),
        ("option_1,option_2,choice", ("option_1", "option_2")),
        ("option_1,option_2,choice", ("1", "2")),
        ("A,B,winner", ("pantry", "shelter")),
        ("this,that,chosen", ("this", "that")),
        ("project a,project b,answer", ("A", "B")),
    ],
)
def test_two_columns_of_actions_beside_a_choice(header, labels):
    first, second = labels
    read = comparisons_of(
        f"{header}\npantry,shelter,{first}\nshelter,food bank,"
        f"{second if second != 'shelter' else 'food bank'}\n"
    )
    sides = zip(read.decisions.pairs.tolist(), read.decisions.outcomes.tolist(), strict=True)
    assert [pair[0] if outcome > 0 else pair[1] for pair, outcome in sides] == [0, 2]
    assert any("columns were taken as" in note and "(first)" in note for note in read.notes)


def test_other_columns_do_not_disturb_and_are_named():
    text = "who,A,B,minutes,choice,by\nx,pantry,shelter,3,A,Ann\ny,shelter,food bank,5,B,Bob\n"
    read = comparisons_of(text)
    assert read.decisions.outcomes.tolist() == [1, -1]
    assert read.decisions.by.tolist() == ["Ann", "Bob"]
    assert "decisions.csv: nothing is made of 'who', 'minutes'." in read.notes


def test_labels_in_several_capitals_mean_the_same():
    text = "A,B,choice\npantry,shelter,A\nshelter,food bank,a\npantry,shelter,b\n"
    assert comparisons_of(text).decisions.outcomes.tolist() == [1, 1, -1]
    text = text.replace("A,B,", "first,second,").replace(",A\n", ",Yes\n").replace(",a\n", ",yes\n")
    assert comparisons_of(text.replace(",b\n", ",no\n")).decisions.outcomes.tolist() == [1, 1, -1]


def test_a_refusal_names_the_options_of_the_layout():
    text = "one,two,three,choice\npantry,shelter,food bank,one\n"
    refused(
        lambda: comparisons_of(text), "--first COLUMN --second COLUMN --choice COLUMN", "'three'"
    )
    refused(lambda: comparisons_of("one,two\npantry,shelter\n"), "--preferred COLUMN", "--choice")
    unclear = "A,B,choice\npantry,shelter,up\nshelter,food bank,down\n"
    refused(lambda: comparisons_of(unclear), "--first-label LABEL", "'up' and 'down'")


def test_a_label_without_a_choice_has_no_effect():
    text = "preferred,other\npantry,shelter\n"
    refused(lambda: comparisons_of(text, first_label="A"), "--first-label is for a column that")


# Columns of text


def test_texts_are_left_out_with_a_note():
    text = "action,region,a,opened,b\nx,North,1,2020-01-01,2\ny,Ward 5,3,,4\n"
    read = actions_of(text)
    assert read.stakeholders == ("a", "b")
    assert read.notes == ("actions.csv: left out 'region', 'opened', because they hold texts.",)


def test_texts_far_below_are_no_text_column():
    rows = "".join(f"action {i},,1\n" for i in range(300))
    text = f"action,a,b\nx,low,1\n{rows}y,3,1\n"
    refused(lambda: actions_of(text), "line 2, column 'a'", "found 'low'", "--ignore COLUMN")


@pytest.mark.parametrize("cell", ["45%", "$ 20", "7*", "1,5", "3 kg", "inf"])
def test_what_is_meant_as_a_number_is_no_text(cell):
    with pytest.raises(wf.InputError, match="column 'a'"):
        actions_of(f'action,a,b\nx,"{cell}",1\ny,"{cell}",2\n')


def test_nothing_but_texts_is_refused():
    refused(lambda: actions_of("action,a\nx,low\ny,high\n"), "found only texts in 'a'")


def test_a_year_beside_points_is_pointed_out():
    read = actions_of("action,year,a,b\nx,1990,4,2\ny,1991,3,9\n")
    assert read.stakeholders == ("year", "a", "b")
    assert "'year' is of another magnitude" in read.notes[0]
    assert actions_of("action,a,b\nx,4,2\ny,30,9\n").notes == ()


# Wide tables

WIDE = "id,self_x,other_x,self_y,other_y,s_x,s_y,choice_x\n7,40,10,90,20,{},1\n8,20,80,50,30,{},0\n"


def test_pairs_that_hold_zeros_are_asked_about():
    refused(
        lambda: wide_of(WIDE.format("1,0", "0,1")),
        "'s_x' hold zeros",
        "--first self_x,other_x --second self_y,other_y",
    )
    told = {"first": ["self_x", "other_x"], "second": ["self_y", "other_y"]}
    read = wide_of(WIDE.format("1,0", "0,1"), **told)
    assert read.decisions.stakeholders == ("self", "other")
    assert "wide.csv: nothing is made of 'id', 's_x', 's_y'." in read.notes


def test_pairs_of_another_magnitude_are_asked_about():
    refused(lambda: wide_of(WIDE.format("1,2", "2,1")), "'s_x' are of another magnitude", "--first")
    assert wide_of(WIDE.format("11,12", "12,11")).decisions.stakeholders == ("self", "other", "s")


def test_pairs_of_texts_are_nobodys():
    read = wide_of(WIDE.format("red,blue", "blue,red"))
    assert read.decisions.stakeholders == ("self", "other")
    assert "wide.csv: nothing is made of 'id', 's_x', 's_y'." in read.notes


def test_marks_of_the_actions_are_clear_labels():
    text = "self_a,other_a,self_b,other_b,choice\n40,10,90,20,B\n20,80,50,30,a\n"
    read = wide_of(text)
    assert read.decisions.outcomes.tolist() == [-1, 1]
    assert not any("was taken to mean" in note for note in read.notes)

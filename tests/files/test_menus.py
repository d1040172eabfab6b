"""Files of choices from menus: four layouts, the same decisions, and what is refused where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import welfarist as wf
from welfarist import files
from welfarist.cli.words import message_of

TABLE = "action,donors,recipients\npantry,9,2\nshelter,5,6\nfood bank,3,14\nkitchen,6,5\n"
UTILITIES = [[9, 2], [5, 6], [3, 14], [6, 5]]
BY_HAND = wf.Choices(UTILITIES, [[0, 1, 2], [1, 3]], [2, 1], by=["Ann", "Bob"])
LISTED = "menu,chosen,by\npantry;shelter;food bank,food bank,Ann\nshelter;kitchen,shelter,Bob\n"
LONG = (
    "menu,action,chosen,by\n1,pantry,0,Ann\n1,shelter,0,Ann\n1,food bank,1,Ann\n"
    "2,shelter,1,Bob\n2,kitchen,0,Bob\n"
)
RANKED = "first,second,third\nfood bank,shelter,pantry\nshelter,kitchen,\npantry,,\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def actions_of(text: str = TABLE, **options) -> files.Actions:
    Path("actions.csv").write_text(text)
    return files.read_actions("actions.csv", **options)


def choices_of(text: str, actions: str = TABLE, absent: bool = False, **options):
    Path("menus.csv").write_text(text)
    return files.read_choices("menus.csv", actions_of(actions, absent=absent), **options)


def long_of(text: str, **options):
    Path("long.csv").write_text(text)
    return files.read_long_choices("long.csv", **options)


def refused(call, *parts: str) -> None:
    """What a command line says holds all the parts."""
    with pytest.raises(wf.InputError) as caught:
        call()
    message = message_of(caught.value)
    for part in parts:
        assert part in message, message


# The layouts


@pytest.mark.parametrize(
    "text", [LISTED, LISTED.replace(";", "|"), LISTED.replace(";", " ; "), LONG]
)
def test_layouts_are_the_same_choices(text):
    read = choices_of(text)
    assert read.decisions.same_as(BY_HAND)
    assert read.decisions.by.tolist() == ["Ann", "Bob"]
    assert read.deciders == ("Ann", "Bob")
    assert read.decisions.names == ("pantry", "shelter", "food bank", "kitchen")
    assert read.decisions.stakeholders == ("donors", "recipients")
    assert read.notes == ()


def test_binary_files_are_read_as_texts_are():
    Path("long.csv").write_text(LONG)
    table = pl.read_csv("long.csv").with_columns(pl.col("chosen") == 1)
    table.write_parquet("long.parquet")
    assert files.read_choices("long.parquet", actions_of()).decisions.same_as(BY_HAND)


def test_rankings_are_of_all_actions_or_of_a_menu():
    everything = choices_of(RANKED)
    rankings = [[2, 1, 0], [1, 3], [0]]
    whole = wf.Choices.from_rankings(UTILITIES, rankings, [[0, 1, 2, 3]] * 3)
    assert everything.decisions.same_as(whole)
    assert any("of all 4 actions" in note for note in everything.notes)
    menus = ["pantry;shelter;food bank", "shelter;kitchen;pantry", "pantry;kitchen"]
    text = "menu,first,second,third\n" + "".join(
        f"{menu},{line}\n" for menu, line in zip(menus, RANKED.splitlines()[1:], strict=True)
    )
    part = choices_of(text).decisions
    assert part.same_as(
        wf.Choices.from_rankings(UTILITIES, rankings, [[0, 1, 2], [1, 3, 0], [0, 3]])
    )
    told = choices_of(RANKED.replace("first,second,third", "a,b,c"), ranking=["a", "b", "c"])
    assert told.decisions.same_as(whole)
    numbered = choices_of("rank 2,rank 3,rank 1\nfood bank,shelter,pantry\n")
    order = wf.Choices.from_rankings(UTILITIES, [[0, 2, 1]], [[0, 1, 2, 3]])
    assert numbered.decisions[:1].same_as(order)


def test_none_of_these_is_an_empty_cell_or_no_1():
    expected = wf.Choices(UTILITIES, [[0, 1, 2], [1, 3]], [None, 1], outside=True)
    empty = LISTED.replace(",food bank,Ann", ",,Ann")
    assert choices_of(empty, outside=True).decisions.same_as(expected)
    refused(lambda: choices_of(empty), "menus.csv, line 2, column 'chosen'", "an empty cell")
    no_1 = LONG.replace("bank,1", "bank,0")
    assert choices_of(no_1, outside=True).decisions.same_as(expected)
    refused(lambda: choices_of(no_1), "menus.csv: ", "none in menu '1'", "line 2", "--outside")
    refused(lambda: choices_of(RANKED, outside=True), "--outside is for single choices")


def test_who_is_absent_has_an_empty_utility():
    holes = TABLE.replace("shelter,5,6", "shelter,,6")
    refused(lambda: choices_of(LISTED, holes), "actions.csv, line 3, column 'donors'", "complete")
    read = choices_of(LISTED, holes, absent=True).decisions
    assert np.isnan(read.utilities[1, 0])
    assert read.absent
    nobody = TABLE.replace("shelter,5,6", "shelter,,NA")
    refused(lambda: choices_of(LISTED, nobody, True), "actions.csv, line 3: ", "affect somebody")
    never = "action,donors,recipients\npantry,9,\nshelter,5,\nfood bank,3,\nkitchen,6,\n"
    refused(lambda: choices_of(LISTED, never, True), "actions.csv, column 'recipients'", "--ignore")
    assert len(actions_of(never, absent=True)) == 4  # a rule that is known may judge them


def test_what_is_absent_is_not_missing():
    holes = TABLE.replace("shelter,5,6", "shelter,,6") + ",1,1\n"
    kept = actions_of(holes, absent=True, drop_missing=True)
    assert kept.names == ("pantry", "shelter", "food bank", "kitchen")


# Which layout it is


def test_other_names_are_told_or_said():
    other = LONG.replace("menu,action,chosen,by", "choice_set,alternative,choice,who")
    read = choices_of(other, columns={"by": "who"})
    assert read.decisions.same_as(BY_HAND)
    assert "'choice_set' (menu), 'choice' (chosen)" in read.notes[0].replace(
        "'alternative' (action), ", ""
    )
    strange = LONG.replace("menu,action,chosen", "q,a,c")
    told = choices_of(strange, columns={"menu": "q", "action": "a", "chosen": "c"})
    assert told.decisions.same_as(BY_HAND)


@pytest.mark.parametrize(
    ("header", "parts"),
    [
        ("a,b,c", ["--menu COLUMN --chosen COLUMN", "--action COLUMN", "--ranking COLUMN,COLUMN"]),
        ("preferred,other,count", ["For choices between two, say --comparisons FILE"]),
        ("first,second,choice", ["For choices between two, say --comparisons FILE"]),
        ("first,second,third,choice", ["found 'first', 'second', 'third', 'choice'"]),
    ],
)
def test_unclear_layouts_are_refused_with_the_options(header, parts):
    line = ",".join(["pantry"] * len(header.split(",")))
    refused(lambda: choices_of(f"{header}\n{line}\n"), "menus.csv, line 1: ", *parts)


def test_two_layouts_in_one_file_are_refused():
    both = "menu,chosen,first,second\npantry;shelter,pantry,pantry,shelter\n"
    refused(lambda: choices_of(both), "more than one of these in 'menu', 'chosen', 'first'")
    assert len(choices_of(both, ranking=["first", "second"]).decisions) == 1
    assert choices_of(both, columns={"chosen": "chosen"}).decisions.same_as(
        wf.Choices(UTILITIES, [[0, 1]], [0])
    )
    refused(
        lambda: choices_of(both, ranking=["first"], columns={"chosen": "chosen"}),
        "--ranking and --chosen are of different layouts",
    )
    refused(lambda: choices_of(both, ranking=["first", "first"]), "one meaning; found 'first'")


def test_menus_in_a_file_of_pairs_are_sent_on():
    Path("menus.csv").write_text(LISTED)
    refused(lambda: files.read_comparisons("menus.csv", actions_of()), "say --choices FILE")


def test_what_separates_the_actions_of_a_menu():
    marks = TABLE.replace("pantry", "pantry|new")
    text = LISTED.replace("pantry", "pantry|new")
    assert len(choices_of(text, marks).decisions) == 2  # only ; leaves names that are known
    commas = LISTED.replace("pantry;shelter;food bank", '"pantry,shelter,food bank"').replace(
        "shelter;kitchen", '"shelter,kitchen"'
    )
    refused(lambda: choices_of(commas), "; or |; found neither", "--menu-separator", "--action")
    assert choices_of(commas, menu_separator=",").decisions.same_as(BY_HAND)
    refused(lambda: choices_of(LONG, menu_separator=";"), "--menu-separator is for a column that")


# What is wrong, and where


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (LISTED.replace(",shelter,", ",pantry,"), ["line 3, column 'chosen'", "not. Correct"]),
        (LISTED.replace("shelter;food", "shelter;fod"), ["line 2, column 'menu'", "'food bank'?"]),
        (LISTED.replace("shelter;kitchen", "shelter;shelter"), ["line 3, column 'menu'", "twice"]),
        (LISTED.replace("shelter;kitchen", ";"), ["line 3, column 'menu'", "at least one action"]),
        (LONG.replace("bank,1", "bank,2"), ["line 4, column 'chosen'", "found '2'"]),
        (LONG.replace("kitchen,0", "kitchen,1"), ["menu '2', at line 5 and line 6"]),
        (LONG.replace("kitchen,0", "shelter,0"), ["'shelter' at line 5 and line 6"]),
        (LONG.replace("shelter,0,Ann", "shelter,0,Bob"), ["by must", "'Bob' at line 3"]),
        (LONG.replace("1,pantry", "1,pantri"), ["line 2, column 'action'", "'pantry'?"]),
        (RANKED.replace("shelter,kitchen,", "shelter,,kitchen"), ["line 3, column 'second'"]),
        (RANKED.replace("kitchen,", "shelter,"), ["line 3, column 'second'", "'shelter' twice"]),
        (RANKED.replace("bank,shelter", "bank,sheltr"), ["line 2, column 'second'", "'shelter'?"]),
        (RANKED.replace("pantry,,", ",pantry,"), ["line 4, column 'first'", "an empty cell"]),
        ("menu,first,second\nshelter;kitchen,shelter,pantry\n", ["line 2, column 'second'"]),
    ],
)
def test_mistakes_are_named_by_line_and_column(text, parts):
    refused(lambda: choices_of(text), "menus.csv", *parts)


def test_unknown_actions_are_left_out_with_their_whole_menu():
    for text in (LISTED, LONG):
        strange = text.replace("pantry", "pantri")
        read = choices_of(strange, drop_unknown=True)
        assert read.decisions.same_as(BY_HAND[1:])
        assert any("'pantri'" in note and "left out" in note for note in read.notes)
    chosen = LISTED.replace(",food bank,", ",fod bank,")
    assert choices_of(chosen, drop_unknown=True, outside=True).decisions.menus.sizes.tolist() == [3]


def test_menus_with_something_missing_are_left_out_whole():
    text = LONG.replace("1,pantry,0", "1,pantry,")
    refused(lambda: choices_of(text), "line 2, column 'chosen'", "--drop-missing")
    assert choices_of(text, drop_missing=True).decisions.same_as(BY_HAND[1:])
    text = LISTED.replace(",food bank,Ann", ",,Ann")
    assert choices_of(text, drop_missing=True).decisions.same_as(BY_HAND[1:])


# Utilities in the same rows


UTILITY_ROWS = (
    "menu,chosen,donors,recipients,count\n1,0,9,2,3\n1,0,5,6,3\n1,1,3,14,3\n2,1,5,6,1\n2,0,6,5,1\n"
)


def test_utilities_beside_the_choice():
    read = long_of(UTILITY_ROWS)
    assert read.decisions.same_as(wf.Choices(UTILITIES, [[0, 1, 2], [1, 3]], [2, 1], counts=[3, 1]))
    assert read.decisions.stakeholders == ("donors", "recipients")
    frame = pl.read_csv("long.csv")
    assert read.decisions.same_as(wf.Choices.from_long(frame, counts="count"))
    named = UTILITY_ROWS.replace("menu,", "alt,menu,").replace("\n", "\nx,")[:-2]
    refused(
        lambda: long_of(named, columns={"action": "alt"}),
        "long.csv: an action must have the same utilities", "'x' with others at line 3", "--action",
    )  # fmt: skip
    assert long_of(named).decisions.same_as(read.decisions)  # texts are nobody's utilities


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("menu,chosen", "q,c", ["line 1: ", "--menu COLUMN --chosen COLUMN"]),
        ("1,1,3,14", "1,1,3,x", ["line 4, column 'recipients'", "found 'x'"]),
        ("1,1,3,14", "1,1,3,", ["line 4, column 'recipients'", "complete"]),
        ("1,1,3,14", "1,0,3,14", ["none in menu '1', which begins at line 2", "--outside"]),
        ("1,1,3,14,3", "1,1,3,14,2", ["counts must be the same", "line 4"]),
    ],
)
def test_mistakes_beside_utilities_are_named_by_line(old, new, parts):
    refused(lambda: long_of(UTILITY_ROWS.replace(old, new)), "long.csv", *parts)


def test_absent_people_beside_the_choice():
    text = UTILITY_ROWS.replace("1,1,3,14", "1,1,,14")
    read = long_of(text, absent=True).decisions
    assert np.isnan(read.utilities).sum() == 1
    dropped = long_of(text, drop_missing=True).decisions
    assert dropped.menus.sizes.tolist() == [2]


# Menus that somebody took apart


def pairs_of(menus, ranked=False, by=None):
    """Notes on pairs made of menus whose first action was chosen."""
    rows = []
    for number, menu in enumerate(menus):
        winners = range(len(menu) - 1) if ranked else [0]
        rows += [
            [menu[i], other, (by or ["x"])[number % len(by or ["x"])]]
            for i in winners
            for other in menu[i + 1 :]
        ]
    names = [f"a{i}" for i in range(30)]
    table = pl.DataFrame({"action": names, "x": np.arange(1.0, 31), "y": np.arange(31.0, 1, -1)})
    table.write_csv("actions.csv")
    text = "preferred,other,by\n" + "".join(f"{names[a]},{names[b]},{w}\n" for a, b, w in rows)
    Path("pairs.csv").write_text(text)
    read = files.read_comparisons("pairs.csv", files.read_actions("actions.csv"))
    return [note for note in read.notes if "81 to 83%" in note]


def test_menus_taken_apart_are_said():
    rng = np.random.default_rng(2)
    menus = [rng.permutation(30)[: rng.integers(3, 8)].tolist() for _ in range(40)]
    assert len(pairs_of(menus)) == 1
    assert len(pairs_of(menus, ranked=True)) == 1
    assert len(pairs_of(menus, by=["Ann", "Bob"])) == 1


def test_pairs_that_are_pairs_are_not():
    rng = np.random.default_rng(2)
    assert pairs_of([rng.permutation(30)[:2].tolist() for _ in range(300)]) == []
    few = [rng.permutation(4)[:2].tolist() for _ in range(300)]
    assert pairs_of(few) == []
    again = [[a, b] for a, b in (rng.permutation(30)[:2].tolist() for _ in range(40))]
    assert pairs_of([pair for pair in again for _ in range(4)]) == []  # asked four times each


# Best and worst


def test_best_and_worst_have_columns_of_their_own():
    text = "menu,best,worst,by\npantry;shelter;food bank,food bank,pantry,Ann\n"
    text += "shelter;kitchen,shelter,kitchen,Bob\n"
    read = choices_of(text)
    by_hand = wf.Choices.from_best_worst(UTILITIES, [[0, 1, 2], [1, 3]], [2, 1], [0, 3])
    assert read.decisions.same_as(by_hand)
    assert read.deciders == ("Ann", "Bob")
    every = choices_of("best,worst\npantry,kitchen\n")
    assert every.decisions.same_as(wf.Choices.from_best_worst(UTILITIES, None, [0], [3]))
    assert "every best and worst was taken to be of all 4 actions" in " ".join(every.notes)
    some = choices_of(text + "shelter;bank,shelter,bank,Bob\n", drop_unknown=True)
    assert some.decisions.same_as(by_hand)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("pantry;shelter,pantry,pantry", "best and worst must be two actions; found 'pantry'"),
        ("pantry;shelter,pantry,kitchen", "column 'worst': what was chosen must be in the menu"),
        ("pantry;shelter,pantry,", "every row must have the worst action; found an empty cell"),
        ("pantry;shelter,pantri,shelter", "Did you mean 'pantry'?"),
    ],
)
def test_best_and_worst_that_are_none(row, said):
    refused(lambda: choices_of(f"menu,best,worst\n{row}\n"), "menus.csv, line 2", said)


def test_best_and_worst_have_no_outside():
    text = "menu,best,worst\npantry;shelter,pantry,shelter\n"
    refused(lambda: choices_of(text, outside=True), "--outside is for single choices")


# What an empty cell may mean, and which columns are people


def test_an_empty_cell_may_be_none_of_these_or_somebody_who_is_absent():
    refused(
        lambda: choices_of("menu,chosen\npantry;shelter,\n"),
        "If it was none of these, say --outside; otherwise fill it in",
        "--drop-missing",
    )
    some = TABLE.replace("9,2", "9,")
    refused(
        lambda: actions_of(some, may_be_absent=True),
        "If it means that somebody is not affected, say --absent; otherwise fill it in",
    )
    with pytest.raises(wf.InputError) as caught:
        actions_of(some)  # of comparisons nobody can be absent
    assert "--absent" not in message_of(caught.value)
    refused(
        lambda: long_of("menu,chosen,a,b\n1,1,1,\n1,0,2,3\n"), "say --absent; otherwise fill it"
    )


def test_columns_of_long_tables_that_are_no_people():
    rows = "custom_id,choice,alt,patients,staff,year\n1,1,1,2,3,2020\n1,0,2,3,2,2020\n"
    told = {"menu": "custom_id", "chosen": "choice"}
    read = long_of(rows, columns=told)
    assert read.decisions.stakeholders == ("patients", "staff")
    notes = " ".join(read.notes)
    assert "'alt', 'year' were not taken for people; say stakeholders=… if so" in notes
    assert "the people are 'patients', 'staff'" in notes
    named = long_of(rows, columns=told, stakeholders=["patients", "year"])
    assert named.decisions.stakeholders == ("patients", "year")
    odd = long_of("menu,chosen,a,b,births\n1,1,1,2,1900\n1,0,3,2,1950\n")
    assert "'births' is of another magnitude than the other columns" in " ".join(odd.notes)


def test_rows_that_are_one_action_are_said_to_be():
    read = long_of("menu,chosen,a,b\n1,1,1,2\n1,0,3,2\n2,1,1,2\n2,0,4,4\n")
    assert read.decisions.labels.tolist() == ["1", "2"]
    assert "taken for one action, which leaves 3 of 4" in " ".join(read.notes)


def test_menus_of_one_alone_are_refused_with_the_file():
    refused(lambda: choices_of("menu,chosen\npantry;,pantry\n"), "menus.csv: at least one menu")
    refused(lambda: long_of("menu,chosen,a,b\n1,1,1,2\n"), "long.csv: at least one menu")


def test_a_number_is_known_in_other_digits():
    table = "action,a,b\n1.0,9,2\n2.0,5,6\n"
    refused(lambda: choices_of("menu,chosen\n1;2,1\n", table), "Did you mean '1.0'?")

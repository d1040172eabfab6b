"""A question as a terminal shows it: within its width, without markup, in plain letters too."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from welfarist.cli.question_screen import Page, figure, question_lines

ODD = ["[red]staff[/red]", "日本の受取人のとても長い名前", "x" * 60, "a\x1b[31mb\nc"]


def rendered(page: Page, names, people, outcomes, **how) -> str:
    file = io.StringIO()
    console = Console(
        file=file, width=page.width, markup=False, emoji=False, highlight=False, **how
    )
    for line in question_lines(page, names, people, outcomes):
        console.print(line)
    return file.getvalue()


def test_both_actions_side_by_side_on_one_scale():
    shown = rendered(Page(80), ["pantry", "shelter"], ["donors", "staff"], [[10, 5], [2.5, 0]])
    head, donors, staff = shown.splitlines()
    assert head.split() == ["1", "pantry", "2", "shelter"]
    assert donors.split()[:2] == ["donors", "10.0"]
    bars = [part.count("█") for part in (*donors.split()[2::2], staff.split()[2])]
    assert bars[0] == pytest.approx(4 * bars[1], abs=4)
    assert bars[0] == pytest.approx(2 * bars[2], abs=2)
    assert staff.split()[-1] == "0.0"
    assert "\x1b" not in shown


def test_bars_begin_at_the_least_where_it_is_negative():
    shown = rendered(Page(80), ["a", "b"], ["one", "two"], [[-10, 0], [10, -5]])
    _, one, two = shown.splitlines()
    assert one.split()[:3] == ["one", "-10", "10"]
    half, quarter = two.split()[2].count("█"), two.split()[4].count("█")
    assert one.count("█") == pytest.approx(2 * half, abs=2)
    assert half == pytest.approx(2 * quarter, abs=2)


@pytest.mark.parametrize("width", [20, 24, 30, 40, 60, 80, 120, 300])
@pytest.mark.parametrize("plain", [False, True])
def test_no_line_is_wider_than_the_terminal(width, plain):
    outcomes = [[1.25, 1234.5, 99.0, 0.0], [7.0, 3.0, 0.031, 5.0]]
    page = Page(width, plain=plain)
    shown = rendered(page, ["[bold]a", "b" * 200], ODD, outcomes)
    assert all(cell_len(line) <= max(width, 24) for line in shown.splitlines())
    for number in ("1.25", "1234", "99", "0.031"):
        assert number in shown
    assert "\x1b" not in shown
    if plain:
        assert shown.isascii()


def test_markup_is_no_markup():
    shown = rendered(Page(100), ["[bold]pantry[/bold]", "[link=x]y"], ODD, [[1] * 4, [2] * 4])
    for text in ("[bold]pantry[/bold]", "[link=x]y", "[red]staff[/red]", "\\u001b[31mb c"):
        assert text in shown


def test_colours_are_only_where_they_are_seen():
    asked = Page(80), ["a", "b"], ["x", "y"], [[1, 2], [2, 1]]
    coloured = rendered(*asked, force_terminal=True, color_system="standard", _environ={})
    assert "\x1b[36m" in coloured
    without = rendered(
        *asked, force_terminal=True, color_system="standard", _environ={"NO_COLOR": "1"}
    )
    assert "\x1b[36m" not in without
    dumb = rendered(*asked, force_terminal=True, _environ={"TERM": "dumb"})
    assert "\x1b" not in dumb


def test_eighteen_people_fit_a_small_terminal():
    people = [f"people of the region number {i}" for i in range(18)]
    lines = question_lines(Page(80, 24), ["a", "b"], people, [range(18), range(18, 0, -1)])
    assert len(lines) == 19
    assert len({line.plain[:19] for line in lines}) == 19  # told apart, though they are cut


def test_who_has_the_same_shares_a_line_where_many_would_not_fit():
    people = [f"p{i}" for i in range(40)]
    one = [5.0] * 40
    other = [5.0] * 37 + [1.0, 9.0, 2.0]
    lines = question_lines(Page(80, 24), ["a", "b"], people, [one, other])
    assert len(lines) == 5
    assert lines[-1].plain == "37 others have the same in both"
    assert len(question_lines(Page(80, 60), ["a", "b"], people, [one, other])) == 41


def test_who_has_the_same_comes_last_where_they_are_most():
    lines = question_lines(Page(80), ["a", "b"], list("wxyz"), [[1, 2, 3, 4], [1, 3, 3, 4]])
    assert [line.plain[0] for line in lines[1:]] == list("xwyz")
    lines = question_lines(Page(80), ["a", "b"], list("wxyz"), [[1, 2, 3, 4], [1, 3, 2, 4]])
    assert [line.plain[0] for line in lines[1:]] == list("wxyz")


def test_numbers_that_differ_look_different():
    shown = rendered(Page(80), ["a", "b"], ["x", "y"], [[12.34561, 1], [12.34562, 2]])
    assert "12.34561" in shown
    assert "12.34562" in shown
    assert figure(0.0) == "0"
    assert figure(1e-9) == "1e-09"


def test_nobody_has_anything():
    assert "█" not in rendered(Page(80), ["a", "b"], ["x", "y"], [[0, 0], [0, 0]])

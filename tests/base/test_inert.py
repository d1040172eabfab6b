"""Names of others are what is read, and nothing else, wherever they are shown."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import unicodedata
import warnings
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from welfarist.base.exports import Table, as_json
from welfarist.base.inert import (
    from_csv,
    in_csv,
    in_figure,
    in_html,
    in_json,
    in_latex,
    on_one_line,
    visible,
)

WEAPONS = [
    "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", "＝1",  # noqa: RUF001
    "<script>alert(1)</script>", "\"><img src=x onerror='x'>", "&lt;b&gt; & ]]> --><!--",
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "\x90q\x9c", "a\x00b", "bell\x07\x7f",
    "\u202egnp.exe", "a\u2066b\u2069", "\u200fright", "pan\u200btry", "pan\u200dtry", "\ufeffx",
    "soft\u00adhyphen", "two\nlines", "cr\rover", "\u2028para\u2029", "tag\U000e0041", "\u3164",
    "\ud800", "half \udc80 pair", "$x^2$", "one $", r"\$5 \alpha $\frac{$", r"\input{/etc/passwd}",
    "50% of a_b #1 {c} ~d ^e", "\\", "--flag", "?`!`", "x to inf", "-inf to x", "inf", "1e-5",
    "[red]staff[/red]", "[/]", "{0}", "%s", "a, b; c", 'say "x"', "x" * 10_000, "é" * 10_000,
]  # fmt: skip
texts = st.text(st.characters(codec=None, exclude_categories=[]), max_size=30)


def with_weapons(test):
    for weapon in WEAPONS:
        test = example(weapon)(test)
    return given(texts)(test)


def unseen(text: str) -> list[str]:
    """Letters of a text that nobody sees, or that turn others round."""
    kinds = {"Cc", "Cs", "Zl", "Zp"}
    found = [c for c in text if unicodedata.category(c) in kinds or c in "\u200b\u200e\u200f\ufeff"]
    return found + [c for c in text if unicodedata.bidirectional(c) in TURNING]


TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def test_everything_that_is_not_seen_is_known():
    """All of Unicode's controls and formats but those that are signs of their own."""
    signs = {chr(c) for c in (*range(0x600, 0x606), 0x6DD, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)}
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    hidden = {c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in kinds}
    assert {c for c in hidden if on_one_line(c).strip() == c} == signs
    plain = "abc äé 日本 עברית العربية \u00a0\u3000 ① 🎉"
    assert on_one_line(plain) == plain


def test_joiners_stay_where_they_belong():
    for word in ("می\u200cخو", "क्\u200dष", "👩\u200d🔬", "❤\ufe0f"):
        assert on_one_line(word) == word
    assert on_one_line("pan\u200dtry") == r"pan\u200dtry"
    assert on_one_line("é\u200d") == r"é\u200d"


@with_weapons
def test_terminals_are_told_nothing(name):
    assert not unseen(on_one_line(name))
    assert not unseen(visible(name).replace("\n", ""))
    table = Table(name, ("", name), ((name, "1"), ("b", name)), ("left", "right"), (name,))
    lines = table.as_text().split("\n")
    assert not unseen("".join(lines))
    assert len(lines) >= 4


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words += data


@with_weapons
def test_pages_get_no_tags(name):
    page = Tags()
    page.feed(f'<p title="{in_html(name)}">{in_html(name)}</p>')
    page.close()
    assert page.tags == ["p"]
    assert page.words == visible(name.replace("\t", " "))
    ET.fromstring(f'<p title="{in_html(name)}">{in_html(name)}</p>')  # and XML holds all of it


# What LaTeX reads as more than a letter, unless a backslash stands before it.
SPECIAL = re.compile(r"(?<!\\)(?:\\\\)*[&%$#_^~]")
KNOWN = re.compile(
    r"\\(?:text(?:backslash|asciitilde|asciicircum|less|greater|bar)\{\}|char34\{\}|[&%$#_{}])"
)


@with_weapons
def test_latex_gets_letters(name):
    made = in_latex(name)
    rest = KNOWN.sub("", made)
    assert "\\" not in rest
    assert not SPECIAL.search(rest)
    assert not set("{}") & set(rest.replace("{}", ""))
    assert "--" not in rest
    assert not unseen(made)


@pytest.mark.parametrize("name", ["x to inf", "-inf to \\input{x}", "\\input{x} to inf", "inf"])
def test_names_are_no_numbers_to_latex(name):
    """Only cells of numbers get signs for infinity; there a text cannot pass for one."""
    table = Table(name, ("", name), ((name, "inf to 2"), ("b", name)), ("left", "right"), (name,))
    made = table.as_latex()
    assert r"\input" not in made
    assert rf"\caption{{{in_latex(name)}}}" in made
    assert rf"{in_latex(name)} & $\infty$ to 2 \\" in made


@with_weapons
def test_json_is_read_back_and_can_be_looked_at(name):
    for made in (in_json([name], indent=None), as_json({name: name})):
        assert not unseen(made.replace("\n", ""))
        made.encode("utf-8")
    assert json.loads(in_json({name: [name]})) == {name: [name]}


@with_weapons
def test_no_cell_is_a_formula_and_all_are_read_back(name):
    cell = in_csv(name)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋"))  # noqa: RUF001
    assert from_csv(cell) == name
    written = io.StringIO()
    csv.writer(written).writerow([cell])


def drawn_svg(name: str) -> str:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure()
        figure.subplots().set_xlabel(f"utility of {in_figure(name, 34)}")
        figure.savefig(buffer := io.BytesIO(), format="svg")
    return buffer.getvalue().decode()


@pytest.mark.parametrize("name", [w for w in WEAPONS if set("$\\<&]\x1b\ud800\u202e") & set(w)])
def test_figures_show_names_letter_for_letter(name):
    words = [node.text for node in ET.fromstring(drawn_svg(name)).iter() if node.text]
    shown = in_figure(name, 34).replace(r"\$", "$")
    assert f"utility of {shown}" in words
    assert shown == on_one_line(name).strip()[:34]


def test_figures_that_latex_draws():
    assert in_figure("a_$", 34, tex=True) == r"a\_\$"

r"""Texts of others, made inert: one function for each place in which they are shown.

Names of people, actions and files are anybody's texts. Wherever they go, they are what is read and
nothing else: no command of a terminal, no tag of a page, no formula of a spreadsheet, no order from
right to left that turns a sentence round. What cannot be seen is spelled out (``\u202e``), so that
two names that differ look different.

=============  ============================================================
in             function
=============  ============================================================
a terminal     :func:`visible`, of one line :func:`on_one_line`
a page         :func:`in_html`
LaTeX          :func:`in_latex`
JSON           :func:`in_json`
CSV            :func:`in_csv`, and :func:`from_csv` for who reads it
a figure       :func:`in_figure`
=============  ============================================================
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from welfarist.base.json_text import json_text

# What cannot be seen: controls (C0, C1), what turns the order of writing, letters without width,
# halves of letters (lone surrogates), ends of lines and paragraphs, fillers, tags.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Among these, what joins letters and picks their form: it belongs to Persian, Hindi and emoji, and
# says something between letters beyond ASCII alone.
_JOINERS = re.compile("(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")
_FORMS = re.compile("(?<=[^\x00-\xff])[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_HIDDEN = re.compile(f"[{_UNSEEN}]")
_HIDDEN_IN_LINES = re.compile(f"(?!\n)[{_UNSEEN}]")
# Ends of lines and tabs, which in one line are blanks.
_BREAKS = re.compile("[\t-\r\x1c-\x1f\x85\u2028\u2029]+")

# What a spreadsheet takes for the beginning of a formula, or cuts off to find one.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
# What such a cell is guarded with, as a pattern for whole columns: its group is what follows.
GUARDED = f"^'({_FORMULA.pattern})"

_IN_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",  # \textquotedbl needs a package
}
# Between these LaTeX would make one sign of two: a dash, a quotation mark, a mark upside down.
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=[`?!])(?=`)|(?<=,)(?=,)")


def visible(text: str) -> str:
    r"""Return a text of several lines in which everything can be seen.

    Examples
    --------
    >>> print(visible("a\x1b[31m red\u202ename\nand its second line"))
    a\u001b[31m red\u202ename
    and its second line
    """
    if text.isascii() and text.replace("\n", "").isprintable():  # as nearly all are, and long
        return text
    return _spelled(text, _HIDDEN_IN_LINES)


def on_one_line(text: str) -> str:
    r"""Return a text on one line, in which everything can be seen.

    Examples
    --------
    >>> print(on_one_line("a\nb\x07"))
    a b\u0007
    """
    if text.isascii() and text.isprintable():  # as nearly all are, of a million perhaps
        return text
    return _spelled(_BREAKS.sub(" ", text), _HIDDEN)


def in_html(text: str) -> str:
    """Return a text as HTML shows it, in a page or between quotes.

    Examples
    --------
    >>> in_html('<script>alert("x")</script>')
    '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;'
    """
    return html.escape(visible(text.replace("\t", " ")), quote=True)


def in_latex(text: str) -> str:
    r"""Return a text as LaTeX shows it, letter for letter.

    Examples
    --------
    >>> print(in_latex(r"R&D_1 at 5%, \input{x} to inf"))
    R\&D\_1 at 5\%, \textbackslash{}input\{x\} to inf
    """
    apart = _LIGATURES.split(on_one_line(text))
    return "{}".join("".join(_IN_LATEX.get(letter, letter) for letter in part) for part in apart)


def in_json(record: Any, *, indent: int | None = 2, ascii_only: bool = False) -> str:
    r"""Return a record as strict JSON, in which everything can be seen; programs read the same.

    Examples
    --------
    >>> print(in_json(["caf\u00e9", "\u202e"], indent=None))
    ["café", "\u202e"]
    """
    if indent is None:
        text = json.dumps(record, allow_nan=False, ensure_ascii=ascii_only)
    else:
        text = json_text(record, indent=indent, ascii_only=ascii_only)
    if text.isascii() and "\x7f" not in text:  # JSON spells out all others of ASCII
        return text
    return _HIDDEN_IN_LINES.sub(_escaped, text)


def in_csv(name: str) -> str:
    """Return a name as a cell of a text file that no spreadsheet takes for a formula.

    An apostrophe goes before what would begin one; :func:`from_csv` takes it away.

    Examples
    --------
    >>> in_csv("=cmd()"), in_csv("plain"), in_csv("'=cmd()")
    ("'=cmd()", 'plain', "''=cmd()")
    """
    return f"'{name}" if _FORMULA.match(name) else name


def from_csv(cell: str) -> str:
    """Return the name in a cell that :func:`in_csv` may have guarded.

    Examples
    --------
    >>> from_csv("'=cmd()"), from_csv("plain"), from_csv("''=cmd()"), from_csv("'t Hooft")
    ('=cmd()', 'plain', "'=cmd()", "'t Hooft")
    """
    return re.sub(GUARDED, r"\1", cell)


def in_figure(name: str, longest: int, *, tex: bool = False) -> str:
    r"""Return a name as matplotlib draws it: no formula, on one line, and not too long.

    With `tex` it is LaTeX that draws it.

    Examples
    --------
    >>> print(in_figure("costs $5 or $6, a name that goes on", 24))
    costs \$5 or \$6, a name…
    """
    line = on_one_line(name).strip()
    line = line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
    return in_latex(line) if tex else line.replace("$", r"\$")


def _spelled(text: str, hidden: re.Pattern[str]) -> str:
    if text.isascii():
        return hidden.sub(_escaped, text)
    kept = {place.start() for found in (_JOINERS, _FORMS) for place in found.finditer(text)}
    return hidden.sub(lambda m: m[0] if m.start() in kept else _escaped(m), text)


def _escaped(found: re.Match[str]) -> str:
    """A letter by its number, as JSON writes it."""
    return json.dumps(found[0])[1:-1] if found[0] not in _SHORT else f"\\u{ord(found[0]):04x}"


# JSON would write these with a letter, such as \t, and DEL as it is.
_SHORT = set("\b\t\n\f\r\x7f")

"""HTML, in which every text is escaped before it goes in.

A :data:`Html` is safe to put into a page; a plain text becomes one by :func:`text` only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NewType

from welfarist.base.inert import in_html

Html = NewType("Html", str)

NOTHING = Html("")


def text(words: str) -> Html:
    """Return a text as HTML; what cannot be seen is spelled out.

    Examples
    --------
    >>> text("<script>")
    '&lt;script&gt;'
    """
    return Html(in_html(words))


def join(*parts: Html) -> Html:
    """Return parts one after the other."""
    return Html("\n".join(part for part in parts if part))


def paragraph(words: str, kind: str = "") -> Html:
    """Return a text as a paragraph, of a class of the style sheet if one is given."""
    return Html(f"<p{_class(kind)}>{text(words)}</p>")


def box(*parts: Html) -> Html:
    """Return parts in the frame of the answer."""
    return Html(f'<div class="answer">\n{join(*parts)}\n</div>')


def formula(words: str) -> Html:
    """Return a paragraph in which ^x and ^(x) are set as powers.

    Examples
    --------
    >>> formula("u^p, M^(1/p) & co")
    '<p>u<sup>p</sup>, M<sup>1/p</sup> &amp; co</p>'
    """
    raised = re.sub(r"\^(?:\(([^)]*)\)|(\w))", r"<sup>\1\2</sup>", text(words))
    return Html(f"<p>{raised}</p>")


def section(heading: str, *parts: Html) -> Html:
    """Return a section with a heading; nothing if it would be empty."""
    inside = join(*parts)
    if not inside:
        return NOTHING
    return Html(f"<section>\n<h2>{text(heading)}</h2>\n{inside}\n</section>")


def bullets(items: Sequence[str]) -> Html:
    """Return texts as a list."""
    if not items:
        return NOTHING
    return Html("<ul>\n" + "\n".join(f"<li>{text(item)}</li>" for item in items) + "\n</ul>")


def table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    words: Sequence[int] = (0,),
    *,
    cards: bool = False,
) -> Html:
    """Return a table whose first column names its rows; columns in `words` are set flush left.

    Without a header the columns have no names. On a narrow screen rows of `cards` stand one below
    the other, each cell with the name of its column: for tables of many columns.
    """
    names = header if cards else ()
    head = "".join(
        f'<th scope="col"{_class(_side(column, words))}>{text(name)}</th>'
        for column, name in enumerate(header)
    )
    head = f"<thead><tr>{head}</tr></thead>\n" if header else ""
    body = "\n".join(_row(row, words, names) for row in rows)
    kind = "wide cards" if cards else "wide"
    return Html(
        f'<div class="{kind}"><table>\n<caption>{text(caption)}</caption>\n'
        f"{head}<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def folded(summary: str, part: Html) -> Html:
    """Return a part that a reader has to open, under a line that says what it is."""
    return Html(f"<details>\n<summary>{text(summary)}</summary>\n{part}\n</details>")


def picture(address: str, alt: str, caption: str, kind: str = "") -> Html:
    """Return a figure whose image is part of the page, of a class of the style sheet."""
    return Html(
        f'<figure{_class(kind)}><img src="{text(address)}" alt="{text(alt)}">'
        f"<figcaption>{text(caption)}</figcaption></figure>"
    )


def _row(cells: Sequence[str], words: Sequence[int], names: Sequence[str]) -> str:
    named = [f' data-name="{text(name)}"' for name in names] or [""] * len(cells)
    first = f'<th scope="row"{named[0]}>{text(cells[0])}</th>'
    others = "".join(
        f"<td{_class(_side(column, words))}{named[column]}>{text(cell)}</td>"
        for column, cell in enumerate(cells[1:], start=1)
    )
    return f"<tr>{first}{others}</tr>"


def _side(column: int, words: Sequence[int]) -> str:
    return "words" if column in words else ""


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""

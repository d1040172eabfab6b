"""Keeping what a worked example found: its results, and the parts of its page that quote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Solvers agree in more digits than these on every machine, and readers need fewer.
DIGITS = 5


def rounded(found: Any) -> Any:
    """Return the results with every number to five significant digits."""
    if isinstance(found, dict):
        return {str(name): rounded(value) for name, value in found.items()}
    if isinstance(found, list | tuple):
        return [rounded(value) for value in found]
    if isinstance(found, str | bool | int):
        return found
    return float(f"{found:.{DIGITS}g}")


def p_value(value: float) -> str:
    """Return a p-value as it is read: nobody needs the digits of a tiny one."""
    return f"{value:.2f}" if value >= 0.01 else "below " + ("0.01" if value > 1e-10 else "1e-10")


def between(text: str, mark: str, inside: str) -> str:
    """Replace what stands between `<!-- mark -->` and `<!-- /mark -->`."""
    start, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"the page must hold {start} and {end}; found no such place.")
    return f"{before}{start}{inside}{end}{after}"


def keep(name: str, found: dict[str, Any], story: str, folder: Path) -> None:
    """Write the results as JSON, and quote the story in the example's page and in the list of them.

    The first line of a story is the answer.
    """
    text = json.dumps(found, indent=2, sort_keys=True, allow_nan=False)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8", newline="\n")
    answer = story.partition("\n")[0]
    for page, mark, inside in (
        (folder / f"{name}.md", "answer", answer),
        (folder / f"{name}.md", "printed", f"\n```text\n{story}\n```\n"),
        (folder / "index.md", name, answer),
    ):
        page.write_text(
            between(page.read_text(encoding="utf-8"), mark, inside), encoding="utf-8", newline="\n"
        )

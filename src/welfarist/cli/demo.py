"""`welfarist demo`: the whole job on a simulated charity."""

from __future__ import annotations

from typing import Annotated

import typer

from welfarist.cli import options as opt
from welfarist.cli.console import answer, print_json, working

EXAMPLE = "welfarist demo --report story.html"

Report = Annotated[str, typer.Option("--report", help="Where to write the report.", metavar="FILE")]


def demo(report: Report = "report.html", json: opt.Json = False) -> None:
    """Learn the rule of a simulated charity, up to a report."""
    from welfarist.app.targets import check_targets

    check_targets({"report": report})
    from welfarist.app import demo  # which takes a second, as a place may be refused before

    if json:
        with working():
            found = demo.facts(report)
        print_json(found)
    else:
        demo.tell(report, answer)

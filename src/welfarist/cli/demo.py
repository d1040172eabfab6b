"""`welfarist demo`: the whole job on a simulated charity."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLE = "welfarist demo --report story.html"

Report = Annotated[str, typer.Option(help="Where to write the report.", metavar="FILE")]


def demo(report: Report = "report.html") -> None:
    """Learn the rule of a simulated charity, up to a report."""
    from welfarist.app.targets import check_targets

    check_targets({"report": report})
    from welfarist.app.demo import tell  # which takes a second, as a place may be refused before

    tell(report, print)

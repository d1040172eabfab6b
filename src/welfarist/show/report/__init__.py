"""A report for people who decide: one HTML page that needs nothing else.

`facts` works out what there is to say, `plain_words` puts messages of the package as readers know
things, `given` holds what the author adds, `words` says it, `sections` and `checks` arrange it,
`pictures` draws it, `markup` and `style` make a page of it.
"""

from welfarist.show.report.document import report_html, write_report

__all__ = ["report_html", "write_report"]

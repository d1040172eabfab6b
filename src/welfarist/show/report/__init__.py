"""A report for people who decide: one HTML page that needs nothing else.

`document` picks the report by the kind of result: `one_rule`, `typed` or `crowd`. `facts` works out
what there is to say of one rule, `plain_words` puts messages of the package as readers know things,
`given` holds what the author adds, `words` says it, `sections` and `checks` arrange it; `several`
is what reports on several decision makers share, in the words of `type_words`. `pictures` draws it,
`markup`, `style` and `page` make a page of it.
"""

from welfarist.show.report.document import report_html, write_report

__all__ = ["report_html", "write_report"]

"""What was stored, as pages say it."""

from __future__ import annotations

from django import template

from welfarist.web.asking.endings import in_plain_words

register = template.Library()
register.filter("plain_reason", in_plain_words)


@register.filter
def as_read(value: float) -> str:
    """Write a number of a table with all digits that somebody may look for.

    Examples
    --------
    >>> as_read(3.0), as_read(0.1234567), as_read(1234567.25)
    ('3', '0.1234567', '1234567.25')
    """
    return f"{value:.12g}"

"""What was stored, as pages say it."""

from __future__ import annotations

from django import template

from welfarist.web.asking.endings import in_plain_words

register = template.Library()
register.filter("plain_reason", in_plain_words)

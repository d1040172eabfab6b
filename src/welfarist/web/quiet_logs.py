"""What is logged: never a link that lets somebody in."""

from __future__ import annotations

import logging
import re

_SECRET = re.compile(r"/(ask|enter)/[\w-]+")


class Masked(logging.Formatter):
    """Write messages, and what led to them, without the tokens of links."""

    def format(self, record: logging.LogRecord) -> str:
        """Return what is written.

        Examples
        --------
        >>> line = logging.LogRecord("", 40, "", 1, "Not found: /ask/abc-1/undo/", None, None)
        >>> Masked().format(line)
        'Not found: /ask/…/undo/'
        """
        return _SECRET.sub(r"/\1/…", super().format(record))

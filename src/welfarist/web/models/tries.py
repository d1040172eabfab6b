"""How often something was tried lately, for all processes of a server."""

from __future__ import annotations

from django.db import models


class Tries(models.Model):
    """How often somebody tried something in a span of time.

    Attributes
    ----------
    what : str
        A digest of what was tried and by whom: addresses and names are not kept.
    since : datetime
        When the span began.
    count : int
    """

    what = models.CharField(max_length=64, unique=True)
    since = models.DateTimeField(db_index=True)
    count = models.PositiveIntegerField(default=0)

    class Meta:
        """The plural is the same."""

        verbose_name_plural = "tries"

    def __str__(self) -> str:
        return f"{self.count} since {self.since:%H:%M}"

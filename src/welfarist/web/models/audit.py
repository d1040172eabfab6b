"""Who did what, and when."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from welfarist.web.models.studies import Study


class AuditEntry(models.Model):
    """Something that was done; it outlives the study and the account.

    Attributes
    ----------
    user : account or None
        Nobody's for what respondents do.
    who : str
        In words.
    what : str
        Such as "study opened"; see :func:`welfarist.web.audit.note`.
    details : dict
        Plain values; nothing of what anybody answered.
    """

    study = models.ForeignKey(Study, null=True, on_delete=models.SET_NULL, related_name="audit")
    study_title = models.CharField(max_length=200, blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    who = models.CharField(max_length=200)
    at = models.DateTimeField(auto_now_add=True, db_index=True)
    what = models.CharField(max_length=100)
    details: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)

    class Meta:
        """Newest first."""

        verbose_name_plural = "audit entries"
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.who}: {self.what}"

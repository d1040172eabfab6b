"""Who may answer: links that were sent, and the people who came by them."""

from __future__ import annotations

import secrets

from django.db import models

from welfarist.web.models.studies import Study

# 192 bits: nobody finds a link by trying.
_BYTES = 24


def new_token() -> str:
    """Return what stands in a link, which nobody can guess."""
    return secrets.token_urlsafe(_BYTES)


class Invite(models.Model):
    """A link to a study, for one person by name or for everybody who has it.

    Its token is kept as it is, so that the analyst can copy the link again: whoever can read it
    here can read the answers as well.
    """

    class Kind(models.TextChoices):
        """For how many people it is."""

        PERSONAL = "personal"
        OPEN = "open"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invites")
    token = models.CharField(max_length=64, unique=True, default=new_token, editable=False)
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """In the order in which they were made."""

        ordering = ("pk",)

    def __str__(self) -> str:
        """The name, or what tells it from others."""
        everybody = self.kind == self.Kind.OPEN
        return self.name or f"{'everybody' if everybody else 'somebody'} ({self.pk})"


class Respondent(models.Model):
    """Somebody who answers.

    Attributes
    ----------
    number : int
        From 1 on in each study: what exports and pages call them where they have no name.
    token : str
        Goes on with the same interview on another device: /ask/<token>/.
    seed : int
        Of their questions.
    finished_at : datetime or None
        Since when there is nothing more to ask; taking an answer back begins again.
    finished_because : str
        The interview's reason.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="respondents")
    invite = models.ForeignKey(Invite, on_delete=models.CASCADE, related_name="respondents")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200, blank=True)
    token = models.CharField(max_length=64, unique=True, default=new_token, editable=False)
    seed = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    finished_because = models.TextField(blank=True)

    class Meta:
        """Everybody has a number of their own."""

        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["study", "number"], name="respondent_number"),
        )

    def __str__(self) -> str:
        return self.name or f"respondent {self.number}"

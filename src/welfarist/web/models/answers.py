"""What somebody was asked and what they said; nothing is overwritten."""

from __future__ import annotations

import secrets

from django.db import models

from welfarist.web.models.invites import Respondent


def new_key() -> str:
    """Return what tells a question from all others, those of the same number included."""
    return secrets.token_hex(8)


class Choice(models.TextChoices):
    """What can be said; nothing as long as nothing was."""

    NONE = ""
    FIRST = "first"
    SECOND = "second"
    EQUAL = "equal"
    SKIP = "skip"


class Ended(models.TextChoices):
    """Why a question or its answer no longer stands."""

    STANDS = ""
    REVISED = "revised"  # another answer was given to the same question
    UNDONE = "undone"  # the answer was taken back, and the question put again
    WITHDRAWN = "withdrawn"  # it was not answered before an earlier answer changed


class Answer(models.Model):
    """A question that was put, and its answer as soon as there is one.

    A row is written when a question is shown first, so that everybody sees the same one, in
    whatever tab and from whatever process; the answer is written into it once, and it never
    changes afterwards. Revising and undoing end it (`ended`, `ended_at`) and make a new row. Of
    each number one row at most stands.

    Attributes
    ----------
    number : int
        From 1 on.
    key : str
        What the answer to this very question has to name.
    first, second : int
        Row numbers; from N on they are of outcomes that were made up.
    outcomes : list of two lists, or None
        What everybody has in both, where some outcome was made up.
    about : list of two int
        Whom the question is about most.
    bits : float
    reason : str
        Why it was asked.
    left : "first" or "second"
        Which one was shown on the left, or on top.
    response_ms : int or None
        How long it took, as the browser says.
    """

    respondent = models.ForeignKey(Respondent, on_delete=models.CASCADE, related_name="answers")
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    first = models.PositiveIntegerField()
    second = models.PositiveIntegerField()
    outcomes: models.JSONField[list[list[float]] | None, list[list[float]] | None] = (
        models.JSONField(null=True, blank=True)
    )
    about: models.JSONField[list[int], list[int]] = models.JSONField()
    bits = models.FloatField()
    reason = models.TextField()
    left = models.CharField(max_length=6, default="first")
    choice = models.CharField(max_length=6, choices=Choice, default=Choice.NONE, blank=True)
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    response_ms = models.PositiveBigIntegerField(null=True, blank=True)
    ended = models.CharField(max_length=9, choices=Ended, default=Ended.STANDS, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """One row of each number stands; an answer has a time, and so has an end."""

        ordering = ("number", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["respondent", "number"], condition=models.Q(ended=""), name="one_stands"
            ),
            models.CheckConstraint(
                condition=models.Q(choice="", answered_at__isnull=True)
                | (~models.Q(choice="") & models.Q(answered_at__isnull=False)),
                name="answered_with_time",
            ),
            models.CheckConstraint(
                condition=models.Q(ended="", ended_at__isnull=True)
                | (~models.Q(ended="") & models.Q(ended_at__isnull=False)),
                name="ended_with_time",
            ),
            models.CheckConstraint(
                condition=models.Q(choice__in=Choice.values), name="known_choice"
            ),
        )

    def __str__(self) -> str:
        return f"{self.number}: {self.choice or 'open'}"

"""A study: a table of actions, and how people are asked about it."""

from __future__ import annotations

from typing import TypedDict, cast

import numpy as np
from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models

from welfarist.app.ask_settings import AskSettings
from welfarist.app.ask_settings import Designed as AskDesigned
from welfarist.base.validation import FloatArray


class Described(TypedDict):
    """An action, by its name in the table, and what respondents are told of it."""

    name: str
    label: str
    description: str


class State(models.TextChoices):
    """Whether people can answer."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class Designed(models.TextChoices):
    """Whether outcomes are made up for questions."""

    NO = "no"
    ONLY = "only"
    TOO = "too"


class Study(models.Model):
    """A table of actions, and how people are asked about it.

    Attributes
    ----------
    actions, stakeholders : lists of Described
        N and d of them, by their names in the table; what respondents see is `label`, or the name
        where that is empty.
    utilities : list of lists
        What each action gives to each stakeholder, (N, d), plain finite numbers.
    notes : list of str
        What was guessed when the table was read.
    most, designed, aim, sure, check_every, seed
        As in :class:`~welfarist.app.ask_settings.AskSettings`. They and the table must not change
        once somebody was asked: see `frozen`.
    last_number : int
        The number of who came last; nobody gets it again, though they may be forgotten.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="studies"
    )
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)

    file_name = models.CharField(max_length=200, blank=True)
    actions: models.JSONField[list[Described], list[Described]] = models.JSONField()
    stakeholders: models.JSONField[list[Described], list[Described]] = models.JSONField()
    utilities: models.JSONField[list[list[float]], list[list[float]]] = models.JSONField()
    notes: models.JSONField[list[str], list[str]] = models.JSONField(default=list, blank=True)

    most = models.PositiveSmallIntegerField(default=40, validators=[MinValueValidator(1)])
    designed = models.CharField(max_length=4, choices=Designed, default=Designed.NO)
    aim = models.TextField(default="rule")
    sure = models.FloatField(default=0.9)
    check_every = models.PositiveSmallIntegerField(default=0)
    seed = models.PositiveIntegerField(default=0)
    numbers_on_demand = models.BooleanField(default=False)
    respondents_see_result = models.BooleanField(default=False)
    last_number = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        """Newest first."""

        verbose_name_plural = "studies"
        ordering = ("-created_at", "-pk")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(sure__gt=0) & models.Q(sure__lte=1), name="study_sure"
            ),
            models.CheckConstraint(condition=models.Q(most__gte=1), name="study_most"),
            models.CheckConstraint(condition=~models.Q(check_every=1), name="study_check_every"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def table(self) -> FloatArray:
        """The utilities, (N, d)."""
        return np.array(self.utilities, dtype=np.float64)

    @property
    def action_names(self) -> tuple[str, ...]:
        """The actions by their names in the table, (N,)."""
        return tuple(action["name"] for action in self.actions)

    @property
    def stakeholder_names(self) -> tuple[str, ...]:
        """The stakeholders by their names in the table, (d,)."""
        return tuple(person["name"] for person in self.stakeholders)

    @property
    def ask_settings(self) -> AskSettings:
        """How questions are chosen, as commands and files have it."""
        designed = cast("AskDesigned", self.designed)
        return AskSettings(self.seed, designed, self.aim, self.most, self.sure, self.check_every)

    @property
    def frozen(self) -> bool:
        """Whether somebody was asked already: then table and questions must stay as they are."""
        return self.respondents.filter(answers__isnull=False).exists()

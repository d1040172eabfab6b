"""How far everybody is."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from welfarist.web.models import Respondent, Study

_STANDS = Q(answers__ended="") & ~Q(answers__choice="")


def respondents_of(study: Study) -> QuerySet[Respondent]:
    """Return everybody who can answer, each with how many questions they `answered`."""
    return (
        study.respondents.select_related("invite")
        .annotate(answered=Count("answers", filter=_STANDS))
        .order_by("number")
    )

"""One's studies, each with how many people answered."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from welfarist.web.models import Study


def listed(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Return studies with numbers of `people` and of those who are `finished`."""
    done = Q(respondents__finished_at__isnull=False)
    return studies.annotate(
        people=Count("respondents"), finished=Count("respondents", filter=done)
    ).defer("utilities", "actions", "stakeholders")

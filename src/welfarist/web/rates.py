"""How often something may be tried: counted in the database, so that all processes count as one.

Guessing a password or a link is cut short; so is filling a study with people who are nobody.
Whole offices come from one address, which is why limits are far above what a room of people does.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from welfarist.web.models import Tries


@dataclass(frozen=True)
class Limit:
    """So many tries in a span of time.

    Attributes
    ----------
    what : str
        What is tried.
    most : int
    span : timedelta
    """

    what: str
    most: int
    span: timedelta

    def count(self, who: str) -> bool:
        """Count a try; return whether it was one too many.

        Whoever is let through is counted before, or many tries at once would all be the first.
        """
        return self.counted(who) > self.most

    def counted(self, who: str) -> int:
        """Count a try; return which one of the span it was."""
        now, key = timezone.now(), self._key(who)
        with transaction.atomic():
            new, made = Tries.objects.get_or_create(what=key, defaults={"since": now})
            if made and new.pk % _OFTEN == 0:
                forget_old()
            found = Tries.objects.select_for_update().get(what=key)
            if not now - self.span < found.since <= now:  # clocks are set back, too
                found.since, found.count = now, 0
            found.count += 1
            found.save(update_fields=["since", "count"])
        return found.count

    def forgive(self, who: str) -> None:
        """Take one try back: it was none."""
        Tries.objects.filter(what=self._key(who), count__gt=0).update(count=F("count") - 1)

    def _key(self, who: str) -> str:
        told = f"{self.what}\0{who}\0{settings.SECRET_KEY}"
        return hashlib.sha256(told.encode()).hexdigest()


# Few as somebody from one address; more from many, or a stranger who knows a name could keep its
# owner out.
LOGIN_FROM = Limit("login from an address", 50, timedelta(minutes=15))
LOGIN_AS = Limit("login as somebody from an address", 10, timedelta(minutes=15))
LOGIN_NAME = Limit("login as somebody", 100, timedelta(minutes=15))
# Failures that are noted of an account, and of names that nobody has: who did what must not
# drown in what nobody did.
NOTED = Limit("failed logins that are noted", 20, timedelta(hours=1))
WRONG_LINKS = Limit("links that lead nowhere", 60, timedelta(minutes=10))
BEGIN_FROM = Limit("begin from an address", 1000, timedelta(hours=1))
BEGIN_BY = Limit("begin by an open invite", 3000, timedelta(hours=1))
_LONGEST = timedelta(days=1)
# After so many new counts old ones are removed.
_OFTEN = 100


def address_of(request: HttpRequest) -> str:
    """Return where a request comes from.

    A proxy adds whom it heard from at the end of X-Forwarded-For; what stands before that is what
    anybody may have claimed.
    """
    heard = str(request.META.get("REMOTE_ADDR", ""))
    if not settings.DEPLOYMENT.behind_proxy:
        return heard
    return request.headers.get("X-Forwarded-For", heard).split(",")[-1].strip() or heard


def forget_old() -> None:
    """Remove counts that say nothing any more."""
    Tries.objects.filter(since__lt=timezone.now() - _LONGEST).delete()

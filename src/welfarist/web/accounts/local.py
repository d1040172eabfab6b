"""The account of whoever runs the pages on their own machine."""

from __future__ import annotations

from django.contrib.auth.models import User

_NAME = "local"


def local_analyst() -> User:
    """Return the account, which has no password and is entered by a link alone."""
    user, made = User.objects.get_or_create(username=_NAME)
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user

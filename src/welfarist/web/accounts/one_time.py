"""The link that opens the pages on one's own machine: it works once, and dies with the process."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading

_BYTES = 32


class OneTime:
    """A token that can be redeemed once.

    Examples
    --------
    >>> door = OneTime()
    >>> token = door.issue()
    >>> door.redeem("something else"), door.redeem(token), door.redeem(token)
    (False, True, False)
    """

    def __init__(self) -> None:
        self._digest: bytes | None = None
        self._lock = threading.Lock()

    def issue(self) -> str:
        """Return a new token; the one before is worth nothing from now on."""
        token = secrets.token_urlsafe(_BYTES)
        with self._lock:
            self._digest = _digest(token)
        return token

    def redeem(self, token: str) -> bool:
        """Return whether this is the token, and forget it if it is."""
        with self._lock:
            if self._digest is None or not hmac.compare_digest(self._digest, _digest(token)):
                return False
            self._digest = None
            return True


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


DOOR = OneTime()

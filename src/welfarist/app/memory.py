"""Whether there is room to work in."""

from __future__ import annotations

from welfarist.base.errors import InputError

try:
    import resource
except ImportError:  # Windows, where nobody can be limited in this way
    resource = None  # type: ignore[assignment]

# Of addresses, most of which are never used: with less, engines that read and learn do not stop
# with an error, but wait for threads that were never started.
LEAST = 1_500_000_000


def require_address_space() -> None:
    """Refuse to begin where a limit (``ulimit -v``) would leave the work hanging."""
    if resource is None:
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST:
        raise InputError(
            f"there must be {LEAST / 1e9:g} GB of address space to read and learn in; found a "
            f"limit of {limit / 1e9:.2g} GB. Raise it: ulimit -v unlimited"
        )

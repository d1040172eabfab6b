"""The names of estimates: which of them a user means, and of what kind each is."""

from __future__ import annotations

from collections.abc import Sequence

from welfarist.errors import InputError


def kind_of(name: str) -> str:
    """Return the kind of an estimate, given its name: "p", "weights", "tau", "rho" or "scale"."""
    return "weights" if name.startswith("weight of ") else name


def chosen_names(names: Sequence[str], name: str) -> list[int]:
    """Return the places of the estimates that go by a name: of all weights for "weights".

    Examples
    --------
    >>> chosen_names(("p", "weight of staff", "weight of clients", "tau"), "weights")
    [1, 2]
    """
    weights = [i for i, known in enumerate(names) if kind_of(known) == "weights"]
    if name == "weights" and weights:
        return weights
    if name in names:
        return [list(names).index(name)]
    known = [*names, *(["weights"] if weights else [])]
    if not known:
        raise InputError(
            f"an interval must be of something that was learned; found {name!r} of a fit in which "
            "everything was given. Fit without p or weights."
        )
    raise InputError(
        f"an interval must be of something that was learned: {', '.join(known)}; found {name!r}."
    )

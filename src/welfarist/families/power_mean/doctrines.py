"""The named welfare functions, and how to speak of the ones in between."""

from __future__ import annotations

from welfarist.base.errors import InputError, ZerosError
from welfarist.base.validation import as_power
from welfarist.families.named import Doctrine

DOCTRINES = (
    Doctrine("egalitarian", float("-inf"), "only the worst-off person matters"),
    Doctrine("harmonic", -1.0, "the badly off matter much more than the well off"),
    Doctrine("Nash", 0.0, "the same percentage gain counts the same for everybody"),
    Doctrine("utilitarian", 1.0, "the same gain counts the same for everybody"),
    Doctrine("best off", float("inf"), "only the best-off person matters"),
)

# A power this near to a named one is called so.
CLOSE = 0.05
# Between a finite doctrine and an infinite one there is no midpoint; the power at which the
# nearer neighbour changes is set at three, where somebody with half the utility weighs 16 times
# (p = -3) as much at the margin.
_FAR = 3.0


def doctrine_of(p: float) -> str:
    """Name the doctrine with power `p`, or say between which two it lies.

    Examples
    --------
    >>> doctrine_of(1)
    'utilitarian'
    >>> doctrine_of(0.2)
    'between Nash and utilitarian, nearer Nash'
    """
    p = as_power(p)
    for doctrine in DOCTRINES:
        if doctrine.p == p:
            return doctrine.name
    below = max((d for d in DOCTRINES if d.p < p), key=lambda d: d.p)
    above = min((d for d in DOCTRINES if d.p > p), key=lambda d: d.p)
    middle = _middle(below.p, above.p)
    if p == middle:
        return f"midway between {below.name} and {above.name}"
    nearer = below if p < middle else above
    return f"between {below.name} and {above.name}, nearer {nearer.name}"


def close_doctrine_of(p: float, digits: int) -> str:
    """Name the doctrine of `p` as it is printed with some decimals, or the one it is close to.

    Examples
    --------
    >>> close_doctrine_of(-1.03, 2), close_doctrine_of(-1.001, 2), close_doctrine_of(0.2, 2)
    ('close to harmonic', 'harmonic', 'between Nash and utilitarian, nearer Nash')
    """
    shown = p if abs(p) == float("inf") else round(p, digits) + 0.0
    near = [doctrine.name for doctrine in DOCTRINES if 0 < abs(shown - doctrine.p) < CLOSE]
    return f"close to {near[0]}" if near else doctrine_of(shown)


def power_of(name: str) -> float:
    """Return the power of a doctrine given by name, in any case.

    Examples
    --------
    >>> power_of("nash")
    0.0
    """
    if not isinstance(name, str):
        raise InputError(f"a doctrine must be given by its name; found {name!r}.")
    wanted = name.strip().lower().replace("-", " ").replace("_", " ")
    for doctrine in DOCTRINES:
        if doctrine.name.lower() == wanted:
            return doctrine.p
    known = ", ".join(doctrine.name for doctrine in DOCTRINES)
    raise InputError(f"a doctrine must be one of {known}; found {name!r}. Or give its power p.")


def _middle(below: float, above: float) -> float:
    if below == float("-inf"):
        return -_FAR
    if above == float("inf"):
        return _FAR
    return (below + above) / 2


def power_of_option(p: object, has_zeros: bool) -> float | None:
    """Return the fixed power, or None if it is to be learned."""
    if p is None:
        return None
    power = power_of(p) if isinstance(p, str) else as_power(p)
    if has_zeros and power <= 0:
        raise ZerosError(
            f"p must be positive where a utility is 0, because otherwise welfare is 0; found p = "
            f"{power:g}. Learn p, add a constant to every utility (such as shift=1), or leave "
            "those actions out."
        )
    return power

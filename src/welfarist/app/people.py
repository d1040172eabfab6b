"""Weights, groups, attributes and priors by name, from a text or a file, for who is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from welfarist.app.texts import is_inline, members_by_group, numbers_by_name, prior_of_text
from welfarist.app.usage import RequestError, UsageError
from welfarist.base.validation import FloatArray
from welfarist.files import read_attributes, read_groups, read_weights
from welfarist.files.people import check_people


def weights_of(
    text: str | None,
    people: Sequence[str],
    encoding: str | None = None,
    heads: FloatArray | None = None,
) -> Any:
    """What is known about the weights of these people, for the learners.

    `encoding` is that of text files; `heads` (d,) says how many people each stands for, if they
    are groups of a sketch.
    """
    if text == "population":
        if heads is None:
            raise UsageError(
                "{weights:population} is for groups in a sketch, who are many or few; found a "
                "table, in which everybody is one. Use {weights:equal}."
            )
        return dict(zip(people, heads.tolist(), strict=True))
    if text == "equal" and heads is not None:
        return dict.fromkeys(people, 1.0)
    if text is None or text in ("learn", "equal"):
        return text or "learn"
    if not is_inline(text):
        return read_weights(text, people=people, encoding=encoding)
    found = numbers_by_name(text)
    _check(found, people, "weight", "weights")
    return found


def groups_of(text: str | None, people: Sequence[str], encoding: str | None = None) -> Any:
    """Who of these people shares a weight with whom, for the learners."""
    if text is None:
        return None
    if not is_inline(text):
        return read_groups(text, people=people, encoding=encoding)
    found = members_by_group(text)
    _check([name for names in found.values() for name in names], people, "group", "groups")
    return found


def attributes_of(
    path: str, heads: str | None, people: Sequence[str], encoding: str | None = None
) -> Any:
    """Weights that follow from attributes in a file, for the learners.

    `heads` names the column that says how many stand behind each.
    """
    from welfarist.people.attributes import ByAttributes

    table = read_attributes(path, people=people, encoding=encoding)
    if heads is not None and heads not in table:
        raise RequestError(
            "{heads} must be a column of {path}, {columns}; found {told}. Check the spelling.",
            path=path,
            columns=", ".join(table),
            told=heads,
        )
    return ByAttributes(table, heads)


def prior_of(text: str | None, people: Sequence[str], groups: Any) -> Any:
    """The prior on the weights of these people, or of their groups, for the learners."""
    found = prior_of_text(text)
    if isinstance(found, dict):
        shared = groups is not None
        labels = list(dict.fromkeys(_labels(groups))) if shared else people
        _check(found, labels, "prior", "prior")
    return found


def _check(named: Iterable[str], people: Sequence[str], what: str, option: str) -> None:
    """Require that everybody is named, and nobody else; messages begin with the option."""
    try:
        check_people(named, people, what, option)
    except RequestError as problem:
        message = str(problem.args[0]).replace("{source}", f"{{{option}}}")
        raise RequestError(message, **problem.found) from None


def _labels(groups: dict[str, Any]) -> list[str]:
    """The names of the groups: keys where members are listed, else values."""
    if all(isinstance(members, list) for members in groups.values()):
        return list(groups)
    return list(groups.values())
